"""Strata of the label, and weights that give all groups one distribution of labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairpairs.fairness.proportions import Floats

Integers = NDArray[np.int64]

#: Items in a stratum of continuous labels: narrow enough that labels hardly differ within one.
ITEMS_PER_STRATUM = 10

#: Labels are taken for discrete when a level has so many items on average.
ITEMS_PER_LEVEL = 3


def label_strata(y_true: Floats) -> Integers:
    """Return the stratum of each item: the level of its label, or a quantile bin of ten items.

    Labels are levels when on average three items share one; equal labels are always in one
    stratum.

    Parameters
    ----------
    y_true
        Labels, shape (n,).
    """
    levels, inverse, counts = np.unique(y_true, return_inverse=True, return_counts=True)
    if len(levels) * ITEMS_PER_LEVEL <= len(y_true) or len(levels) == 2:
        return inverse
    n_bins = max(1, len(y_true) // ITEMS_PER_STRATUM)
    before = np.cumsum(counts) - counts
    bins = before * n_bins // len(y_true)
    # bins that equal labels fill are empty: number the others
    return np.asarray(np.cumsum(np.diff(bins, prepend=bins[0]) > 0)[inverse], dtype=np.int64)


def balancing_weights(group: Integers, strata: Integers, n_groups: int) -> Floats:
    """Weigh items so that the labels of all groups are distributed alike.

    ω = h(y) / P(A | y) with h(y) = (Σ_a 1 / P(a | y))⁻¹: overlap weights, for two groups the share
    of the other group. P(A | y) is the share in the stratum; one that lacks a group weighs nothing.

    Parameters
    ----------
    group
        Group of each item, 0 to n_groups − 1, shape (n,).
    strata
        Stratum of each item, from 0, shape (n,).
    n_groups
        Number of groups.

    References
    ----------
    F. Li, K. L. Morgan and A. M. Zaslavsky (2018), Balancing covariates via propensity score
    weighting; for several groups F. Li and F. Li (2019).
    """
    n_strata = int(strata.max()) + 1
    counts = np.bincount(strata * n_groups + group, minlength=n_strata * n_groups)
    share = counts.reshape(n_strata, n_groups) / np.bincount(strata, minlength=n_strata)[:, None]
    with np.errstate(divide="ignore"):
        inverse = 1 / share
    overlap = 1 / inverse.sum(axis=1, keepdims=True)
    weights = np.where(np.isfinite(inverse), inverse, 0) * overlap
    return np.asarray(weights[strata, group])
