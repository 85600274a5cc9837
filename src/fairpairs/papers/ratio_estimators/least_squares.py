"""Density ratios by least squares: the ratio is matched by a sum of Gaussian kernels.

References: Kanamori, Hido and Sugiyama (2009), *A least-squares approach to direct importance
estimation* (LSIF, uLSIF); Yamada et al. (2011), *Relative density-ratio estimation* (RuLSIF).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.mathematics.density_ratio.logistic import Ratio

#: Folds of a cross-validation.
FOLDS = 5
#: Names of the estimators that state a probability, which a cap bounds.
CLASSIFIERS = ("logistic", "ridge", "lasso", "kernel_gaussian", "kernel_polynomial")
#: The grid of the `densratio` package for widths and penalties.
GRID = tuple(10.0 ** np.arange(-3, 2))
#: Kernels and loadings below it add nothing to a sum, but products below 1e-308 are slow.
TINY = 1e-30


def gaussian_kernels(points: Floats, centres: Floats, width: float) -> Floats:
    """Return exp(−|x − c|² / (2 width²)) of points (n, d) and centres (b, d), shape (n, b)."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415  (slow)

    return np.asarray(np.exp(-cdist(points, centres, "sqeuclidean") / (2 * width**2)))


@dataclass(frozen=True)
class RuLSIFRatio:
    """Unconstrained least-squares fitting of the relative ratio p_1 / (α p_1 + (1 − α) p_0).

    With α = 0 it is uLSIF, which fits the ratio itself. Coefficients below 0 are set to 0. Width
    and penalty are those of the least leave-one-out error, in closed form.
    """

    #: From 0 to 1. The relative ratio is at most 1 / α, and 1 everywhere for α = 1.
    alpha: float = 0.0
    #: Number of kernels, at points drawn from the sample of p_1.
    centres: int = 100
    #: What is chosen from.
    widths: tuple[float, ...] = GRID
    penalties: tuple[float, ...] = GRID
    #: True: return the relative ratio as if it were the ratio, as the paper does. False: turn it
    #: into the ratio, (1 − α) r / (1 − α r); a relative ratio of 1 / α or more has no finite one,
    #: and α = 1 has none at all: NaN.
    relative: bool = False

    def fit(self, one: Floats, zero: Floats) -> SumOfKernels:
        """Fit (see `DensityRatioEstimator`)."""
        return self.fit_alphas([self.alpha], one, zero)[self.alpha]

    def fit_alphas(
        self, alphas: Sequence[float], one: Floats, zero: Floats
    ) -> dict[float, SumOfKernels]:
        """Return for each α what `fit` returns with it; kernels are computed once for all."""
        if min(len(one), len(zero)) < 2:
            raise InputError("Least-squares fitting needs two items in each group: give more.")
        centres = _centres(one, self.centres)
        least: dict[float, float] = dict.fromkeys(alphas, np.inf)
        best = {}
        for width in self.widths:
            kernels = Kernels.of(*(gaussian_kernels(x, centres, width) for x in (one, zero)))
            for alpha in alphas:
                errors = kernels.leave_one_out(alpha, self.penalties)
                errors = np.where(np.isfinite(errors), errors, np.inf)
                if errors.min() < least[alpha]:
                    least[alpha] = errors.min()
                    penalty = self.penalties[errors.argmin()]
                    best[alpha] = width, penalty, *kernels.moments(alpha)
        if len(best) < len(least):
            raise InputError("No width of the grid gives a finite error: give other `widths`.")
        return {
            alpha: SumOfKernels(
                centres, width, penalised(penalty, matrix, target), 0 if self.relative else alpha
            )
            for alpha, (width, penalty, matrix, target) in best.items()
        }


@dataclass(frozen=True)
class SumOfKernels:
    """A fitted ratio."""

    #: centres of the kernels, shape (b, d), their width and coefficients, shape (b,)
    centres: Floats
    width: float
    weights: Floats
    #: what the sum is a relative ratio for, and is turned into a ratio from
    alpha: float = 0

    def __call__(self, points: Floats, cap: float | None = None) -> Floats:
        """Return the ratio at points (see `Ratio`)."""
        if cap is not None:
            raise InputError(
                "cap bounds a probability, which this estimator does not state: drop it, or take "
                f"one of {', '.join(CLASSIFIERS)}."
            )
        relative = gaussian_kernels(points, self.centres, self.width) @ self.weights
        return ratio_from_relative(relative, self.alpha)


