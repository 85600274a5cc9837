"""Average odds: the mean of both differences, tested as a sum of four independent rates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import fairpairs as fp
from fairpairs.audits.audit.criteria.rates import average_odds_contrast

from ..synthetic import rows, two


def counts(successes, n):
    """Cells by group, label and prediction."""
    return np.stack([n - successes, successes], axis=-1)


@pytest.mark.slow
def test_average_odds_is_the_mean_of_both_differences(data, full):
    part, member = two(data, "b")
    separation = fp.separation_test(
        part["y"], part["yhat"], sensitive_features=member, method="wald"
    )
    (row,) = rows(full, criterion="average_odds", group="b").to_dict("records")
    assert_allclose(row["estimate"], separation.difference.estimate.mean())
    # the two differences rest on other items, so their variances add
    half = (separation.difference.ci_high - separation.difference.ci_low) / 2
    assert_allclose(row["ci_high"] - row["estimate"], np.sqrt((half**2).sum()) / 2, rtol=0.03)


def test_the_rates_at_a_null_value_are_the_likeliest_ones():
    """The score statistic, and the correction of its skewness, from a numerical optimum."""
    n, k, null = np.array([[50, 40], [12, 9]]), np.array([[10, 31], [3, 8]]), 0.1
    contrast = average_odds_contrast(counts(k, n))
    factors = np.array([[-0.5, -0.5], [0.5, 0.5]])

    def minus_likelihood(p):
        p = p.reshape(2, 2)
        return -(k * np.log(p) + (n - k) * np.log1p(-p)).sum()

    equal = {"type": "eq", "fun": lambda p: (p * factors.ravel()).sum() - null}
    p = minimize(
        minus_likelihood, (k / n).ravel(), bounds=[(1e-4, 1 - 1e-4)] * 4, constraints=equal,
        tol=1e-12,
    ).x.reshape(2, 2)  # fmt: skip
    variance = (factors**2 * p * (1 - p) / n).sum()
    third = (factors**3 * p * (1 - p) * (1 - 2 * p) / n**2).sum()
    z = contrast.statistic(null)
    t = z + third / variance**1.5 / 6 * (z**2 - 1)
    apart = contrast.estimate - null + contrast.nearer  # below the null value
    assert t == pytest.approx(apart / np.sqrt(variance), abs=1e-4)
    low, high = contrast.limits(0.1)
    assert contrast.pvalue_above(low) == pytest.approx(0.05, abs=1e-9)
    assert contrast.pvalue_below(high) == pytest.approx(0.05, abs=1e-9)


def test_many_tables_are_tested_as_each():
    rng = np.random.default_rng(2)
    n = np.array([[500, 400], [12, 9]])
    tables = counts(rng.binomial(n, rng.random((20, 2, 2))), n)
    many = average_odds_contrast(tables)
    for i, table in enumerate(tables):
        one = average_odds_contrast(table)
        assert_allclose(np.array(many.limits(0.05))[:, i], one.limits(0.05), atol=1e-10)
        assert_allclose(many.pvalue(0.1)[i], one.pvalue(0.1), rtol=1e-7)
