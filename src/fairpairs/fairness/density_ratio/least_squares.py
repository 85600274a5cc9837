"""Density ratios by least squares: the ratio is matched by a sum of Gaussian kernels.

References
----------
Kanamori, Hido and Sugiyama (2009), *A least-squares approach to direct importance estimation*
(LSIF, uLSIF); Yamada et al. (2011), *Relative density-ratio estimation* (RuLSIF).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import nnls
from scipy.spatial.distance import cdist

from fairpairs.arrays import Floats
from fairpairs.errors import InputError
from fairpairs.fairness.density_ratio.base import CLASSIFIERS, FOLDS, Ratio

#: The grid of the `densratio` package for widths and penalties.
GRID = tuple(10.0 ** np.arange(-3, 2))


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
        # leaving out a pair is a rank-one or rank-two update of the matrix, so its inverse has a
        # closed form (Kanamori et al., 2009, 3.2: α = 0)
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
        fits = []
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
            fits.append((float(error), np.maximum(fitted, 0)))
        return fits


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
            raise InputError(f"LSIF needs at least {FOLDS} items in each group: try 'ridge'.")
        centres = _centres(one, self.centres, self.seed)
        rng = np.random.default_rng([self.seed, 1])
        folds = [rng.permutation(len(x)) % FOLDS for x in (one, zero)]
        best: tuple[float, float, float] = (np.inf, np.nan, np.nan)
        for width in self.widths:
            phis = tuple(_gaussian(x, centres, width) for x in (one, zero))
            parts = [
                (
                    tuple(phi[fold_of != fold] for phi, fold_of in zip(phis, folds, strict=True)),
                    tuple(phi[fold_of == fold] for phi, fold_of in zip(phis, folds, strict=True)),
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
        # without items of p_0 near a centre, its coefficient would be unbounded
        known = of_zero.sum(axis=0) >= 1
        if known.any():
            values, vectors = eigh(of_zero[:, known].T @ of_zero[:, known] / len(of_zero))
            # directions without curvature get a little, so that there is one solution
            root = np.sqrt(np.maximum(values, 1e-10 * values[-1]))
            target = (vectors / root).T @ (of_one[:, known].mean(axis=0) - penalty)
            weights[known], _ = nnls((vectors * root).T, target, maxiter=50 * len(values))
        return weights


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
