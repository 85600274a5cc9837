"""The tests of predictions against labels as two sets of decisions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ttest_ind

from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.predictions import Settings, run_tests
from fairpairs.papers.experiments.summaries import summarise

TESTS = ("differential_parity", "differential_parity_effect_size")
SETTINGS = Settings(seed=11, alpha=0.2, pairs_per_item=2.0)
REPEATS = [4, 5, 9]


@pytest.fixture
def points():
    """Items with a real label."""
    rng = np.random.default_rng(1)
    sex, race = (rng.random((2, 500)) < [[0.4], [0.6]]).astype(np.int8)
    frame = pd.DataFrame({"item": np.arange(500), "label": 100 + 10 * rng.normal(size=500)})
    frame["sensitive_sex"], frame["sensitive_race"] = sex, race
    return PreparedDataset("points", frame, {}, ("sex", "race"))


def predictions_of(dataset, say):
    """What `say(rng, items)` predicts in repeats of several sizes."""
    rng = np.random.default_rng(0)
    parts = []
    for repeat, size in zip(REPEATS, (300, 250, 200), strict=True):
        item = np.sort(rng.choice(500, size, replace=False))
        part = pd.DataFrame({"repeat": np.int32(repeat), "item": item.astype(np.int32)})
        part["prediction"] = say(rng, item)
        parts.append(part.assign(score=part["prediction"].astype(float)))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def real(points):
    """A model that is noisier for group 1 of the sex, and says a little more of it."""

    def say(rng, item):
        sex = points.sensitive[item, 0]
        return points.label[item] + 1.5 * sex + (1 + sex) * 4 * rng.normal(size=len(item))

    return points, predictions_of(points, say)


@pytest.fixture
def binary(small_dataset):
    def say(rng, item):
        return (small_dataset.label[item] ^ (rng.random(len(item)) < 0.3)).astype(np.int8)

    return small_dataset, predictions_of(small_dataset, say)


@pytest.fixture(params=["real", "binary"])
def case(request):
    return request.getfixturevalue(request.param)


def run(test, predictions, dataset):
    return run_tests([test], predictions, dataset, treatment="none", settings=SETTINGS)


def arrays(predictions, dataset):
    """The predictions, labels and groups of each repeat and attribute."""
    for repeat, part in predictions.groupby("repeat"):
        rows = dataset.frame.set_index("item").loc[part["item"]]
        for attribute in dataset.attributes:
            group = rows[f"sensitive_{attribute}"].to_numpy()
            said = part["prediction"].to_numpy(dtype=float)
            yield (repeat, attribute), said, rows["label"].to_numpy(dtype=float), group


def only(frame, repeat, attribute):
    rows = frame[(frame["repeat"] == repeat) & (frame["attribute"] == attribute)]
    assert len(rows) == 1
    return rows.iloc[0]


def test_every_repeat_is_welchs_test_of_prediction_less_label(case):
    dataset, predictions = case
    frame = run("differential_parity", predictions, dataset)
    assert len(frame) == 3 * 2
    for key, said, label, group in arrays(predictions, dataset):
        row, difference = only(frame, *key), said - label
        one, zero = difference[group == 1], difference[group == 0]
        expected = ttest_ind(one, zero, equal_var=False)
        assert row["estimate"] == pytest.approx(one.mean() - zero.mean(), rel=1e-9)
        assert row["statistic"] == pytest.approx(expected.statistic, rel=1e-9)
        assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
        assert row["rejected"] == (expected.pvalue < 0.2)
        assert (row["n"], row["smallest_cell"]) == (len(said), min(len(one), len(zero)))
        assert (row["hypothesis"], row["note"], row["draw"]) == ("Δ(A=1) = Δ(A=0)", "", 0)
    assert 0 < frame["rejected"].sum() < len(frame)


def test_the_effect_size_is_estimated_and_not_tested(case):
    dataset, predictions = case
    frame = run("differential_parity_effect_size", predictions, dataset)
    assert set(frame["hypothesis"]) == {"DPD"}
    assert frame[["statistic", "p_value"]].isna().all(axis=None)
    assert not frame["rejected"].any()
    for key, said, label, group in arrays(predictions, dataset):
        difference = said - label
        parts = [difference[group == a] for a in (0, 1)]
        squares = sum(((part - part.mean()) ** 2).sum() for part in parts)
        pooled = np.sqrt(squares / (len(said) - 2))
        row = only(frame, *key)
        assert row["estimate"] == pytest.approx((parts[1].mean() - parts[0].mean()) / pooled)
        assert row["n"] == len(said)


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_a_model_that_is_wrong_by_the_same_everywhere_is_fair(points, shift):
    predictions = predictions_of(points, lambda rng, item: points.label[item] + shift)
    tests, sizes = (run(test, predictions, points) for test in TESTS)
    assert_array_equal(tests[["estimate", "statistic"]], 0)
    assert_array_equal(tests["p_value"], 1)
    assert not tests["rejected"].any()
    assert_array_equal(sizes["estimate"], 0)


def test_a_constant_error_of_one_group_is_certain(points):
    def say(rng, item):
        return points.label[item] - points.sensitive[item, 0]

    predictions = predictions_of(points, say)
    tests, sizes = (run(test, predictions, points) for test in TESTS)
    sex = tests[tests["attribute"] == "sex"]
    assert_allclose(sex["estimate"], -1, rtol=1e-9)
    assert_array_equal(sex["statistic"], -np.inf)
    assert (sex["p_value"] < 1e-9).all()  # of all shuffles of the groups
    assert sex["rejected"].all()
    assert set(sex["note"]) == {"constant differences"}
    assert sizes[sizes["attribute"] == "sex"]["estimate"].isna().all()  # no mean of it has a sense


def test_a_group_of_one_item_is_not_tested_and_says_why(real):
    points, predictions = real
    sex = points.sensitive[predictions["item"], 0]
    first = np.flatnonzero((sex == 1) & (predictions["repeat"] == 5))[0]
    kept = (sex == 0) | (predictions["repeat"] != 5) | (np.arange(len(sex)) == first)
    few = predictions[kept].reset_index(drop=True)
    frame = run("differential_parity", few, points)
    row = only(frame, 5, "sex")
    assert np.isnan([row["estimate"], row["statistic"], row["p_value"]]).all()
    assert not row["rejected"]
    assert row["note"] == "a group with fewer than two rows"
    assert row["smallest_cell"] == 1
    none = predictions[(sex == 0) | (predictions["repeat"] != 9)].reset_index(drop=True)
    row = only(run("differential_parity", none, points), 9, "sex")
    assert (row["note"], row["smallest_cell"]) == ("a group with fewer than two rows", 0)
    others = frame[(frame["repeat"] != 5) & (frame["attribute"] == "sex")]
    assert others["p_value"].notna().all()
    violations, _ = summarise([frame])
    of_sex = violations[violations["attribute"] == "sex"].iloc[0]
    assert (of_sex["repeats"], of_sex["tested"], of_sex["incomplete"]) == (3, 2, 1)
