from importlib import import_module

import numpy as np
import pytest
from densratio import densratio
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from fairpairs.papers.ratio_estimators.least_squares import (
    Kernels,
    LSIFRatio,
    RuLSIFRatio,
    non_negative_programme,
    penalised,
)
from tests.normals import AT, normals


def gaussian(x, centres, width):
    """The kernel, from the distances."""
    return np.exp(-((x[:, None] - centres) ** 2).sum(axis=2) / (2 * width**2))


def least_squares(one, zero, centres, width, penalty, alpha):
    of_one, of_zero = gaussian(one, centres, width), gaussian(zero, centres, width)
    matrix = alpha * of_one.T @ of_one / len(one) + (1 - alpha) * of_zero.T @ of_zero / len(zero)
    found = np.linalg.solve(matrix + penalty * np.eye(len(centres)), of_one.mean(axis=0))
    return np.maximum(found, 0)


@pytest.mark.parametrize(
    ("alpha", "sizes"), [(0, (25, 40)), (0.25, (30, 30)), (0.5, (40, 25)), (1.0, (25, 40))]
)
def test_the_leave_one_out_error_is_that_of_leaving_one_pair_out(alpha, sizes):
    one, zero = normals(*sizes)
    centres = one[:12]
    penalties = (0.01, 0.1, 1.0)
    for width in (0.002, 0.4, 1.5):  # with the least, many pairs are far from all centres
        kernels = Kernels.of(gaussian(one, centres, width), gaussian(zero, centres, width))
        assert (len(kernels.pairs[0]) < min(sizes)) == (width == 0.002)
        grid = kernels.leave_one_out(alpha, penalties)
        for penalty, error in zip(penalties, grid, strict=True):
            assert_allclose(
                penalised(penalty, *kernels.moments(alpha)),
                least_squares(one, zero, centres, width, penalty, alpha),
                atol=1e-9,
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
        kernels = Kernels.of(gaussian(one, one, width), gaussian(zero, one, width))
        errors = kernels.leave_one_out(alpha, estimator.penalties)
        found += [
            (error, width, penalised(penalty, *kernels.moments(alpha)))
            for error, penalty in zip(errors, estimator.penalties, strict=True)
        ]
    _, width, weights = min(found, key=lambda part: part[0])
    assert_allclose(estimator.fit(one, zero)(AT), gaussian(AT, one, width) @ weights, rtol=1e-6)


def test_several_alphas_are_fitted_as_one_by_one():
    one, zero = normals(35, 50, d=2)
    for alpha, fit in RuLSIFRatio().fit_alphas([0, 0.5, 1.0], one, zero).items():
        alone = RuLSIFRatio(alpha).fit(one, zero)
        assert (fit.alpha, fit.width) == (alpha, alone.width)
        assert_array_equal(fit.weights, alone.weights)


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
    weights = non_negative_programme(of_one, of_zero)(penalty)
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


def test_lsif_chooses_the_width_and_penalty_that_fit_items_left_out():
    one, zero = normals(60, 60)
    ratio = LSIFRatio(widths=(0.01, 1.0, 50.0), penalties=(0.01, 100.0)).fit(one, zero)
    assert ratio.width == 1.0
    assert_allclose(ratio(zero).mean(), 1, atol=0.2)  # 0 with the larger penalty


def test_lsif_leaves_out_centres_that_no_item_of_0_is_near():
    one = np.r_[np.linspace(-1, 1, 20), 50.0][:, None]
    zero = np.linspace(-1, 1, 30)[:, None]
    ratio = LSIFRatio(widths=(0.5,), penalties=(0.01,)).fit(one, zero)
    assert ratio(np.array([[50.0]]))[0] == 0
    assert ratio(np.array([[0.0]]))[0] == pytest.approx(1, abs=0.3)
