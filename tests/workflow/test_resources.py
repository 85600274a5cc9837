"""Every rule says what a cluster must give it, and is either submitted or small."""

import os
import re
import sys
from pathlib import Path

import pytest
import yaml

from fairpairs.base.files import write_text

ROOT = Path(__file__).parents[2]
#: Of each rule the one that it inherits from, if any, its name and its text.
FOUND = [
    found
    for file in sorted((ROOT / "workflow").glob("*/*.smk"))
    for found in re.findall(
        r"^(?:use rule (\w+) as |rule )(\w+)(?: with)?:\n(.*?)(?=^\S|\Z)",
        file.read_text(), re.M | re.S,
    )
]  # fmt: skip
OWN = {name: body for _, name, body in FOUND}
RULES = {name: OWN.get(base, "") + body for base, name, body in FOUND}
#: `use rule … with` hands `localrule` on to no other rule.
LOCAL = {name for name, body in OWN.items() if "    localrule: True\n" in body}
PROFILES = {
    path.parent.name: yaml.safe_load(path.read_text("utf-8"))
    for path in (ROOT / "profiles").glob("*/config.yaml")
}


def test_what_is_submitted_asks_for_memory_and_time_and_is_measured():
    submitted = set(RULES) - LOCAL
    assert {"train", "test", "embed", "bridge_study"} <= submitted
    assert not [name for name in submitted if name.startswith(("table", "figure"))]
    for rule in submitted:
        assert re.search(r"^        mem_mb=growing\(", RULES[rule], re.M), rule
        assert re.search(r"^        runtime=(growing|resuming)\(", RULES[rule], re.M), rule
        # what it costs is written beside the log
        assert f'    log:\n        "logs/{rule}/' in RULES[rule]


def test_every_rule_with_a_script_declares_the_environment():
    """As .snakemake-workflow-catalog.yml promises."""
    for rule, body in RULES.items():
        assert ("script:" in body) == ('"../../environment.yml"' in body), rule


@pytest.mark.parametrize("name", ["slurm", "cluster-generic"])
def test_the_profiles_of_clusters_differ_in_the_scheduler_alone(name):
    own = (name, "seconds-between-status-checks")  # which only Slurm needs to be asked rarely
    ours = {key: value for key, value in PROFILES[name].items() if not key.startswith(own)}
    other = PROFILES["slurm" if name == "cluster-generic" else "cluster-generic"]
    assert ours.pop("executor") == name
    assert ours.items() <= other.items()


def test_an_unknown_profile(small):
    run = small.reproduce("--workflow-profile", "profiles/slrum")
    assert run.returncode == 2
    assert "there is no profile profiles/slrum" in run.stderr
    assert "cluster-generic, default, slurm" in run.stderr


#: A stand-in for Apptainer: it runs here what it is to run in the image.
APPTAINER = """#!/bin/bash
if [ "$1" = --version ]; then echo "apptainer version 1.3.4"; exit; fi
echo "$@" >> calls.txt
eval "${@: -1}"
"""


def test_with_an_image_of_apptainer_scripts_run_in_it(small, monkeypatch):
    program = small / "bin/apptainer"
    write_text(program, APPTAINER)
    program.chmod(0o755)
    folders = [str(program.parent), str(Path(sys.executable).parent)]
    monkeypatch.setenv("PATH", os.pathsep.join(folders), prepend=os.pathsep)
    refused = small.snakemake("--sdm=apptainer", "--dry-run")
    assert "name an image as `container` in the config" in refused.stdout
    small.configure(lambda config: config.update(container="image.sif"))
    write_text(small / "image.sif", "")
    small.snakemake("--sdm=apptainer", "data/prepared/loans.parquet").check()
    assert small.text("calls.txt").count("image.sif bash -c") == 2  # fetch and prepare
