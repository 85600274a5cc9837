"""What `make reproduce` hands on to Snakemake."""

import pytest


def test_a_target_is_made_alone(finished):
    # fetch, prepare, train, test and summarise
    assert "5 of 5 steps (100%) done" in finished.text("reproduced.txt")


def test_a_dry_run_plans_everything_though_nothing_is_fetched(small):
    run = small.reproduce("--dry-run", "--config", "repeats=8")
    assert run.returncode == 0, run.stderr
    assert run.jobs["everything"] == run.jobs["fetch"] == run.jobs["report"] == 1
    assert run.jobs["train"] == 2  # chunks of four
    assert small.files() == []


@pytest.mark.parametrize("arguments", [["--repeats", "5"], ["tables", "--repeats=5"]])
def test_an_unknown_option_is_one_sentence(small, arguments):
    run = small.reproduce(*arguments)
    assert run.returncode == 2
    option = arguments[-1] if "=" in arguments[-1] else "--repeats"
    sentence = f"reproduce.py: error: Snakemake has no option {option}: see `snakemake --help`."
    assert run.stderr.splitlines()[-1] == sentence
    assert len(run.stderr.splitlines()) < 8
    assert small.files() == []
