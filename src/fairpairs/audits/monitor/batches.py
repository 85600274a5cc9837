"""Batches of rows: files and tables, in blocks, in the order of their rows."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fairpairs.audits.counting.opening import read_header
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError
from fairpairs.base.named_columns import NamedColumns
from fairpairs.base.reading.opening import source_of, source_of_table
from fairpairs.base.reading.sources import ParquetFiles, Source
from fairpairs.base.reading.table import Table

#: Rows of a block.
BLOCK = 2**20


class Batch(NamedColumns):
    """A batch: a file of CSV, JSON lines or Parquet, or a table.

    Parquet is read in blocks; CSV and JSON lines are read into memory.
    """

    def __init__(self, data: Any) -> None:
        self._path = Path(data) if isinstance(data, str | Path) else None
        source = source_of_table(data, "data") if self._path is None else source_of([self._path])
        if isinstance(source, ParquetFiles) and self._path is not None:
            self._check(source, self._path)
        self._source: Source = source.unify()
        self.called, self.columns = source.called, self._source.columns
        #: What was read in another way than it is written, and what looks alike, by column.
        self.notes: dict[str, str] = {}

    @staticmethod
    def _check(source: ParquetFiles, path: Path) -> None:
        if read_header(path, source.schemas[path], source.digests[path]) is not None:
            raise InputError(
                f"{path}: a counts file, whose rows have no order of time: give the rows."
            )
        if not source.rows:
            raise InputError(f"{path}: the file has no rows: give at least one.")

    def digest(self, names: Sequence[str]) -> str:
        """Return the checksum of a file; of a table, that of some of its columns."""
        if self._path is not None:
            return self._source.files.digest
        content = hashlib.sha256()
        for block in self.blocks(names):
            for name in names:
                values = block.coded_with_missing(name)
                content.update("\x1f".join(map(str, values.kinds)).encode("utf-8", "replace"))
                if values.code is not None:
                    content.update(values.code.astype("<i8").tobytes())
        return content.hexdigest()

    def blocks(self, names: Sequence[str], *, whole: bool = False) -> Iterator[Table]:
        """Yield some columns, a block of rows at a time, or all rows."""
        for table in self._blocks(list(dict.fromkeys(names)), whole=whole):
            table.notes = self.notes
            yield table

    def _blocks(self, names: Sequence[str], *, whole: bool) -> Iterator[Table]:
        if whole or self._path is None or not isinstance(self._source, ParquetFiles):
            yield Table(self._source, names)
            return
        with pq.ParquetFile(self._path) as file:
            start, last = 0, file.metadata.num_rows
            for part in file.iter_batches(BLOCK, columns=names):
                called = self.called
                if last > BLOCK:
                    called += f", rows {start + 1:,} to {start + len(part):,}"
                start += len(part)
                yield Table.of_cells(pa.Table.from_batches([part]).select(names), called)

    @property
    def rows(self) -> Rows:
        """All columns, which DuckDB reads."""
        return Rows(self._source)

    def whole(self) -> Table:
        """Return all columns, in memory."""
        return Table(self._source, self.columns)
