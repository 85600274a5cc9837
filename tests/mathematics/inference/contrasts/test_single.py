"""One difference of rates, or of means, computed by numbers is what arrays give, to the bit."""

import numpy as np
import pytest

from fairpairs.mathematics.inference.contrasts import score
from fairpairs.mathematics.inference.contrasts.score import (
    ProductContrast,
    ScoreContrast,
    limits_of,
)

FACTORS, HALVES = np.array([1.0, -1.0]), np.array([-0.5, -0.5, 0.5, 0.5])
RNG = np.random.default_rng(0)


def drawn(correlation):
    """Rates, trials, their correlation, df and how much nearer they count."""
    trials = RNG.integers(1, 300, 2).astype(float)
    rates = RNG.integers(0, trials.astype(int) + 1) / trials
    if correlation is not None:
        correlation = np.array([[1, correlation], [correlation, 1]])
    return rates, trials, correlation, RNG.choice([np.inf, 4.5]), RNG.choice([0, 0.03])


def as_array(rates, trials, correlation, df, nearer):
    """The same contrast as one of many, which it is alone."""
    shared = None if correlation is None else correlation[None]
    return ScoreContrast(
        rates[None], trials[None], FACTORS, shared, np.array([df]), np.array([nearer])
    )


@pytest.mark.parametrize("correlation", [None, -1.0, -0.3, 0.0, 0.7, 1.0])
def test_limits_and_statistics_are_those_of_arrays(correlation):
    for _ in range(12):
        rates, trials, shared, df, nearer = drawn(correlation)
        one = ScoreContrast(rates, trials, FACTORS, shared, df, nearer)
        other = as_array(rates, trials, shared, df, nearer)
        assert one.single() is not None
        for alpha in (0.05, 1e-7):
            assert one.limits(alpha) == tuple(limit.item() for limit in other.limits(alpha))
        for null in (0.0, 0.2, -0.4, 1.0, -1.0, one.estimate):
            assert one.statistic(null) == other.statistic(null).item()


def test_extreme_rates_have_the_limits_of_arrays():
    for rates in ([0, 0], [1, 1], [0, 1], [1, 0], [0.5, 1], [0.5, 0.5]):
        contrast = np.array(rates, float), np.array([7.0, 40.0]), None, np.inf, 0.0
        one, other = ScoreContrast(contrast[0], contrast[1], FACTORS), as_array(*contrast)
        assert one.limits(0.05) == tuple(limit.item() for limit in other.limits(0.05))
        assert [one.statistic(x) for x in (0, 0.5)] == [other.statistic(x).item() for x in (0, 0.5)]


@pytest.mark.parametrize("number", [2, 3, score.FEW])
def test_limits_of_several_are_those_of_arrays(number, monkeypatch):
    contrasts = []
    for _ in range(number):
        rates, trials, shared, df, _ = drawn(RNG.uniform(-1, 1))
        contrasts.append(ScoreContrast(rates, trials, FACTORS, shared, df))
    one_by_one = limits_of(contrasts, 0.05)
    monkeypatch.setattr(score, "FEW", 0)
    np.testing.assert_array_equal(one_by_one, limits_of(contrasts, 0.05))


def test_differences_of_means_of_two_rates_are_those_of_arrays(monkeypatch):
    for _ in range(40):
        trials = RNG.integers(1, 60, 4).astype(float)
        rates = RNG.integers(0, trials.astype(int) + 1) / trials
        nearer, found = RNG.choice([0, 0.03]), []
        for kinds in (score.KINDS, {}):  # arrays have another order of sums where they are many
            monkeypatch.setattr(score, "KINDS", kinds)
            one = ScoreContrast(rates, trials, HALVES, nearer=nearer)
            assert (one.single() is not None) == bool(kinds)
            statistics = [float(one.statistic(x)) for x in (0.0, 0.2, -0.4, 1.0, one.estimate)]
            found.append([*map(float, one.limits(0.05)), *statistics])
        assert found[0] == found[1]


def test_differences_of_products_are_those_of_arrays():
    for _ in range(40):
        trials = RNG.integers(1, 60, 4).astype(float)
        rates = RNG.integers(0, trials.astype(int) + 1) / trials
        nearer = RNG.choice([0, 0.03])
        one = ProductContrast(rates, trials, nearer=nearer)
        other = ProductContrast(rates[None], trials[None], nearer=np.array([nearer]))
        assert one.single() is not None
        assert one.limits(0.05) == tuple(limit.item() for limit in other.limits(0.05))
        for null in (0.0, 0.2, -0.4, 1.0, -1.0, float(one.estimate)):
            assert one.statistic(null) == other.statistic(null).item()


def test_what_formulas_of_numbers_do_not_cover_is_left_to_arrays():
    rates, trials = np.array([0.3, 0.4]), np.array([10.0, 20.0])
    for other in (
        ScoreContrast(rates, trials, -FACTORS),
        ScoreContrast(rates[[0, 1, 1]], trials[[0, 1, 1]], np.array([1.0, -0.5, -0.5])),
        ScoreContrast(np.array([np.nan, 0.4]), trials, FACTORS),
        ScoreContrast(rates, np.array([10.0, 1e60]), FACTORS),
        ScoreContrast(rates, np.array([10.0, 1e-60]), FACTORS),
        ScoreContrast(rates[[0, 1, 0, 1]], trials[[0, 1, 0, 1]], HALVES, np.eye(4)),
        ScoreContrast(rates, trials, FACTORS, np.array([[1, 0.2], [0.1, 1]])),
        ScoreContrast(rates, trials, FACTORS, np.array([[2, 0.2], [0.2, 1]])),
    ):
        assert other.single() is None
