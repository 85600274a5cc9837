"""Average odds and its test in small cells."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
)

import fairpairs as fp
from fairpairs.audits.audit.criteria.average_odds import average_odds_test

from ..synthetic import rows, two


def test_average_odds_is_the_mean_of_both_differences(data, full):
    part, member = two(data, "b")
    separation = fp.separation_test(
        part["y"], part["yhat"], sensitive_features=member, method="wald"
    )
    (row,) = rows(full, criterion="average_odds", group="b").to_dict("records")
    assert_allclose(row["estimate"], separation.aod)
    # the two differences rest on other items, so their variances add
    half = (separation.difference.ci_high - separation.difference.ci_low) / 2
    assert_allclose(row["ci_high"] - row["estimate"], np.sqrt((half**2).sum()) / 2)


def test_average_odds_of_few_items_are_tested_by_the_interval():
    rng = np.random.default_rng(2)
    n = np.array([[500, 400], [12, 9]])
    for _ in range(20):
        k = rng.binomial(n, rng.random((2, 2)))
        low, high, p = average_odds_test(k, n, 0.05)
        rate = k / n
        gaps, estimate = rate[1] - rate[0], (rate[1] - rate[0]).mean()
        ends = np.array(
            [
                confint_proportions_2indep(k[1, y], n[1, y], k[0, y], n[0, y], method="newcomb")
                for y in (0, 1)
            ]
        ).T
        below, above = np.sqrt(((gaps - ends) ** 2).sum(axis=1)) / 2
        assert_allclose([low, high], [max(estimate - below, -1), min(estimate + above, 1)])
        # the interval of the level p ends at 0
        assert_allclose(np.abs(average_odds_test(k, n, p)[:2]).min(), 0, atol=1e-9)
    assert average_odds_test(np.array([[50, 50], [5, 5]]), np.array([[100] * 2, [10] * 2]), 0.1)[
        2
    ] == pytest.approx(1)


@pytest.mark.slow
def test_the_level_of_average_odds_where_opposite_gaps_cancel():
    """TPR higher by 0.1 and FPR lower by 0.1 in 15 items each: AOD is 0; standard error 0.006."""
    rng = np.random.default_rng(0)
    n = np.array([[1000, 1000], [15, 15]])
    drawn = rng.binomial(n, [[0.3, 0.7], [0.2, 0.8]], (1200, 2, 2))
    found = np.mean([average_odds_test(k, n, 0.05)[2] < 0.05 for k in drawn])
    assert abs(found - 0.045) < 0.02
