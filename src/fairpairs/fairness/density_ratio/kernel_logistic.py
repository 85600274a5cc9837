"""Density ratios by kernel logistic regression, with a kernel matrix of low rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.spatial.distance import cdist

from fairpairs.arrays import Floats
from fairpairs.errors import InputError
from fairpairs.fairness.density_ratio.base import FOLDS, Ratio
from fairpairs.fairness.density_ratio.logistic import fit_quietly, ratio_from_odds, stacked

#: What a low-rank kernel matrix leaves out of an entry.
TOLERANCE = 1e-5
MOST_COLUMNS = 500
#: Penalties that cross-validation chooses from, and widths as multiples of the median distance.
PENALTIES = np.logspace(-2, 2, 5)
WIDTHS = (0.5, 1.0, 2.0, 4.0)
#: Points whose pairwise distances the median is taken of.
MEDIAN_POINTS = 500


@dataclass(frozen=True)
class KernelLogisticRatio:
    """Kernel logistic regression with a free intercept.

    The kernel matrix is factored by pivoted Cholesky until no entry is off by more than 10⁻⁵, so
    the fit is exact to that while its cost stays linear in the number of points.

    Attributes
    ----------
    kernel
        "gaussian", exp(−|x − x'|² / (2 width²)), or "polynomial", (1 + x·x')^degree.
    width
        Of the Gaussian kernel; None for cross-validation among multiples of the median distance.
    strength
        Weight of the penalty |f|² / 2; None for cross-validation.
    degree
        Of the polynomial kernel.
    seed
        Of the folds.
    """

    kernel: Literal["gaussian", "polynomial"] = "gaussian"
    width: float | None = None
    strength: float | None = None
    degree: int = 3
    seed: int = 0

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit (see `DensityRatioEstimator`)."""
        x, a = stacked(one, zero)
        for name, value in (("width", self.width), ("strength", self.strength)):
            if value is not None and value <= 0:
                raise InputError(f"{name} must be above 0; it is {value}: None chooses it.")
        chosen = self._chosen(x, a)
        width, strength = chosen.width or 1.0, chosen.strength or 1.0
        features = chosen.features(x, width)
        fitted = fit_quietly(_kernel_classifier(strength), features(x), a)
        return ratio_from_odds(
            lambda at: fitted.decision_function(features(at)), len(zero) / len(one)
        )

    def features(self, x: Floats, width: float) -> Callable[[Floats], Floats]:
        """Return the map whose inner products are the kernel, exact on x to the tolerance."""

        def kernel(left: Floats, right: Floats) -> Floats:
            if self.kernel == "polynomial":
                return np.asarray((1 + left @ right.T) ** self.degree)
            return np.asarray(np.exp(-cdist(left, right, "sqeuclidean") / (2 * width**2)))

        diagonal = np.ones(len(x))
        if self.kernel == "polynomial":
            diagonal = (1 + (x**2).sum(axis=1)) ** self.degree
        pivots, triangle = pivoted_cholesky(kernel, x, diagonal)

        def mapped(at: Floats) -> Floats:
            return np.asarray(solve_triangular(triangle, kernel(x[pivots], at), lower=True).T)

        return mapped

    def _chosen(self, x: Floats, a: NDArray[np.int64]) -> KernelLogisticRatio:
        """Choose what is None by the log loss of five folds."""
        from sklearn.metrics import log_loss  # noqa: PLC0415  (slow)
        from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: PLC0415

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
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed)
        best, least = self, np.inf
        for width in widths:
            features = self.features(x, width or 1.0)(x)
            for strength in strengths:
                model = _kernel_classifier(float(strength))
                p = cross_val_predict(model, features, a, cv=folds, method="predict_proba")
                loss = float(log_loss(a, p))
                if loss < least:
                    best, least = replace(self, width=width, strength=float(strength)), loss
        return best


def pivoted_cholesky(
    kernel: Callable[[Floats, Floats], Floats],
    x: Floats,
    diagonal: Floats,
    *,
    tolerance: float = TOLERANCE,
) -> tuple[NDArray[np.intp], Floats]:
    """Factor a kernel matrix by pivoted Cholesky until its diagonal is left to the tolerance.

    Parameters
    ----------
    kernel
        From points (m, d) and (n, d) to their kernel, shape (m, n).
    x
        The points, shape (n, d).
    diagonal
        The kernel of each point with itself, shape (n,).
    tolerance
        The largest entry that is left out, as a share of the largest one.

    Returns
    -------
    pivots
        Places of the points that span the rest, shape (r,).
    triangle
        Lower triangle L with L L' the kernel of the pivots, shape (r, r).
    """
    rest, largest = diagonal.copy(), diagonal.max()
    columns = np.empty((len(x), min(len(x), MOST_COLUMNS)))
    pivots: list[int] = []
    for r in range(columns.shape[1]):
        pivot = int(rest.argmax())
        if rest[pivot] <= tolerance * largest:
            break
        column = kernel(x, x[pivot][None])[:, 0] - columns[:, :r] @ columns[pivot, :r]
        columns[:, r] = column / np.sqrt(rest[pivot])
        rest = np.maximum(rest - columns[:, r] ** 2, 0)
        rest[pivot] = 0
        pivots.append(pivot)
    chosen = np.array(pivots, dtype=np.intp)
    return chosen, np.tril(columns[chosen, : len(chosen)])


def median_distance(x: Floats) -> float:
    """Return the median distance of two distinct points, 1 where all are equal."""
    shown = x[np.linspace(0, len(x) - 1, min(len(x), MEDIAN_POINTS)).astype(int)]
    distances = cdist(shown, shown)
    distances = distances[distances > 0]
    return float(np.median(distances)) if len(distances) else 1.0


def _kernel_classifier(strength: float) -> Any:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)

    return LogisticRegression(C=1 / strength, solver="newton-cholesky", max_iter=200)
