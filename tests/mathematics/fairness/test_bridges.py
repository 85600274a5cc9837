import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

import fairpairs as fp

BETA = np.random.default_rng(9).normal(size=6) / 2


def items(seed, n, bias=0.4):
    """Features that say little of the group, and decisions that prefer group 1 by `bias`."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    x = rng.normal(size=(n, 6)) + 0.3 * group[:, None] * (np.arange(6) < 2)
    return x, x @ BETA + bias * group + rng.normal(size=n), group


def two_sets(seed, n=200, bias=(0.4, 0.4)):
    x_0, r_0, a_0 = items(2 * seed, n, bias[0])
    x_1, r_1, a_1 = items(2 * seed + 1, n, bias[1])
    return (x_0, r_0, x_1, r_1), a_0, a_1


def test_the_unbiased_bridge_takes_the_predictions_for_decisions():
    arrays, _, a_1 = two_sets(0)
    x_0, r_0, x_1, r_1 = arrays
    result = fp.unbiased_bridge(*arrays, sensitive_features_1=a_1, model=LinearRegression())
    predicted = LinearRegression().fit(x_0, r_0).predict(x_1)
    expected = fp.differential_parity_test(predicted, r_1, sensitive_features=a_1)
    assert_allclose(result.difference.statistic, expected.difference.statistic)
    assert_allclose(result.difference.effect_size, expected.difference.effect_size)


def test_the_biased_bridge_takes_the_models_errors_out():
    """Equations (6) and (7), with the four terms of Welch and Satterthwaite."""
    rng = np.random.default_rng(0)
    e_0, a_0, e_1, a_1 = (
        rng.normal(size=50),
        np.arange(50) % 2,
        rng.normal(size=70),
        np.arange(70) % 2,
    )
    result = fp.bridge_from_errors(e_0, e_1, sensitive_features_0=a_0, sensitive_features_1=a_1)
    cells = [e_1[a_1 == 1], e_1[a_1 == 0], e_0[a_0 == 1], e_0[a_0 == 0]]
    m, v = [c.mean() for c in cells], [c.var(ddof=1) / len(c) for c in cells]
    estimate = m[0] - m[1] - m[2] + m[3]
    assert_allclose(result.difference.estimate, estimate)
    assert_allclose(result.difference.statistic, estimate / np.sqrt(sum(v)))
    dof = sum(v) ** 2 / sum(s**2 / (len(c) - 1) for s, c in zip(v, cells, strict=True))
    assert_allclose(result.dof, dof)

    def pooled(one, two):
        n = len(one), len(two)
        return ((n[0] - 1) * one.var(ddof=1) + (n[1] - 1) * two.var(ddof=1)) / (sum(n) - 2)

    spread = np.sqrt(pooled(*cells[:2]) + pooled(*cells[2:]))
    assert_allclose(result.difference.effect_size, estimate / spread)


def test_cross_fitted_errors_come_from_models_that_did_not_see_the_item():
    arrays, a_0, a_1 = two_sets(1, 60)
    _, r_0, _, r_1 = arrays

    class Memory(LinearRegression):
        """Says 1,000 of an item that it was fitted on, and nothing of others."""

        def fit(self, x, y):
            self.seen_ = {tuple(row) for row in np.asarray(x)}
            return self

        def predict(self, x):
            return np.array([1000.0 * (tuple(row) in self.seen_) for row in np.asarray(x)])

    keywords = {"sensitive_features_0": a_0, "sensitive_features_1": a_1, "model": Memory()}
    fitting = fp.biased_bridge(*arrays, **keywords, errors="fitting")
    expected = fp.bridge_from_errors(
        1000 - r_0, -r_1, sensitive_features_0=a_0, sensitive_features_1=a_1
    )
    assert_allclose(fitting.difference.estimate, expected.difference.estimate)
    honest = fp.bridge_from_errors(-r_0, -r_1, sensitive_features_0=a_0, sensitive_features_1=a_1)
    crossed = fp.biased_bridge(*arrays, **keywords, random_state=1)
    assert_allclose(crossed.difference.estimate, honest.difference.estimate)
    assert crossed.difference.n[0] == 120
    held = fp.biased_bridge(*arrays, **keywords, errors="held-out", random_state=1)
    assert held.difference.n[0] == 60 + 15


def test_the_default_model_takes_words_and_numbers():
    (x_0, r_0, x_1, r_1), a_0, a_1 = two_sets(3)
    frames = []
    for x in (x_0, x_1):
        frame = pd.DataFrame(x, columns=list("abcdef"))
        frames.append(frame.assign(city=np.where(frame["a"] > 0, "Ash", "Birk")))
    result = fp.biased_bridge(
        frames[0], r_0, frames[1], r_1, sensitive_features_0=a_0, sensitive_features_1=a_1,
        random_state=0,
    )  # fmt: skip
    assert abs(result.difference.estimate[0]) < 4 * abs(
        result.difference.estimate[0] / result.difference.statistic[0]
    )
    again = fp.biased_bridge(
        frames[0], r_0, frames[1], r_1, sensitive_features_0=a_0, sensitive_features_1=a_1,
        random_state=0,
    )  # fmt: skip
    assert again.difference.estimate == result.difference.estimate


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"errors": "none"}, "errors must be one of 'cross-fitted', 'held-out', 'fitting'"),
        ({"folds": 1}, "folds must be a whole number from 2 to 40; it is 1"),
        ({"folds": 2.5}, "folds must be a whole number from 2 to 40; it is 2.5"),
        ({"sensitive_features_1": ["x", "y"] * 20}, "groups of the two sets differ: 0, 1 in X_0"),
    ],
)
def test_bad_options_are_named(change, words):
    arrays, a_0, a_1 = two_sets(4, 40)
    keywords = {"sensitive_features_0": a_0, "sensitive_features_1": a_1, **change}
    with pytest.raises(fp.InputError, match=words):
        fp.biased_bridge(*arrays, **keywords)


def test_bad_features_are_named():
    (x_0, r_0, x_1, r_1), _, a_1 = two_sets(5, 40)
    with pytest.raises(fp.InputError, match="same columns in the same order"):
        fp.unbiased_bridge(x_0, r_0, x_1[:, :3], r_1, sensitive_features_1=a_1)
    with pytest.raises(fp.InputError, match="features_0, column 0 has 1 missing"):
        fp.unbiased_bridge(np.where(x_0 > 2, np.nan, x_0), r_0, x_1, r_1, sensitive_features_1=a_1)
    with pytest.raises(fp.InputError, match="features_1, column 0 holds an infinite value"):
        fp.unbiased_bridge(x_0, r_0, np.where(x_1 > 2, np.inf, x_1), r_1, sensitive_features_1=a_1)
    words = pd.DataFrame(x_1).assign(**{"0": "word"})[["0", 1, 2, 3, 4, 5]]
    with pytest.raises(fp.InputError, match="The feature 0 holds numbers in one of X_0 and X_1"):
        fp.unbiased_bridge(x_0, r_0, words, r_1, sensitive_features_1=a_1)
    with pytest.raises(fp.InputError, match="decisions_1 has 1 missing value"):
        fp.unbiased_bridge(x_0, r_0, x_1, np.r_[np.nan, r_1[1:]], sensitive_features_1=a_1)
    with pytest.raises(fp.InputError, match="features_0 has 39, decisions_0 has 40"):
        fp.unbiased_bridge(x_0[1:], r_0, x_1, r_1, sensitive_features_1=a_1)


def test_the_smallest_cell_is_one_of_the_four():
    e = np.arange(60.0)
    few, even = (np.arange(60) < 9).astype(int), np.arange(60) % 2
    result = fp.bridge_from_errors(e, e, sensitive_features_0=few, sensitive_features_1=even)
    assert result.difference.smallest_cell == 9
    assert result.difference.n == 120
    assert result.to_frame()["note"][0] == "a cell below 30"


def test_a_handful_of_errors_is_no_spread():
    """Four cells of equal errors had p = 0, from two items each."""
    group = np.array([0, 0, 1, 1])
    result = fp.bridge_from_errors(
        np.zeros(4), [0.0, 0, 1, 1], sensitive_features_0=group, sensitive_features_1=group
    )
    # of set 1 the variance is 1/3, that of a mean of two 1/6
    assert_allclose(result.difference.statistic, 1 / np.sqrt(2 / 6))
    assert result.violated is False
    assert result.to_frame()["note"][0] == (
        "all values of a group but 5 or fewer are equal: the variance of both groups stands in; "
        "a cell below 30"
    )


def test_a_held_out_part_of_one_group_is_named():
    arrays, _, a_1 = two_sets(6, 40)
    few = (np.arange(40) == 0).astype(int)
    with pytest.raises(fp.InputError, match="held-out part of X_0 has rows of one group only"):
        fp.biased_bridge(
            *arrays, sensitive_features_0=few, sensitive_features_1=a_1, errors="held-out",
            random_state=0,
        )  # fmt: skip


def test_rounding_of_exact_predictions_is_no_difference():
    rng = np.random.default_rng(6)
    x, group = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    decisions = x.sum(axis=1)  # which a linear model predicts to rounding
    result = fp.biased_bridge(
        x[:100], decisions[:100], x[100:], decisions[100:], sensitive_features_0=group[:100],
        sensitive_features_1=group[100:], model=LinearRegression(), random_state=0,
    )  # fmt: skip
    assert result.difference.estimate[0] == 0
    assert result.difference.pvalue[0] == 1
    assert result.difference.reason[0] == "constant differences"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (np.nan, "missing or infinite value"),
        ("high", "must predict numbers"),
        (np.zeros((50, 2)), "must predict one number per row"),
    ],
)
def test_what_a_model_predicts_is_checked(said, words):
    class Odd(LinearRegression):
        def fit(self, x, y):
            return self

        def predict(self, x):
            return said if isinstance(said, np.ndarray) else np.full(len(x), said)

    arrays, a_0, a_1 = two_sets(7, 50)
    with pytest.raises(fp.InputError, match=words):
        fp.unbiased_bridge(*arrays, sensitive_features_1=a_1, model=Odd())
    with pytest.raises(fp.InputError, match=words):
        fp.biased_bridge(*arrays, sensitive_features_0=a_0, sensitive_features_1=a_1, model=Odd())
