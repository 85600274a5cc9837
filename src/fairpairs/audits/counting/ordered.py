"""Rows in the order of their numbers: equal ones merged, in chunks of a fixed size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.reading.arrow import as_written

#: Different rows in a chunk.
CHUNK = 2**16


@dataclass(frozen=True)
class Ordered:
    """Some of the r different rows, in ascending order."""

    #: The numbers, shape (r, numbers).
    values: Floats
    #: The index of their cell in `Cells`, ascending among equal numbers, shape (r,).
    cell: Integers
    #: The number of items that have them, shape (r,).
    count: Integers

    def __len__(self) -> int:
        return len(self.cell)

    def take(self, rows: slice) -> Ordered:
        """Return some of the rows."""
        return Ordered(self.values[rows], self.cell[rows], self.count[rows])


def chunks(sorted_rows: Iterable[Ordered]) -> Iterator[Ordered]:
    """Yield the different rows of sorted ones, `CHUNK` at a time, the last chunk being shorter."""
    size = CHUNK
    kept: list[Ordered] = []
    length = 0
    for rows in _different(sorted_rows):
        kept.append(rows)
        length += len(rows)
        if length < size:
            continue
        joined = _joined(kept)
        for start in range(0, length - size + 1, size):
            yield joined.take(slice(start, start + size))
        kept = [joined.take(slice(length - length % size, None))]
        length %= size
    if length:
        yield _joined(kept)


def _different(sorted_rows: Iterable[Ordered]) -> Iterator[Ordered]:
    """Yield sorted rows with equal ones merged, also those of two batches."""
    last: list[Ordered] = []
    for batch in sorted_rows:
        if not len(batch):
            continue
        merged = _merged(_joined([*last, batch]))
        yield merged.take(slice(-1))
        last = [merged.take(slice(-1, None))]
    yield from last


def _merged(rows: Ordered) -> Ordered:
    new = np.ones(len(rows), dtype=bool)
    new[1:] = rows.cell[1:] != rows.cell[:-1]
    for i in range(rows.values.shape[1]):
        new[1:] |= rows.values[1:, i] != rows.values[:-1, i]
    if new.all():
        return rows
    first = np.flatnonzero(new)
    return Ordered(rows.values[first], rows.cell[first], np.add.reduceat(rows.count, first))


def _joined(parts: list[Ordered]) -> Ordered:
    if len(parts) == 1:
        return parts[0]
    return Ordered(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.cell for part in parts]),
        np.concatenate([part.count for part in parts]),
    )


def of_batch(batch: pa.RecordBatch, kinds: Sequence[pa.DataType]) -> Ordered:
    """Return the rows of a batch of DuckDB: numbers, the cell, and a count unless all are 1.

    `kinds` are the types of the numbers in the file: DuckDB has none of 16 bits.
    """
    halves = [pa.types.is_float16(kind) for kind in kinds]
    columns = [
        as_written(column.cast(pa.float16()) if i < len(kinds) and halves[i] else column)
        .to_numpy(zero_copy_only=False) for i, column in enumerate(batch.columns)
    ]  # fmt: skip
    numbers = len(kinds)
    values = np.empty((len(batch), numbers))
    for i in range(numbers):
        np.add(columns[i], 0.0, out=values[:, i])  # −0 is 0
    counts = columns[numbers + 1] if len(columns) > numbers + 1 else np.ones(len(batch))
    return Ordered(values, columns[numbers].astype(np.int64), counts.astype(np.int64))
