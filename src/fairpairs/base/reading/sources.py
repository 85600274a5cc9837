"""Where rows come from: Parquet files, CSV files, or a table in memory."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from fairpairs.base.errors import InputError, shortened
from fairpairs.base.reading.arrow import as_written, check_names, column_of, kind_of
from fairpairs.base.reading.database import literal, quoted
from fairpairs.base.reading.paths import Unchanged, called as name_of
from fairpairs.base.sealed import checked_digest

if TYPE_CHECKING:
    import narwhals as nw
    from duckdb import DuckDBPyConnection

#: The column that names the file of a row.
FILE = "fairpairs_file"
#: Name that pandas gives to an unnamed index in a Parquet file.
UNNAMED_INDEX = r"__index_level_\d+__"


class Source(ABC):
    """Rows that DuckDB scans, or that Arrow holds; `called` is their name in messages."""

    called: str
    columns: list[str]
    #: The types of the columns of files.
    schema: pa.Schema
    #: The number of rows if it is known, else None.
    rows: int | None
    #: Whether all cells are texts, as in a CSV, and whether semicolons part its columns.
    of_text: bool = False
    european: bool = False
    #: The files, to notice changes; none for a table in memory.
    files: Unchanged
    #: Whether the rows were written to a temporary file.
    temporary: bool = False

    def __init__(self) -> None:
        #: Decimal marks of numbers in texts that are not written plainly, and notes on them.
        self.marks: dict[str, str] = {}
        self.notes: dict[str, str] = {}

    @property
    def digest(self) -> str:
        """The sha256 of the files that were given; "" of a table."""
        return "" if self.temporary else self.files.digest

    def unify(self) -> Source:
        """Find the columns that the files share, and return these files."""
        return self

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column."""
        return self.schema.field(name).type

    @abstractmethod
    def scan(self, connection: DuckDBPyConnection, names: Sequence[str], file: str = "") -> str:
        """Return a query of these columns as c0, c1, …; with `file`, also of the file's name."""

    @abstractmethod
    def parts(self, names: Sequence[str]) -> Iterator[tuple[Path, pa.Table]]:
        """Yield these columns of each file, or of the one table, with all rows in their order."""


def selected(names: Sequence[str], file: str) -> str:
    """Return what a query selects: columns as c0, c1, … and the file."""
    columns = [f"{quoted(name)} as c{i}" for i, name in enumerate(names)]
    return ", ".join([*columns, *([quoted(file)] if file else [])]) or "1 as one"


class Frame(Source):
    """A table in memory; `paths` are the files that it was read from."""

    def __init__(
        self,
        values: pd.DataFrame | nw.DataFrame[Any] | pa.Table,
        called: str,
        paths: Sequence[Path] = (),
    ) -> None:
        super().__init__()
        self._values, self.called, self.rows = values, called, len(values)
        names = values.column_names if isinstance(values, pa.Table) else values.columns
        self.columns = list(map(str, names))
        check_names(called, self.columns)
        self.files = Unchanged(paths)
        self._read: dict[str, pa.ChunkedArray] = {}

    def _column(self, name: str) -> pa.ChunkedArray:
        if name not in self._read:
            if isinstance(self._values, pa.Table):
                column = self._values[name]
            elif isinstance(self._values, pd.DataFrame):
                values: Any = self._values.iloc[:, self.columns.index(name)]
                column = column_of(values, f"{self.called}: column `{name}`")
            else:
                column = self._values[[name]].to_arrow()[name]
            if pa.types.is_dictionary(column.type) and kind_of(column.type) != "text":
                column = column.cast(column.type.value_type)
            self._read[name] = column
        return self._read[name]

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column."""
        return self._column(name).type

    def scan(self, connection: DuckDBPyConnection, names: Sequence[str], file: str = "") -> str:
        """Return a query of some columns."""
        # to DuckDB, names that differ in case alone are one
        values = {f"x{i}": _for_duckdb(self._column(name)) for i, name in enumerate(names)}
        connection.register("frame", pa.table(values or {"one": np.ones(len(self._values))}))
        return f"select {selected(list(values), '')} from frame"

    def parts(self, names: Sequence[str]) -> Iterator[tuple[Path, pa.Table]]:
        """Yield the rows."""
        yield Path(self.called), pa.table({name: self._column(name) for name in names})


def _for_duckdb(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values in a type that DuckDB has, and gives back."""
    if pa.types.is_duration(values.type):  # to DuckDB, a day may be 24 hours or a date later
        return values.cast(pa.int64())
    if pa.types.is_decimal256(values.type):
        with suppress(pa.ArrowInvalid):
            return values.cast(pa.decimal128(38, values.type.scale))
        return values.cast(pa.string())
    return as_written(values) if pa.types.is_float16(values.type) else values


