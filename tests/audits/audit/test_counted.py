"""Items that are counted give the lines of items in memory."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

import fairpairs as fp
from fairpairs.audits.audit.audit import audit_file
from fairpairs.audits.counting import cells, rows as rows_module
from fairpairs.audits.items import attribute_items, files
from fairpairs.audits.items.attribute_items import drawn_positions
from fairpairs.audits.items.settings import Settings

N = 900


def items(seed=0, n=N):
    """Labels, decisions, scores and groups; some scores are tied."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = 1 / (1 + np.exp(-rng.normal(y - 0.5, 1.2)))
    score[: n // 3] = np.round(score[: n // 3], 1)
    return pd.DataFrame(
        {
            "y": y,
            "yhat": (score > 0.5).astype(int),
            "score": np.clip(score, 0.001, 0.999),
            "other": np.round(rng.normal(y, 1), 2),
            "effort": rng.normal(20, 3, n),
            "sex": rng.choice(["f", "m"], n, p=[0.4, 0.6]),
            "race": rng.choice(["a", "b", "c"], n, p=[0.2, 0.5, 0.3]),
        }
    ).assign(guess=lambda data: data["effort"] * rng.normal(1, 0.1, n))


#: Columns of label, prediction and score, and options.
CASES = {
    "decisions with a margin": ("y", "yhat", None, {"margin": 0.1}),
    "score": ("y", "yhat", "score", {"intersections": True}),
    "score on another scale": ("y", "yhat", "other", {"reference": {"race": "a"}}),
    "prediction as score": ("y", "score", None, {"margin": 0.1}),
    "numbers": ("effort", "guess", None, {"margin": {"differential_parity": 1.0}}),
}


def assert_same(found, expected):
    for table in ("tests", "rates"):
        mine, its = getattr(found, table), getattr(expected, table)
        assert_frame_equal(mine, its, rtol=1e-7, atol=1e-12)
    known = expected.to_dict() | {"source": None}
    for key, value in (found.to_dict() | {"source": None}).items():
        if key not in ("tests", "rates", "gate", "four_fifths"):
            assert value == known[key], key


def write(data: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".csv":
        data.to_csv(path, index=False)
    else:
        data.to_parquet(path, index=False)
    return path


def audit_counted(monkeypatch, data, label, prediction, score=None, **options):
    """Audit a table as if it had more rows than memory holds."""
    monkeypatch.setattr(files, "MOST_ITEMS", 0)
    named = {"sensitive_features": ["sex", "race"], "y_score": score} | options
    return fp.audit(label, prediction, **named, data=data)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_lines_are_those_of_items_in_memory(monkeypatch, case):
    data, (label, prediction, score, options) = items(), CASES[case]
    named = {"sensitive_features": ["sex", "race"], "y_score": score, "data": data}
    in_memory = fp.audit(label, prediction, **named, **options)
    found = audit_counted(monkeypatch, data, label, prediction, score, **options)
    assert_same(found, in_memory)


def test_very_many_scores_are_taken_for_the_means_of_bins(monkeypatch):
    data = items(2, 3000)
    expected = fp.audit("y", "yhat", sensitive_features="sex", y_score="score", data=data)
    monkeypatch.setattr(files, "MOST_ROWS", 100)
    monkeypatch.setattr(files, "FEWEST_BINS", 2000)
    monkeypatch.setattr(files, "CHUNK", 1)
    monkeypatch.setattr(cells, "CHUNK", 64)
    options = {"sensitive_features": "sex", "score": "score"}
    found = audit_counted(monkeypatch, data, "y", "yhat", **options)
    assert_frame_equal(found.tests, expected.tests, rtol=0.02, atol=1e-3)
    assert_frame_equal(found.rates, expected.rates, rtol=1e-3)
    decisions = expected.tests["criterion"].isin(["separation", "demographic_parity"])
    assert_frame_equal(found.tests[decisions], expected.tests[decisions], rtol=1e-9)


@pytest.mark.parametrize("bins", [1, 3, 50, 10**6])
def test_bins_keep_counts_sums_ends_and_ties(bins):
    rng = np.random.default_rng(0)
    value, cell = np.sort(rng.integers(0, 90, 400)) / 7, rng.integers(0, 3, 400)
    cell = cell[np.lexsort([cell, value])]
    count = rng.integers(1, 4, 400)
    rows = cells.Ordered(value[:, None], cell, count)
    parts = [rows.take(slice(start, start + 37)) for start in range(0, 400, 37)]
    n = int(count.sum())
    found = files.in_bins(parts, n, 3, bins)
    mean = found.values[:, 0]  # noqa: PD011  (no pandas)
    assert_array_equal(np.bincount(found.cell, found.count), np.bincount(cell, count))
    assert found.count @ mean == pytest.approx(count @ value)
    assert (mean.min(), mean.max()) == (value.min(), value.max())
    assert len(np.unique(mean)) <= min(bins, 90) + 2
    if bins > n:
        assert_allclose(np.unique(mean), np.unique(value))


@pytest.mark.slow
def test_of_very_many_pairs_of_numbers_some_are_drawn(monkeypatch):
    data = items(2, 3000)
    monkeypatch.setattr(files, "MOST_PAIRS", 1000)
    monkeypatch.setattr(files, "CHUNK", 64)
    monkeypatch.setattr(cells, "CHUNK", 64)
    found = audit_counted(monkeypatch, data, "effort", "guess")
    assert "The audit is of 1,000 rows, drawn at random of 3,000." in found.about["checks"]
    sexes = found.rates[
        (found.rates["attribute"] == "sex") & (found.rates["measure"] == "mean label")
    ]
    assert sexes["items"].sum() == 1000
    again = audit_counted(monkeypatch, data, "effort", "guess")
    assert_frame_equal(again.tests, found.tests, check_exact=True)


@pytest.mark.slow
def test_regressions_are_on_items_that_are_drawn(monkeypatch):
    data = items(2, 3000)
    expected = fp.audit("y", "other", sensitive_features="sex", data=data).tests
    monkeypatch.setattr(attribute_items, "MOST_ITEMS", 1000)
    for found in (
        fp.audit("y", "other", sensitive_features="sex", data=data).tests,
        audit_counted(monkeypatch, data, "y", "other", sensitive_features="sex").tests,
    ):
        drawn = found["measure"].isin(["I_sep", "density ratio"])
        assert (found.loc[drawn, "n"] == 1000).all()
        assert found.loc[drawn, "note"].str.contains("on 1,000 of 3,000 rows, drawn").all()
        assert_allclose(found["estimate"][~drawn], expected["estimate"][~drawn], rtol=1e-9)


@pytest.mark.parametrize("n", [10, 40, 400])
def test_each_item_is_drawn_as_often(n):
    drawn = np.zeros(n)
    for seed in range(2000):
        positions = drawn_positions(n, 10, Settings(seed=seed))
        assert_array_equal(np.unique(positions), positions)
        assert len(positions) == 10
        drawn[positions] += 1
    chance = 10 / n
    error = np.sqrt(2000 * chance * (1 - chance))
    assert np.abs(drawn - 2000 * chance).max() <= 4 * error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": [1, 0]}, "y_true is .*with data, name a column of it"),
        ({"sensitive_features": {"sex": [1]}}, "sensitive_features is .*name its columns"),
        ({"y_pred": "yhut"}, "no column `yhut`.*did you mean `yhat`"),
    ],
)
def test_columns_that_are_not_named(arguments, message):
    named = {"y_true": "y", "y_pred": "yhat", "sensitive_features": "sex"} | arguments
    with pytest.raises(fp.InputError, match=message):
        fp.audit(**named, data=items(4))


