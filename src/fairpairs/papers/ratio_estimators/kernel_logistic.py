"""Density ratios by kernel logistic regression, with a kernel matrix of low rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.density_ratio.logistic import OddsRatio, Ratio, stacked
from fairpairs.papers.ratio_estimators.least_squares import FOLDS, gaussian_kernels

#: What a low-rank kernel matrix leaves out of an entry.
TOLERANCE = 1e-5
MOST_COLUMNS = 500
#: Penalties that cross-validation chooses from, and widths as multiples of the median distance.
PENALTIES = np.logspace(-2, 2, 5)
WIDTHS = (0.5, 1.0, 2.0, 4.0)
#: Points whose pairwise distances the median is taken of.
MEDIAN_POINTS = 500
#: Steps of Newton's method, typically six, and halvings of a step, typically none.
MAX_STEPS = 60
#: Newton's decrement, as a share of the loss, before the last step.
MAX_DECREMENT = 1e-12


@dataclass(frozen=True)
class KernelLogisticRatio:
    """Kernel logistic regression with a free intercept.

    The kernel matrix is factored by pivoted Cholesky until no entry is off by more than 10⁻⁵, so
    the fit is exact to that while its cost stays linear in the number of points.
    """

    #: "gaussian", exp(−|x − x'|² / (2 width²)), or "polynomial", (1 + x·x')³.
    kernel: Literal["gaussian", "polynomial"] = "gaussian"
    #: Of the Gaussian kernel; None for cross-validation among multiples of the median distance.
    width: float | None = None
    #: Weight of the penalty |f|² / 2; None for cross-validation.
    strength: float | None = None
    #: Whether the probabilities have the intercept, as they must. The R package KLR, which the
    #: sensitivity study cites, fits centred kernels but predicts with others, and so leaves it out.
    intercept: bool = True

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit (see `DensityRatioEstimator`)."""
        x, a = stacked(one, zero)
        for name, value in (("width", self.width), ("strength", self.strength)):
            if value is not None and value <= 0:
                raise InputError(f"{name} must be above 0; it is {value}: None chooses it.")
        chosen = self._chosen(x, a)
        width, strength = chosen.width or 1.0, chosen.strength or 1.0
        features = chosen.features(x, width)
        intercept, *slopes = penalised_logistic(features.of_sample, a, strength)
        pivot_slopes = features.of_pivots(np.array(slopes))
        constant = intercept if self.intercept else 0.0
        return OddsRatio(
            lambda at: constant + features.kernel(at, features.pivots) @ pivot_slopes,
            len(zero) / len(one),
        )

    def features(self, x: Floats, width: float) -> Features:
        """Return features whose inner products are the kernel, exact on x to the tolerance."""

        def kernel(left: Floats, right: Floats) -> Floats:
            if self.kernel == "polynomial":
                return np.asarray((1 + left @ right.T) ** 3)
            return gaussian_kernels(left, right, width)

        diagonal = np.ones(len(x))
        if self.kernel == "polynomial":
            diagonal = (1 + (x**2).sum(axis=1)) ** 3
        pivots, columns = pivoted_cholesky(kernel, x, diagonal)
        return Features(kernel, x[pivots], np.tril(columns[pivots]), columns)

    def _chosen(self, x: Floats, a: Integers) -> KernelLogisticRatio:
        """Choose what is None by the log loss of five folds."""
        from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415  (slow)

        gaussian = self.kernel == "gaussian"
        widths: Sequence[float | None] = [self.width]
        if gaussian and self.width is None:
            widths = list(median_distance(x) * np.array(WIDTHS))
        strengths = PENALTIES if self.strength is None else [self.strength]
        if len(widths) == len(strengths) == 1:
            return replace(self, width=widths[0], strength=float(strengths[0]))
        if np.bincount(a).min() < FOLDS:
            raise InputError(
                f"Cross-validation needs at least {FOLDS} items in each group: give width and "
                "strength."
            )
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        parts = list(folds.split(x, a))
        best, least = self, np.inf
        for width in widths:
            features = self.features(x, width or 1.0).of_sample
            losses = np.zeros(len(strengths))
            for fitting, left_out in parts:
                side = np.where(a[left_out] == 1, 1.0, -1.0)
                fit = None
                for k, strength in enumerate(strengths):
                    fit = penalised_logistic(features[fitting], a[fitting], strength, start=fit)
                    log_odds = fit[0] + features[left_out] @ fit[1:]
                    losses[k] += np.logaddexp(0, -side * log_odds).sum()
            for strength, loss in zip(strengths, losses, strict=True):
                if loss < least:
                    best, least = replace(self, width=width, strength=float(strength)), loss
        return best


