"""What judgments share, and the covariance of rates that follows from it.

References: M. Fafchamps and F. Gubert (2007), The formation of risk sharing networks, equation
(2.6): pairs that share a member. A. C. Cameron, J. B. Gelbach and D. L. Miller (2011), Robust
inference with multiway clustering: several kinds of clusters, by inclusion and exclusion. J. G.
MacKinnon, M. Ø. Nielsen and M. D. Webb (2024), Jackknife inference with two-way clustering: no
variance below that of one kind alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats, Integers

#: Cells times units up to which sums are kept in an array, not in a sparse one.
DENSE = 1 << 16


@dataclass(frozen=True)
class Relations:
    """What m judgments share: items, and perhaps a judge and a cluster."""

    #: The two items of each judgment, or the clusters that these belong to.
    one: Integers
    two: Integers
    #: Judge or cluster of each judgment, from 0, of each kind.
    shared: tuple[Integers, ...] = ()

    def covariance(self, influence: Floats, cell: Integers, n_cells: int) -> Floats:
        """Return the covariance of sums of influences over the judgments of the cells, (c, c).

        Products of influences, with mean 0, are summed over all pairs of judgments that share an
        item, a judge or a cluster, each once. With few units the diagonal can be negative.
        """
        total = np.zeros((n_cells, n_cells))
        sizes = range(len(self.shared) + 1)
        for kinds in (kinds for size in sizes for kinds in combinations(self.shared, size)):
            sign = (-1) ** len(kinds)
            code = _joint(*kinds) if kinds else None
            for ends, judgment, end_sign in self._ends:
                within = ends if code is None else _joint(code[judgment], ends)
                total += (
                    sign * end_sign * _within(within, influence[judgment], cell[judgment], n_cells)
                )
            if code is not None:
                total -= sign * _within(code, influence, cell, n_cells)
        return total

    def variance(self, influence: Floats) -> float:
        """Return the variance of a sum over judgments, at least that by one kind (not nested)."""
        coarsest, one_cell = self.coarsest, np.zeros(len(self.one), dtype=np.int64)
        sums = influence, one_cell, 1
        ways = [coarsest.covariance(*sums), *(_within(code, *sums) for code in coarsest.shared)]
        if self.shared and not coarsest.items_within:
            ways.append(Relations(self.one, self.two).covariance(*sums))
        return max(0.0, *(float(way[0, 0]) for way in ways))

    @cached_property
    def _ends(self) -> tuple[tuple[Integers, Integers, int], ...]:
        """Items of the judgments, added, and their pairs, which this counts twice, subtracted."""
        every, apart = np.arange(len(self.one)), np.flatnonzero(self.one != self.two)
        item = _joint(np.concatenate([self.one, self.two[apart]]))
        low, high = np.minimum(self.one, self.two)[apart], np.maximum(self.one, self.two)[apart]
        return (item, np.concatenate([every, apart]), 1), (_joint(low, high), apart, -1)

    def take(self, rows: Integers) -> Relations:
        """Return the relations of some of the judgments."""
        shared = tuple(code[rows] for code in self.shared)
        return Relations(self.one[rows], self.two[rows], shared)

    @property
    def ends(self) -> tuple[Integers, Integers]:
        """The items of the judgments, from 0, and the judgment of each."""
        return self._ends[0][:2]

    @cached_property
    def coarsest(self) -> Relations:
        """The same relations, without a kind whose units all lie within units of another one."""
        kept: list[Integers] = []
        for code in sorted(self.shared, key=count_codes):
            if not any(_nested(code, other) for other in kept):
                kept.append(code)
        return replace(self, shared=tuple(kept))

    @property
    def items_within(self) -> bool:
        """Whether all judgments of an item have the same judge, or the same cluster."""
        item, judgment, _ = self._ends[0]
        return any(_nested(item, code[judgment]) for code in self.shared)


def count_codes(code: Integers) -> int:
    """Return how many codes there are, if the largest one occurs."""
    return int(code.max(initial=-1)) + 1


def _joint(*codes: Integers) -> Integers:
    """Return a number for each combination of codes, from 0."""
    result: Any = codes[0]
    for code in codes[1:]:
        result = result * (code.max(initial=0) + 1) + code
    return np.asarray(pd.factorize(result)[0])


def _nested(code: Integers, other: Integers) -> bool:
    """Say whether all of a code have one other code."""
    return count_codes(_joint(code, other)) == len(pd.unique(code))


def _within(code: Integers, influence: Floats, cell: Integers, n_cells: int) -> Floats:
    """Sum the products of the sums of each code, shape (c, c)."""
    n = count_codes(code)
    if n * n_cells <= max(DENSE, 4 * len(code)):
        sums = np.bincount(code * n_cells + cell, influence, n * n_cells).reshape(n, n_cells)
        return np.asarray(sums.T @ sums)
    from scipy.sparse import csr_array  # noqa: PLC0415  (slow)

    matrix = csr_array((influence, (code, cell)), shape=(n, n_cells))
    return np.asarray((matrix.T @ matrix).toarray())