def odd_files():
    """Yield a name, a table with numbers at an end of what there is, and what is named of it."""
    data = items(5, 600)
    yield "a group of three", data.assign(sex=["x"] * 3 + ["y"] * 597), {"score": "score"}
    yield "few scores", data.assign(score=data["score"].round(1)), {"score": "score"}
    yield "one score", data.assign(score=0.5), {"score": "score"}
    yield "perfect", data.assign(yhat=data["y"], score=data["y"] * 1.0), {"score": "score"}
    yield (
        "few numbers",
        data.assign(y=data["effort"].round(), yhat=data["guess"].round()),
        {"label_kind": "number"},
    )
    yield "shuffles", data, {"prediction": "other", "permutations": 39}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "kind"),
    [
        pytest.param(file, ("parquet", "csv")[i % 2], id=file[0])
        for i, file in enumerate(odd_files())
    ],
)
def test_odd_files_give_the_lines_of_items_in_memory(monkeypatch, tmp_path, file, kind):
    _, data, options = file
    path = write(data, tmp_path / f"items.{kind}")
    named = {"label": "y", "prediction": "yhat", "sensitive": ["sex"]} | options
    expected = audit_file(path, **named)
    monkeypatch.setattr(files, "MOST_ITEMS", 0)
    monkeypatch.setattr(rows_module, "SMALL_FILE", 0)
    assert_same(audit_file(path, **named), expected)
