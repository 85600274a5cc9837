"""`make crate`: a finished run as a Workflow Run RO-Crate."""

import json
import runpy
import shutil
import sys
import zipfile

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.run.checksums import read_checksums
from fairpairs.papers.run.crate import CRATE, write_crate
from tests.workflow.runs import ROOT, Project

rocrate = pytest.importorskip("rocrate", reason="the library rocrate is not installed")


@pytest.fixture(scope="module")
def archive(done, tmp_path_factory):
    path = tmp_path_factory.mktemp("crate") / "run.crate.zip"
    write_crate(path, done.folder, ROOT)
    return path


@pytest.fixture(scope="module")
def entities(archive):
    with zipfile.ZipFile(archive) as packed:
        graph = json.loads(packed.read("ro-crate-metadata.json"))["@graph"]
    return {entity["@id"]: entity for entity in graph}


def names(values):
    return {value["@id"] for value in values}


def test_it_holds_all_results_but_predictions(done, archive):
    with zipfile.ZipFile(archive) as packed:
        held = {name for name in packed.namelist() if name.startswith("results/")}
    tables = read_checksums(done / "results/checksums.txt")
    figures = {path for path in done.files("results") if path.startswith("results/figures/")}
    others = {"results/report.html", "results/checksums.txt"}
    assert {*tables, *figures, *others} <= held
    assert not any(name.startswith(("results/predictions/", "results/tests/")) for name in held)


def test_it_holds_the_code_the_config_and_no_raw_data(archive):
    with zipfile.ZipFile(archive) as packed:
        held = set(packed.namelist())
    assert {
        *("Snakefile", "workflow/Snakefile", "workflow/rules/train.smk", "LICENSE"),
        *("src/fairpairs/mathematics/fairness/separation.py", "config/config.yaml"),
        *("config/datasets/loans.yaml", "config/datasets/compas.yaml", "requirements.lock"),
    } <= held
    assert not any(name.startswith("config/studies/") for name in held)  # the project has none
    assert not any(name.startswith("data/") or "__pycache__" in name for name in held)


def test_the_action_names_the_config_and_the_results(done, entities):
    run = entities["#run"]
    assert run["instrument"] == {"@id": "Snakefile"}
    origin = json.loads(done.text("results/predictions.provenance.json"))
    told = json.loads(run["description"])
    assert told == {name: origin[name] for name in told}
    assert {"config", "data", "versions", "git_commit"} <= set(told)
    assert run["endTime"] == origin["made"] == entities["./"]["datePublished"]
    assert set(read_checksums(done / "results/checksums.txt")) <= names(run["result"])


@pytest.mark.slow
def test_the_unpacked_crate_plans_the_same_run(archive, tmp_path):
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "crate")
    shutil.rmtree(tmp_path / "crate/results")
    unpacked = Project(tmp_path / "crate", checkout=tmp_path / "crate")
    planned = unpacked.snakemake("--dry-run").check().jobs
    assert (planned["fetch"], planned["train"], planned["test"]) == (1, 3, 3)
    assert (planned["checksums"], planned["report"]) == (1, 1)


def test_a_changed_table_is_refused(copy, tmp_path):
    with (copy / "results/claims.csv").open("a") as file:
        file.write("more\n")
    with pytest.raises(InputError, match=r"claims\.csv is missing, or was changed after the run"):
        write_crate(tmp_path / "crate.zip", copy.folder, ROOT)


def test_the_script_of_make_writes_it_or_says_why_not(copy, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["crate.py", "--directory", str(copy.folder)])

    def run():
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(ROOT / "workflow/crate.py"), run_name="__main__")
        return end.value.code, *capsys.readouterr()

    code, said, _ = run()
    assert code == 0
    assert said.startswith(f"FairPairs: {copy / CRATE} (")
    (copy / "results/report.html").unlink()
    code, _, said = run()
    assert code == 2
    assert said.startswith("fairpairs: ")
    assert said.count("\n") == 1
