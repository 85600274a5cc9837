"""How often a run on a cluster submits a job, by its plan."""

import shutil
from collections import Counter

import pytest

from tests.workflow.runs import ROOT, Project
from tests.workflow.test_resources import LOCAL

#: Rules that a cluster does not get: the target of the Snakefile has no work.
HERE = LOCAL | {"everything"}


def submissions(project, *settings):
    """Count the submissions that a run plans, by rule."""
    profile = ("--workflow-profile", str(ROOT / "profiles/slurm"))
    run = project.snakemake("--dry-run", *profile, *settings).check()
    assert "Group job" not in run.stdout + run.stderr  # of which one that fails removes the others
    return Counter({rule: count for rule, count in run.jobs.items() if rule not in HERE})


def test_each_chunk_is_a_submission_of_its_own(fresh):
    found = submissions(fresh)
    assert found["train"] == found["test"] == 3


@pytest.mark.slow
def test_the_size_of_a_chunk_says_how_many_submissions_there_are(tmp_path):
    """Of the shipped config; the published tables are those of the checkout."""
    ignored = shutil.ignore_patterns("published")
    shutil.copytree(ROOT / "config", tmp_path / "config", ignore=ignored)
    settings = ("--config", "repeats=1000000", "chunk_size=20000")
    found = submissions(Project(tmp_path), *settings, "--", "results/tables/classification.csv")
    assert found == {"train": 300, "test": 300, "summarise": 1}  # as docs/how-to/cluster.md says
