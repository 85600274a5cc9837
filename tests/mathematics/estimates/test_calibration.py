"""The calibration slope against statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.special import expit, logit

from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.calibration import calibration_slope, inner_log_odds


@pytest.mark.parametrize(
    ("n", "mean", "slope"), [(40, 0, 1), (3000, -3, 0.6), (300, 1, 3), (60, 0, 0)]
)
def test_slope_and_variances_are_those_of_statsmodels(n, mean, slope):
    rng = np.random.default_rng(n)
    x = rng.normal(mean, 1.5, n)
    y = (rng.random(n) < expit(slope * x)).astype(float)
    ours = calibration_slope(y, x)
    theirs = sm.Logit(y, sm.add_constant(x)).fit(disp=0, tol=1e-12)
    assert_allclose(ours.slope, theirs.params[1], rtol=1e-8, atol=1e-10)
    assert_allclose(ours.model, theirs.bse[1] ** 2, rtol=1e-8)
    robust = sm.Logit(y, sm.add_constant(x)).fit(disp=0, tol=1e-12, cov_type="HC0").bse[1] ** 2
    assert_allclose(ours.robust, robust * n / (n - 2), rtol=1e-8)
    assert ours.influence.sum() == pytest.approx(0, abs=1e-9)


def test_weights_are_repeated_items():
    rng = np.random.default_rng(0)
    x, times = rng.normal(size=200), rng.integers(0, 4, 200)
    y = (rng.random(200) < expit(x)).astype(float)
    of_weights = calibration_slope(y, x, times.astype(float))
    repeated = calibration_slope(np.repeat(y, times), np.repeat(x, times))
    assert_allclose([of_weights.slope, of_weights.model], [repeated.slope, repeated.model])
    some = times > 0
    equal = calibration_slope(y[some], x[some], times[some], equal=True)
    assert_allclose([equal.slope, equal.variance], [repeated.slope, repeated.variance])


@pytest.mark.parametrize(
    ("labels", "log_odds", "why"),
    [([1, 1, 1], [0, 1, 2], "labels of one kind only"),
     ([0, 1, 0, 1], [2, 2, 2, 2], "one score only"),
     ([0, 0, 1, 1], [0, 1, 1, 2], "separate its labels"),
     ([1, 0, 0], [0, 1, 2], "separate its labels")],
)  # fmt: skip
def test_where_there_is_no_slope_the_reason_is_told(labels, log_odds, why):
    with pytest.raises(InputError, match=why):
        calibration_slope(np.array(labels, float), np.array(log_odds, float))


def test_scores_of_0_and_1_are_taken_for_the_nearest_others():
    log_odds, outside = inner_log_odds(np.array([0, 0.1, 0.5, 0.75, 1, 1]))
    assert_allclose(log_odds, logit([0.1, 0.1, 0.5, 0.75, 0.75, 0.75]))
    assert outside.tolist() == [True, False, False, False, True, True]
    with pytest.raises(InputError, match="infinite"):
        inner_log_odds(np.array([0.0, 1.0]))
