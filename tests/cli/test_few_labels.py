"""`fairpairs audit --cheap-label`: the command says what Python does."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp

ROLES = (
    "--label", "human", "--cheap-label", "judge", "--prediction", "approved", "--sensitive", "sex",
)  # fmt: skip


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Rows of which a tenth have a human label, in the working folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 2_000)
    rows = pd.DataFrame({
        "human": pd.Series(label, dtype="Int64").where(rng.random(2_000) < 0.1),
        "judge": np.where(rng.random(2_000) < 0.9, label, 1 - label),
        "approved": np.where(rng.random(2_000) < 0.8, label, 1 - label),
        "sex": rng.choice(["f", "m"], 2_000), "truth": label, "chance": 0.1,
    })  # fmt: skip
    rows.to_csv("rows.csv", index=False)
    rows.to_parquet("rows.parquet")
    return rows


@pytest.mark.slow
def test_command_says_what_python_does(table, ran):
    results = []
    for name in ("rows.csv", "rows.parquet"):
        text = ran("audit", name, *ROLES, "--out", "report")
        assert "human labels and 2,000 cheap ones are worth" in text
        results.append(json.loads(Path("report/audit.json").read_text("utf-8")))
    assert results[0]["tests"] == results[1]["tests"]
    assert results[0]["about"]["source"]["cheap_label"] == "judge"
    python = fp.audit(
        "human", "approved", sensitive_features="sex", cheap_label="judge", data="rows.csv"
    )
    assert json.loads(json.dumps(python.to_dict()))["tests"] == results[0]["tests"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--chance", "sex"), "rows.csv: column `sex` must hold the chance of each row"),
        (("--chance", "judge"), "`judge` is named by --cheap-label and by --chance"),
        (("--drawn-within", "stratum"), "there is no column `stratum`"),
    ],
)
def test_bad_options(table, refused, options, message):
    roles = [name for name in ROLES if "sex" not in options or name not in ("--sensitive", "sex")]
    more = () if "sex" not in options else ("--sensitive", "truth")
    assert message in refused("audit", "rows.csv", *roles, *more, *options)


@pytest.mark.slow
def test_counts_files_have_no_cheap_labels(table, ran, refused):
    ran("count", "rows.csv", "--label", "truth", *ROLES[4:], "--out", "rows.counts")
    message = refused("audit", "rows.counts", "--cheap-label", "judge")
    assert "--cheap-label does not go with counts files" in message
