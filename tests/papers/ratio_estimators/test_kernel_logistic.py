import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from fairpairs.papers.ratio_estimators.kernel_logistic import (
    PENALTIES,
    WIDTHS,
    KernelLogisticRatio,
    median_distance,
    penalised_logistic,
    pivoted_cholesky,
)
from tests.normals import AT, both, normals


def gaussian(x, centres, width):
    """The kernel, entry by entry."""
    return np.array([[np.exp(-((p - c) ** 2).sum() / (2 * width**2)) for c in centres] for p in x])


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial"])
def test_pivoted_cholesky_gives_the_kernel_matrix(kernel):
    x = np.vstack(normals(d=2))

    def of(left, right):
        return gaussian(left, right, 0.8) if kernel == "gaussian" else (1 + left @ right.T) ** 3

    full = of(x, x)
    pivots, columns = pivoted_cholesky(of, x, np.diag(full).copy())
    triangle = columns[pivots]
    assert_allclose(triangle, np.tril(triangle), atol=1e-9)
    assert_allclose(columns @ columns.T, full, atol=1.1e-5 * full.max())
    assert_allclose(triangle @ triangle.T, full[np.ix_(pivots, pivots)], atol=1e-9 * full.max())
    cross = np.linalg.solve(triangle, full[pivots])
    assert np.abs(cross.T @ cross - full).max() <= 1e-5 * full.max()
    assert len(pivots) == (10 if kernel == "polynomial" else len(pivots)) < 100
    features = KernelLogisticRatio(kernel).features(x, 0.8)
    assert_allclose(features.of_sample, cross.T, atol=1e-9)
    slopes, at = np.linspace(-1, 1, len(pivots)), normals(9, 9, seed=1, d=2)[0]
    of_pivots = features.of_pivots(slopes)
    mapped = np.linalg.solve(features.triangle, of(features.pivots, at)).T
    assert_allclose(features.kernel(at, x[pivots]) @ of_pivots, mapped @ slopes, rtol=1e-7)


def test_without_the_intercept_the_probabilities_are_those_of_the_dual_weights_alone():
    one, zero = normals(30, 50)
    x, a = both(one, zero)
    balance = len(zero) / len(one)
    with_it, without = (
        KernelLogisticRatio(width=0.9, strength=0.4, intercept=intercept).fit(one, zero)
        for intercept in (True, False)
    )
    odds = with_it(x) / balance
    weights = (a - odds / (1 + odds)) / 0.4  # where the slope of the loss is 0
    assert weights.sum() == pytest.approx(0, abs=1e-6)
    expected = gaussian(AT, x, 0.9) @ weights
    assert_allclose(np.log(without(AT) / balance), expected, atol=1e-3)
    constant = np.log(with_it(AT) / without(AT))
    assert_allclose(constant, constant[0])
    assert abs(constant[0]) > 0.1
    capped = np.minimum(expected, np.log(0.6 / 0.4))
    assert_allclose(np.log(without(AT, cap=0.6) / balance), capped, atol=1e-3)


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial"])
def test_kernel_logistic_regression_minimises_its_loss(kernel):
    """By a general optimiser over all dual coefficients, n = 60."""
    one, zero = normals(25, 35, d=1)
    x, a = both(one, zero)

    def of(left, right):
        return gaussian(left, right, 1.2) if kernel == "gaussian" else (1 + left @ right.T) ** 3

    # the root of the kernel matrix spans the same functions, and is well conditioned
    values, vectors = np.linalg.eigh(of(x, x))
    kept = values > 1e-9 * values[-1]
    root = vectors[:, kept] * np.sqrt(values[kept])
    sign = 2 * a - 1

    def loss(b):
        score = b[0] + root @ b[1:]
        chance = 1 / (1 + np.exp(sign * score))
        slope = -sign * chance
        value = np.logaddexp(0, -sign * score).sum() + 0.5 * (b[1:] ** 2).sum() * 0.3
        return value, np.r_[slope.sum(), root.T @ slope + 0.3 * b[1:]]

    found = minimize(
        loss, np.zeros(1 + kept.sum()), jac=True, method="BFGS", options={"gtol": 1e-8}
    ).x
    dual = vectors[:, kept] / np.sqrt(values[kept]) @ found[1:]
    expected = np.exp(found[0] + of(AT, x) @ dual) * 35 / 25
    ratio = KernelLogisticRatio(kernel, width=1.2, strength=0.3).fit(one, zero)
    assert_allclose(ratio(AT), expected, rtol=2e-3)


@pytest.mark.parametrize("strength", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("shift", [0.5, 4.0])
def test_penalised_logistic_regression_is_that_of_scikit_learn(strength, shift):
    x, a = both(*normals(30, 50, shift, d=2))
    features = np.hstack([x, x**2, x**3])
    expected = LogisticRegression(C=1 / strength, solver="newton-cholesky", tol=1e-12).fit(
        features, a
    )
    expected = np.r_[expected.intercept_, expected.coef_[0]]
    found = penalised_logistic(features, a.astype(int), strength)
    assert_allclose(found, expected, rtol=1e-7, atol=1e-10)
    warm = penalised_logistic(features, a.astype(int), strength, start=found + 0.1)
    assert_allclose(warm, expected, rtol=1e-7, atol=1e-10)


def test_steps_of_newton_that_go_too_far_are_halved():
    """Far from the minimum all items are sure, so the curvature says nothing of the way."""
    x, a = both(*normals(30, 50, 1.0))
    start = np.array([3.0, -25.0])
    found = penalised_logistic(x, a.astype(int), 0.1, start=start)
    assert_allclose(found, penalised_logistic(x, a.astype(int), 0.1), rtol=1e-9)


@pytest.mark.slow
def test_what_cross_validation_chooses_is_the_least_log_loss():
    one, zero = normals(30, 30, 1.0)
    x, a = both(one, zero)
    distances = np.abs(x - x.T)
    median = np.median(distances[distances > 0])
    assert median_distance(x) == pytest.approx(median)
    best = (np.inf, None, None)
    for width in median * np.array(WIDTHS):
        values, vectors = np.linalg.eigh(gaussian(x, x, width))
        root = vectors * np.sqrt(np.maximum(values, 0))
        for strength in PENALTIES:
            p = np.zeros(len(x))
            for fit, out in StratifiedKFold(5, shuffle=True, random_state=0).split(x, a):
                model = LogisticRegression(C=1 / strength, solver="newton-cholesky", tol=1e-8)
                p[out] = model.fit(root[fit], a[fit]).predict_proba(root[out])[:, 1]
            best = min(best, (log_loss(a, p), width, strength), key=lambda found: found[0])
    chosen = KernelLogisticRatio("gaussian").fit(one, zero)
    given = KernelLogisticRatio("gaussian", width=best[1], strength=best[2]).fit(one, zero)
    assert_allclose(chosen(AT), given(AT))