class ParquetFiles(Source):
    """Parquet files of the same columns.

    `schemas` has each file's columns and metadata, `digests` the sha256 that it carries, if any.
    """

    def __init__(self, files: Unchanged, called: str = "") -> None:
        super().__init__()
        self.files, self.called = files, called or name_of(files.paths)
        self.schemas: dict[Path, pa.Schema] = {}
        self.digests: dict[Path, str | None] = {}
        self.rows = 0
        for path in files.paths:
            parquet, self.digests[path] = open_parquet(path, called)
            with parquet as file:
                self.schemas[path] = file.schema_arrow
                self.rows += file.metadata.num_rows

    def unify(self) -> ParquetFiles:
        """Find the columns that the files share, and return these files."""
        first, *others = self.files.paths
        self.schema = plain = self.schemas[first].remove_metadata()
        different = [p for p in others if self.schemas[p].remove_metadata() != plain]
        for path in different:
            self.schema = unified(self.schema, self.schemas[path], first, path)
        self._alike = not different
        names = self.schema.names
        check_names(first, names)
        self.columns = [name for name in names if not re.fullmatch(UNNAMED_INDEX, name)]
        return self

    def scan(self, connection: DuckDBPyConnection, names: Sequence[str], file: str = "") -> str:
        """Return a query of some columns."""
        for name in names:
            same = [other for other in self.schema.names if other.lower() == name.lower()]
            if len(same) > 1:
                raise InputError(
                    f"{self.called}: the columns `{same[0]}` and `{same[1]}` differ only in case, "
                    "and are one to DuckDB: rename one."
                )
        paths = ", ".join(literal(escaped(path)) for path in self.files.paths)
        options = "hive_partitioning=false"
        if not self._alike:
            options += ", union_by_name=true"
        if file:
            options += f", filename={literal(file)}"
        return f"select {selected(names, file)} from read_parquet([{paths}], {options})"

    def parts(self, names: Sequence[str]) -> Iterator[tuple[Path, pa.Table]]:
        """Yield the rows of each file in their order."""
        for path in self.files.paths:
            with _parquet_errors(path, self.called):
                # a thread of Arrow may release a file that Python opened while the program ends
                rows = _parquet(pa.OSFile(os.fsencode(path))).read(columns=list(names))
            yield path, rows.replace_schema_metadata(None).select(list(names))


def escaped(path: Path) -> str:
    """Escape a path so that DuckDB sees no pattern in it."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


def open_parquet(path: Path, called: str = "") -> tuple[pq.ParquetFile, str | None]:
    """Open a file, and return it with the digest that it carries, if any."""
    with _parquet_errors(path, called):
        digest = checked_digest(path)
        return _parquet(path), digest


def _parquet(file: Path | pa.NativeFile) -> pq.ParquetFile:
    """Open a file; times of Spark in nanoseconds would wrap around before 1678."""
    return pq.ParquetFile(file, coerce_int96_timestamp_unit="us")


@contextmanager
def _parquet_errors(path: Path, called: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        reason = error.strerror if error.errno else "it is not a Parquet file"
        raise InputError(
            f"{called or path}: cannot be read ({reason}): check its name and what it holds."
        ) from error
    except pa.ArrowNotImplementedError as error:
        raise InputError(
            f"{called or path}: holds a type that cannot be read ({shortened(error)}): write the "
            "column as text, or leave it out."
        ) from error
    except (pa.ArrowInvalid, ValueError) as error:
        raise InputError(
            f"{called or path}: not a Parquet file, or a part of one ({shortened(error)}): write "
            "it again."
        ) from error


def unified(first: pa.Schema, other: pa.Schema, path: Path, other_path: Path) -> pa.Schema:
    """Return the columns with types that hold the values of both files.

    A column that only one has, or of text in one and of numbers in the other, raises InputError.
    """
    for one, two, where, there in (
        (first, other, other_path, path),
        (other, first, path, other_path),
    ):
        if lacking := set(one.names) - set(two.names):
            name = next(name for name in one.names if name in lacking)
            raise InputError(
                f"{where} has no column `{name}`, and {there} has one: give files of the "
                "same columns."
            )
    for name in first.names:
        kinds = kind_of(first.field(name).type), kind_of(other.field(name).type)
        if kinds[0] != kinds[1] and "nothing" not in kinds:
            raise InputError(
                f"Column `{name}` holds {kinds[0]} in {path} and {kinds[1]} in {other_path}: "
                "write it in one type."
            )
    schemas = [pa.schema([(f.name, plain(f.type)) for f in schema]) for schema in (first, other)]
    for field in schemas[0]:
        one, two = field.type, schemas[1].field(field.name).type
        narrow = any(pa.types.is_floating(kind) and kind != pa.float64() for kind in (one, two))
        if narrow and one != two and pa.null() not in (one, two):
            raise InputError(
                f"Column `{field.name}` is of type {one} in {path} and of type {two} in "
                f"{other_path}: write it in one type, as 0.1 differs in 32 and in 64 bits."
            )
    try:
        return pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(
            f"{path} and {other_path} have columns of other types ({shortened(error)}): write "
            "them in one type."
        ) from error


def cast(rows: pa.Table, schema: pa.Schema, path: Path) -> pa.Table:
    """Return the rows of one file with the types that hold those of all; raises InputError."""
    columns = {}
    for field in schema:
        values = rows[field.name]
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        try:
            columns[field.name] = values.cast(field.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise InputError(
                f"{path}: column `{field.name}` does not fit the type {field.type} of all files "
                f"({shortened(error)}): write it in one type."
            ) from error
    return pa.table(columns, schema=schema)


def plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of a column, not of their codes."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if kind_of(value) == "text" else value
