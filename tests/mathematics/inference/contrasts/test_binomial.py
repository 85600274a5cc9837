"""The score test of a difference of two rates, exact in small cells, against enumeration."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, xlogy
from scipy.stats import binom

from fairpairs.mathematics.inference.contrasts import binomial
from fairpairs.mathematics.inference.contrasts.binomial import (
    LEAST_EXPECTED,
    MISSED,
    BinomialContrast,
)
from fairpairs.mathematics.inference.contrasts.binomial_decisions import are_different
from fairpairs.mathematics.inference.contrasts.score_statistic import (
    score_statistic,
    uncorrected,
)


@pytest.mark.parametrize(
    ("successes", "trials", "null"),
    [((39, 41), (40, 42), 0.05), ((950, 29), (1000, 30), -0.05), ((3, 2), (10, 30), 0.1)],
)
def test_the_statistic_has_the_most_likely_restricted_rates(
    successes: tuple[int, int], trials: tuple[int, int], null: float
) -> None:
    (k, other), (n, m) = successes, trials

    def unlikely(q: float) -> float:
        of_first = xlogy(k, q + null) + xlogy(n - k, 1 - q - null)
        return -float(of_first + xlogy(other, q) + xlogy(m - other, 1 - q))

    bounds = max(0, -null), min(1, 1 - null)
    q = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    p = q + null
    error = np.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    statistic, expected = score_statistic(k, other, n, m, null)
    z = (k / n - other / m - null) / error
    assert uncorrected(k, other, n, m, null)[0] == pytest.approx(z, abs=1e-6)
    one, two = (n * p + 0.125) / (n + 0.25), (m * q + 0.125) / (m + 0.25)
    spread = np.sqrt([one * (1 - one) / n, two * (1 - two) / m])
    third = np.array([binom(n, one).stats("s"), -binom(m, two).stats("s")]) @ spread**3
    skewness = third / np.hypot(*spread) ** 3
    assert statistic + skewness * (statistic**2 - 1) / 6 == pytest.approx(z, abs=1e-6)
    assert expected == pytest.approx(min(n * p, n * (1 - p), m * q, m * (1 - q)), abs=1e-4)


def test_without_a_null_difference_it_is_the_pooled_z() -> None:
    pooled = (30 + 10) / (50 + 40)
    error = np.sqrt(pooled * (1 - pooled) * (1 / 50 + 1 / 40))
    assert uncorrected(30, 10, 50, 40, 0.0)[0] == pytest.approx((0.6 - 0.25) / error)


@pytest.mark.parametrize("trials", [(40, 4), (5, 40), (3, 50), (30, 400), (100, 30)])
@pytest.mark.parametrize("null", [-0.4, -0.1, 0.0, 0.002, 0.05, 0.3])
def test_the_statistic_grows_with_the_first_count_and_falls_with_the_second(
    trials: tuple[int, int], null: float
) -> None:
    """Else the sums of the exact p would leave out tables that are as extreme."""
    n, m = trials
    counts = np.arange(n + 1)[:, None], np.arange(m + 1)
    statistic = score_statistic(*counts, n, m, null)[0]
    for axis, sign in ((0, 1), (1, -1)):
        steps = sign * np.diff(statistic, axis=axis)
        assert (steps[np.isfinite(steps)] > -1e-9).all()


@pytest.mark.parametrize(
    ("items", "rates", "least"),
    [((40, 400), (0.13, 0.03), 0.65), ((20, 400), (0.25, 0.05), 0.754),
     ((30, 150), (0.2, 0.03), 0.813), ((15, 300), (0.6, 0.9), 0.797),
     ((50, 1000), (0.08, 0.01), 0.737), ((100, 1000), (0.07, 0.02), 0.666),
     ((20, 20), (0.5, 0.1), 0.82), ((60, 60), (0.82, 0.97), 0.79)],
)  # fmt: skip
def test_rare_events_of_a_small_group_beside_a_large_one_are_found(
    items: tuple[int, int], rates: tuple[float, float], least: float
) -> None:
    """At least as often as by twice the smaller Boschloo (by enumeration) less 0.01."""
    (n, m), (p, q) = items, rates
    chances = binom.pmf(np.arange(n + 1), n, p), binom.pmf(np.arange(m + 1), m, q)
    some = np.flatnonzero(chances[1] > 1e-5)
    found = are_different(np.arange(n + 1)[:, None], n, some, m, 0.05)
    assert chances[0] @ found @ chances[1][some] >= least - 0.01
    level = binom.pmf(np.arange(n + 1), n, q) @ found @ chances[1][some]
    assert level <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("null", [-0.1, 0.0, 0.05])
@pytest.mark.parametrize(
    ("trials", "beta"), [((9, 14), 40), ((14, 9), 40), ((40, 4), 40), ((40, 4), 0), ((9, 14), 0)]
)
def test_the_exact_p_is_the_largest_chance_over_all_rates(
    monkeypatch: pytest.MonkeyPatch, trials: tuple[int, int], beta: int, null: float
) -> None:
    monkeypatch.setattr(binomial, "BETA", beta)  # by sums, or by the beta function
    n, m = trials
    table = np.array(list(product(range(n + 1), range(m + 1))))
    statistic = score_statistic(table[:, 0], table[:, 1], n, m, null)[0]
    q = np.linspace(max(0, -null), min(1, 1 - null), 2001)
    chance = binom.pmf(table[:, 0], n, np.clip(q + null, 0, 1)[:, None])
    chance *= binom.pmf(table[:, 1], m, q[:, None])
    for k, other in table[::7].tolist():
        extreme = statistic >= score_statistic(k, other, n, m, null)[0] - 1e-9
        # Clopper and Pearson's intervals hold both rates but with the chance MISSED
        sides = [
            (binom.sf(k - 1, n, q + null), binom.cdf(k, n, q + null)),
            (binom.sf(other - 1, m, q), binom.cdf(other, m, q)),
        ]
        inside = np.min(sides, axis=(0, 1)) >= MISSED[0] / 4
        largest = chance[inside][:, extreme].sum(axis=1).max() if inside.any() else 0.0
        pvalue = BinomialContrast((k, other), trials).pvalue_above(null)
        assert pvalue == pytest.approx(largest, abs=5e-4 if largest < 0.25 else 5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("null", [0.0, 0.05])
@pytest.mark.parametrize("trials", [(25, 30), (200, 12)])
def test_its_size_is_at_most_a_small_level(trials: tuple[int, int], null: float) -> None:
    """The share that is set aside shrinks with the level, and the size is enumerated."""
    n, m = trials
    k, other = np.array(list(product(range(n + 1), range(m + 1)))).T
    q = np.linspace(0, 1 - null, 400)[:, None]
    pvalues = np.array(
        [
            BinomialContrast(counts, trials).pvalue_above(null)
            if counts[0] / n - counts[1] / m > null else 1.0
            for counts in zip(k.tolist(), other.tolist(), strict=True)
        ]
    )  # fmt: skip
    for level in (1e-3, 1e-4, 2e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        some = pvalues <= level
        chance = binom.pmf(k[some], n, q + null) * binom.pmf(other[some], m, q)
        size = chance.sum(axis=1).max()
        assert 0.01 * level < size <= 1.005 * level


def test_p_does_not_fall_where_another_share_is_set_aside() -> None:
    """As a test rejects at each level above its p, p falls with the distance from the null."""
    nulls = np.linspace(-0.3, 0.38, 200)
    contrast = BinomialContrast((70, 30), (100, 80))
    pvalues = np.array([contrast.pvalue_above(float(null)) for null in nulls])
    assert pvalues[0] < 1e-12
    assert (np.diff(pvalues) >= -1e-3 * pvalues[1:]).all()


def test_intervals_of_small_levels_are_hardly_wider() -> None:
    contrast = BinomialContrast((0, 250), (1000, 5000))
    low, high = contrast.limits(1e-6)
    assert -0.08 < low < high < -0.02
    assert contrast.pvalue() < 1e-6


def test_large_cells_take_the_normal_distribution() -> None:
    statistic, expected = score_statistic(1500, 3100, 5000, 10_000, 0.02)
    assert expected > LEAST_EXPECTED
    pvalue = BinomialContrast((1500, 3100), (5000, 10_000)).pvalue_below(0.02)
    assert pvalue == pytest.approx(ndtr(statistic), abs=1e-12)


@pytest.mark.parametrize(
    ("successes", "trials"),
    [((8, 5), (12, 17)), ((0, 0), (10, 20)), ((10, 3), (10, 30)), ((960, 27), (1000, 30)),
     ((5000, 700), (9000, 1000))],
)  # fmt: skip
def test_an_interval_leaves_out_what_a_side_rejects(
    successes: tuple[int, int], trials: tuple[int, int]
) -> None:
    contrast = BinomialContrast(successes, trials)
    low, high = contrast.limits(0.1)
    assert low <= contrast.estimate <= high
    for null in np.linspace(-0.9, 0.9, 37):
        if min(abs(null - low), abs(null - high)) > 0.003:
            assert bool(contrast.pvalue_above(null) < 0.05) == bool(null < low)
            assert bool(contrast.pvalue_below(null) < 0.05) == bool(null > high)


def test_sides_swap_with_the_samples() -> None:
    contrast = BinomialContrast((8, 5), (12, 17))
    swapped = BinomialContrast((5, 8), (17, 12))
    assert contrast.pvalue_above(0.1) == swapped.pvalue_below(-0.1)
    assert contrast.limits(0.1) == tuple(-x for x in reversed(swapped.limits(0.1)))


def test_differences_of_one_are_the_largest() -> None:
    contrast = BinomialContrast((10, 0), (10, 12))
    assert contrast.limits(0.1)[1] == 1.0
    assert contrast.pvalue_below(1.0) == 1.0
    assert contrast.pvalue_above(-1.0) == 0.0
    assert BinomialContrast((5, 5), (10, 10)).within(1.0) == 0.0


def test_the_size_beyond_the_exact_test_by_enumeration():
    k, m = np.arange(826)[:, None], np.arange(826)
    statistic, expected = score_statistic(k, m, 825, 825, 0.02)
    assert expected[420, 404] > LEAST_EXPECTED
    chance = binom.pmf(k, 825, 0.51) * binom.pmf(m, 825, 0.49)
    assert chance[statistic > 1.64485].sum() == pytest.approx(0.0520, abs=1e-4)
