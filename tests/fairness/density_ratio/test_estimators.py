"""Estimators of density ratios against independent ones, and against the truth."""

from importlib import import_module

import numpy as np
import pytest
from densratio import densratio
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from statsmodels.api import Logit, add_constant

from fairpairs import InputError, audit
from fairpairs.fairness.density_ratio.estimators import (
    CLASSIFIERS,
    ESTIMATORS,
    PENALTIES,
    WIDTHS,
    KernelLogisticRatio,
    LogisticRatio,
    LSIFRatio,
    RuLSIFRatio,
    median_distance,
    pivoted_cholesky,
)

AT = np.linspace(-2, 2, 9)[:, None]


def normals(n_one=40, n_zero=60, shift=0.7, seed=0, d=1):
    rng = np.random.default_rng(seed)
    return rng.normal(shift, 1, (n_one, d)), rng.normal(size=(n_zero, d))


def gaussian(x, centres, width):
    """The kernel, entry by entry."""
    return np.array([[np.exp(-((p - c) ** 2).sum() / (2 * width**2)) for c in centres] for p in x])


def both(one, zero):
    return np.vstack([one, zero]), np.r_[np.ones(len(one)), np.zeros(len(zero))]


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        ("logistic", {"C": np.inf, "tol": 1e-10, "max_iter": 5000}),
        ("ridge", {"tol": 1e-10, "max_iter": 5000}),
        ("lasso", {"l1_ratio": 1, "solver": "saga", "tol": 1e-10, "max_iter": 50_000}),
    ],
)
def test_classifiers_give_the_odds_times_the_balance(name, keywords, d):
    """The intercept of the lasso is penalised hardly, hence the tolerance."""
    one, zero = normals(d=d)
    at = np.random.default_rng(1).normal(size=(7, d))
    p = LogisticRegression(**keywords).fit(*both(one, zero)).predict_proba(at)[:, 1]
    ratio = ESTIMATORS[name].fit(one, zero)
    assert_allclose(ratio(at), p / (1 - p) * 60 / 40, rtol=0.01 if name == "lasso" else 1e-4)
    capped = np.minimum(p, 0.45)
    expected = capped / (1 - capped) * 60 / 40
    assert_allclose(ratio(at, 0.45), expected, rtol=0.01 if name == "lasso" else 1e-4)
    assert (p > 0.45).any()