@dataclass(frozen=True)
class Features:
    """Features of points whose inner products are a kernel."""

    #: from points (m, d) and (n, d) to their kernel, shape (m, n)
    kernel: Callable[[Floats, Floats], Floats]
    #: the points that span the rest, shape (r, d)
    pivots: Floats
    #: lower triangle L with L L' the kernel of the pivots, shape (r, r)
    triangle: Floats
    #: features of the sample, shape (n, r)
    of_sample: Floats

    def of_pivots(self, slopes: Floats) -> Floats:
        """Return the coefficients of the pivots' kernels, given those of the features."""
        from scipy.linalg import solve_triangular  # noqa: PLC0415  (slow)

        return np.asarray(solve_triangular(self.triangle, slopes, lower=True, trans=1))


def penalised_logistic(
    features: Floats, a: Integers, strength: float, *, start: Floats | None = None
) -> Floats:
    """Fit groups a, 0 or 1, (n,), on features (n, r) by Newton; return intercept, slopes, (1 + r,).

    `strength` is the weight of half the squared length of the slopes; the intercept is free.
    """
    x = np.vstack([np.ones(len(features)), features.T])
    penalty = np.append(0.0, np.full(len(x) - 1, strength))
    signed = x * np.where(a == 1, -1.0, 1.0)

    def loss_at(coefficients: Floats) -> tuple[float, Floats]:
        against = coefficients @ signed  # log odds of the other group
        loss = np.logaddexp(0, against).sum() + (penalty * coefficients**2).sum() / 2
        return float(loss), expit(against)

    if start is None:
        start = np.append(np.log(a.sum() / (len(a) - a.sum())), np.zeros(len(x) - 1))
    coefficients, (loss, missed), root = start, loss_at(start), np.empty_like(x)
    for _ in range(MAX_STEPS):
        gradient = signed @ missed + penalty * coefficients
        np.multiply(x, np.sqrt(missed * (1 - missed)), out=root)
        hessian = root @ root.T
        hessian.flat[:: len(hessian) + 1] += penalty
        step = np.linalg.solve(hessian, gradient)
        if gradient @ step <= MAX_DECREMENT * loss:
            return coefficients - step  # the error is squared once more
        before = loss
        for _ in range(MAX_STEPS):
            loss, missed = loss_at(coefficients - step)
            if loss <= before:
                break
            step = step / 2  # it went too far
        coefficients = coefficients - step
    return coefficients


def pivoted_cholesky(
    kernel: Callable[[Floats, Floats], Floats], x: Floats, diagonal: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """Factor the kernel matrix of points x, (n, d), by pivoted Cholesky.

    `diagonal` is the kernel of each point with itself. Returns the indices of the points that span
    the rest, (r,), and C with C C' the kernel, (n, r), whose rows of these are a lower triangle.
    """
    rest, largest = diagonal.copy(), diagonal.max()
    rows = np.empty((min(len(x), MOST_COLUMNS), len(x)))
    pivots: list[int] = []
    for r in range(len(rows)):
        pivot = int(rest.argmax())
        if rest[pivot] <= TOLERANCE * largest:
            break
        row = kernel(x, x[[pivot]])[:, 0]
        row -= rows[:r, pivot] @ rows[:r]
        np.divide(row, np.sqrt(rest[pivot]), out=rows[r])
        rest -= rows[r] ** 2
        np.maximum(rest, 0, out=rest)
        rest[pivot] = 0
        pivots.append(pivot)
    return np.array(pivots, dtype=np.intp), rows[: len(pivots)].T


def median_distance(x: Floats) -> float:
    """Return the median distance of two distinct points, 1 where all are equal."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415  (slow)

    shown = x[np.linspace(0, len(x) - 1, min(len(x), MEDIAN_POINTS)).astype(int)]
    distances = cdist(shown, shown)
    distances = distances[distances > 0]
    return float(np.median(distances)) if len(distances) else 1.0
