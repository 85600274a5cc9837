"""Estimators of the ratio of two densities, p_1(x) / p_0(x), from a sample of each.

All have one contract: `fit(one, zero)` on samples of shape (n, d) gives a function of points, and
of a cap, whose value is the ratio there. A probabilistic classifier of 1 against 0 gives the odds
times n_0 / n_1; least-squares importance fitting matches the ratio itself by a sum of Gaussian
kernels.

References
----------
Sugiyama, Suzuki and Kanamori (2012), *Density Ratio Estimation in Machine Learning*; Kanamori, Hido
and Sugiyama (2009), *A least-squares approach to direct importance estimation* (LSIF, uLSIF);
Yamada et al. (2011), *Relative density-ratio estimation* (RuLSIF).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning, eigh, solve_triangular
from scipy.optimize import linprog, nnls
from scipy.spatial.distance import cdist

from fairpairs.arrays import Floats
from fairpairs.errors import InputError

#: Log odds above it are refused: sums of such odds would overflow.
LARGEST_LOG = 500.0
#: Log odds above which a boundary is looked for that separates the samples.
SUSPICIOUS = 5.0
#: Of the loss where a classifier stops; scikit-learn's 1e-4 is one or two steps of Newton early.
LARGEST_SLOPE = 1e-10
#: What a low-rank kernel matrix leaves out of an entry.
TOLERANCE = 1e-5
MOST_COLUMNS = 500
#: Penalties that cross-validation chooses from, and widths as multiples of the median distance.
PENALTIES = np.logspace(-2, 2, 5)
WIDTHS = (0.5, 1.0, 2.0, 4.0)
#: The grid of the `densratio` package for widths and penalties.
GRID = tuple(10.0 ** np.arange(-3, 2))
FOLDS = 5
#: Points among which the median distance is found; all pairs of them are.
MEDIAN_POINTS = 500


class SeparableGroupsError(InputError):
    """A boundary separates the samples, so the ratio has no end and nothing caps it."""


class Ratio(Protocol):
    """A fitted ratio."""

    def __call__(self, points: Floats, cap: float | None = None) -> Floats:
        """Return the ratio at points.

        Parameters
        ----------
        points
            Shape (m, d).
        cap
            The largest probability of 1 that a classifier may state; None for no cap.

        Raises
        ------
        SeparableGroupsError
            When a boundary separates the samples and nothing caps the ratio.
        InputError
            When `cap` is given to what states no probability.
        """


class DensityRatioEstimator(Protocol):
    """Estimates p_1(x) / p_0(x)."""

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit on a sample of each density, shapes (n_1, d) and (n_0, d).

        Raises
        ------
        InputError
            When a sample is too small for what is chosen by cross-validation.
        """


@dataclass(frozen=True)
class LogisticRatio:
    """Logistic regression of 1 against 0.

    Attributes
    ----------
    penalty
        "none", "l2" (ridge) or "l1" (lasso).
    strength
        1 / C of scikit-learn: the weight of the penalty; the intercept is free, but for "l1",
        whose solver penalises it hardly.
    """

    penalty: Literal["none", "l2", "l1"] = "none"
    strength: float = 1.0

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit (see `DensityRatioEstimator`)."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)

        x, a = _stacked(one, zero)
        if self.strength <= 0:
            raise InputError(
                f"strength must be above 0; it is {self.strength}: take penalty 'none' for none."
            )
        if self.penalty == "l1":
            model = LogisticRegression(
                C=1 / self.strength, l1_ratio=1, solver="liblinear", intercept_scaling=100.0,
                max_iter=10_000, random_state=0,
            )  # fmt: skip
        else:
            c = np.inf if self.penalty == "none" else 1 / self.strength
            model = LogisticRegression(
                C=c, solver="newton-cholesky", tol=LARGEST_SLOPE, max_iter=200
            )
        if self.penalty == "none" and np.linalg.matrix_rank(x - x.mean(axis=0)) < x.shape[1]:
            model = _WithoutCollinear(model)
        fitted = _quietly(model, x, a)
        separated = self.penalty == "none" and _separates(x, fitted.decision_function(x), a)
        return _odds(fitted.decision_function, len(zero) / len(one), separated=separated)


