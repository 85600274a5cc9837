"""Streams of items of a group and its reference, many at once."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Integers

#: The number of rows of a block that does not end.
NEVER = np.iinfo(np.int64).max // 2


class Streams(Protocol):
    """Many streams, of which `block` returns one block of each at a time."""

    #: Number of streams.
    number: int

    def block(self, size: Integers) -> tuple[Integers, Integers, Integers]:
        """Return items and hits of group and reference, (streams, 2), and the rows up to the end.

        The next block ends when both groups have `size` items, shape (streams,); the number of rows
        of the stream, shape (streams,), is `NEVER` if it does not end.
        """


class Independent:
    """Endless streams of independent rows; `rates` are those of hits of group and reference."""

    def __init__(
        self, rng: np.random.Generator, number: int, share: float, rates: tuple[float, float]
    ) -> None:
        self.number = number
        self._rng, self._share, self._rates = rng, share, np.array(rates)
        self._rows = np.zeros(number, dtype=np.int64)

    def block(self, size: Integers) -> tuple[Integers, Integers, Integers]:
        """Return the next block: counts before the last item are negative binomial."""
        # items of the reference before the group has enough, then those of the group beyond that
        reference = self._rng.negative_binomial(size, self._share)
        missing = np.maximum(size - reference, 0)
        more = self._rng.negative_binomial(np.maximum(missing, 1), 1 - self._share)
        group = size + np.where(missing > 0, more, 0)
        items = np.stack([group, reference + missing], axis=1)
        self._rows = self._rows + items.sum(axis=1)
        return items, self._rng.binomial(items, self._rates), self._rows


class Rows:
    """Streams whose rows are given: group or reference, and hits, shape (streams, rows) each.

    `counts` says which rows count, all by default.
    """

    def __init__(
        self,
        in_group: NDArray[np.bool_],
        hit: NDArray[np.bool_],
        counts: NDArray[np.bool_] | None = None,
    ) -> None:
        self.number, self._length = in_group.shape
        counts = np.ones_like(in_group) if counts is None else counts
        self._first = np.arange(self.number) * self._length
        self._groups: list[tuple[Integers, Integers, Integers]] = []
        self._used: list[Integers] = []
        for mask in (in_group & counts, ~in_group & counts):
            # in the raveled streams
            positions = np.flatnonzero(mask)
            hits = np.concatenate([[0], np.cumsum(hit.ravel()[positions])])
            start = np.searchsorted(positions, self._first)
            self._groups.append((positions, hits, np.append(start[1:], len(positions))))
            self._used.append(start)

    def block(self, size: Integers) -> tuple[Integers, Integers, Integers]:
        """Return the next block."""
        end = np.zeros(self.number, dtype=np.int64)
        ends = np.ones(self.number, dtype=bool)
        for used, (positions, _, stop) in zip(self._used, self._groups, strict=True):
            last = used + size - 1
            ends &= last < stop
            end = np.maximum(end, positions[np.minimum(last, len(positions) - 1)] + 1)
        # a block that does not end needs an item of each group
        items, hits = (np.ones((self.number, 2), dtype=np.int64) for _ in range(2))
        for group, (positions, cumulated, _) in enumerate(self._groups):
            used = self._used[group]
            now = np.where(ends, np.searchsorted(positions, end), used)
            items[ends, group] = (now - used)[ends]
            hits[ends, group] = (cumulated[now] - cumulated[used])[ends]
            self._used[group] = now
        return items, hits, np.where(ends, end - self._first, NEVER)
