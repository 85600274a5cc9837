"""Fits: calibration slopes and logistic regressions."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from statsmodels.api import Logit, add_constant

from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.calibration import calibration_slope, inner_log_odds
from fairpairs.mathematics.estimates.logistic_fits import BLOCK, fit_groups


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


def made(n=300, d=2, b=6, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3
    slopes = np.linspace(0, 3, b)[:, None] * rng.normal(size=(b, d))
    odds = slopes @ (features - 3).T
    return features, (rng.random((b, n)) < expit(odds)).astype(np.int64)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_without_a_penalty_each_is_the_fit_of_statsmodels(d):
    features, groups = made(d=d)
    fits = fit_groups(features, groups, 0.0)
    assert fits.converged.all()
    for target, log_odds in zip(groups, fits.log_odds(features), strict=True):
        fit = Logit(target, add_constant(features)).fit(
            method="newton", tol=1e-14, maxiter=100, disp=0
        )
        assert_allclose(log_odds, add_constant(features) @ fit.params, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-3, 1, 50])
@pytest.mark.parametrize("strength", [0.1, 1.0])
def test_with_a_penalty_each_is_the_fit_of_scikit_learn(strength, scale):
    features, groups = made()
    features = scale * features
    groups[0] = features[:, 0] > np.median(features[:, 0])  # separable
    fits = fit_groups(features, groups, strength)
    assert fits.converged.all()
    model = LogisticRegression(C=1 / strength, solver="newton-cholesky", tol=1e-13, max_iter=999)
    for target, log_odds in zip(groups, fits.log_odds(features), strict=True):
        expected = model.fit(features, target).decision_function(features)
        assert_allclose(log_odds, expected, rtol=1e-7, atol=1e-8)


def test_the_slope_of_the_loss_is_0_to_rounding():
    features, groups = made(n=2000)
    missed = expit(fit_groups(features, groups, 0.0).log_odds(features)) - groups
    assert np.abs(missed @ add_constant(features)).max() < 2000 * 1e-13


def test_separable_groups_and_collinear_features_are_told():
    rng = np.random.default_rng(1)
    x = np.linspace(-1, 1, 40)
    overlapping = (x + rng.normal(size=40) > 0).astype(int)
    touching = np.repeat([0, 1], [19, 21])
    groups = np.stack([overlapping, x > 0, touching, np.ones(40)]).astype(np.int64)
    touching_features = x.copy()
    touching_features[18:21] = 0.0  # of both groups, at the boundary
    assert list(fit_groups(x[:, None], groups, 0.0).converged) == [True, False, False, False]
    assert not fit_groups(touching_features[:, None], groups[2:3], 0.0).converged[0]
    twice = np.column_stack([x, 2 * x])
    assert not fit_groups(twice, groups[:1], 0.0).converged[0]
    assert fit_groups(twice, groups, 1.0).converged.all()
    # one item on the wrong side, and there is a minimum, however steep
    groups[1, [0, 39]] = groups[1, [39, 0]]
    assert fit_groups(x[:, None], groups[1:2], 0.0).converged[0]


def test_a_fit_depends_neither_on_the_others_nor_on_blocks():
    features, groups = made(n=BLOCK // 4 - 1, b=9)
    together = fit_groups(features, groups, 0.0)
    for row in (0, 4, 8):
        alone = fit_groups(features, groups[row : row + 1], 0.0)
        assert_allclose(alone.coefficients[0], together.coefficients[row], rtol=1e-12, atol=1e-13)


def test_without_features_the_odds_are_those_of_the_groups():
    fits = fit_groups(np.empty((5, 0)), np.array([[0, 1, 1, 1, 1]]), 0.0)
    assert_allclose(fits.log_odds(np.empty((2, 0))), np.log([[4, 4]]))
