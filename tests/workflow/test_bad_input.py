"""Bad input ends a run with one sentence: what, where, the remedy; nothing is half-done."""


def experiment(project, **changes):
    project.configure(lambda config: config["experiments"]["loans"].update(changes))


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


def test_a_raw_file_that_is_not_the_one_of_the_card(small):
    raw = small / "mirror/loans/loans.csv"
    raw.write_bytes(raw.read_bytes().replace(b"yes", b"yez", 1))
    run = small.snakemake()
    refused = "mirror/loans/loans.csv: refused, it was altered: its sha256 is"
    assert_explained(small, run, "loans.csv", "`loans`", refused)
    assert_explained(small, run, "put the file at loans/loans.csv", "FAIRPAIRS_MIRROR")
    assert small.files("data") == []


def test_no_mirror_and_no_network(small):
    (small / "mirror/loans/loans.csv").unlink()
    url = "http://127.0.0.1:1/x"
    small.change_card(lambda card: card["files"][0].update(urls=[url]))
    run = small.snakemake()
    assert_explained(
        small, run, "loans.csv", "`loans`", "mirror/loans/loans.csv: no such file", url
    )
    assert_explained(small, run, "put the file at loans/loans.csv", "FAIRPAIRS_MIRROR")
    assert small.files("data") == []
    assert [*(small / "data").rglob("tmp*")] == []


def assert_explained_before_anything_ran(project, run, *words):
    assert_explained(project, run, *words)
    assert project.files("data", "results", "logs") == []
    assert not run.stderr.count("Execute")


def assert_refused(project, *words):
    sentence = project.refusal()
    for word in words:
        assert word in sentence


def test_a_typo_in_the_config(small):
    small.configure(lambda config: config.update(repeatz=config.pop("repeats")))
    run = small.snakemake()
    assert_explained_before_anything_ran(small, run, "config", "`repeatz`", "mean `repeats`?")


def test_a_config_that_snakemake_itself_cannot_read(small):
    with (small / "config/config.yaml").open("a", encoding="utf-8") as config:
        config.write("more: [\n")
    run = small.snakemake()
    assert_explained_before_anything_ran(small, run, "config/config.yaml: not valid YAML: ")


def test_a_typo_in_an_experiment(small):
    experiment(small, treatmnts=["none"])
    assert_refused(small, "loans.treatmnts`", "mean `treatments`?")


def test_a_typo_on_the_command_line(small):
    run = small.snakemake("--config", "repeat=3")
    assert_explained_before_anything_ran(small, run, "config", "`repeat`", "mean `repeats`?")


def test_a_value_that_is_no_number(small):
    small.configure(lambda config: config.update(repeats="many"))
    assert_refused(small, "`repeats`", "'many'", "at least 1")


def test_a_typo_in_a_card(small):
    small.change_card(lambda card: card.update(sensitve=card.pop("sensitive")))
    assert_refused(small, "config/datasets/loans.yaml", "`sensitve`", "mean `sensitive`?")


def test_an_unknown_treatment(small):
    experiment(small, treatments=["none", "rewaying"])
    words = "experiments.loans: there is no treatment `rewaying`"
    assert_refused(small, words, "mean `reweighing`?")


def test_a_data_set_without_a_card(small):
    experiment(small, datasets=["loans", "lones"])
    assert_refused(small, "`lones`", "config/datasets/lones.yaml", "use one of loans")


def test_probabilities_of_a_classifier_that_do_not_sum_to_1(fresh):
    def change(config):
        config["comparative_separation"]["simulation"]["classifiers"]["f1"]["C=1, Y=1, A=1"] = 0.3

    fresh.configure(change)
    assert_refused(fresh, "f1", "sum to 1.08", "make it 1")


def test_reproduce_says_it_once_too(small):
    small.configure(lambda config: config.update(repeatz=3))
    run = small.reproduce()
    assert_explained_before_anything_ran(small, run, "config", "`repeatz`", "mean `repeats`?")
