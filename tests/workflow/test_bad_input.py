"""Bad input ends a run with one sentence: what, where, the remedy; nothing is half-done."""


def assert_explained(project, run, *words):
    assert run.returncode != 0
    assert len(run.sentences) == 1, run.stderr
    (sentence,) = run.sentences
    for word in words:
        assert word in sentence
    assert "Traceback" not in run.stderr
    assert not (project / "results/report.html").exists()
    assert not [path for path in project.files() if path.endswith(".part")]


def test_a_missing_column(small):
    small.change_raw(lambda text: text.replace("income", "salary", 1))
    run = small.snakemake()
    assert_explained(small, run, "data/raw/loans/loans.csv", "`income`", "salary, debt", "correct")
    assert small.files("data") == ["data/raw/loans/loans.csv"]
    assert "`income`" in small.text("logs/prepare/loans.log")


def assert_explained_before_anything_ran(project, run, *words):
    assert_explained(project, run, *words)
    assert project.files("data", "results", "logs") == []
    assert not run.stderr.count("Execute")


def test_a_config_that_snakemake_itself_cannot_read(small):
    with (small / "config/config.yaml").open("a", encoding="utf-8") as config:
        config.write("more: [\n")
    run = small.snakemake()
    assert_explained_before_anything_ran(small, run, "config/config.yaml: not valid YAML: ")


def test_a_typo_on_the_command_line(small):
    run = small.snakemake("--config", "repeat=3")
    assert_explained_before_anything_ran(small, run, "config", "`repeat`", "mean `repeats`?")


def test_reproduce_says_it_once_too(small):
    small.configure(lambda config: config.update(repeatz=3))
    run = small.reproduce()
    assert_explained_before_anything_ran(small, run, "config", "`repeatz`", "mean `repeats`?")
