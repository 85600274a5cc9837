"""Pairs of the same two items, whose sums are squared together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.arrays import Floats, Integers


@dataclass(frozen=True)
class Dyads:
    """Which pairs are of the same two items.

    Attributes
    ----------
    row, cell
        Data set and cell of each pair.
    recurs
        Whether another pair has the same two items.
    dyad, dyad_row
        The dyad of each pair that recurs, and the data set of each such dyad.
    forward
        Whether the winner of each pair that recurs comes before its loser.
    shape
        Number of data sets, and of cells.
    """

    row: Integers
    cell: Integers
    recurs: NDArray[np.bool_]
    dyad: Integers
    dyad_row: Integers
    forward: NDArray[np.bool_]
    shape: tuple[int, int]

    def _units(self, *, oriented: bool) -> tuple[Integers, Integers]:
        if not oriented:
            return self.dyad, self.dyad_row
        return 2 * self.dyad + self.forward, np.repeat(self.dyad_row, 2)

    def squares(self, values: Floats, *, oriented: bool = False) -> Floats:
        """Sum the outer products of the sums over dyads, by cell, shape (r, K², K²).

        Oriented: pairs of the same two items count together only where the same one wins.
        """
        r, k2 = self.shape
        dyad, dyad_row = self._units(oriented=oriented)
        alone, again = ~self.recurs, self.recurs
        total = np.zeros((r, k2, k2))
        single = by_cell(self.row[alone], self.cell[alone], values[alone] ** 2, r, k2)
        total[:, np.arange(k2), np.arange(k2)] = single
        sums = by_cell(dyad, self.cell[again], values[again], len(dyad_row), k2)
        for x in range(k2):
            for y in range(k2):
                total[:, x, y] += sum_by(dyad_row, sums[:, x] * sums[:, y], r)
        return total

    def square_sums(
        self, values: Floats, item: Integers, n: int, *, oriented: bool = False
    ) -> Floats:
        """Sum the squares of the sums over the dyads of each item, whatever the cell, shape (n,).

        Of each pair, `item` is the one that counts; it must be the same one in all of a dyad.
        """
        dyad, dyad_row = self._units(oriented=oriented)
        alone = sum_by(item[~self.recurs], values[~self.recurs] ** 2, n)
        sums = sum_by(dyad, values[self.recurs], len(dyad_row))
        counts = np.zeros(len(dyad_row), dtype=np.int64)
        counts[dyad] = item[self.recurs]
        return alone + sum_by(counts, sums**2, n)


def find_dyads(
    winner: Integers, loser: Integers, n: int, row: Integers, cell: Integers, shape: tuple[int, int]
) -> Dyads:
    """Find which pairs have the same two items, of n in each data set."""
    key = np.minimum(winner, loser) * n + np.maximum(winner, loser) % n
    ordered = np.sort(key)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    place = np.minimum(np.searchsorted(twice, key), max(len(twice) - 1, 0))
    recurs = twice[place] == key if len(twice) else np.zeros(len(key), dtype=bool)
    dyad_row = np.zeros(len(twice), dtype=np.int64)
    dyad_row[place[recurs]] = row[recurs]
    return Dyads(row, cell, recurs, place[recurs], dyad_row, (winner < loser)[recurs], shape)


def by_cell(
    unit: Integers, cell: Integers, values: Floats | None, n_units: int, n_cells: int
) -> Floats:
    """Sum values, or count, by unit and cell, shape (n_units, n_cells)."""
    counted = np.bincount(unit * n_cells + cell, values, minlength=n_units * n_cells)
    return counted.reshape(n_units, n_cells).astype(float)


def sum_by(unit: Integers, values: Floats, n_units: int) -> Floats:
    """Sum values by unit, shape (n_units,)."""
    return np.bincount(unit, values, minlength=n_units).astype(float)
