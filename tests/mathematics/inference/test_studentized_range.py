import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm, studentized_range

from fairpairs.mathematics.inference.welch import range_pvalue, range_quantile

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
