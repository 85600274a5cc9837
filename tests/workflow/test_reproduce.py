"""What `make reproduce` hands on to Snakemake."""


def test_a_target_is_made_alone(finished):
    # fetch, prepare, train, test and summarise
    assert "5 of 5 steps (100%) done" in finished.text("reproduced.txt")


def test_a_dry_run_plans_everything_though_nothing_is_fetched(small):
    run = small.reproduce("--dry-run", "--config", "repeats=8")
    assert run.returncode == 0, run.stderr
    assert run.jobs["all"] == run.jobs["fetch"] == run.jobs["report"] == 1
    assert run.jobs["train"] == 2  # chunks of four
    assert small.files() == []


def test_an_unknown_option_is_one_sentence(small):
    run = small.reproduce("--repeats", "5")
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1].endswith("error: unrecognized arguments: --repeats"), (
        run.stderr
    )
    assert small.files() == []
