"""The ratio of two rates, against Newcombe's interval, an equation, and all possible counts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtri
from scipy.stats import binom
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from fairpairs.mathematics.inference.mover import ratio_limits, ratios_to_highest

Z = -ndtri(0.025)


def test_the_limits_solve_the_equation_of_the_method():
    """Donner and Zou 2012: 0 is a limit of first − R second by MOVER."""
    for k, n, j, m in [(3, 20, 7, 25), (19, 20, 7, 9), (40, 400, 5, 50), (1, 30, 29, 30)]:
        first, second = k / n, j / m
        (low_1, high_1), (low_2, high_2) = (
            proportion_confint(a, b, method="wilson") for a, b in ((k, n), (j, m))
        )
        low, high = ratio_limits(first, second, (n, m), Z)
        for limit, below, above in (
            (low, first - low_1, high_2 - second), (high, high_1 - first, second - low_2),
        ):  # fmt: skip
            assert_allclose((first - limit * second) ** 2, below**2 + (limit * above) ** 2)
        assert low < first / second < high


def test_the_interval_leaves_out_1_where_newcombes_leaves_out_0():
    rng = np.random.default_rng(0)
    n, m = rng.integers(5, 200, (2, 300))
    k, j = rng.integers(0, n + 1), rng.integers(1, m + 1)
    low, high = ratio_limits(k / n, j / m, (n, m), Z)
    for i in range(300):
        of_difference = confint_proportions_2indep(k[i], n[i], j[i], m[i], method="newcomb")
        assert (low[i] > 1) == (of_difference[0] > 0)
        assert (high[i] < 1) == (of_difference[1] < 0)


def test_it_is_near_the_score_interval_where_counts_are_large():
    ours = ratio_limits(0.3, 0.5, (4000, 3000), Z)
    theirs = confint_proportions_2indep(
        1200, 4000, 1500, 3000, compare="ratio", method="score", correction=False
    )
    assert_allclose(ours, theirs, rtol=2e-3)


def test_rates_of_0_have_an_honest_end():
    low, high = ratio_limits([0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.0, 0.5], ([9, 9, 9, 0], 9), Z)
    assert low[0] == 0
    assert 0 < high[0] < 1.2
    assert high[0] < ratio_limits(0.0, 0.5, (1, 9), Z)[1] < 3
    assert low[1] > 0.5
    assert np.isinf(high[1])
    assert np.isnan([low[2:], high[2:]]).all()


def test_swapping_the_groups_inverts_the_limits():
    low, high = ratio_limits(0.3, 0.5, (20, 50), Z, correlation=0.3)
    turned = ratio_limits(0.5, 0.3, (50, 20), Z, correlation=0.3)
    assert_allclose([1 / high, 1 / low], turned)
    alone = ratio_limits(0.3, 0.5, (20, 50), Z)
    assert alone[0] < low < high < alone[1]


@pytest.mark.parametrize(
    ("n", "m", "rate", "ratio", "least"),
    [(10, 10, 0.3, 0.5, 0.945), (15, 200, 0.02, 0.8, 0.93), (30, 1000, 0.3, 1.25, 0.94),
     (100, 100, 0.8, 0.8, 0.945), (1000, 30, 0.5, 1.25, 0.945),
     (10, 3000, 0.1, 0.5, 0.914)],
)  # fmt: skip
def test_the_interval_covers_the_ratio_over_all_counts(n, m, rate, ratio, least):
    k, j = np.arange(n + 1)[:, None], np.arange(m + 1)[None]
    chance = binom.pmf(k, n, rate * ratio) * binom.pmf(j, m, rate)
    low, high = ratio_limits(k / n, j / m, (n, m), Z)
    misses = (low > ratio) | (high < ratio)  # not where both are 0
    assert 1 - (chance * misses).sum() >= least


def test_few_rare_decisions_mislead_the_four_fifths_rule_in_up_to_008():
    """That of docs/reference/audit.md: 3,000 items of a rate of 0.04, and 10 of 0.05."""
    k, j = np.arange(3001)[:, None], np.arange(11)[None]
    chance = binom.pmf(k, 3000, 0.04) * binom.pmf(j, 10, 0.05)
    low, high = ratio_limits(k / 3000, j / 10, (3000, 10), Z)
    below = (high < 0.8) | (1 / np.maximum(low, 1e-9) < 0.8)
    assert 0.075 < (chance * below).sum() < 0.085


def test_ratios_to_the_highest_rate_of_two_groups_are_those_of_both():
    rates, n = np.array([0.3, 0.5, np.nan]), np.array([100.0, 80.0, 0.0])
    ratio, low, high = ratios_to_highest(np.nan_to_num(rates), n, alpha=0.05)
    assert ratio[:2].tolist() == [0.6, 1]
    assert [low[0], high[0]] == pytest.approx(
        [float(x) for x in ratio_limits(0.3, 0.5, (100, 80), Z)]
    )
    assert np.isnan([ratio[2], low[2], high[2]]).all()
    assert high[1] == 1
    assert np.isnan(ratios_to_highest(np.zeros(2), n[:2], alpha=0.05)[0]).all()
