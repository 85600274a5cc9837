"""Differences of two rates by MOVER."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from fairpairs.mathematics.inference.mover import (
    difference_limits,
    difference_statistic,
    wilson_limits,
)

COUNTS = [(3, 10, 40, 50), (0, 12, 5, 30), (20, 20, 700, 1000), (7, 30, 7, 30), (0, 9, 8, 8)]


@pytest.mark.parametrize(("k1", "n1", "k2", "n2"), COUNTS)
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_limits_are_those_of_newcombe(k1, n1, k2, n2, alpha):
    z = norm.ppf(1 - alpha / 2)
    expected = proportion_confint(k1, n1, alpha=alpha, method="wilson")
    assert_allclose(wilson_limits(k1 / n1, n1, z), expected, atol=1e-12)
    expected = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb", alpha=alpha)
    assert_allclose(difference_limits(k1 / n1, k2 / n2, n1, n2, z), expected, atol=1e-12)


def test_at_the_statistic_a_limit_is_0():
    rng = np.random.default_rng(0)
    one, two = np.round(rng.random((2, 500)), 1)
    n_one, n_two = np.exp(rng.uniform(0, 14, (2, 500)))
    statistic = difference_statistic(one, two, n_one, n_two)
    assert (np.sign(statistic) == np.sign(one - two)).all()
    low, high = difference_limits(one, two, n_one, n_two, np.abs(statistic))
    assert_allclose(np.where(one > two, low, high), 0, atol=1e-10)
    assert_allclose(difference_statistic(two, one, n_two, n_one), -statistic, rtol=1e-12)


def test_the_statistic_of_opposite_equal_and_missing_rates():
    one, two = np.array([1.0, 0.0, 0.4, np.nan]), np.array([0.0, 1.0, 0.4, 0.5])
    n = np.array([30.0, 30.0, 30.0, 30.0])
    statistic = difference_statistic(one, two, n, 2 * n)
    low = 30 / (30 + statistic[0] ** 2), 60 / (60 + statistic[0] ** 2)  # Wilson's, of 1
    assert_allclose((1 - low[0]) ** 2 + (1 - low[1]) ** 2, 1, rtol=1e-9)
    assert_allclose(statistic[1], -difference_statistic(two, one, n, 2 * n)[1])
    assert statistic[2] == 0
    assert np.isnan(statistic[3])


def bisected(first, second, n_first, n_second):
    """Halve the interval in which the quantile lies, for first > second."""
    inside, outside = np.zeros_like(first), np.full_like(first, 1e6)
    for _ in range(100):
        middle = (inside + outside) / 2
        positive = difference_limits(first, second, n_first, n_second, middle)[0] > 0
        inside, outside = np.where(positive, middle, inside), np.where(positive, outside, middle)
    return outside


@pytest.mark.parametrize("power", [1, 8])
def test_the_statistic_is_that_of_halving(power):
    rng = np.random.default_rng(1)
    low, high = np.sort(rng.random((2, 2000)) ** power, axis=0)
    low, high = np.where(rng.random(2000) < 0.5, (low, high), (1 - high, 1 - low))
    low[:400], high[200:600] = 0, 1
    n_high, n_low = np.exp(rng.uniform(-3, 14, (2, 2000)))
    statistic = difference_statistic(high, low, n_high, n_low)
    # a limit is rounded to the last digit of the rates, which the quantile multiplies
    expected = bisected(high, low, n_high, n_low)
    told = high - low > 1e-3
    assert told.sum() > 1000
    assert_allclose(statistic[told], expected[told], rtol=1e-8)


def test_without_trials_the_statistic_is_0():
    none = difference_statistic(np.array([0.9, 1.0]), np.zeros(2), np.array([0.0, 5]), np.zeros(2))
    assert_allclose(none, 0)
