"""Many logistic regressions at once, against scikit-learn and statsmodels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from statsmodels.api import Logit, add_constant

from fairpairs.mathematics.estimates.logistic_fits import BLOCK, fit_groups


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
