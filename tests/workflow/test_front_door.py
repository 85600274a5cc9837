"""The ways into the workflow: from the root of a clone, deployed into a project, as a module."""

import re
import shutil
import subprocess

import pytest
import yaml

from fairpairs.base.files import write_text
from fairpairs.base.schemas import read_yaml
from tests.workflow import forks
from tests.workflow.runs import Run
from tests.workflow.test_resources import RULES

#: What `snakedeploy deploy-workflow` writes to workflow/Snakefile.
DEPLOYED = """from snakemake.utils import min_version


min_version("6.10.0")


configfile: "config/config.yaml"


# declare https://github.com/owner/fairpairs as a module
module fairpairs:
    snakefile:
        github("owner/fairpairs", path="workflow/Snakefile", tag="v1")
    config:
        config


# use all rules from https://github.com/owner/fairpairs
use rule * from fairpairs
"""
#: Rules of what a config asks for with files of its own.
OF_USERS = {"audit", "audit_judgments", "compare_models", "count"}
PROFILE = "Using workflow specific profile profiles/default "


@pytest.fixture
def plan(small, root, monkeypatch):
    """A function that plans in a folder, without naming a Snakefile, a profile or cores."""

    def plan(folder, *arguments, checkout=root, **environment):
        monkeypatch.chdir(folder)
        where = ("snakemake", checkout)
        run = Run(*forks.run(*where, [*arguments], small.environment(**environment))).check()
        return run, run.jobs

    return plan


@pytest.fixture
def host(root, tmp_path):
    """A folder that stands for a git host; what is fetched from it is what a tag there has."""
    repository = tmp_path / "host/owner/fairpairs"
    for tree in ("workflow", "src", "config"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(root / tree, repository / tree, ignore=ignored)
    for file in ("environment.yml", "Snakefile"):
        shutil.copy(root / file, repository)
    someone = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"], ["tag", "v1"]):
        subprocess.run(["git", *someone, *arguments], cwd=repository, check=True)
    write_text(
        tmp_path / "gitconfig",
        f'[url "file://{tmp_path}/host/"]\n\tinsteadOf = https://github.com/\n',
    )
    return {
        "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


def test_snakemake_alone_in_the_root_plans_everything(plan, root):
    """Each rule but those for which the config has nothing, and what others inherit from."""
    process, jobs = plan(root, "--dry-run", "--forceall")
    assert PROFILE in process.stderr
    scripts = {rule for rule, body in RULES.items() if "script:" in body}
    assert scripts - set(jobs) == OF_USERS | {"first_report", "study_table", "study_step"}
    cards = [read_yaml(path) for path in (root / "config/datasets").glob("*.yaml")]
    assert jobs["fetch"] >= sum(len(card["files"]) for card in cards if card.get("raw_only"))
    assert jobs["all"] == jobs["report"] == 1
    assert "reason" not in process.stdout  # the profile is quiet
    assert "Exception" not in process.stdout + process.stderr
    assert "Host:" not in process.stderr


def test_a_project_elsewhere_runs_with_the_profile_of_the_root(small, root, plan):
    process, jobs = plan(small.folder, "--snakefile", str(root / "Snakefile"), "--dry-run")
    assert f"Using workflow specific profile {root}/profiles/default " in process.stderr
    assert jobs["train"] == 1


def test_a_deployed_workflow_runs_with_the_profile_that_comes_with_it(small, root, plan, host):
    """`snakedeploy deploy-workflow` copies config/ and profiles/, and writes a module."""
    shutil.copytree(root / "profiles", small / "profiles")
    write_text(small / "workflow/Snakefile", DEPLOYED)
    process, jobs = plan(small.folder, "--dry-run", checkout=small.folder, **host)
    assert PROFILE in process.stderr
    assert "localrules" not in process.stderr
    assert jobs["train"] == jobs["report"] == 1
    (made,) = (small / ".snakemake/fairpairs").iterdir()  # and nothing half-made
    assert (made / "src/fairpairs/papers/registry.py").is_file()


#: A scheduler that runs what is submitted at once, and writes down the names of the rules.
SUBMIT = """#!/bin/sh
sed -En 's/^# properties = .*"(rule|groupid)": "([a-z_]*).*/\\2/p' "$1" >> submitted.txt
sh "$1" > /dev/null 2>&1
echo 1
"""


@pytest.mark.slow
def test_another_workflow_imports_this_one_as_a_module(small, root):
    """On a cluster: its small rules run beside the main process, as without a module."""
    text = (root / "docs/how-to/extend.md").read_text("utf-8")
    code = re.search(r"`workflow/Snakefile`:\n\n```python\n(.*?)^```", text, re.M | re.S)[1]
    write_text(small / "workflow/Snakefile", code)
    config = yaml.safe_load(small.text("config/config.yaml"))
    config["experiments"] = {"my_loans": config["experiments"]["loans"]}
    config["experiments"]["my_loans"]["tests"] = ["separation"]
    write_text(small / "config/fairness.yaml", yaml.safe_dump(config))
    (small / "config/config.yaml").unlink()  # it is not asked for
    write_text(small / "submit.sh", SUBMIT)
    run = small.snakemake(
        *("--snakefile", str(small / "workflow/Snakefile"), "--jobs", "1"),
        *("--executor", "cluster-generic", "--cluster-generic-submit-cmd", "sh submit.sh"),
        *("--cluster-generic-status-cmd", "echo success #"),
        *("--seconds-between-status-checks", "1"),
    ).check()
    assert "localrules" not in run.stderr
    assert small.text("results/mine.txt").startswith("dataset,attribute,treatment,test,")
    large = ["fairpairs_train", "fairpairs_test", "mine"]
    assert small.text("submitted.txt").split() == large
    small_ones = ["fairpairs_fetch", "fairpairs_prepare", "fairpairs_summarise"]
    assert run.jobs == dict.fromkeys([*large, *small_ones], 1)


def test_an_environment_of_the_package_alone_is_told_what_the_workflow_needs(small, tmp_path):
    """`pip install` without the extra `workflow`, and Snakemake."""
    write_text(
        tmp_path / "alone/sitecustomize.py",
        "import sys\nsys.modules.update(grimp=None, pooch=None)\n",  # as if they were not there
    )
    process = subprocess.run(
        small.command("--dry-run"),
        env=small.environment(PYTHONPATH=str(tmp_path / "alone")),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 1
    assert "Traceback" not in process.stdout + process.stderr
    assert (
        "The workflow needs grimp and pooch, which the package fairpairs alone does not: run "
        "`make environment`, or pip install 'fairpairs[workflow]'."
    ) in process.stdout + process.stderr
