"""`make crate`: a finished run as a Workflow Run RO-Crate."""

import hashlib
import json
import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from fairpairs.base.errors import InputError
from fairpairs.papers.run.checksums import read_checksums
from fairpairs.papers.run.crate import CRATE, write_crate
from fairpairs.papers.run.times import finished_jobs
from tests.workflow.runs import ROOT, Project

rocrate = pytest.importorskip("rocrate", reason="the library rocrate is not installed")
VALIDATOR = shutil.which("rocrate-validator")


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


def test_every_file_has_its_checksum(archive, entities):
    files = [
        e for e in entities.values() if e["@type"] == "File" and e["@id"].startswith("results")
    ]
    assert len(files) > 20
    with zipfile.ZipFile(archive) as packed:
        for entity in files:
            content = packed.read(entity["@id"])
            assert entity["sha256"] == hashlib.sha256(content).hexdigest()
            assert entity["contentSize"] == str(len(content))


def test_the_action_names_what_the_run_read_and_made(done, entities):
    run = entities["#run"]
    assert run["instrument"] == {"@id": "Snakefile"}
    assert run["startTime"] < run["endTime"]
    assert entities["./"]["datePublished"] == run["endTime"]
    config = yaml.safe_load(done.text("config/config.yaml"))
    assert {f"#config-{key}" for key in config} <= names(run["object"])
    assert entities["#config-seed"]["value"] == "7"
    assert json.loads(entities["#config-experiments"]["value"]) == config["experiments"]
    assert set(read_checksums(done / "results/checksums.txt")) <= names(run["result"])


def test_the_raw_data_are_named_with_their_terms(done, entities):
    card = yaml.safe_load(done.text("config/datasets/loans.yaml"))
    (entry,) = card["files"]
    raw = entities[entry["urls"][0] if entry["urls"] else f"#raw/loans/{entry['name']}"]
    assert raw["sha256"] == entry["sha256"]
    assert entities[raw["license"]["@id"]]["description"] == card["licence"].strip()


def test_the_software_and_the_authors_are_named(done, entities):
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    origin = json.loads(done.text("results/predictions.provenance.json"))
    assert entities["#fairpairs"]["softwareVersion"] == origin["versions"]["fairpairs"]
    assert entities["#fairpairs"]["description"] == f"Git commit: {origin['git_commit']}"
    assert entities["Snakefile"]["programmingLanguage"] == {
        "@id": "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
    }
    snakemake = entities["https://pypi.org/project/snakemake/"]
    assert snakemake["softwareVersion"] == origin["versions"]["snakemake"]
    authors = names(entities["./"]["author"])
    assert len(authors) == len(citation["authors"])
    assert entities["./"]["license"] == {"@id": f"https://spdx.org/licenses/{citation['license']}"}


@pytest.mark.slow
def test_the_unpacked_crate_plans_the_same_run(archive, tmp_path):
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "crate")
    shutil.rmtree(tmp_path / "crate/results")
    unpacked = Project(tmp_path / "crate", checkout=tmp_path / "crate")
    planned = unpacked.snakemake("--dry-run").check().jobs
    assert (planned["fetch"], planned["train"], planned["test"]) == (1, 3, 3)
    assert (planned["checksums"], planned["report"]) == (1, 1)


def test_the_same_run_gives_the_same_bytes(done, archive, tmp_path):
    write_crate(tmp_path / "again.zip", done.folder, ROOT)
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


def test_a_run_that_was_copied_has_the_times_of_its_tables(done, tmp_path):
    ignored = shutil.ignore_patterns(".snakemake", "predictions", "tests")
    shutil.copytree(done.folder, tmp_path / "copy", ignore=ignored)
    write_crate(tmp_path / "copy.zip", tmp_path / "copy", ROOT)
    with zipfile.ZipFile(tmp_path / "copy.zip") as packed:
        graph = json.loads(packed.read("ro-crate-metadata.json"))["@graph"]
    (run,) = [entity for entity in graph if entity["@id"] == "#run"]
    assert run["endTime"] == json.loads(done.text("results/predictions.provenance.json"))["made"]


def test_a_run_that_is_not_finished_is_refused(copy, tmp_path):
    (copy / "results/checksums.txt").unlink()
    with pytest.raises(InputError, match="the run is not finished: run `make reproduce`"):
        write_crate(tmp_path / "crate.zip", copy.folder, ROOT)
    assert not (tmp_path / "crate.zip").exists()


def test_a_changed_table_is_refused(copy, tmp_path):
    with (copy / "results/claims.csv").open("a") as file:
        file.write("more\n")
    with pytest.raises(InputError, match=r"claims\.csv is missing or was changed after the run"):
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


def test_each_rule_is_a_step_and_each_job_an_action(done, entities):
    workflow = entities["Snakefile"]
    assert "HowTo" in workflow["@type"]
    steps = [entities[step["@id"]] for step in workflow["step"]]
    assert [step["position"] for step in steps] == [str(n + 1) for n in range(len(steps))]
    assert {step["name"] for step in steps} >= {"fetch", "prepare", "train", "report"}
    organised = entities["#organise"]
    assert organised["result"] == {"@id": "#run"}
    jobs = finished_jobs(done / ".snakemake/metadata")
    controls = [entities[control["@id"]] for control in organised["object"]]
    named = [job["@id"] for control in controls for job in _listed(control["object"])]
    assert len(named) == len(set(named)) == len(jobs)
    made = {result["@id"] for name in named for result in _listed(entities[name].get("result", []))}
    assert {"results/claims.csv", "results/report.html"} <= made
    assert entities["#tool-train"]["name"] == "workflow/scripts/train.py"


def _listed(value):
    return value if isinstance(value, list) else [value]


@pytest.mark.slow
@pytest.mark.skipif(VALIDATOR is None, reason="there is no rocrate-validator")
def test_the_validator_finds_no_required_issue(archive, tmp_path):
    cache = tmp_path / "cache"
    terms = Path(rocrate.__file__).parent / "data/ro-crate.jsonld"
    # its libraries are not those of FairPairs: it may be in an environment of its own
    python = Path(VALIDATOR).resolve().parent / "python"
    contexts = [python, Path(__file__).with_name("rocrate_contexts.py"), cache, terms]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(contexts, check=True, env=environment)
    options = ["--offline", "--cache-path", cache, "-p", "provenance-run-crate-0.5"]
    process = subprocess.run(
        [VALIDATOR, "-y", "validate", *options, "--verbose", "--no-paging", archive],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert process.returncode == 0, process.stdout
    assert "RO-Crate is a valid provenance-run-crate-0.5" in process.stdout
