"""CSV files for DuckDB: the same columns and cells that `text_tables` reads into memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from fairpairs.audits.counting.database import literal
from fairpairs.audits.counting.paths import Unchanged
from fairpairs.audits.counting.sources import Source, escaped, selected, unified
from fairpairs.base.errors import InputError
from fairpairs.base.text_tables import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    GZIP,
    csv_header,
    last_line,
    separator,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Columns of a CSV; DuckDB takes minutes for 100,000.
MAX_COLUMNS = 20_000
#: Bytes in which the header lies.
START = 1 << 20


@dataclass(frozen=True)
class _Layout:
    """How DuckDB is to read a CSV: header, separator, blank lines before them, compression."""

    header: tuple[str, ...]
    separator: str
    skip: int
    compressed: bool


class CsvFiles(Source):
    """CSV files of the same columns, in any order."""

    of_text = True

    def __init__(self, files: Unchanged) -> None:
        self.files = files
        self._layouts = {path: _layout(path) for path in files.paths}
        schemas = [
            pa.schema([(name, pa.string()) for name in layout.header if name])
            for layout in self._layouts.values()
        ]
        for path, schema in zip(files.paths, schemas, strict=True):
            unified(schemas[0], schema, files.paths[0], path)
        self.columns = schemas[0].names

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column, which is text."""
        return pa.string()

    def scan(self, connection: DuckDBPyConnection, names: Sequence[str], file: str = "") -> str:
        """Return a query of some columns."""
        parts: dict[_Layout, list[Path]] = {}
        for path, layout in self._layouts.items():
            parts.setdefault(layout, []).append(path)
        return " union all ".join(
            self._scan(layout, paths, names, file) for layout, paths in parts.items()
        )

    @staticmethod
    def _scan(layout: _Layout, paths: list[Path], names: Sequence[str], file: str) -> str:
        files = ", ".join(literal(escaped(path)) for path in paths)
        columns = ", ".join(f"'x{i}': 'VARCHAR'" for i in range(len(layout.header)))
        options = [
            f"columns={{{columns}}}", "auto_detect=false", "header=true",
            f"delim={literal(layout.separator)}",
            "quote='\"'", "escape='\"'", "hive_partitioning=false",
            f"compression={'gzip' if layout.compressed else 'none'!r}", f"skip={layout.skip}",
        ]  # fmt: skip
        if file:
            options.append(f"filename={literal(file)}")
        wanted = [f"x{layout.header.index(name)}" for name in names]
        cells = f"read_csv([{files}], {', '.join(options)})"
        if layout.separator != ",":
            number = f"{literal(DECIMAL_COMMA)}, {literal(DECIMAL_POINT)}"
            points = ", ".join(f"regexp_replace({cell}, {number}) as {cell}" for cell in wanted)
            cells = f"(select * replace ({points}) from {cells})" if wanted else cells
        return f"select {selected(wanted, file)} from {cells}"

    def rows(self) -> None:
        """Return None: the lines have to be counted."""


def start_of(path: Path) -> bytes:
    """Return the start of a text, decompressed if needed."""
    try:
        with path.open("rb") as file:
            compressed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            return gzip.open(file).read(START) if compressed else file.read(START)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: cannot be decompressed ({last_line(error)}): compress it again, or give the "
            "CSV itself."
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}): check its name.") from error


def _layout(path: Path) -> _Layout:
    start = start_of(path)
    header, skip = csv_header(path, start)
    if len(header) > MAX_COLUMNS:
        raise InputError(
            f"{path}: {len(header):,} columns, and a CSV may have {MAX_COLUMNS:,}: keep those that "
            "you name, or write it as Parquet."
        )
    with path.open("rb") as file:
        return _Layout(tuple(header), separator(start), skip, file.read(len(GZIP)) == GZIP)