def ratio_from_relative(relative: Floats, alpha: float) -> Floats:
    """Turn relative ratios into ratios (see `RuLSIFRatio.relative`)."""
    if alpha == 0:
        return relative
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (1 - alpha) * relative / (1 - alpha * relative)
    return np.where((alpha * relative < 1) & (alpha < 1), ratio, np.nan)


@dataclass(frozen=True)
class Kernels:
    """Kernels of two samples, of p_1 and p_0, at b centres, and what every α needs of them."""

    sizes: tuple[int, int]
    #: mean kernels of p_1, shape (b,)
    mean: Floats
    #: products of the kernels, shape (b, b)
    grams: tuple[Floats, Floats]
    #: The kernels of pairs that are left out together, one item of each sample, shape (pairs, b).
    #: There are as many pairs as items in the smaller sample, less those far from all centres,
    #: whose error is 0.
    pairs: tuple[Floats, Floats]

    @classmethod
    def of(cls, one: Floats, zero: Floats) -> Kernels:
        """Prepare the kernels of both samples, shapes (n_1, b) and (n_0, b)."""
        one, zero = _no_tiny(one), _no_tiny(zero)
        n = min(len(one), len(zero))
        near = one[:n].any(axis=1) | zero[:n].any(axis=1)
        return cls(
            sizes=(len(one), len(zero)),
            mean=one.mean(axis=0),
            grams=(one.T @ one, zero.T @ zero),
            pairs=(one[:n][near], zero[:n][near]),
        )

    def moments(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the matrix and the target of least squares on all items."""
        shares = alpha / self.sizes[0], (1 - alpha) / self.sizes[1]
        return shares[0] * self.grams[0] + shares[1] * self.grams[1], self.mean

    def leave_one_out(self, alpha: float, penalties: Sequence[float]) -> Floats:
        """Return the mean error of the pairs left out for each penalty, shape (penalties,).

        Leaving out a pair is an update of rank two of the matrix, so its inverse has a closed form
        (Kanamori et al., 2009, 3.2: α = 0).
        """
        (n_one, n_zero), (one_kernels, zero_kernels) = self.sizes, self.pairs
        a, b = alpha / (n_one - 1), (1 - alpha) / (n_zero - 1)
        values, vectors = _eigh(a * self.grams[0] + b * self.grams[1])
        inverses = 1 / (values[:, None] + np.array(penalties))
        mean, one, zero = ((part @ vectors) for part in (self.mean, one_kernels, zero_kernels))
        # products by the inverse, shape (pairs, penalties)
        one_one, one_zero, zero_zero = (
            (left * right) @ inverses for left, right in ((one, one), (one, zero), (zero, zero))
        )
        with_mean = mean[:, None] * inverses
        one_target = (n_one * (one @ with_mean) - one_one) / (n_one - 1)
        zero_target = (n_one * (zero @ with_mean) - one_zero) / (n_one - 1)
        left_one, left_zero = 1 - a * one_one, 1 - b * zero_zero
        determinant = left_one * left_zero - a * b * one_zero**2
        share_of_one = a * (left_zero * one_target + b * one_zero * zero_target) / determinant
        share_of_zero = b * (a * one_zero * one_target + left_one * zero_target) / determinant
        share_of_one -= 1 / (n_one - 1)
        errors = np.empty(len(penalties))
        left_out, weights = np.empty_like(one), np.empty_like(one)
        for k in range(len(penalties)):
            np.multiply(one, share_of_one[:, [k]], out=left_out)
            left_out += np.multiply(zero, share_of_zero[:, [k]], out=weights)
            left_out += n_one / (n_one - 1) * mean
            np.matmul(left_out, (vectors * inverses[:, k]).T, out=weights)
            np.maximum(weights, 0, out=weights)
            at_one, at_zero = (np.einsum("ij,ij->i", kernels, weights) for kernels in self.pairs)
            errors[k] = (
                alpha / 2 * (at_one @ at_one) + (1 - alpha) / 2 * (at_zero @ at_zero) - at_one.sum()
            )
        return errors / min(self.sizes)


def penalised(penalty: float, matrix: Floats, target: Floats) -> Floats:
    """Solve penalised least squares, and set coefficients below 0 to 0."""
    values, vectors = _eigh(matrix)
    return np.maximum(vectors @ ((target @ vectors) / (values + penalty)), 0)


@dataclass(frozen=True)
class LSIFRatio:
    """Least-squares importance fitting: a quadratic programme with coefficients of at least 0.

    It minimises θ'Hθ / 2 − h'θ + λ Σ θ, θ ≥ 0, by non-negative least squares. Width and penalty
    are those of the least error of five folds. Centres with less than one item of p_0 near them
    (kernels that sum to less than 1) are left out.
    """

    #: As in `RuLSIFRatio`.
    centres: int = 100
    widths: tuple[float, ...] = GRID
    penalties: tuple[float, ...] = GRID

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit (see `DensityRatioEstimator`)."""
        if min(len(one), len(zero)) < FOLDS:
            raise InputError(f"LSIF needs at least {FOLDS} items in each group: try 'ridge'.")
        centres = _centres(one, self.centres)
        rng = np.random.default_rng([0, 1])
        folds = [rng.permutation(len(x)) % FOLDS for x in (one, zero)]
        best: tuple[float, float, float] = (np.inf, np.nan, np.nan)
        for width in self.widths:
            kernels = [gaussian_kernels(x, centres, width) for x in (one, zero)]
            errors = np.zeros((FOLDS, len(self.penalties)))
            for fold in range(FOLDS):
                fitting = [x[at != fold] for x, at in zip(kernels, folds, strict=True)]
                left_out = [x[at == fold] for x, at in zip(kernels, folds, strict=True)]
                solve = non_negative_programme(*fitting)
                for k, penalty in enumerate(self.penalties):
                    weights = solve(penalty)
                    at_one, at_zero = (sample @ weights for sample in left_out)
                    errors[fold, k] = (at_zero**2).mean() / 2 - at_one.mean()
            for error, penalty in zip(errors.mean(axis=0), self.penalties, strict=True):
                if error < best[0]:
                    best = (float(error), width, penalty)
        _, width, penalty = best
        kernels = [gaussian_kernels(x, centres, width) for x in (one, zero)]
        return SumOfKernels(centres, width, non_negative_programme(*kernels)(penalty))


def non_negative_programme(one: Floats, zero: Floats) -> Callable[[float], Floats]:
    """Return the map from a penalty to the coefficients of `LSIFRatio`, from kernels (n, b)."""
    from scipy.linalg import eigh  # noqa: PLC0415  (slow)
    from scipy.optimize import nnls  # noqa: PLC0415  (slow)

    # without items of p_0 near a centre, its coefficient would be unbounded
    known = zero.sum(axis=0) >= 1
    if not known.any():
        return lambda penalty: np.zeros(len(known))
    values, vectors = eigh(zero[:, known].T @ zero[:, known] / len(zero))
    # directions without curvature get a little, so that there is one solution
    root = np.sqrt(np.maximum(values, 1e-10 * values[-1]))
    matrix, turned = (vectors * root).T, (vectors / root).T
    mean = one[:, known].mean(axis=0)

    def solve(penalty: float) -> Floats:
        weights = np.zeros(len(known))
        weights[known], _ = nnls(matrix, turned @ (mean - penalty), maxiter=50 * len(values))
        return weights

    return solve


def _centres(one: Floats, number: int) -> Floats:
    rng = np.random.default_rng(0)
    return one[np.sort(rng.choice(len(one), min(number, len(one)), replace=False))]


def _eigh(matrix: Floats) -> tuple[Floats, Floats]:
    from scipy.linalg import eigh  # noqa: PLC0415  (slow)

    values, vectors = eigh(matrix, driver="evd", check_finite=False)
    return np.maximum(values, 0), _no_tiny(vectors)


def _no_tiny(matrix: Floats) -> Floats:
    return np.where(np.abs(matrix) < TINY, 0, matrix)
