"""The units that a permutation test shuffles where items are in clusters: whole clusters.

A cluster, such as a person with several rows, that belongs to one group keeps its items together:
the groups are shuffled among clusters with the same labels, as many items of each. Under separation
the predictions of such clusters are exchangeable, however much those of one cluster depend on each
other, so the test is exact. In a cluster with items of several groups, groups are shuffled among
its items of one label.

Separation of decisions is tested by such shuffles of counts. The statistic is the sum of squares of
the gaps of TPR and FPR, each divided by its standard error, so the test holds for large groups even
if clusters of a stratum differ in their labels and their sizes depend on the group.

References: A. Janssen (1997), Studentized permutation tests for non-i.i.d. hypotheses and the
generalized Behrens-Fisher problem.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.estimates.cell_measures import shuffling_pvalue

#: With more strata of items, no two clusters have the same labels.
MAX_LEVELS = 20
#: Least share of clusters with one of another group that has the same labels, or that has a
#: similar size and mean label; below both, clusters of any size are exchanged.
LEAST_SAME, LEAST_ALIKE = 0.9, 0.5
#: The note where clusters with other labels are exchanged.
COARSE = "whole clusters of like labels are shuffled: approximate"
#: The note where they also differ in size: 0.14 is for 1 to 5 items against 4 to 13.
UNLIKE_SIZES = "the clusters of the groups differ in size: the test rejects too often (up to 0.14)"
#: Numbers that are drawn at once, and in all; and the fewest shuffles.
CHUNK, MOST, FEWEST = 1 << 22, 1 << 26, 199
#: A variance below it is rounding.
ROUNDING = 1e-20
#: Replaces the squared gap in standard errors where there is no variance.
LARGEST = 1e12


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


@dataclass(frozen=True)
class ShuffledCells:
    """The p-value of the shuffles, their number, and how coarse they are."""

    #: NaN where no label has items of both groups, or no stratum clusters of both.
    pvalue: float
    shuffles: int
    #: Whether clusters that exchange their groups may differ in their labels.
    coarse: bool


def shuffled_cells(
    labels: Integers,
    predictions: Integers,
    member: Integers,
    cluster: Integers,
    size: int,
    rng: np.random.Generator,
) -> ShuffledCells:
    """Test separation of two groups by `size` shuffles of clusters, fewer for very many; (n,)."""
    units = shuffled_units(member, labels, cluster, labels.astype(float))
    kinds = _kinds(units, labels, predictions, member)
    shuffles = int(np.clip(MOST // len(kinds.number), FEWEST, size))
    whole = kinds.number @ kinds.sums
    observed = _squares((kinds.members @ kinds.sums)[None], whole)[0]
    compared = np.isfinite(observed)
    at_once = max(1, CHUNK // len(kinds.number))
    shuffled = np.empty(shuffles)
    for done in range(0, shuffles, at_once):
        rows = slice(done, min(done + at_once, shuffles))
        squares = _squares(_drawn(kinds, rows.stop - done, rng), whole)[:, compared]
        shuffled[rows] = squares.sum(axis=1)
    members, number = (np.bincount(kinds.stratum, x) for x in (kinds.members, kinds.number))
    some = compared.any() and ((members > 0) & (members < number)).any()
    pvalue = shuffling_pvalue(float(observed[compared].sum()), shuffled) if some else np.nan
    return ShuffledCells(pvalue, shuffles, units.doubt != "")


@dataclass(frozen=True)
class _Kinds:
    """Kinds of units, those with the same labels and predictions, in the order of their strata."""

    stratum: Integers
    #: Units of each kind, and those of the group with member 1, shape (q,).
    number: Integers
    members: Integers
    #: For each label the items n of a unit, those k that are predicted positive, n², n k and k²,
    #: one after another, shape (q, 10).
    sums: Floats


def _kinds(units: Units, labels: Integers, predictions: Integers, member: Integers) -> _Kinds:
    cell = 4 * units.code + 2 * labels + predictions
    counts = np.bincount(cell, minlength=4 * len(units.first)).reshape(-1, 2, 2)
    code = units.stratum
    for column in counts.reshape(-1, 4).T:
        code = np.unique(code * (column.max() + 1) + column, return_inverse=True)[1]
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    number = np.bincount(kind)
    members = np.bincount(kind, member[units.first]).astype(np.int64)
    n, k = counts[first].sum(axis=-1).astype(float), counts[first, :, 1].astype(float)
    sums = np.stack([n, k, n**2, n * k, k**2], axis=-1).reshape(len(first), -1)
    # strata in the order of their units, so that shuffles do not depend on the order of the rows
    content = np.column_stack([number, members, sums])
    strata = np.split(np.arange(len(first)), np.flatnonzero(np.diff(units.stratum[first])) + 1)
    strata.sort(key=lambda rows: content[rows].tobytes())
    order = np.concatenate(strata)
    stratum = np.repeat(np.arange(len(strata)), [len(rows) for rows in strata])
    return _Kinds(stratum, number[order], members[order], sums[order])


def _drawn(kinds: _Kinds, size: int, rng: np.random.Generator) -> Floats:
    """Draw the sums over units of the group, in shuffles within strata, shape (size, 10)."""
    starts = np.flatnonzero(np.diff(kinds.stratum, prepend=-1))
    lengths = np.diff(starts, append=len(kinds.number))
    sums = np.zeros((size, kinds.sums.shape[1]))
    # neighbours of at most two kinds are drawn at once: with items of clusters there are many
    for strata in np.split(np.arange(len(starts)), np.flatnonzero(np.diff(lengths <= 2)) + 1):
        if lengths[strata[0]] <= 2:
            sums += _drawn_of_two(kinds, starts[strata], lengths[strata], size, rng)
            continue
        for start, length in zip(starts[strata], lengths[strata], strict=True):
            rows = slice(start, start + length)
            members = kinds.members[rows].sum()
            drawn = rng.multivariate_hypergeometric(kinds.number[rows], members, size)
            sums += drawn @ kinds.sums[rows]
    return sums


def _drawn_of_two(
    kinds: _Kinds, starts: Integers, lengths: Integers, size: int, rng: np.random.Generator
) -> Floats:
    """Draw the sums of strata of one or two kinds as `_drawn`, by the same random numbers."""
    ends, several = starts + lengths - 1, lengths > 1
    number, members = (
        np.array([counts[starts], counts[ends] * several])
        for counts in (kinds.number, kinds.members)
    )
    total, members = number.sum(axis=0), members.sum(axis=0)
    # of the smaller group, as numpy draws several kinds; nothing is drawn of one kind
    turned = members > total // 2
    sample = np.where(turned, total - members, members) * several
    drawn = rng.hypergeometric(
        number[0][:, None], number[1][:, None], sample[:, None], (len(starts), size)
    )
    apart = kinds.sums[starts] - kinds.sums[ends]
    least = members @ kinds.sums[ends] + number[0][turned] @ apart[turned]
    return np.asarray(drawn.T @ np.where(turned[:, None], -apart, apart) + least)


def _squares(sums: Floats, whole: Floats) -> Floats:
    """Return the squared gap of each label over its variance, shape (b, 2)."""
    rates, variances = [], []
    with np.errstate(invalid="ignore", divide="ignore"):
        for of_group in (sums, whole - sums):
            n, k, nn, nk, kk = np.moveaxis(of_group.reshape(-1, 2, 5), -1, 0)
            rate = k / n
            rates.append(rate)
            variances.append((kk - 2 * rate * nk + rate**2 * nn) / n**2)
        square, variance = (rates[0] - rates[1]) ** 2, variances[0] + variances[1]
        ratio = square / variance
    none = np.where(square <= ROUNDING, 0.0, LARGEST)
    ratio = np.where(variance > ROUNDING, np.minimum(ratio, LARGEST), none)
    return np.where(np.isnan(square), np.nan, ratio)
