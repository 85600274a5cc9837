"""All groups of several attributes, and all intersections of some of them, from counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Integers

#: Codes that are counted, not sorted.
MOST_COUNTED = 1_000_000
#: Seed of the numbers by which groups of the same items are known.
SEED = 0


@dataclass(frozen=True)
class Subgroups:
    """Groups of items, which may overlap."""

    #: Positions of the attributes of each group.
    attributes: tuple[tuple[int, ...], ...]
    #: Code of the group in each of these attributes.
    values: tuple[tuple[int, ...], ...]
    #: Items of each group by kind, shape (G, kinds).
    counts: Integers
    #: Group and stratum of each combination, shape (R,), and its items by kind, shape (R, kinds).
    by_stratum: tuple[Integers, Integers, Integers] | None
    #: Groups with too few items, which are left out.
    n_small: int
    #: Groups of the same items as one of fewer attributes, which are left out.
    n_same: int

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

    Rows have a code in each attribute, a kind, such as label and prediction, and perhaps a stratum,
    from 0, and stand for `count` items. Groups with fewer than `smallest` items, and those of all
    items, are left out; with more than `most` groups the search ends and returns None.

    >>> sex, age = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    >>> found = subgroups([sex, age], np.array([0, 1, 0, 1]), np.ones(4, int), kinds=2, depth=2)
    >>> found.attributes, found.values, found.n_same
    (((0,), (0,), (1,), (1,), (0, 1)), ((0,), (1,), (0,), (1,), (0, 1)), 2)
    """
    several_codes = [*codes, *([] if strata is None else [strata])]
    *several_codes, kind, count = _cells(several_codes, kind, count)
    codes, strata = several_codes[: len(codes)], None if strata is None else several_codes[-1]
    rng = np.random.default_rng(SEED)
    marks = rng.integers(1, 2**63, len(kind), dtype=np.uint64)
    seen = {int(marks.sum(dtype=np.uint64))}  # all items
    attributes: list[tuple[int, ...]] = []
    values: list[tuple[int, ...]] = []
    tables: list[Integers] = []
    rows: list[tuple[Integers, Integers, Integers]] = []
    n_small = n_same = 0
    for several, code, first in _joint(codes, depth):
        table = np.zeros((len(first), kinds), dtype=np.int64)
        np.add.at(table, (code, kind), count)
        large = table.sum(axis=1) >= smallest
        n_small += int((~large).sum())
        mark = np.zeros(len(first), dtype=np.uint64)
        np.add.at(mark, code, marks)
        place = np.full(len(first), -1)
        for group in np.flatnonzero(large).tolist():
            if int(mark[group]) in seen:
                n_same += 1
                continue
            seen.add(int(mark[group]))
            place[group] = len(attributes)
            attributes.append(several)
            values.append(tuple(int(codes[a][first[group]]) for a in several))
            tables.append(table[group])
        if most is not None and len(attributes) > most:
            return None
        if strata is not None:
            rows.append(_by_stratum(place[code], strata, kind, count, kinds))
    counts = np.array(tables, dtype=np.int64).reshape(len(tables), kinds)
    by_stratum = None
    if rows:
        index, stratum, in_strata = (np.concatenate(parts) for parts in zip(*rows, strict=True))
        by_stratum = index, stratum, in_strata
    return Subgroups(tuple(attributes), tuple(values), counts, by_stratum, n_small, n_same)


def _by_stratum(
    group: Integers, strata: Integers, kind: Integers, count: Integers, kinds: int
) -> tuple[Integers, Integers, Integers]:
    """Return group, stratum and items by kind of each combination; rows without a group are −1."""
    kept = group >= 0
    group, strata, kind, count = (x[kept] for x in (group, strata, kind, count))
    if not len(group):
        return group, strata, np.zeros((0, kinds), dtype=np.int64)
    code, first = _combined(group, strata)
    table = np.zeros((len(first), kinds), dtype=np.int64)
    np.add.at(table, (code, kind), count)
    return group[first], strata[first], table


def _cells(codes: Sequence[Integers], kind: Integers, count: Integers) -> tuple[Integers, ...]:
    """Return one row for each combination of codes and kind, and the items that have it."""
    index, first = np.asarray(kind, dtype=np.int64), np.arange(len(kind))
    for code in codes:
        index, first = _combined(index, code)
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, index, count)
    return *(code[first] for code in codes), kind[first], total


def _combined(code: Integers, other: Integers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the joint code of two, from 0 on, and a row of each joint code."""
    joint = code * (int(other.max()) + 1) + other
    if joint.max() > 4 * len(joint) + MOST_COUNTED:
        _, first, joint = np.unique(joint, return_index=True, return_inverse=True)
        return joint.reshape(-1), first
    occurring = np.bincount(joint) > 0
    joint = (np.cumsum(occurring) - 1)[joint]
    first = np.empty(int(joint.max()) + 1, dtype=np.int64)
    first[joint[::-1]] = np.arange(len(joint))[::-1]
    return joint, first


def _joint(
    codes: Sequence[Integers], depth: int
) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield attributes, the joint group of each row, and a row of each joint group."""
    for size in range(1, depth + 1):
        for several in combinations(range(len(codes)), size):
            joint = np.zeros(len(codes[0]), dtype=np.int64)
            first = np.zeros(1, dtype=np.int64)
            for attribute in several:
                joint, first = _combined(joint, codes[attribute])
            yield several, joint, first
