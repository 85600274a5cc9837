"""CSV files, whose rows DuckDB reads, strictly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from fairpairs.base.reading.csv_layout import Layout, layout_of
from fairpairs.base.reading.csv_look import look
from fairpairs.base.reading.database import database
from fairpairs.base.reading.paths import Unchanged
from fairpairs.base.reading.sources import Source, selected, unified

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class CsvFiles(Source):
    """CSV files of the same columns, in any order."""

    of_text = True

    def __init__(self, files: Unchanged, called: str) -> None:
        super().__init__()
        self.files, self.called = files, called
        self.layouts = {path: layout_of(path) for path in files.paths}
        schemas = [
            pa.schema([(name, pa.string()) for name in layout.names])
            for layout in self.layouts.values()
        ]
        for path, schema in zip(files.paths, schemas, strict=True):
            unified(schemas[0], schema, files.paths[0], path)
        self.columns = schemas[0].names
        self.european = any(layout.separator == ";" for layout in self.layouts.values())
        rows = [look(path, layout) for path, layout in self.layouts.items()]
        self._rows = None if None in rows else sum(n for n in rows if n is not None)

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column, which is text."""
        return pa.string()

    def scan(self, connection: DuckDBPyConnection, names: Sequence[str], file: str = "") -> str:
        """Return a query of some columns."""
        parts: dict[Layout, list[Path]] = {}
        for path, layout in self.layouts.items():
            parts.setdefault(layout, []).append(path)
        return " union all ".join(
            f"select {selected([f'x{layout.header.index(name)}' for name in names], file)} "
            f"from {layout.cells(paths, file)}"
            for layout, paths in parts.items()
        )

    def rows(self) -> int | None:
        """Return the number of rows if it is known, else None."""
        return self._rows

    def parts(self, names: Sequence[str]) -> Iterator[tuple[Path, pa.Table]]:
        """Yield the rows of each file in their order."""
        for path, layout in self.layouts.items():
            columns = [f"x{layout.header.index(name)}" for name in names]
            with database(str(path)) as connection:
                connection.execute("set preserve_insertion_order=true")
                query = f"select {selected(columns, '')} from {layout.cells([path])}"
                rows = connection.sql(query).to_arrow_table()
            yield path, rows.rename_columns(list(names))
