"""Bad input of items that are counted: one sentence, as for items in memory."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.audit.audit import audit_file
from fairpairs.audits.counting import rows as rows_module
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.items import files

N = 400
RNG = np.random.default_rng(0)
ITEMS = pd.DataFrame(
    {
        "y": RNG.integers(0, 2, N),
        "yhat": RNG.integers(0, 2, N),
        "score": RNG.random(N),
        "number": RNG.normal(size=N),
        "word": RNG.choice(["a", "b", "c"], N),
        "sex": RNG.choice(["f", "m"], N),
    }
)
COLUMNS = {"label": "y", "prediction": "yhat", "sensitive": ["sex"]}


def with_one(column, value):
    changed = ITEMS[column].astype(object)
    changed[7] = value
    return ITEMS.assign(**{column: changed})


BAD = {
    "no score": (with_one("score", None), {"score": "score"}, "has 1 missing value"),
    "infinite": (ITEMS.assign(score=np.inf), {"score": "score"}, "must hold finite numbers"),
    "large": (ITEMS.assign(score=1e200), {"score": "score"}, "may be as large as 1e.50"),
    "no group": (with_one("sex", None), {}, "missing value.*--missing-group"),
    "numbers and decisions": (ITEMS, {"label": "number"}, "more than two values, while"),
    "positive number": (ITEMS, {"label": "number", "prediction": "score", "positive": "1"},
        "more than two values"),
    "score of numbers": (ITEMS, {"label": "number", "prediction": "number_2", "score": "score"},
        "column `number` has more: give it as the prediction"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_columns_of_counted_items_are_one_sentence(tmp_path, monkeypatch, name):
    monkeypatch.setattr(rows_module, "SMALL_FILE", 0)
    monkeypatch.setattr(files, "MOST_ITEMS", 0)
    items, changed, message = BAD[name]
    path = tmp_path / "items.parquet"
    items.assign(number_2=items["number"] + 1).to_parquet(path)
    with pytest.raises(fp.InputError, match=message) as caught:
        audit_file(path, **COLUMNS | changed)
    assert "\n" not in str(caught.value)


def test_columns_are_named_but_for_counts_files(tmp_path):
    path, counts = tmp_path / "items.parquet", tmp_path / "items.counts"
    ITEMS.to_parquet(path)
    with pytest.raises(fp.InputError, match="columns are not named: give --label"):
        audit_file(path)
    count_files([path], counts, **COLUMNS)
    assert audit_file(counts).about["items"] == N
    assert audit_file(counts, **COLUMNS).about["items"] == N
    with pytest.raises(fp.InputError, match="--score does not go with counts files"):
        audit_file(counts, score="score")
    with pytest.raises(fp.InputError, match="--label does not go with counts files"):
        audit_file(counts, label="yhat")


@pytest.mark.slow
def test_frequencies_of_very_many_items(tmp_path):
    cells = ITEMS.groupby(["y", "yhat", "sex"]).size().rename("n").reset_index()
    path = tmp_path / "cells.csv"
    cells.assign(n=cells["n"] * 10**6).to_csv(path, index=False)
    result = audit_file(path, **COLUMNS, weight="n", weight_kind="frequency")
    assert result.about["items"] == N * 10**6
    rates = ITEMS[ITEMS["y"] == 1].groupby("sex")["yhat"].mean()
    found = result.tests.set_index("measure").loc["TPR", "estimate"]
    assert abs(found) == pytest.approx(abs(rates["f"] - rates["m"]), abs=1e-12)
