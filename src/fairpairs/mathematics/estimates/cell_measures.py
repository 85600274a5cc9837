"""Separation of binary predictions from the eight counts alone: I_sep, the density ratio, a test.

Binary labels and predictions form eight cells (group, label, prediction). Their shares are the
densities, so no density model is needed. Groups are shuffled by drawing counts, so the cost does
not depend on the number of items.

References: D. Steinberg, A. Reid and S. O'Callaghan (2020), Fairness measures for regression via
probabilistic classification, whose measures these are with shares in the place of classifiers.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from fairpairs.base.arrays import Floats


def information_separation_from_counts(counts: ArrayLike) -> Floats:
    """Return I_sep, I(A; C | Y) / H(A | Y), from counts (..., group, label, prediction).

    It is NaN where the label determines the group.
    """
    n = np.asarray(counts, dtype=float)
    total = n.sum(axis=(-3, -2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        group_total = n.sum(axis=-1, keepdims=True)  # (..., a, y, 1)
        prediction_total = n.sum(axis=-3, keepdims=True)  # (..., 1, y, c)
        label_total = group_total.sum(axis=-3, keepdims=True)  # (..., 1, y, 1)
        lifted = np.where(n > 0, n * label_total / (group_total * prediction_total), 1)
        information = xlogy(n, lifted).sum(axis=(-3, -2, -1)) / total
        share = np.where(group_total > 0, group_total / label_total, 1)
        entropy = -xlogy(group_total, share).sum(axis=(-3, -2, -1)) / total
        information = np.where(entropy > 0, np.maximum(information, 0), np.nan)
        return np.asarray(information / entropy)


def separation_ratio_from_counts(counts: ArrayLike) -> Floats:
    """Return the mean of p(c | y, group 1) / p(c | y, group 0), of (..., group, label, c).

    It is infinite where group 0 lacks a prediction, NaN where a label occurs in one group only.
    """
    n = np.asarray(counts, dtype=float)
    items = n.sum(axis=-3)  # (..., y, c)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = n / n.sum(axis=-1, keepdims=True)
        ratio = shares[..., 1, :, :] / shares[..., 0, :, :]
        one_sided = (n.sum(axis=-1) == 0).any(axis=-2) & (items.sum(axis=-1) > 0)
        summed = np.where(items > 0, items * ratio, 0).sum(axis=(-2, -1))
    mean = summed / items.sum(axis=(-2, -1))
    return np.asarray(np.where(one_sided.any(axis=-1), np.nan, mean))


def shuffled_counts(
    counts: NDArray[np.int64], size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw hypergeometric counts, (size, 2, 2, 2), by shuffling groups within each label."""
    drawn = np.empty((size, 2, 2, 2), dtype=np.int64)
    for label in (0, 1):
        group_sizes, prediction_sizes = counts[:, label].sum(axis=1), counts[:, label].sum(axis=0)
        both = rng.hypergeometric(prediction_sizes[1], prediction_sizes[0], group_sizes[1], size)
        drawn[:, 1, label, 1] = both
        drawn[:, 1, label, 0] = group_sizes[1] - both
        drawn[:, 0, label, 1] = prediction_sizes[1] - both
        drawn[:, 0, label, 0] = group_sizes[0] - prediction_sizes[1] + both
    return drawn


def shuffling_pvalue(observed: float, shuffled: Floats) -> float:
    """Return (k + 1) / (B + 1), k of B shuffled being at least as large (Phipson, Smyth 2010)."""
    if not np.isfinite(observed):
        return float("nan")
    # equal values of a discrete statistic may differ by rounding
    beyond = int((~(shuffled < observed * (1 - 1e-9) - 1e-12)).sum())
    return (beyond + 1) / (len(shuffled) + 1)
