"""Rates within strata, beside the exact test of statsmodels' tables, loops and one stratum."""

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom
from statsmodels.stats.contingency_tables import StratifiedTable

from fairpairs.mathematics.inference import many_tables as module
from fairpairs.mathematics.inference.many_tables import exact_pvalues, stratified_rates


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
