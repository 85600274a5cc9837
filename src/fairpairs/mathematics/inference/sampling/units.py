"""The units that a permutation test shuffles where items are in clusters: whole clusters.

A cluster, such as a person with several rows, that belongs to one group keeps its items together:
the groups are shuffled among clusters with the same labels, as many items of each. Under separation
the predictions of such clusters are exchangeable, however much those of one cluster depend on each
other, so the test is exact. In a cluster with items of several groups, groups are shuffled among
its items of one label.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.balance import label_strata

#: With more strata of items, no two clusters have the same labels.
MAX_LEVELS = 20
#: Least share of clusters with one of another group that has the same labels, or that has a
#: similar size and mean label; below both, clusters of any size are exchanged.
LEAST_SAME, LEAST_ALIKE = 0.9, 0.5
#: The note where clusters with other labels are exchanged.
COARSE = "whole clusters of like labels are shuffled: approximate"
#: The note where they also differ in size: 0.14 is for 1 to 5 items against 4 to 13.
UNLIKE_SIZES = "the clusters of the groups differ in size: the test rejects too often (up to 0.14)"


@dataclass(frozen=True)
class Units:
    """The units whose groups are shuffled: clusters, and items of clusters with several groups."""

    #: Unit of each item, 0 to U − 1, shape (n,).
    code: Integers
    #: An item of each unit, shape (U,), as all below.
    first: Integers
    #: Units are shuffled within strata.
    stratum: Integers
    #: Mean label of the items of each unit.
    label: Floats
    #: Why the test is approximate, where clusters of a stratum may differ in labels, or size; "".
    doubt: str = ""


def shuffled_units(group: Integers, strata: Integers, cluster: Integers, labels: Floats) -> Units:
    """Return what is shuffled: clusters with the same items by stratum, or like mean labels."""
    n, cluster = len(group), np.unique(cluster, return_inverse=True)[1]
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    ordered = group[order]
    one_group = np.minimum.reduceat(ordered, starts) == np.maximum.reduceat(ordered, starts)
    whole = one_group[cluster]
    key = np.where(whole, cluster, len(one_group) + np.arange(n))
    _, first, code = np.unique(key, return_index=True, return_inverse=True)
    unit_is_whole, size = whole[first], np.bincount(code)
    label = np.bincount(code, labels) / size
    composition = _compositions(code, strata)
    doubt = ""
    if _movable(group[first], composition, unit_is_whole) < LEAST_SAME:
        doubt = COARSE
        composition = _alike(np.frexp(size)[1], label, unit_is_whole)
        if _movable(group[first], composition, unit_is_whole) < LEAST_ALIKE:
            composition = _alike(np.zeros_like(size), label, unit_is_whole)
            doubt = UNLIKE_SIZES
    # items of a cluster with several groups are shuffled within it
    within = 1 + cluster[first] * (strata.max() + 1) + strata[first]
    pairs = np.where(unit_is_whole, 0, within) * (composition.max() + 1)
    stratum = np.unique(pairs + np.where(unit_is_whole, composition, 0), return_inverse=True)[1]
    return Units(code, first, stratum, label, doubt)


def _compositions(unit: Integers, strata: Integers) -> Integers:
    """Return a number for each unit, the same for units with as many items of each stratum."""
    n_units, n_levels = int(unit.max()) + 1, int(strata.max()) + 1
    if n_levels > MAX_LEVELS:
        return np.arange(n_units)
    code = np.zeros(n_units, dtype=np.int64)
    for level in range(n_levels):
        count = np.bincount(unit[strata == level], minlength=n_units)
        code = np.unique(code * (count.max() + 1) + count, return_inverse=True)[1]
    return code


def _movable(group: Integers, stratum: Integers, kept: NDArray[np.bool_]) -> float:
    """Return the share of the units kept in whose stratum there is one of another group."""
    if not kept.any():
        return 1.0
    group, stratum = group[kept], stratum[kept]
    sizes = np.bincount(stratum)
    low, high = np.full(len(sizes), group.max()), np.full(len(sizes), group.min())
    np.minimum.at(low, stratum, group)
    np.maximum.at(high, stratum, group)
    return float((low < high)[stratum].mean())


def _alike(scale: Integers, label: Floats, kept: NDArray[np.bool_]) -> Integers:
    """Return strata of the units kept that have one scale and similar mean labels."""
    stratum, done = np.zeros(len(scale), dtype=np.int64), 0
    for level in np.unique(scale[kept]):
        same_scale = kept & (scale == level)
        stratum[same_scale] = done + label_strata(label[same_scale])
        done = int(stratum.max()) + 1
    return stratum
