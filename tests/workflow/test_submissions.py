"""How often a run on a cluster submits a job, by its plan."""

import re
import shutil
from collections import Counter

import pytest

from fairpairs.papers.plan.bundles import MOST, SIZES, bundle, bundle_name
from tests.workflow.runs import ROOT, Project
from tests.workflow.test_resources import LOCAL, PROFILES

GROUPED = {group.split("=")[0] for group in PROFILES["slurm"]["groups"]} | {"train", "test"}
#: Rules that a cluster does not get: the target of the Snakefile has no work.
HERE = LOCAL | {"everything"}


def submissions(project, *settings):
    """Count the submissions that a run plans, by rule or group."""
    profile = ("--workflow-profile", str(ROOT / "profiles/slurm"))
    run = project.snakemake("--dry-run", *profile, *settings).check()
    alone = {rule: count for rule, count in run.jobs.items() if rule not in HERE | GROUPED}
    return Counter(re.findall(r"Group job (\w+) ", run.stdout + run.stderr)) + Counter(alone)


def test_a_run_of_a_few_chunks_submits_each_of_them(fresh):
    found = submissions(fresh)
    assert found["predictions"] == 3
    assert not [name for name in found if name.startswith("predictions_by")]


@pytest.mark.slow
def test_a_million_repeats_are_less_than_a_hundred_submissions(tmp_path):
    """Of the shipped config; the published tables are those of the checkout."""
    ignored = shutil.ignore_patterns("published")
    shutil.copytree(ROOT / "config", tmp_path / "config", ignore=ignored)
    found = submissions(Project(tmp_path), "--config", "repeats=1000000", "chunk_size=100000")
    assert found["predictions_by_2"] == 45
    assert found["summarise"] == 6
    assert found.total() <= 100


def test_every_bundle_has_its_size_in_the_profiles():
    for name in ("slurm", "cluster-generic"):
        components = dict(item.split("=") for item in PROFILES[name]["group-components"])
        bundles = {group: n for group, n in components.items() if group.startswith("predictions")}
        assert bundles == {bundle_name(size): str(size) for size in SIZES if size > 1}


def test_bundles_grow_with_the_number_of_chunks():
    assert bundle(1) == bundle(MOST) == "predictions"
    assert bundle(MOST + 1) == "predictions_by_2"
    assert bundle(10**6) == bundle_name(SIZES[-1])
    for chunks in range(1, MOST * SIZES[-1], 7):
        size = int(bundle(chunks).removeprefix("predictions").removeprefix("_by_") or 1)
        assert size == 1 or MOST / 2 < -(-chunks // size) <= MOST
