"""Pairs of the same two items, which are summed before they are squared."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.base.arrays import Floats, Integers


@dataclass(frozen=True)
class Dyads:
    """Two items that are in two pairs or more.

    Arrays over dyads have two columns: the pairs that the first item wins, and the others.
    """

    #: Positions of the pairs that recur.
    pairs: Integers
    #: Twice the number of the dyad of each such pair, and 1 more where the second item wins.
    side: Integers
    #: First and second item of each dyad, shape (d, 2), data sets one after the other.
    items: Integers
    #: Group of each item, shape (r, n).
    group: Integers
    n_groups: int

    @cached_property
    def row(self) -> Integers:
        """Data set of each dyad, shape (d, 1)."""
        return np.asarray(self.items[:, :1] // self.group.shape[1])

    @cached_property
    def cell(self) -> Integers:
        """Cell of the pairs that the first item wins, and of the others, shape (d, 2)."""
        winner = self.group.ravel()[self.items]
        return np.asarray(winner * self.n_groups + winner[:, ::-1])

    def sums(self, level: Integers, n_levels: int, values: Floats | None) -> Floats:
        """Sum values of pairs, or count pairs, by their level, shape (levels, d, 2)."""
        size = 2 * len(self.items)
        index = level[self.pairs] * size + self.side
        taken = None if values is None else values[self.pairs]
        return _sums(index, taken, n_levels * size).reshape(n_levels, -1, 2)

    def by_cell(self, values: Floats) -> Floats:
        """Sum values of dyads, shape (d, 2), by data set and cell, shape (r, K²)."""
        shape = len(self.group), self.n_groups**2
        index = (self.row * shape[1] + self.cell).ravel()
        return _sums(index, values.ravel(), shape[0] * shape[1]).reshape(shape)

    def by_item(self, values: Floats) -> tuple[Floats, Floats]:
        """Sum values of dyads, shape (d, 2), by the item that wins, and by the one that loses."""
        won, lost = (
            _sums(items.ravel(), values.ravel(), self.group.size)
            for items in (self.items, self.items[:, ::-1])
        )
        return won.reshape(self.group.shape), lost.reshape(self.group.shape)

    def turned(self, sums: Floats) -> Floats:
        """Sum the products of what both items win from each other, by cell, shape (r, K², K²)."""
        r, k2 = len(self.group), self.n_groups**2
        index = (self.row[:, 0] * k2 + self.cell[:, 0]) * k2 + self.cell[:, 1]
        products = _sums(index, sums.prod(axis=1), r * k2 * k2).reshape(r, k2, k2)
        return np.asarray(products + np.swapaxes(products, 1, 2))


def find_dyads(winner: Integers, loser: Integers, group: Integers, n_groups: int) -> Dyads:
    """Find the dyads among pairs of different items, data sets one after the other."""
    n = group.shape[1]
    key = np.minimum(winner, loser) * n + np.maximum(winner, loser) % n
    order = np.argsort(key)
    ordered = key[order]
    as_before = np.zeros(len(key) + 1, dtype=bool)
    np.equal(ordered[1:], ordered[:-1], out=as_before[1:-1])
    recurs = np.flatnonzero(as_before[1:] | as_before[:-1])
    new = ~as_before[recurs]
    pairs, first = order[recurs], ordered[recurs[new]]
    items = np.stack([first // n, first // (n * n) * n + first % n], axis=1)
    side = 2 * (np.cumsum(new) - 1) + (winner[pairs] > loser[pairs])
    return Dyads(pairs, side, items, group, n_groups)


def _sums(index: Integers, values: Floats | None, size: int) -> Floats:
    return np.bincount(index, values, minlength=size).astype(float)  # of nothing, it is of integers
