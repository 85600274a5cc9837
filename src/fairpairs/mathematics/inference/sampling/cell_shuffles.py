"""A permutation test of separation of decisions, for items in clusters.

The groups of whole clusters are shuffled (`units.py`). The statistic is the sum of squares of the
gaps of TPR and FPR, each divided by its standard error. So the test holds for large groups even
if clusters of a stratum differ in their labels and their sizes depend on the group (Janssen 1997).

References: A. Janssen (1997), Studentized permutation tests for non-i.i.d. hypotheses and the
generalized Behrens-Fisher problem.
"""

from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.cell_measures import shuffling_pvalue
from fairpairs.mathematics.inference.sampling.units import Units, shuffled_units

#: Numbers that are drawn at once, and in all; and the fewest shuffles.
CHUNK, MOST, FEWEST = 1 << 22, 1 << 26, 199
#: A variance below it is rounding.
ROUNDING = 1e-20
#: Replaces the squared gap in standard errors where there is no variance.
LARGEST = 1e12


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
