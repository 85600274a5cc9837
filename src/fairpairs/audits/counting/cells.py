"""The cells of rows: combinations of values that occur; and rows in the order of their numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairpairs.audits.counting.grouping import Grouping
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError
from fairpairs.base.reading.arrow import as_written, kind_of
from fairpairs.base.reading.sources import Source
from fairpairs.base.reading.table import Table
from fairpairs.base.words import LARGEST_WHOLE

#: Different rows in a chunk.
CHUNK = 2**16


@dataclass(frozen=True)
class Cells:
    """Items by the values of some columns, in C cells that are sorted by their values as text."""

    #: Each column, with a value per cell.
    columns: dict[str, Column]
    #: The number of items in each cell, shape (C,).
    count: Integers
    #: The values as the files hold them, and `place`, the cell that they belong to.
    raw: pa.Table
    #: The column of frequencies, if any.
    weight: str | None = None


class RawCells(Table):
    """Combinations of values as the files hold them; messages count the rows that have them."""

    _counts: Integers
    _where: Callable[[str], str]

    @classmethod
    def of_groups(
        cls,
        groups: pa.Table,
        names: Sequence[str],
        source: Source,
        where: Callable[[str], str],
    ) -> RawCells:
        """Return the first columns of what DuckDB has grouped, as the columns of a table."""
        called = source.called
        cells = {name: _as_in(groups.column(i), source.type_of(name), f"{called}: column `{name}`")
                 for i, name in enumerate(names)}  # fmt: skip
        table = cls.of_cells(pa.table(cells), called, european=source.european)
        table._counts = np.asarray(groups["items"], dtype=np.int64)
        table._where = where
        return table

    def _in_row(self, wrong: NDArray[np.bool_]) -> str:
        return ""

    def _check_missing(self, name: str, missing: NDArray[np.bool_], remedy: str) -> None:
        if missing.any():
            raise InputError(
                f"{self.called}: column `{name}` has {self._counts[missing].sum()} missing "
                f"value(s){self._where(name)}: fill in or drop such rows{remedy}."
            )


def _as_in(values: pa.ChunkedArray, kind: pa.DataType, place: str) -> pa.ChunkedArray:
    """Return values with the type of the file, which DuckDB may not have."""
    if pa.types.is_decimal256(kind) and pa.types.is_floating(values.type):
        largest = pc.max(pc.abs(values)).as_py() or 0
        if largest * 10.0**kind.scale >= LARGEST_WHOLE:
            raise InputError(
                f"{place} holds decimals of type {kind}, of which DuckDB cannot tell those of more "
                "than 15 digits apart: write them with at most 38 digits, or as text."
            )
    if not pa.types.is_dictionary(kind) and values.type != kind:
        with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
            values = values.cast(kind)
    return values


def canonical(
    groups: pa.Table,
    grouping: Grouping,
    *,
    where: Callable[[str], str],
    missing_group: Collection[str],
    names: Collection[str],
    remedy: str,
) -> Cells:
    """Return the cells of what DuckDB has grouped, in an order that depends on the values alone."""
    coded, source = grouping.coded, grouping.source
    groups = groups.filter(pc.greater(groups["items"], 0))
    table = RawCells.of_groups(groups, coded, source, where)
    count = np.asarray(groups["items"], dtype=np.int64)
    columns, ranks = {}, []
    for name in coded:
        column = (
            table.coded_with_missing(name)
            if name in missing_group
            else table.coded(name, remedy if name in names else "", number=name not in names)
        )
        kinds = column.kinds + 0.0 if column.kinds.dtype.kind == "f" else column.kinds  # −0 is 0
        texts = np.array([str(kind) for kind in kinds.tolist()], dtype=object)
        _, first, rank = np.unique(texts, return_index=True, return_inverse=True)
        if column.code is None:
            columns[name] = Column(kinds)
        else:
            rank = rank[column.code]
            columns[name] = Column(kinds[first], rank)
        ranks.append(rank)
    key = np.column_stack(ranks) if ranks else np.zeros((len(count), 1))
    _, first, cell = np.unique(key, axis=0, return_index=True, return_inverse=True)
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, cell.reshape(-1), count)
    source.notes.update(table.notes)
    raw = groups.select(range(len(coded))).rename_columns(list(coded))
    kind = np.min_scalar_type(len(first))
    return Cells(
        {name: _taken(column, first) for name, column in columns.items()},
        total,
        raw.append_column("place", pa.array(cell.reshape(-1).astype(kind))),
        grouping.weight,
    )


def _taken(column: Column, taken: Integers) -> Column:
    """Return the values of some items; of a coded column only those that occur."""
    if column.code is None:
        return Column(column.kinds[taken])
    occurring, code = np.unique(column.code[taken], return_inverse=True)
    return Column(column.kinds[occurring], code)


def check_single(source: Source, name: str) -> None:
    """Raise InputError for a column of lists, records or bytes."""
    kind = kind_of(source.type_of(name))
    if kind in ("lists", "records", "bytes"):
        raise InputError(
            f"{source.called}: column `{name}` holds {kind}: write a text or a number in each row, "
            "or name another column."
        )


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
    """Yield sorted rows `CHUNK` at a time, the last chunk being shorter."""
    size = CHUNK
    kept: list[Ordered] = []
    length = 0
    for batch in sorted_rows:
        kept.append(batch)
        length += len(batch)
        if length < size:
            continue
        rows = joined(kept)
        for start in range(0, length - size + 1, size):
            yield rows.take(slice(start, start + size))
        kept = [rows.take(slice(length - length % size, None))]
        length %= size
    if length:
        yield joined(kept)


def joined(parts: Sequence[Ordered]) -> Ordered:
    """Return several rows as one."""
    if len(parts) == 1:
        return parts[0]
    return Ordered(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.cell for part in parts]),
        np.concatenate([part.count for part in parts]),
    )


def of_batch(batch: pa.RecordBatch, kinds: Sequence[pa.DataType]) -> Ordered:
    """Return the rows of a batch of DuckDB: numbers, the cell, and their count.

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
    cell, count = (column.astype(np.int64) for column in columns[numbers:])
    return Ordered(values, cell, count)
