"""Tails, quantiles and bands of distributions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact, hypergeom, kstwobign, norm, studentized_range

from fairpairs.mathematics.inference.many_tables import MOST_EXPECTED, exact_pvalues
from fairpairs.mathematics.inference.proportions import threshold_gaps
from fairpairs.mathematics.inference.welch import range_pvalue, range_quantile


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
