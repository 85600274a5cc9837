"""The rule checksums, and the sidecars that say where tables come from."""

import hashlib
import json
import os

import pytest
import yaml

from fairpairs.base.kernels import KERNELS, kernels
from fairpairs.papers.run.checksums import describe_predictions, read_checksums
from fairpairs.papers.run.verification import Answer, keep, verify


def test_every_table_is_listed_with_its_checksum(done):
    tables = done.bytes(
        *("results/tables/*", "results/tables/*/*", "results/comparison*.*"),
        *("results/claims.csv", "results/predictions.csv"),
    )
    assert read_checksums(done / "results/checksums.txt") == {
        path: hashlib.sha256(content).hexdigest() for path, content in sorted(tables.items())
    }


def test_the_predictions_are_put_together(done):
    (row,) = done.frame("results/predictions.csv").to_dict("records")
    place = "results/predictions/loans/loans/fairbalance"
    chunks = sorted(map(str, (done / place).iterdir()))
    assert len(chunks) == 3
    assert (row["predictions"], row["repeats"]) == (place, 12)
    assert row["sha256"] == describe_predictions(chunks)["sha256"].item()
    assert row["rows"] == sum(len(done.frame(chunk)) for chunk in chunks)


def sidecars(project):
    return {
        sidecar["table"]: sidecar
        for path in project.files("results")
        if path.endswith(".provenance.json")
        for sidecar in [json.loads(project.text(path))]
    }


def test_every_table_has_a_sidecar(done):
    tables = list(done.bytes("results/*.csv", "results/tables/**/*.csv"))
    assert sorted(sidecars(done)) == sorted(tables)
    for table, sidecar in sidecars(done).items():
        assert sidecar["sha256"] == hashlib.sha256((done / table).read_bytes()).hexdigest()
        assert sidecar["config"] == yaml.safe_load(done.text("config/config.yaml"))
        assert sidecar["seed"] == 7


@pytest.mark.skipif(
    kernels(os.environ) != KERNELS,
    reason="the kernels of another architecture, or chosen by the environment",
)
@pytest.mark.slow
@pytest.mark.parametrize("run", ["done", "finished"])
def test_every_table_is_made_with_one_instruction_set(request, run):
    project = request.getfixturevalue(run)
    for table, sidecar in sidecars(project).items():
        assert sidecar["kernels"] == KERNELS, table
        assert "SkylakeX" not in sidecar["versions"]["blas"], table
    assert "OPENBLAS_CORETYPE=Haswell" in project.text("results/report.html")


def test_a_sidecar_has_the_data_that_its_table_rests_on(done):
    raw = hashlib.sha256((done / "data/raw/loans/loans.csv").read_bytes()).hexdigest()
    found = sidecars(done)
    assert found["results/tables/loans.csv"]["data"] == {"loans": {"loans.csv": raw}}
    assert found["results/predictions.csv"]["data"] == {"loans": {"loans.csv": raw}}
    # simulated
    assert found["results/tables/comparative_separation/table_3.csv"]["data"] == {}


def test_tables_of_decisions_have_sidecars_with_their_data(decided):
    found = sidecars(decided)
    for name in ("bridges/loans", "bridges/loans_conclusions", "raters/loans", "raters/loans.pairs",
                 "predictions/loans"):  # fmt: skip
        table = f"results/tables/differential_parity/{name}.csv"
        assert set(found[table]["data"]) == {"loans"}
    listed = read_checksums(decided / "results/checksums.txt")
    assert set(found) == {path for path in listed if path.endswith(".csv")}


@pytest.fixture
def committed(done, tmp_path):
    """A folder in which the run of `done` is the committed one."""
    folder = tmp_path / "committed"
    folder.mkdir()
    keep(done.folder, folder)
    return folder


def test_a_run_is_verified_by_its_bytes(committed, done):
    assert verify(done.folder, committed).text().splitlines()[1:] == [
        "  the same to the byte: 24 of 24 files",
        "  REPRODUCED to the byte, by SHA-256",
    ]


def test_another_seed_is_another_run(committed, copy):
    copy.configure(lambda config: config.update(seed=8))
    copy.snakemake("results/checksums.txt").check()
    found = verify(copy.folder, committed)
    assert found.answer is Answer.DIFFERS
    assert "results/tables/loans.csv" in found.moved
    assert "another config: seed" in found.text()
