"""Batches of rows: files and tables, in blocks, in the order of their rows."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fairpairs.audits.counting.counts_header import read_header
from fairpairs.audits.counting.opening import of_table, table_of
from fairpairs.audits.counting.sources import open_parquet
from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256
from fairpairs.base.input_tables import Table, check_regular, is_parquet
from fairpairs.base.named_columns import NamedColumns
from fairpairs.base.text_tables import check_names

#: Rows of a block.
BLOCK = 2**20


class Batch(NamedColumns):
    """A batch: a file of CSV, JSON lines or Parquet, or a table.

    Parquet is read in blocks; CSV and JSON lines are read into memory.
    """

    def __init__(self, data: Any) -> None:
        self._table: Table | None = None
        self._path: Path | None = None
        if isinstance(data, str | Path):
            self._open(Path(data))
        else:
            opened = of_table(data, "data")
            self.called, self._opened = opened.called, opened
            self.columns = list(opened.source.columns)

    def _open(self, path: Path) -> None:
        self._path, self.called = path, str(path)
        check_regular(path)
        if not is_parquet(path):
            self._table = Table(path)
            self.columns = self._table.columns
            return
        parquet, digest = open_parquet(path)
        with parquet as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
        if read_header(path, schema, digest) is not None:
            raise InputError(
                f"{path}: a counts file, whose rows have no order of time: give the rows."
            )
        if not rows:
            raise InputError(f"{path}: the file has no rows: give at least one.")
        import pandas as pd  # noqa: PLC0415

        check_names(path, pd.Index(schema.names))
        self.columns = list(schema.names)

    def digest(self, names: Sequence[str]) -> str:
        """Return the checksum of a file; of a table, that of some of its columns."""
        if self._path is not None:
            return file_sha256(self._path)
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
        names = list(dict.fromkeys(names))
        if self._table is not None:
            yield self._table.kept(names)
            return
        if self._path is None:
            yield table_of(self._opened, names)
            return
        with pq.ParquetFile(self._path) as file:
            start, last = 0, file.metadata.num_rows
            if whole:
                yield Table.of(file.read(columns=names).select(names), self.called)
                return
            for part in file.iter_batches(BLOCK, columns=names):
                called = self.called
                if last > BLOCK:
                    called += f", rows {start + 1:,} to {start + len(part):,}"
                start += len(part)
                yield Table.of(pa.Table.from_batches([part]).select(names), called)

    def whole(self) -> Table:
        """Return all columns, in memory."""
        if self._table is not None:
            return self._table
        return next(
            iter([Table(self._path) if self._path else table_of(self._opened, self.columns)])
        )