@dataclass
class _WithoutCollinear:
    """A classifier of the directions in which the points differ; of none, the share of 1."""

    model: Any

    def fit(self, x: Floats, a: NDArray[np.int64]) -> _WithoutCollinear:
        self.centre = x.mean(axis=0)
        _, spreads, directions = np.linalg.svd(x - self.centre, full_matrices=False)
        rank = int(np.linalg.matrix_rank(x - self.centre))
        self.directions = directions[:rank].T / spreads[:rank] * np.sqrt(len(x))
        self.constant = float(np.log(a.sum() / (len(a) - a.sum())))
        if rank:
            self.model.fit((x - self.centre) @ self.directions, a)
        return self

    def decision_function(self, x: Floats) -> Floats:
        if not self.directions.size:
            return np.full(len(x), self.constant)
        return np.asarray(self.model.decision_function((x - self.centre) @ self.directions))


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
        x, a = _stacked(one, zero)
        for name, value in (("width", self.width), ("strength", self.strength)):
            if value is not None and value <= 0:
                raise InputError(f"{name} must be above 0; it is {value}: None chooses it.")
        chosen = self._chosen(x, a)
        width, strength = chosen.width or 1.0, chosen.strength or 1.0
        features = chosen.features(x, width)
        fitted = _quietly(_kernel_classifier(strength), features(x), a)
        return _odds(lambda at: fitted.decision_function(features(at)), len(zero) / len(one))

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


