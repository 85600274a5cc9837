"""Sums and samples, taken in one pass over the items of an audit in the order of a number."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.roles import FieldName, Roles, ValueName
from fairpairs.audits.counting.cells import Ordered
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.estimates.pairs.binary import PlacementSums
from fairpairs.mathematics.estimates.pairs.rates import Ties


@dataclass
class Pass:
    """The sums of one pass over the items in the order of a number."""

    #: What the numbers are, the one that orders the items first.
    fields: Sequence[FieldName]
    #: Of the values in each cell.
    moments: dict[ValueName, Moments]
    #: For each attribute, by how ties count.
    placements: dict[Ties, list[PlacementSums]]
    #: The smallest and the largest of the first number.
    first: float = np.nan
    last: float = np.nan


def drawn_positions(n: int, most: int, generator: np.random.Generator) -> Integers:
    """Draw at most `most` of n positions in ascending order, each set of them equally likely."""
    if n <= most:
        return np.arange(n)
    if n <= 10 * most:
        return np.sort(generator.choice(n, most, replace=False, shuffle=False))
    # of so many, hardly any position is drawn twice
    positions = np.unique(generator.integers(0, n, most + most // 5))
    return np.sort(generator.choice(positions, most, replace=False, shuffle=False))


class Draw:
    """The items at some positions in a stream of rows, each of which stands for several items."""

    def __init__(self, positions: Integers) -> None:
        self._positions, self._passed = positions, 0
        self._cells: list[Integers] = []
        self._numbers: list[Floats] = []

    def take(self, numbers: Floats, cell: Integers, count: Integers) -> None:
        """Take the items at positions in the next rows."""
        end = self._passed + np.cumsum(count)
        first, last = np.searchsorted(self._positions, [self._passed, end[-1]])
        rows = np.searchsorted(end, self._positions[first:last], "right")
        self._cells.append(cell[rows])
        self._numbers.append(numbers[rows])
        self._passed = int(end[-1])

    def drawn(self) -> tuple[Integers, Floats]:
        """Return the cells, shape (m,), and the numbers, shape (m, q)."""
        return np.concatenate(self._cells), np.concatenate(self._numbers)


class Adding:
    """The sums of one pass over all items."""

    def __init__(
        self,
        fields: Sequence[FieldName],
        ties: Sequence[Ties],
        count: Integers,
        roles: Roles,
        attributes: Sequence[Attribute],
    ) -> None:
        self._names = moments_of(fields)
        none = Moments.none(len(count))
        self._pass = Pass(fields, dict.fromkeys(self._names, none), {way: [] for way in ties})
        self._places = []
        if ties:
            labels = roles.y_true.astype(np.int64)
            for attribute in attributes:
                cell = 2 * attribute.group + labels
                sizes = summed(count, cell, 2 * len(attribute.names)).reshape(-1, 2)
                self._places.append(cell.astype(np.int16))
                for way in ties:
                    self._pass.placements[way].append(PlacementSums(sizes, way))
        self._waiting: tuple[Floats, Integers, Integers] | None = None
        self._threads = ThreadPoolExecutor(max(1, len(self._places) * len(ties)))
        self._running: list[Future[None]] = []

    def add(self, chunk: Ordered) -> None:
        """Add the next rows."""
        added = self._pass
        if np.isnan(added.first):
            added.first = float(chunk.values[0, 0])
        added.last = float(chunk.values[-1, 0])
        for name, values in self._names.items():
            moments = Moments.of(
                values(chunk.values), chunk.cell, len(added.moments[name].n), chunk.count
            )
            added.moments[name] = added.moments[name] + moments
        if added.placements:
            self._place(chunk.values[:, 0], chunk.cell, chunk.count)

    def _place(self, values: Floats, cell: Integers, count: Integers) -> None:
        """Add placements, except for rows of the largest number, as more of these may follow."""
        if self._waiting is not None:
            before = self._waiting
            values, cell, count = (
                np.concatenate(both) for both in zip(before, (values, cell, count), strict=True)
            )
        whole = int(np.searchsorted(values, values[-1]))
        self._waiting = values[whole:], cell[whole:], count[whole:]
        if whole:
            self._add_placements(values[:whole], cell[:whole], count[:whole])

    def _add_placements(self, values: Floats, cell: Integers, count: Integers) -> None:
        new_level = np.append(True, values[1:] != values[:-1])
        alone = None if count.max() == 1 else count
        self._finish()
        # these run while the next rows are read
        self._running = [
            self._threads.submit(
                lambda part, at: part.add(at[cell], new_level, alone), sums[i], cells
            )
            for i, cells in enumerate(self._places)
            for sums in self._pass.placements.values()
        ]

    def _finish(self) -> None:
        """Wait until the other threads have added their rows."""
        for running in self._running:
            running.result()

    def total(self) -> Pass:
        """Return the sums over all items."""
        if self._waiting is not None:
            self._add_placements(*self._waiting)
            self._waiting = None
        self._finish()
        self._threads.shutdown()
        return self._pass


def moments_of(fields: Sequence[FieldName]) -> dict[ValueName, Callable[[Floats], Floats]]:
    """Return the values whose moments are added up, each from the numbers of rows, (r, q)."""
    if fields[0] == "y_true":
        return {
            "label": lambda numbers: numbers[:, 0],
            "prediction": lambda numbers: numbers[:, 1],
            "error": lambda numbers: numbers[:, 1] - numbers[:, 0],
            "absolute error": lambda numbers: np.abs(numbers[:, 1] - numbers[:, 0]),
        }
    return {("score" if fields[0] == "y_score" else "prediction"): lambda numbers: numbers[:, 0]}


def summed(count: Integers, cell: Integers, k: int) -> NDArray[np.int64]:
    """Return the items of each of k cells."""
    sums = np.zeros(k, dtype=np.int64)
    np.add.at(sums, cell, count)
    return sums
