"""Strata of the label, and weights that give all groups one distribution of labels."""

import numpy as np

from fairpairs.base.arrays import Floats, Integers

#: Items per stratum of continuous labels: few enough that labels hardly differ within a stratum.
ITEMS_PER_STRATUM = 10

#: Labels count as discrete when a level has at least this many items on average.
ITEMS_PER_LEVEL = 3


def dense_ranks(values: Floats) -> tuple[Integers, Integers]:
    """Return the dense rank of each value in its row (r, n), and the number of lower values."""
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    new = np.ones(values.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    lower = np.maximum.accumulate(np.where(new, np.arange(values.shape[1]), 0), axis=1)
    rank, below = np.empty_like(order), np.empty_like(order)
    np.put_along_axis(rank, order, np.cumsum(new, axis=1) - 1, axis=1)
    np.put_along_axis(below, order, lower, axis=1)
    return rank, below


def label_strata(y_true: Floats, least: int = ITEMS_PER_STRATUM) -> Integers:
    """Return the stratum of each item: the level of its label, or a quantile bin.

    Labels, shape (n,), or (r, n) for r data sets, are levels when on average three items share one.
    A bin has at least `least` items and fewer than twice as many; equal labels are in one stratum.
    """
    if y_true.ndim == 1:
        return np.asarray(label_strata(y_true[None], least)[0])
    n = y_true.shape[1]
    level, below = dense_ranks(y_true)
    n_levels = level.max(axis=1) + 1
    discrete = (n_levels * ITEMS_PER_LEVEL <= n) | (n_levels == 2)
    bins = below * max(1, n // least) // n  # in the order of the labels
    return np.where(discrete[:, None], level, bins)


def balancing_weights(
    group: Integers, strata: Integers, n_groups: int, sampled: Floats | None = None
) -> Floats:
    """Return overlap weights, by which the labels of all groups are distributed alike.

    ω = h(y) / P(A | y) with h(y) = (Σ_a 1 / P(a | y))⁻¹ (Li, Morgan and Zaslavsky 2018; for several
    groups F. Li and F. Li 2019), by the weights `sampled`; a stratum without a group weighs 0.
    """
    if group.ndim == 1:
        one = None if sampled is None else sampled[None]
        return np.asarray(balancing_weights(group[None], strata[None], n_groups, one)[0])
    n_strata = int(strata.max()) + 1
    row = np.arange(len(group))[:, None] * n_strata + strata
    size = len(group) * n_strata
    cell = (row * n_groups + group).ravel()
    item_weights = None if sampled is None else sampled.ravel()
    counts = np.bincount(cell, item_weights, minlength=size * n_groups).reshape(size, n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = counts.sum(axis=1, keepdims=True) / counts
        overlap = 1 / inverse.sum(axis=1, keepdims=True)
    weights = np.where(np.isfinite(inverse), inverse, 0) * np.nan_to_num(overlap)
    return np.asarray(weights[row, group])