@dataclass(frozen=True)
class RuLSIFRatio:
    """Unconstrained least-squares fitting of the relative ratio p_1 / (α p_1 + (1 − α) p_0).

    With α = 0 it is uLSIF, which fits the ratio itself. Coefficients below 0 are set to 0. Width
    and penalty are those of the least leave-one-out error, in closed form.

    Attributes
    ----------
    alpha
        From 0 to 1. The relative ratio is at most 1 / α, and 1 everywhere for α = 1.
    centres
        Number of kernels, at points drawn from the sample of p_1.
    widths, penalties
        What is chosen from.
    relative
        True: return the relative ratio as if it were the ratio, as the paper does. False: turn it
        into the ratio, (1 − α) r / (1 − α r); a relative ratio of 1 / α or more has no finite one,
        and α = 1 has none at all: NaN.
    seed
        Of the centres.
    """

    alpha: float = 0.0
    centres: int = 100
    widths: tuple[float, ...] = GRID
    penalties: tuple[float, ...] = GRID
    relative: bool = False
    seed: int = 0

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit (see `DensityRatioEstimator`)."""
        if min(len(one), len(zero)) < 2:
            raise InputError("Least-squares fitting needs two items in each group: give more.")
        centres = _centres(one, self.centres, self.seed)
        best: tuple[float, float, Floats] = (np.inf, np.nan, np.zeros(len(centres)))
        for width in self.widths:
            of_one, of_zero = (_gaussian(x, centres, width) for x in (one, zero))
            for error, weights in self._grid(of_one, of_zero):
                if error < best[0]:
                    best = (error, width, weights)
        if not np.isfinite(best[0]):
            raise InputError("No width of the grid gives a finite error: give other `widths`.")
        _, width, weights = best

        def ratio(points: Floats, cap: float | None = None) -> Floats:
            _no_cap(cap)
            relative = _gaussian(points, centres, width) @ weights
            if self.relative or self.alpha == 0:
                return relative
            with np.errstate(divide="ignore", invalid="ignore"):
                right = (1 - self.alpha) * relative / (1 - self.alpha * relative)
            return np.where((self.alpha * relative < 1) & (self.alpha < 1), right, np.nan)

        return ratio

    def _grid(self, of_one: Floats, of_zero: Floats) -> list[tuple[float, Floats]]:
        """Return the leave-one-out error and the coefficients for each penalty."""
        n_one, n_zero = len(of_one), len(of_zero)
        # one pair of samples is left out at a time; there are as many as in the smaller sample
        n, mean = min(n_one, n_zero), of_one.mean(axis=0)
        # samples that count: their share, their kernels, their number
        samples = [
            (share, of, len(of))
            for share, of in ((self.alpha, of_one), (1 - self.alpha, of_zero))
            if share > 0
        ]
        grams = np.stack([share * of.T @ of for share, of, _ in samples])
        sizes = np.array([[[m]] for _, _, m in samples])
        values, vectors = eigh((grams / sizes).sum(axis=0))
        # without a pair the matrix is that of one item less minus the squares of the updates, and
        # its inverse is that of an update of rank one or two (Kanamori et al., 2009, 3.2: α = 0)
        if len(samples) == 1:
            m = samples[0][2]
            less_values, less_vectors = values * m / (m - 1), vectors
        else:
            less_values, less_vectors = eigh((grams / (sizes - 1)).sum(axis=0))
        target = ((n_one * mean - of_one[:n]) / (n_one - 1)) @ less_vectors
        updates = [np.sqrt(share / (m - 1)) * of[:n] @ less_vectors for share, of, m in samples]
        products = {
            (i, j): one * two
            for i, one in enumerate(updates)
            for j, two in enumerate([*updates, target])
            if i <= j
        }
        found = []
        for penalty in self.penalties:
            inverse = 1 / (np.maximum(less_values, 0) + penalty)
            sums = {place: product @ inverse for place, product in products.items()}
            if len(updates) == 1:
                shares = [sums[0, 1] / (1 - sums[0, 0])]
            else:
                aa, bb, ab = 1 - sums[0, 0], 1 - sums[1, 1], sums[0, 1]
                at, bt = sums[0, 2], sums[1, 2]
                determinant = aa * bb - ab**2
                shares = [(bb * at + ab * bt) / determinant, (ab * at + aa * bt) / determinant]
            left_out = target.copy()
            for share, update in zip(shares, updates, strict=True):
                left_out += share[:, None] * update
            left_out *= inverse
            weights = left_out @ less_vectors.T
            np.maximum(weights, 0, out=weights)
            at_one, at_zero = (np.einsum("ij,ij->i", of[:n], weights) for of in (of_one, of_zero))
            error = (
                self.alpha / 2 * (at_one**2).mean()
                + (1 - self.alpha) / 2 * (at_zero**2).mean()
                - at_one.mean()
            )
            fitted = vectors @ ((mean @ vectors) / (np.maximum(values, 0) + penalty))
            found.append((float(error), np.maximum(fitted, 0)))
        return found


@dataclass(frozen=True)
class LSIFRatio:
    """Least-squares importance fitting: a quadratic programme with coefficients of at least 0.

    It minimises θ'Hθ / 2 − h'θ + λ Σ θ, θ ≥ 0, by non-negative least squares. Width and penalty
    are those of the least error of five folds. Centres with less than one item of p_0 near them
    (kernels that sum to less than 1) are left out.

    Attributes
    ----------
    centres, widths, penalties, seed
        As in `RuLSIFRatio`.
    """

    centres: int = 100
    widths: tuple[float, ...] = GRID
    penalties: tuple[float, ...] = GRID
    seed: int = 0

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit (see `DensityRatioEstimator`)."""
        if min(len(one), len(zero)) < FOLDS:
            raise InputError(f"LSIF needs at least {FOLDS} items in each group: take 'ridge', say.")
        centres = _centres(one, self.centres, self.seed)
        rng = np.random.default_rng([self.seed, 1])
        folds = [rng.permutation(len(x)) % FOLDS for x in (one, zero)]
        best: tuple[float, float, float] = (np.inf, np.nan, np.nan)
        for width in self.widths:
            phis = tuple(_gaussian(x, centres, width) for x in (one, zero))
            parts = [
                (
                    tuple(phi[own != fold] for phi, own in zip(phis, folds, strict=True)),
                    tuple(phi[own == fold] for phi, own in zip(phis, folds, strict=True)),
                )
                for fold in range(FOLDS)
            ]
            for penalty in self.penalties:
                errors = []
                for fitting, left_out in parts:
                    weights = self._solve(fitting[0], fitting[1], penalty)
                    errors.append(
                        ((left_out[1] @ weights) ** 2).mean() / 2 - (left_out[0] @ weights).mean()
                    )
                if (error := float(np.mean(errors))) < best[0]:
                    best = (error, width, penalty)
        _, width, penalty = best
        weights = self._solve(
            _gaussian(one, centres, width), _gaussian(zero, centres, width), penalty
        )

        def ratio(points: Floats, cap: float | None = None) -> Floats:
            _no_cap(cap)
            return np.asarray(_gaussian(points, centres, width) @ weights)

        return ratio

    @staticmethod
    def _solve(of_one: Floats, of_zero: Floats, penalty: float) -> Floats:
        weights = np.zeros(of_zero.shape[1])
        # where hardly an item of p_0 is near a centre, its coefficient would have no bound
        known = of_zero.sum(axis=0) >= 1
        if known.any():
            values, vectors = eigh(of_zero[:, known].T @ of_zero[:, known] / len(of_zero))
            # directions without curvature get a little, so that there is one solution
            root = np.sqrt(np.maximum(values, 1e-10 * values[-1]))
            target = (vectors / root).T @ (of_one[:, known].mean(axis=0) - penalty)
            weights[known], _ = nnls((vectors * root).T, target, maxiter=50 * len(values))
        return weights


