"""Items that are counted and passed by give the lines of items in memory."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

import fairpairs as fp
from fairpairs.audits.audit import audit as audit_module, counted, read
from fairpairs.audits.audit.counted import drawn_positions
from fairpairs.audits.counting import rows as rows_module

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
        if table == "tests":
            # skewed values in memory are shuffled for the limits; a pass has their moments alone
            skewed = (its["criterion"] == "mean_absolute_error").to_numpy()
            limits = ["ci_low", "ci_high"]
            assert_allclose(mine.loc[skewed, limits], its.loc[skewed, limits], atol=0.02)
            mine, its = mine.copy(), its.copy()
            mine.loc[skewed, limits] = its.loc[skewed, limits]
        assert_frame_equal(mine, its, rtol=1e-7, atol=1e-12)
    known = expected.to_dict() | {"source": None}
    for key, value in (found.to_dict() | {"source": None}).items():
        if key not in ("tests", "rates", "gate", "four_fifths"):
            assert value == known[key], key


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_lines_are_those_of_items_in_memory(monkeypatch, case):
    data, (label, prediction, score, options) = items(), CASES[case]
    arguments = {
        "sensitive_features": data[["sex", "race"]],
        "y_score": None if score is None else data[score],
        **options,
    }
    in_memory = fp.audit(data[label], data[prediction], **arguments)
    monkeypatch.setattr(audit_module, "MOST_ITEMS", 0)
    assert_same(fp.audit(data[label], data[prediction], **arguments), in_memory)


def write(data: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".csv":
        data.to_csv(path, index=False)
    else:
        data.to_parquet(path, index=False)
    return path


@pytest.mark.slow
def test_some_items_are_drawn_for_what_needs_them(monkeypatch):
    data = items(2, 3000)
    arguments = {"sensitive_features": data[["sex"]], "y_score": data["score"]}
    expected = fp.audit(data["y"], data["yhat"], **arguments).tests.set_index("measure")
    monkeypatch.setattr(audit_module, "MOST_ITEMS", 1000)
    monkeypatch.setattr(counted, "MOST_ITEMS", 1000)
    result = fp.audit(data["y"], data["yhat"], **arguments)
    found = result.tests.set_index("measure")
    slope = found.loc["calibration slope"]
    assert slope["n"] == 1000
    assert "on 1,000 of 3,000 items, drawn at random" in slope["note"]
    assert abs(slope["estimate"] - expected.loc["calibration slope", "estimate"]) < 0.5
    others = found.index.difference(["calibration slope"])
    assert_allclose(
        found.loc[others, "estimate"].to_numpy(float),
        expected.loc[others, "estimate"].to_numpy(float),
        rtol=1e-9,
    )
    again = fp.audit(data["y"], data["yhat"], **arguments)
    assert_frame_equal(again.tests, result.tests, check_exact=True)


@pytest.mark.parametrize("n", [5, 40, 400])
def test_each_item_is_drawn_as_often(n):
    rng = np.random.default_rng(0)
    drawn = np.zeros(n)
    for _ in range(2000):
        positions = drawn_positions(n, 10, rng)
        assert_array_equal(np.unique(positions), positions)
        assert len(positions) == min(n, 10)
        drawn[positions] += 1
    chance = min(n, 10) / n
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
    expected = read.audit_file(path, **named)
    monkeypatch.setattr(read, "MOST_ITEMS", 0)
    monkeypatch.setattr(rows_module, "SMALL_FILE", 0)
    assert_same(read.audit_file(path, **named), expected)
