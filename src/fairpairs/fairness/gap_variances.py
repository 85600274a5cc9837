"""Variances of gaps between TPRs, and the independent trials that rates are worth.

A rate has two variances: its own, and the pooled one that it has where separation holds. How they
are weighed, and why, is in docs/calibration.md.
"""

from __future__ import annotations

import numpy as np

from fairpairs.arrays import Floats
from fairpairs.fairness.estimates import ROUNDING
from fairpairs.fairness.pairs.rates import NO_VARIANCE, PairRates

#: Items behind a cell from which on its own variance weighs more than the pooled one.
HALF_TRUSTED = 15

#: The variance of a gap is taken for so many times that of two independent rates at the least, and
#: at the most, whatever the estimate of their covariance.
RATIOS = 0.1, 2.0


def own_variance(rates: PairRates, contrasts: Floats) -> tuple[Floats, Floats]:
    """Return each contrast's own variance, and Satterthwaite's degrees of freedom."""
    classes = range(rates.components.shape[-3])
    parts = np.stack(
        [contrast_variances(rates.components[..., c, :, :], contrasts) for c in classes]
    )
    total = parts.sum(axis=0)
    sizes = np.moveaxis(rates.class_sizes, -1, 0)[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        df = total**2 / (parts**2 / np.maximum(sizes - 1, 1)).sum(axis=0)
    df = np.where(np.isfinite(df), np.maximum(df, 1), 1.0)
    variance = total - contrast_variances(rates.counted_twice, contrasts)
    if rates.effective is None:
        return variance, df
    # few shared items: no less than for pairs without a shared item, and no less than pooled
    shape = rates.concordant.shape[:-2]
    theta, n = (x.reshape(*shape, -1) for x in (rates.tpr, rates.effective))
    apart, alike = np.empty_like(variance), np.empty_like(variance)
    with np.errstate(invalid="ignore", divide="ignore"):
        for number, row in enumerate(contrasts):
            cells = np.flatnonzero(row)
            p, m, square = theta[..., cells], n[..., cells], row[cells] ** 2
            mean = (p * m).sum(axis=-1, keepdims=True) / m.sum(axis=-1, keepdims=True)
            # a cell of few pairs says little of its own variance
            df[..., number] = np.fmin(df[..., number], np.maximum(m.min(axis=-1) - 1, 1))
            apart[..., number] = (square * p * (1 - p) / m).sum(axis=-1)
            alike[..., number] = (square * mean * (1 - mean) / m).sum(axis=-1)
        factor = np.where(apart > 0, np.maximum(1, alike / apart), 1)
        own = np.where(apart > 0, np.fmax(variance, apart) * factor, alike)
    if rates.pooled is None or rates.items is None:
        return own, df
    # the fewer items are behind a cell, the more the variance under separation counts
    behind = rates.items.reshape(*shape, -1)
    items = np.stack([behind[..., row != 0].min(axis=-1) for row in contrasts], axis=-1)
    scale = _spread_ratio(rates, theta)
    pooled = contrast_variances(rates.pooled * scale[..., :, None] * scale[..., None, :], contrasts)
    trust = _trust(items)
    own = np.where(pooled > 0, trust * own + (1 - trust) * pooled, own)
    return own, np.fmin(df, np.maximum(items - 1, 1))


def contrast_variances(covariance: Floats, contrasts: Floats) -> Floats:
    """Variance of each contrast (row); a cell that it leaves out may be empty."""
    return np.stack(
        [
            np.einsum(
                "i,...ij,j->...", row[cells], covariance[..., cells[:, None], cells], row[cells]
            )
            for row in contrasts
            for cells in [np.flatnonzero(row)]
        ],
        axis=-1,
    )


def _trust(items: Floats) -> Floats:
    """Return the weight of a variance of their own that so many items have, from 0 to 1."""
    return np.asarray(items**2 / (items**2 + HALF_TRUSTED**2))


def _spread_ratio(rates: PairRates, theta: Floats) -> Floats:
    """Return the binomial standard deviation of each rate, by that of the rate of all pairs."""
    with np.errstate(invalid="ignore", divide="ignore"):
        common = (rates.concordant.sum(axis=(-2, -1)) / rates.comparable.sum(axis=(-2, -1)))[
            ..., None
        ]
        return np.asarray(np.sqrt(np.maximum(theta * (1 - theta), 0) / (common * (1 - common))))


def smallest_trials(rates: PairRates) -> Floats:
    """Return the independent trials behind each rate, shape (..., K, K).

    For all pairs they are at the least the items of the smaller of its two classes. Given pairs are
    worth as many as would give the rate of all its pooled variance, at the most their number.
    """
    if rates.effective is not None:
        if rates.pooled is None:
            return rates.pairs
        pooled = np.diagonal(rates.pooled, axis1=-2, axis2=-1).reshape(rates.pairs.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            common = rates.concordant.sum(axis=(-2, -1)) / rates.comparable.sum(axis=(-2, -1))
            worth = (common * (1 - common))[..., None, None] / pooled
        return np.where(pooled > NO_VARIANCE, np.fmin(worth, rates.pairs), rates.pairs)
    k = rates.concordant.shape[-1]
    sizes = rates.class_sizes
    classes = sizes.reshape(*sizes.shape[:-1], k, -1)  # (winners, losers), or the group
    return np.minimum(classes[..., :, None, 0], classes[..., None, :, -1])


def gap_trials(rates: PairRates, pooled: Floats, gaps: Floats) -> tuple[Floats, Floats]:
    """Return the trials of the four rates of two groups: for the test, and the fewest.

    Where the two rates of a gap covary, each has the trials that give the gap its variance.
    """
    cells = np.abs(gaps)
    by_kind = []
    for trials, covariance in zip(
        trials_worth(rates, pooled), (rates.covariance, pooled), strict=True
    ):
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = np.diagonal(covariance, axis1=-2, axis2=-1) @ cells.T
            ratio = contrast_variances(covariance, gaps) / apart
            ratio = np.clip(np.where(apart > NO_VARIANCE, ratio, 1), *RATIOS)
            by_kind.append(trials / (ratio @ cells))
    # opposite rates of 0 and 1 without any variance
    rate = rates.tpr.reshape(*rates.concordant.shape[:-2], 4)
    differ = np.abs(rate @ gaps.T) @ cells > ROUNDING
    least = np.where(differ, smallest_trials(rates).reshape(rate.shape), np.nan)
    tested, fewest = cautious_trials(*by_kind), np.fmin(*by_kind)
    return np.where(np.isnan(tested), least, tested), np.where(np.isnan(fewest), least, fewest)


def trials_worth(rates: PairRates, pooled: Floats) -> tuple[Floats, Floats]:
    """Return the independent trials that each of K² rates is worth, by own and by pooled variance.

    A rate without a variance has the other number, NaN if there is neither.
    """
    rate = rates.tpr.reshape(*rates.concordant.shape[:-2], -1)
    usable = rates.comparable.sum(axis=(-2, -1))
    common = (rates.concordant.sum(axis=(-2, -1)) / np.where(usable > 0, usable, 1))[..., None]
    variances = own_variance(rates, np.eye(rate.shape[-1]))[0]
    both = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for theta, variance in (
            (rate, variances),
            (common, np.diagonal(pooled, axis1=-2, axis2=-1)),
        ):
            both.append(np.where(variance > NO_VARIANCE, theta * (1 - theta) / variance, np.nan))
    alone, together = both
    known = np.isfinite(alone), np.isfinite(together)
    return np.where(known[0], alone, together), np.where(known[1], together, alone)


def cautious_trials(alone: Floats, together: Floats) -> Floats:
    """Return the own trials, or the harmonic mean of own and pooled ones if that is smaller."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.fmin(alone, 2 / (1 / alone + 1 / together))
