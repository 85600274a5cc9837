"""Exact p-values of many tables, beside scipy's Fisher test, one table at a time."""

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

from fairpairs.mathematics.inference.many_tables import MOST_EXPECTED, exact_pvalues


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