@pytest.mark.parametrize("gap", [0.5, 2.0, 3.5])
def test_the_logistic_ratio_is_that_of_statsmodels_however_far_the_groups_lie_apart(gap):
    """scikit-learn's tolerance of 1e-4 would leave errors of up to 3 % at a gap of 3 or more."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        one, zero = rng.normal(gap, 1, (400, 1)), rng.normal(0, 1, (400, 1))
        x, a = both(one, zero)
        fit = Logit(a, add_constant(x)).fit(method="newton", tol=1e-14, maxiter=100, disp=0)
        expected = np.exp(add_constant(zero) @ fit.params)
        assert_allclose(ESTIMATORS["logistic"].fit(one, zero)(zero), expected, rtol=1e-8)


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial"])
def test_pivoted_cholesky_gives_the_kernel_matrix(kernel):
    x = np.vstack(normals(d=2))

    def of(left, right):
        return gaussian(left, right, 0.8) if kernel == "gaussian" else (1 + left @ right.T) ** 3

    full = of(x, x)
    pivots, triangle = pivoted_cholesky(of, x, np.diag(full).copy())
    assert_allclose(triangle @ triangle.T, full[np.ix_(pivots, pivots)], atol=1e-9 * full.max())
    cross = np.linalg.solve(triangle, full[pivots])
    assert np.abs(cross.T @ cross - full).max() <= 1e-5 * full.max()
    assert len(pivots) == (10 if kernel == "polynomial" else len(pivots)) < 100
    mapped = KernelLogisticRatio(kernel).features(x, 0.8)(x)
    assert_allclose(mapped @ mapped.T, full, atol=1.1e-5 * full.max())


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
            for fit, out in StratifiedKFold(5, shuffle=True, random_state=3).split(x, a):
                model = LogisticRegression(C=1 / strength, max_iter=5000, tol=1e-8)
                p[out] = model.fit(root[fit], a[fit]).predict_proba(root[out])[:, 1]
            best = min(best, (log_loss(a, p), width, strength), key=lambda found: found[0])
    chosen = KernelLogisticRatio("gaussian", seed=3).fit(one, zero)
    given = KernelLogisticRatio("gaussian", width=best[1], strength=best[2]).fit(one, zero)
    assert_allclose(chosen(AT), given(AT))


def least_squares(one, zero, centres, width, penalty, alpha):
    of_one, of_zero = gaussian(one, centres, width), gaussian(zero, centres, width)
    matrix = alpha * of_one.T @ of_one / len(one) + (1 - alpha) * of_zero.T @ of_zero / len(zero)
    found = np.linalg.solve(matrix + penalty * np.eye(len(centres)), of_one.mean(axis=0))
    return np.maximum(found, 0)


@pytest.mark.parametrize("alpha", [0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("sizes", [(30, 30), (25, 40), (40, 25)])
def test_the_leave_one_out_error_is_that_of_leaving_one_pair_out(alpha, sizes):
    one, zero = normals(*sizes)
    centres = one[:12]
    estimator = RuLSIFRatio(alpha, penalties=(0.01, 0.1, 1.0))
    for width in (0.4, 1.5):
        grid = estimator._grid(gaussian(one, centres, width), gaussian(zero, centres, width))
        for penalty, (error, weights) in zip(estimator.penalties, grid, strict=True):
            assert_allclose(
                weights, least_squares(one, zero, centres, width, penalty, alpha), atol=1e-9
            )
            errors = []
            for i in range(min(sizes)):
                others = np.delete(one, i, axis=0), np.delete(zero, i, axis=0)
                own = least_squares(*others, centres, width, penalty, alpha)
                at_one = (gaussian(one[[i]], centres, width) @ own)[0]
                at_zero = (gaussian(zero[[i]], centres, width) @ own)[0]
                errors.append(alpha / 2 * at_one**2 + (1 - alpha) / 2 * at_zero**2 - at_one)
            assert error == pytest.approx(np.mean(errors), rel=1e-7)


@pytest.mark.parametrize("alpha", [0, 0.5])
def test_the_ratio_is_that_of_the_least_error(alpha):
    one, zero = normals(30, 45)
    estimator = RuLSIFRatio(alpha, centres=30, relative=True)
    found = []
    for width in estimator.widths:
        grid = estimator._grid(gaussian(one, one, width), gaussian(zero, one, width))
        found += [(error, width, weights) for error, weights in grid]
    _, width, weights = min(found, key=lambda part: part[0])
    assert_allclose(estimator.fit(one, zero)(AT), gaussian(AT, one, width) @ weights, rtol=1e-6)


@pytest.mark.parametrize("alpha", [0, 0.3, 1.0])
def test_least_squares_fitting_agrees_with_the_densratio_package(monkeypatch, alpha):
    module = import_module("densratio.RuLSIF")  # the package has a function of this name
    one, zero = normals(40, 55)
    monkeypatch.setattr(module, "randint", lambda n, size: np.arange(size))
    found = densratio(
        one, zero, alpha=alpha, sigma_range=[0.8], lambda_range=[0.1], kernel_num=40, verbose=False
    )
    ours = RuLSIFRatio(alpha, centres=40, widths=(0.8,), penalties=(0.1,), relative=True)
    assert_allclose(ours.fit(one, zero)(AT), found.compute_density_ratio(AT), rtol=1e-8)


def test_a_relative_ratio_is_turned_into_the_ratio():
    one, zero = normals(60, 60, 1.5)
    for alpha in (0.25, 0.5, 0.75):
        relative = RuLSIFRatio(alpha, relative=True).fit(one, zero)(AT)
        right = RuLSIFRatio(alpha).fit(one, zero)(AT)
        known = alpha * relative < 1
        assert known.sum() >= 6
        expected = (1 - alpha) * relative / (1 - alpha * relative)
        assert_allclose(right[known], expected[known])
        assert np.isnan(right[~known]).all()
    assert np.isnan(RuLSIFRatio(1.0).fit(one, zero)(AT)).all()
    # the relative ratio of a density to itself is 1 where it is dense
    assert RuLSIFRatio(1.0, relative=True).fit(one, zero)(one).mean() == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("penalty", [0.001, 0.1])
def test_lsif_solves_its_programme(penalty):
    one, zero = normals(40, 50)
    of_one, of_zero = gaussian(one, one[:8], 0.7), gaussian(zero, one[:8], 0.7)
    weights = LSIFRatio._solve(of_one, of_zero, penalty)
    matrix, target = of_zero.T @ of_zero / 50, of_one.mean(axis=0) - penalty

    def objective(b):
        return b @ matrix @ b / 2 - target @ b

    slope = matrix @ weights - target  # Karush, Kuhn and Tucker
    assert (weights >= 0).all()
    assert (slope > -1e-4).all()
    assert_allclose(slope[weights > 0], 0, atol=1e-4)
    brute = minimize(
        objective, np.ones(8), jac=lambda b: matrix @ b - target, bounds=[(0, None)] * 8,
        method="SLSQP", options={"ftol": 1e-14, "maxiter": 2000},
    )  # fmt: skip
    assert objective(weights) == pytest.approx(brute.fun, abs=1e-5)
    assert (weights == 0).any()


def test_lsif_leaves_out_centres_that_no_item_of_0_is_near():
    one = np.r_[np.linspace(-1, 1, 20), 50.0][:, None]
    zero = np.linspace(-1, 1, 30)[:, None]
    ratio = LSIFRatio(widths=(0.5,), penalties=(0.01,)).fit(one, zero)
    assert ratio(np.array([[50.0]]))[0] == 0
    assert ratio(np.array([[0.0]]))[0] == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("logistic", 0.12), ("ridge", 0.12), ("lasso", 0.12), ("kernel_gaussian", 0.4),
        ("kernel_polynomial", 0.4), ("lsif", 0.5), ("ulsif", 0.5), ("rulsif_0.25", 0.5),
        ("rulsif_0.5", 0.5),
    ],
)  # fmt: skip
def test_every_estimator_is_near_the_ratio_of_two_normals(name, close):
    """N(0.5, 1) to N(0, 1) is exp(x / 2 − 1/8); the mean error over the middle of the data."""
    one, zero = normals(900, 600, 0.5)
    at = np.linspace(-1, 1.5, 26)[:, None]
    fast = LSIFRatio(centres=40, widths=(0.5, 1.0, 2.0), penalties=(0.01, 0.1))
    ratio = (fast if name == "lsif" else ESTIMATORS[name]).fit(one, zero)(at)
    error = np.log(ratio) - (at[:, 0] / 2 - 0.125)
    assert np.abs(error).mean() < close
    assert np.corrcoef(ratio, at[:, 0])[0, 1] > 0.9


@pytest.mark.parametrize("name", [*ESTIMATORS])
def test_a_fit_is_the_same_again_and_takes_no_notice_of_the_order_it_is_asked_in(name):
    one, zero = normals()
    first, again = (ESTIMATORS[name].fit(one, zero) for _ in range(2))
    assert_array_equal(first(AT), again(AT))
    assert_allclose(first(AT[::-1]), first(AT)[::-1], rtol=1e-12)
    assert_allclose(first(AT[3:4]), first(AT)[3:4], rtol=1e-12)


@pytest.mark.parametrize("name", ["logistic", "ridge", "lasso"])
def test_the_order_of_the_sample_does_not_matter(name):
    one, zero = normals()
    shuffled = ESTIMATORS[name].fit(one[::-1], np.random.default_rng(0).permutation(zero))
    assert_allclose(shuffled(AT), ESTIMATORS[name].fit(one, zero)(AT), rtol=1e-3)


def test_with_every_item_a_centre_least_squares_takes_no_notice_of_the_order():
    one, zero = normals(30, 30)
    estimator = RuLSIFRatio(0.5, widths=(1.0,), penalties=(0.1,))
    assert_allclose(estimator.fit(one[::-1], zero[::-1])(AT), estimator.fit(one, zero)(AT))


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in CLASSIFIERS])
def test_what_states_no_probability_takes_no_cap(name):
    ratio = ESTIMATORS[name].fit(*normals())
    with pytest.raises(InputError, match="cap bounds a probability, which this estimator"):
        ratio(AT, 0.99)


@pytest.mark.parametrize(
    ("one", "zero"),
    [
        ([1.0, 2, 3], [-1.0, -2, -3]),
        ([0.0, 1, 1], [0.0, -1, -1]),  # they share the boundary
        ([-1.0, -1, -1], [0.0, 0, 5]),
    ],
)
def test_separable_groups_need_a_cap_or_a_penalty(one, zero):
    one, zero = np.array(one)[:, None], np.array(zero)[:, None]
    ratio = LogisticRatio().fit(one, zero)
    with pytest.raises(InputError, match="separated perfectly, so an unpenalised ratio has no end"):
        ratio(AT)
    assert ratio(AT, 0.999).max() == pytest.approx(999)
    assert np.isfinite(ESTIMATORS["ridge"].fit(one, zero)(AT)).all()


def test_an_overflow_is_told():
    one, zero = np.array([[1.0], [2.0]]), np.array([[-1.0], [1.5]])
    ratio = LogisticRatio().fit(one, zero)
    with pytest.raises(InputError, match="overflows, because the groups hardly overlap: give a"):
        ratio(np.array([[1e6]]))
    assert ratio(np.array([[1e6]]), 0.9)[0] == pytest.approx(9)


def test_collinear_columns_say_as_much_as_one():
    one, zero = normals()
    expected = LogisticRatio().fit(one, zero)(AT)
    twice = LogisticRatio().fit(np.hstack([one, 2 * one]), np.hstack([zero, 2 * zero]))
    assert_allclose(twice(np.hstack([AT, 2 * AT])), expected, rtol=1e-5)
    constant = LogisticRatio().fit(np.ones((5, 1)), np.ones((8, 1)))
    assert_allclose(constant(AT), 1)


@pytest.mark.parametrize("name", ["ulsif", "rulsif_0.5", "lsif", "kernel_gaussian"])
def test_samples_that_are_too_small_are_told(name):
    one, zero = normals(1, 30)
    words = "Least-squares fitting needs two" if "ulsif" in name else "at least 5 items"
    with pytest.raises(InputError, match=words):
        ESTIMATORS[name].fit(one, zero)
    one, _ = normals(5, 30)  # fewer than there are centres
    assert np.isfinite(ESTIMATORS[name].fit(one, zero)(AT)).all() or name == "rulsif_0.5"


def test_groups_that_a_boundary_separates_but_for_those_on_it_have_no_ratio():
    rng = np.random.default_rng(0)
    on = np.column_stack([np.zeros(40), rng.normal(size=40)])  # of both groups
    right, left = np.abs(rng.normal(size=(2, 30, 1))) + 0.2
    one = np.vstack([on[:20], np.hstack([right, rng.normal(size=(30, 1))])])
    zero = np.vstack([on[20:], np.hstack([-left, rng.normal(size=(30, 1))])])
    fitted = LogisticRatio().fit(one, zero)
    with pytest.raises(InputError, match="separated perfectly"):
        fitted(one)
    assert np.isfinite(fitted(one, 0.99)).all()
    # an item of each group beyond the boundary, and there is a finite fit
    both = LogisticRatio().fit(np.vstack([one, [[-3, 0]]]), np.vstack([zero, [[3, 0]]]))
    assert np.isfinite(both(one)).all()


def test_groups_that_hardly_overlap_are_audited_without_a_warning():
    rng = np.random.default_rng(1400)
    y = np.arange(8) % 2
    score = y + rng.random(8) * 0.5
    table = audit(y, score, sensitive_features=rng.choice(list("ab"), 8)).to_frame()
    note = table.loc[table["criterion"] == "density_ratio_separation", "note"].iloc[0]
    assert "the groups hardly overlap" in note
