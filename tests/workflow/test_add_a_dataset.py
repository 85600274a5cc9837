"""A further data set needs a card and its name in the config, and no Python."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairpairs.base.files import write_text


def farms():
    """400 farms without a header; 20 are closed, and 10 of the others have no size."""
    rng = np.random.default_rng(5)
    n = 400
    acres = rng.integers(1, 500, n).astype(str)
    acres[:10] = "?"
    soil = rng.choice(["clay", "sand", "loam", "?"], n)
    state = np.where(np.arange(n) < n - 20, "open", "closed")
    grade = np.clip(4 - rng.integers(0, 4, n) - (soil == "loam"), 1, 4)
    return pd.DataFrame(
        {
            "id": np.arange(n) + 90_000,
            "acres": acres,
            "soil": soil,
            "crop": rng.choice(["rye", "oats"], n),
            "owner": rng.choice(["family", "firm", "state"], n, p=[0.5, 0.3, 0.2]),
            "years": rng.integers(1, 60, n),
            "state": state,
            "grade": np.where(state == "open", grade, 9),
        }
    )


@pytest.fixture(scope="module")
def added(finished, tmp_path_factory):
    """A finished project that got a data set, and what was done then."""
    project = replace(finished, folder=tmp_path_factory.mktemp("added") / "project")
    shutil.copytree(finished.folder, project.folder, symlinks=True)
    raw = project / "config/datasets/farms/farms.txt"  # beside its card
    write_text(raw, farms().to_csv(sep=";", index=False, header=False))
    shutil.copy(Path(__file__).with_name("farms.yaml"), project / "config/datasets")
    project.sign("farms", raw)
    project.configure(lambda config: config["experiments"]["loans"]["datasets"].append("farms"))
    before = {path: (project / path).stat().st_mtime_ns for path in project.files("results")}
    return project, project.snakemake().check(), before


def test_the_run_has_rows_for_it(added):
    project, _, _ = added
    summary = project.frame("results/summaries/loans.parquet")
    rows = summary[summary["dataset"] == "farms"]
    assert set(rows[["attribute", "test"]].itertuples(index=False, name=None)) == {
        (attribute, test)
        for attribute in ("owner", "age")
        for test in ("separation", "comparative_separation")
    }
    assert len(summary) == 8
    assert len(project.frame("data/prepared/farms.parquet")) == 370
    assert rows["violated"].between(0, 1).all()
    for path in ("results/report.html", "results/tables/loans.md", "results/figures/loans.svg"):
        assert "Farms, owner" in project.text(path) or "<td>Farms</td>" in project.text(path)
    assert "Made farms" in project.text("results/report.html")


def test_what_was_there_is_not_made_again(added):
    project, run, before = added
    assert run.jobs == {
        **{"fetch": 1, "prepare": 1, "train": 1, "test": 1, "summarise": 1},
        **{"figure_experiment": 1, "claims": 1, "checksums": 1, "report": 1, "all": 1},
    }
    kept = [path for path in before if path.startswith(("results/predictions/", "results/tests/"))]
    assert len(kept) == 2
    assert all((project / path).stat().st_mtime_ns == before[path] for path in kept)
