"""All groups of several attributes and their intersections, from counts, and shrunken estimates.

Empirical Bayes estimates are of many differences, whose mean is 0.

References: B. Efron and C. Morris (1975), Data analysis using Stein's estimator and its
generalizations; R. C. Paule and J. Mandel (1982), Consensus values and weighting factors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fairpairs.base.arrays import Floats, Integers, first_rows, without_gaps
from fairpairs.mathematics.crossing import crossing


def between_variance(estimates: Floats, variances: Floats) -> float:
    """Return the variance tau² of true differences around 0, by Paule and Mandel's moments.

    It solves Σ estimate² / (variance + tau²) = m, and is 0 where estimates vary as by chance.
    """
    squares, m = np.square(estimates), len(estimates)
    if not m or (squares / variances).sum() <= m:
        return 0.0

    def missing(tau_squared: Floats) -> Floats:
        return np.asarray(m - (squares / (variances + tau_squared)).sum())

    # at the largest square each share is below 1
    return float(crossing(missing, np.zeros(()), squares.max()))


def shrunken(estimates: Floats, variances: Floats) -> tuple[Floats, float]:
    """Return estimates that are shrunken towards 0, each by how uncertain it is, and tau.

    The mean of true given the estimate is estimate · tau² / (tau² + variance).
    """
    known = np.isfinite(estimates) & (variances > 0)
    tau_squared = between_variance(estimates[known], variances[known])
    result = np.where(np.isfinite(estimates), 0.0, np.nan)
    result[known] = estimates[known] * tau_squared / (tau_squared + variances[known])
    return result, float(np.sqrt(tau_squared))


#: Seed of the numbers by which groups of the same items are known.
SEED = 0


@dataclass(frozen=True)
class Subgroups:
    """Groups of items, which may overlap."""

    #: Positions of the attributes of each group.
    attributes: tuple[tuple[int, ...], ...]
    #: Code of the group in each of these attributes.
    codes: tuple[tuple[int, ...], ...]
    #: Code of the other group in each of these attributes, where there are two; else None.
    others: tuple[tuple[int, ...] | None, ...]
    #: Items of each group by kind, shape (G, kinds).
    counts: Integers
    #: Group and stratum of each combination, shape (R,), and its items by kind, shape (R, kinds).
    by_stratum: tuple[Integers, Integers, Integers] | None
    #: Groups with too few items, which are left out.
    n_small: int
    #: Groups of the same items as one of fewer attributes, which are left out.
    n_same: int
    #: Larger groups of two, which the smaller one is compared with.
    n_others: int

    def __len__(self) -> int:
        return len(self.attributes)


def subgroups(
    codes: Sequence[Integers],
    kind: Integers,
    count: Integers,
    *,
    strata: Integers | None = None,
    kinds: int,
    depth: int,
    smallest: int = 1,
    most: int | None = None,
) -> Subgroups | None:
    """Return all groups of each attribute, and all intersections of up to `depth` attributes.

    Rows have a code in each attribute, a kind, such as label and prediction, perhaps a stratum, and
    stand for `count` items. Groups of fewer than `smallest`, or of all items, are left out; of two
    groups of the same attributes, with fewer than `smallest` others, the smaller one is returned
    (the first of equal ones). With more than `most` groups None is returned.
    """
    cell, first = _joined([kind, *codes])
    in_strata = None
    if strata is not None:  # of each cell, by stratum and kind
        shape = len(first), (int(strata.max()) + 1) * kinds
        in_strata = csr_array((count, (cell, strata * kinds + kind)), shape)
    codes, kind = [code[first] for code in codes], kind[first]
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, cell, count)
    rng = np.random.default_rng(SEED)
    marks = rng.integers(1, 2**63, len(kind), dtype=np.uint64)
    seen = {int(marks.sum(dtype=np.uint64))}  # all items
    groups: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...] | None]] = []
    tables: list[Integers] = []
    members: list[tuple[Integers, Integers]] = []
    n_small = n_same = n_others = 0
    sizes = range(1, depth + 1)
    for several in (some for size in sizes for some in combinations(range(len(codes)), size)):
        code, first = _joined([codes[attribute] for attribute in several])
        table = np.zeros((len(first), kinds), dtype=np.int64)
        np.add.at(table, (code, kind), total)
        large = table.sum(axis=1) >= smallest
        n_small += int((~large).sum())
        mark = np.zeros(len(first), dtype=np.uint64)
        np.add.at(mark, code, marks)
        place = np.full(len(first), -1)
        new = [group for group in np.flatnonzero(large).tolist() if int(mark[group]) not in seen]
        n_same += int(large.sum()) - len(new)
        seen.update(mark[new].tolist())
        two = len(first) == 2
        # with hardly anyone else, the lines of two groups would be mirrors of each other
        if len(new) == large.sum() == 2 and table[~large].sum() < smallest:
            n_others += 1
            new = [new[int(table[new].sum(axis=1).argmin())]]
        for group in new:
            place[group] = len(groups)
            own, other = (
                tuple(int(codes[a][row]) for a in several)
                for row in (first[group], first[1 - group if two else group])
            )
            groups.append((several, own, other if two else None))
            tables.append(table[group])
        if most is not None and len(groups) > most:
            return None
        if strata is not None:
            inside = np.flatnonzero(place[code] >= 0)
            members.append((place[code][inside], inside))
    counts = np.array(tables, dtype=np.int64).reshape(len(tables), kinds)
    by_stratum = None
    if in_strata is not None and groups:
        rows, columns = (np.concatenate(parts) for parts in zip(*members, strict=True))
        ones = np.ones(len(rows), dtype=np.int64)
        belongs = csr_array((ones, (rows, columns)), (len(groups), len(kind)))
        by_stratum = _rows_of((belongs @ in_strata).sorted_indices().tocoo(), kinds)
    attributes, own_codes, others = zip(*groups, strict=True) if groups else ((), (), ())
    return Subgroups(attributes, own_codes, others, counts, by_stratum, n_small, n_same, n_others)


def _rows_of(sums: Any, kinds: int) -> tuple[Integers, Integers, Integers]:
    """Return group, stratum and items by kind of each combination, from a sparse matrix."""
    group, stratum = sums.row.astype(np.int64), sums.col.astype(np.int64) // kinds
    new = np.append(True, (np.diff(group) != 0) | (np.diff(stratum) != 0))
    table = np.zeros((int(new.sum()), kinds), dtype=np.int64)
    table[np.cumsum(new) - 1, sums.col % kinds] = sums.data
    return group[new], stratum[new], table


def _joined(codes: Sequence[Integers]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the joint code of several, from 0 on, and a row of each joint code."""
    joint, first = np.zeros(len(codes[0]), dtype=np.int64), np.zeros(1, dtype=np.int64)
    for code in codes:
        joint, count = without_gaps(joint * (int(code.max()) + 1) + code)
        first = first_rows(joint, count)
    return joint, first
