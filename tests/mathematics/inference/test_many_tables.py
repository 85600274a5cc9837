"""Rates within strata, simultaneous intervals, and tails of distributions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, chi2, fisher_exact, hypergeom, kstwobign, norm, studentized_range
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.proportion import proportion_confint

from fairpairs.mathematics.inference import many_tables as module
from fairpairs.mathematics.inference.many_tables import (
    FEW,
    MOST_EXPECTED,
    exact_pvalues,
    simultaneous_limits,
    stratified_rates,
)
from fairpairs.mathematics.inference.rates import threshold_gaps
from fairpairs.mathematics.inference.welch import range_pvalue, range_quantile


def drawn(rng, strata, most):
    n, others = rng.integers(1, most, strata), rng.integers(1, 3 * most, strata)
    rate = rng.uniform(0.1, 0.9, strata)
    return rng.binomial(n, rate), n, rng.binomial(others, rate), others


def test_one_stratum_has_the_p_value_of_fisher():
    counts = drawn(np.random.default_rng(0), 100, 50)
    rates = stratified_rates(*counts, np.arange(100), 100)
    np.testing.assert_allclose(rates.pvalue, exact_pvalues(*counts), rtol=1e-12)
    np.testing.assert_allclose(rates.first, counts[0] / counts[1])


def test_strata_have_the_weights_of_mantel_and_haenszel_and_their_exact_test():
    rng = np.random.default_rng(1)
    k, n, k2, n2 = drawn(rng, 3, 12)
    rates = stratified_rates(k, n, k2, n2, np.zeros(3, int), 1)
    weight = n * n2 / (n + n2)
    apart = np.average(k / n - k2 / n2, weights=weight)
    assert rates.first[0] - rates.second[0] == pytest.approx(apart)
    chances = {0: 1.0}  # of each sum of successes, by loops
    for m, a, b in zip(k + k2, n, n2, strict=True):
        law = hypergeom(a + b, m, a)
        sums = {}
        for total, chance in chances.items():
            for x in range(a + 1):
                sums[total + x] = sums.get(total + x, 0) + chance * law.pmf(x)
        chances = sums
    tails = [
        sum(chance for total, chance in chances.items() if keep(total))
        for keep in (lambda t: t >= k.sum(), lambda t: t <= k.sum())
    ]
    assert rates.pvalue[0] == pytest.approx(min(1, 2 * min(tails)))


def test_large_strata_have_the_p_value_of_statsmodels():
    rng = np.random.default_rng(2)
    k, n, k2, n2 = drawn(rng, 4, 4000)
    k = np.maximum(k - n // 50, 0)
    rates = stratified_rates(k, n, k2, n2, np.zeros(4, int), 1)
    tables = [np.array([[a, b - a], [c, d - c]]) for a, b, c, d in zip(k, n, k2, n2, strict=True)]
    expected = StratifiedTable(tables).test_null_odds(correction=True).pvalue
    assert rates.pvalue[0] == pytest.approx(expected, rel=0.1)
    spread = sum(x / m * (1 - x / m) / (m - 1) for x, m in ((k, n), (k2, n2)))
    apart = k / n - k2 / n2
    cochran = ((apart - np.average(apart, weights=1 / spread)) ** 2 / spread).sum()
    assert rates.heterogeneity[0] == pytest.approx(chi2.sf(cochran, 3))
    assert rates.pvalue[0] < 0.5


@pytest.mark.parametrize(("n", "others"), [(600, 1200), (4000, 8000), (800, 100_000)])
@pytest.mark.parametrize("z", [-6, -4, -2, 2, 4, 6])
def test_far_tails_are_as_exact_ones(monkeypatch, n, others, z):
    m = (n + others) // 3
    k = round(n * m / (n + others) + z * np.sqrt(n * others / (n + others) * 2 / 9))
    counts = [np.array([x]) for x in (k, n, m - k, others)]
    pvalues = []
    for most in (np.inf, 0):
        monkeypatch.setattr(module, "EXACT_VARIANCE", most)
        pvalues.append(stratified_rates(*counts, np.array([0]), 1).pvalue[0])
    assert 0.98 < pvalues[1] / pvalues[0] < 1.3


def test_groups_are_apart_and_one_without_strata_of_both_has_nothing():
    rng = np.random.default_rng(3)
    parts = [drawn(rng, 3, 40), drawn(rng, 2, 40)]
    counts = [np.concatenate([*x, [2]]) for x in zip(*parts, strict=True)]
    counts[2][-1] = counts[3][-1] = 0
    rates = stratified_rates(*counts, np.array([0, 0, 0, 1, 1, 2]), 3)
    for code, part in enumerate(parts):
        alone = stratified_rates(*part, np.zeros(len(part[0]), int), 1)
        for name, value in vars(alone).items():
            np.testing.assert_allclose(getattr(rates, name)[code], value[0])
    assert np.isnan([rates.first[2], rates.pvalue[2], rates.heterogeneity[2]]).all()
    assert rates.trials_first[2] == rates.trials_second[2] == 0


def test_small_samples_have_the_limits_of_both_rates():
    m = 7
    low, high = simultaneous_limits(*(np.full(m, x) for x in (3, 9, 200, 1000)), alpha=0.05)
    ends = [proportion_confint(k, n, 0.05 / (2 * m), "beta") for k, n in ((3, 9), (200, 1000))]
    np.testing.assert_allclose(low, ends[0][0] - ends[1][1], rtol=1e-10)
    np.testing.assert_allclose(high, ends[0][1] - ends[1][0], rtol=1e-10)


def test_large_samples_are_put_together_by_squares():
    low, high = simultaneous_limits(*(np.array([x]) for x in (300, 900, 200, 1000)), alpha=0.05)
    (l1, u1), (l2, u2) = (
        proportion_confint(k, n, 0.05, "beta") for k, n in ((300, 900), (200, 1000))
    )
    apart = 1 / 3 - 0.2
    np.testing.assert_allclose(low, apart - np.hypot(1 / 3 - l1, u2 - 0.2))
    np.testing.assert_allclose(high, apart + np.hypot(u1 - 1 / 3, 0.2 - l2))


def test_a_line_without_trials_does_not_count():
    counts = [
        np.array([3, 0, 3]),
        np.array([9, 0, 9]),
        np.array([20, 5, 20]),
        np.array([90, 9, 90]),
    ]
    low, high = simultaneous_limits(*counts, alpha=0.05)
    two = simultaneous_limits(*(x[[0, 2]] for x in counts), alpha=0.05)
    np.testing.assert_array_equal(low[[0, 2]], two[0])
    assert np.isnan([low[1], high[1]]).all()


def test_limits_of_a_billion_trials_are_in_order():
    k = np.array([1000, 300_000_000, 999_999_000])
    low, high = simultaneous_limits(k, np.full(3, 10**9), k, np.full(3, 10**9), alpha=1e-6)
    assert (low < 0).all() and (high > 0).all() and (high - low < 1e-3).all()


def misses(n1, n2, p1, p2, alpha):
    """The chance that one of 2,000 intervals misses, by that of all counts."""
    k1, k2 = np.arange(n1 + 1), np.arange(n2 + 1)
    chance = np.outer(binom.pmf(k1, n1, p1), binom.pmf(k2, n2, p2))
    some = chance > 1e-18
    first, second = (grid[some] for grid in np.meshgrid(k1, k2, indexing="ij"))
    # each of as many intervals as there are counts has alpha / as many
    low, high = simultaneous_limits(
        first, np.full(len(first), n1), second, np.full(len(first), n2), alpha=alpha * len(first)
    )
    wrong = (low > p1 - p2 + 1e-12) | (high < p1 - p2 - 1e-12)
    return chance[some][wrong].sum() / alpha


#: Designs in which Newcombe's interval, or MOVER's of small counts, misses far too often.
HARD = [
    (5, 1000, 0.01, 0.51), (10, 1000, 0.99, 0.5), (100, 1000, 0.99, 0.79), (100, 300, 0.05, 0.05),
    (300, 900, 0.9, 0.45), (300, 300, 0.5, 0.5), (500, 800, 0.7, 0.25),
]  # fmt: skip


@pytest.mark.parametrize("design", HARD)
def test_one_of_two_thousand_misses_as_rarely_as_it_should(design):
    assert misses(*design, 0.05 / 2000) <= 1


def test_few_is_the_count_below_which_limits_are_subtracted():
    wide, narrow = (
        simultaneous_limits(*(np.array([x]) for x in (k, 10 * k, 5 * k, 20 * k)), alpha=0.05)
        for k in (FEW - 1, FEW)
    )
    assert (wide[1] - wide[0]) / (narrow[1] - narrow[0]) > 1.1


def doubled(k1, m1, k2, m2):
    table = [[k1, m1 - k1], [k2, m2 - k2]]
    return min(1, 2 * min(fisher_exact(table, side)[1] for side in ("less", "greater")))


def test_p_values_are_those_of_scipy():
    rng = np.random.default_rng(0)
    m1, m2 = rng.integers(1, 800, 300), rng.integers(1, 20_000, 300)
    p = rng.random(300) ** 3
    k1, k2 = rng.binomial(m1, np.clip(p + rng.normal(0, 0.05, 300), 0, 1)), rng.binomial(m2, p)
    expected = [doubled(*table) for table in zip(k1, m1, k2, m2, strict=True)]
    np.testing.assert_allclose(exact_pvalues(k1, m1, k2, m2), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("table", "expected"),
    [((0, 5, 0, 9), 1.0), ((5, 5, 9, 9), 1.0), ((3, 3, 0, 10**6), 0.0), ((1, 1, 0, 1), 1.0)],
)
def test_extreme_tables(table, expected):
    assert exact_pvalues(*(np.array([x]) for x in table))[0] == pytest.approx(expected, abs=1e-15)


def test_an_empty_sample_has_none_and_a_tail_that_is_too_small_is_0():
    tables = np.array([[0, 0, 3, 9], [900, 1000, 0, 10**6]]).T
    found = exact_pvalues(*tables)
    assert np.isnan(found[0]) and found[1] == 0


def test_far_tails_of_a_billion_items():
    k1, m1, k2, m2 = 1500, 10**6, 10**6, 10**9  # expected: 1,000.5
    expected = 2 * hypergeom.sf(k1 - 1, m1 + m2, k1 + k2, m1)
    found = exact_pvalues(*(np.array([x]) for x in (k1, m1, k2, m2)))[0]
    assert found == pytest.approx(expected, rel=1e-4)  # scipy rounds here


def test_the_pooled_z_goes_on_where_the_exact_test_ends():
    for sign in (1, -1):
        m1 = np.array([4 * MOST_EXPECTED - 40, 4 * MOST_EXPECTED + 40])
        k1, m2 = m1 // 4 + sign * 390, np.full(2, 10**7)  # p = 7e-6
        exact, pooled = exact_pvalues(k1, m1, m2 // 4, m2)
        assert 0.85 < exact / pooled < 1.2


FREEDOM = np.array([1, 1.3, 2, 3.7, 20, 100.5, 5000, 99999.0])


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 20])
def test_p_values_and_quantiles_are_scipys(k):
    statistics = np.array([0.5, 2, 3.5, 10] * 2)  # one for each of the degrees of freedom
    expected = studentized_range.sf(statistics, k, FREEDOM)
    assert_allclose(range_pvalue(statistics, k, FREEDOM), expected, atol=1e-9)
    some = FREEDOM[[0, 2, 4, 6]]
    assert_allclose(range_quantile(0.05, k, some), studentized_range.ppf(0.95, k, some), rtol=1e-6)


def test_infinite_degrees_of_freedom_are_the_normal_distribution():
    # the range of two is the root of 2 times an absolute normal deviate
    statistics = np.array([0.3, 2.0, 4.0])
    expected = 2 * norm.sf(statistics / np.sqrt(2))
    assert_allclose(range_pvalue(statistics, 2, np.inf), expected, atol=1e-6)
    assert_allclose(range_quantile(0.05, 2, np.inf), np.sqrt(2) * norm.ppf(0.975), rtol=1e-6)


def test_shapes_are_kept_and_what_is_unknown_stays_unknown():
    found = range_pvalue([[np.nan, np.inf], [3, 4]], 3, [[5, 5], [np.nan, 5]])
    assert np.isnan(found[0, 0])
    assert found[0, 1] == 0
    assert np.isnan(found[1, 0])
    assert range_pvalue(np.ones((0, 2)), 3, 5).shape == (0, 2)
    assert np.isnan(range_quantile(0.05, 3, [np.nan, 4])).tolist() == [True, False]
    many = np.linspace(0, 5, 700)
    assert_allclose(range_pvalue(many, 3, 9)[600], range_pvalue(many[600], 3, 9), rtol=1e-12)


def test_gap_and_band_are_those_of_the_definition():
    scores, reference = np.array([1.0, 2, 2, 5]), np.array([0.0, 2, 3, 3, 7])
    thresholds = np.array([0.0, 2, 2.5, 5, 7, 8])
    gap, low, high = threshold_gaps(scores, reference, thresholds, 0.1)
    for i, t in enumerate(thresholds):
        assert gap[i] == pytest.approx(np.mean(scores >= t) - np.mean(reference >= t))
    half = kstwobign.isf(0.1) * np.sqrt(1 / 4 + 1 / 5)
    assert_allclose(low, np.maximum(gap - half, -1))
    assert_allclose(high, np.minimum(gap + half, 1))