#: Name of an estimator → the estimator with its defaults.
ESTIMATORS: dict[str, DensityRatioEstimator] = {
    "logistic": LogisticRatio(),
    "ridge": LogisticRatio("l2"),
    "lasso": LogisticRatio("l1"),
    "kernel_gaussian": KernelLogisticRatio("gaussian"),
    "kernel_polynomial": KernelLogisticRatio("polynomial"),
    "lsif": LSIFRatio(),
    "ulsif": RuLSIFRatio(),
    "rulsif_0.25": RuLSIFRatio(0.25),
    "rulsif_0.5": RuLSIFRatio(0.5),
    "rulsif_0.75": RuLSIFRatio(0.75),
    "rulsif_1": RuLSIFRatio(1.0),
}
#: Those that state a probability, which a cap bounds.
CLASSIFIERS = ("logistic", "ridge", "lasso", "kernel_gaussian", "kernel_polynomial")


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
    """Return the median distance of two points that differ, 1 where none do."""
    shown = x[np.linspace(0, len(x) - 1, min(len(x), MEDIAN_POINTS)).astype(int)]
    distances = cdist(shown, shown)
    distances = distances[distances > 0]
    return float(np.median(distances)) if len(distances) else 1.0


def _stacked(one: Floats, zero: Floats) -> tuple[Floats, NDArray[np.int64]]:
    return np.vstack([one, zero]), np.repeat([1, 0], [len(one), len(zero)])


def _kernel_classifier(strength: float) -> Any:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)

    return LogisticRegression(C=1 / strength, solver="newton-cholesky", max_iter=200)


def _quietly(model: Any, x: Floats, a: NDArray[np.int64]) -> Any:
    """Fit without a warning where separable groups keep a capped fit from converging.

    The solver then goes on with L-BFGS, and `_separates` finds such groups.
    """
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415  (slow)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", LinAlgWarning)
        return model.fit(x, a)


def _separates(x: Floats, score: Floats, a: NDArray[np.int64]) -> bool:
    """Whether a boundary has no item of 1 on one side, none of 0 on the other, but some off it.

    Then there is no finite fit: the log odds of these grow without end.
    """
    if np.abs(score).max() < SUSPICIOUS:
        return False
    side = np.where(a == 1, 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(x)), x])
    found = linprog(-side.mean(axis=0), A_ub=-side, b_ub=np.zeros(len(x)), bounds=(-1, 1))
    return bool(found.status == 0 and found.fun is not None and found.fun < -1e-9)


def _odds(
    log_odds: Callable[[Floats], Floats], balance: float, *, separated: bool = False
) -> Ratio:
    def ratio(points: Floats, cap: float | None = None) -> Floats:
        if cap is None and separated:
            raise SeparableGroupsError(
                "The two groups can be separated perfectly, so an unpenalised ratio has no end: "
                "give a cap, such as 0.999, or another estimator, such as 'ridge'."
            )
        most = np.inf if cap is None else float(np.log(cap / (1 - cap)))
        logarithm = np.minimum(log_odds(points), most)
        if logarithm.max() > LARGEST_LOG:
            raise SeparableGroupsError(
                "The ratio of the densities overflows, because the groups hardly overlap: give a "
                "cap, such as 0.999."
            )
        return np.asarray(np.exp(logarithm) * balance)

    return ratio


def _no_cap(cap: float | None) -> None:
    if cap is not None:
        raise InputError(
            "cap bounds a probability, which this estimator does not state: drop it, or take one "
            f"of {', '.join(CLASSIFIERS)}."
        )


def _centres(one: Floats, number: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    return one[np.sort(rng.choice(len(one), min(number, len(one)), replace=False))]


def _gaussian(x: Floats, centres: Floats, width: float) -> Floats:
    return np.asarray(np.exp(-cdist(x, centres, "sqeuclidean") / (2 * width**2)))
