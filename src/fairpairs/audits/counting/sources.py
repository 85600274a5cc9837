"""Where rows come from: Parquet files, CSV files, or a table in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from fairpairs.audits.counting.database import literal, quoted
from fairpairs.audits.counting.paths import Unchanged, called as name_of
from fairpairs.base.errors import InputError, shortened
from fairpairs.base.input_tables import UNNAMED_INDEX
from fairpairs.base.sealed import checked_digest
from fairpairs.base.text_tables import check_names

if TYPE_CHECKING:
    import narwhals as nw
    from duckdb import DuckDBPyConnection

#: Rows of a table that tell the type of a column.
FEW = 1000
#: The column that names the file of a row.
FILE = "fairpairs_file"


class Source(ABC):
    """Rows that DuckDB scans."""

    columns: list[str]
    #: Whether all cells are texts, of which some mean a missing value, as in a CSV.
    of_text: bool = False
    #: The files, to notice changes; none for a table in memory.
    files: Unchanged

    @abstractmethod
    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column."""

    @abstractmethod
    def scan(self, connection: DuckDBPyConnection, names: Sequence[str], file: str = "") -> str:
        """Return a query of these columns as c0, c1, …; with `file`, also of the file's name."""

    @abstractmethod
    def rows(self) -> int | None:
        """Return the number of rows if it is known, else None."""


def selected(names: Sequence[str], file: str) -> str:
    """Return what a query selects: columns as c0, c1, … and the file."""
    columns = [f"{quoted(name)} as c{i}" for i, name in enumerate(names)]
    return ", ".join([*columns, *([quoted(file)] if file else [])]) or "1 as one"


class Frame(Source):
    """A table in memory; `paths` are the files that it was read from."""

    def __init__(
        self, values: pd.DataFrame | nw.DataFrame[Any], called: str, paths: Sequence[Path] = ()
    ) -> None:
        self._values, self._called = values, called
        self.columns = list(map(str, values.columns))
        self.files = Unchanged(paths)

    def _arrow(self, names: Sequence[str]) -> pa.Table:
        if not isinstance(self._values, pd.DataFrame):
            return self._values[list(names)].to_arrow()
        return pa.table({name: self._array(self._values, name) for name in names})

    def _array(self, values: pd.DataFrame, name: str) -> pa.Array:
        try:
            return pa.array(values.iloc[:, self.columns.index(name)], from_pandas=True)
        except (pa.ArrowException, OverflowError) as error:
            raise InputError(
                f"{self._called}: column `{name}` mixes kinds of values ({shortened(error)}): "
                "make all of them text or numbers."
            ) from error

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column."""
        if not isinstance(self._values, pd.DataFrame):
            return self._arrow([name]).schema.types[0]
        return self._array(self._values[:FEW], name).type

    def scan(self, connection: DuckDBPyConnection, names: Sequence[str], file: str = "") -> str:
        """Return a query of some columns."""
        table = self._arrow(names) if names else pa.table({"one": np.ones(len(self._values))})
        # to DuckDB, names that differ in case alone are one
        columns = [f"x{i}" for i in range(len(names))] or ["one"]
        connection.register("frame", table.rename_columns(columns))
        return f"select {selected(columns, '')} from frame"

    def rows(self) -> int:
        """Return the number of rows."""
        return len(self._values)


class ParquetFiles(Source):
    """Parquet files of the same columns.

    `schemas` has each file's columns and metadata, `digests` the sha256 that it carries, if any.
    """

    def __init__(self, files: Unchanged, called: str = "") -> None:
        self.files, self._called = files, called or name_of(files.paths)
        self.schemas: dict[Path, pa.Schema] = {}
        self.digests: dict[Path, str | None] = {}
        self._rows = 0
        for path in files.paths:
            parquet, self.digests[path] = open_parquet(path, called)
            with parquet as file:
                self.schemas[path] = file.schema_arrow
                self._rows += file.metadata.num_rows

    def unify(self) -> ParquetFiles:
        """Find the columns that the files share, and return these files."""
        first, *others = self.files.paths
        self._schema = plain = self.schemas[first].remove_metadata()
        different = [p for p in others if self.schemas[p].remove_metadata() != plain]
        for path in different:
            self._schema = unified(self._schema, self.schemas[path], first, path)
        self._alike = not different
        names = pd.Index(self._schema.names)
        check_names(first, names)
        self.columns = [str(name) for name in names[~names.str.fullmatch(UNNAMED_INDEX)]]
        return self

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column."""
        return self._schema.field(name).type

    def scan(self, connection: DuckDBPyConnection, names: Sequence[str], file: str = "") -> str:
        """Return a query of some columns."""
        for name in names:
            self._check_case(name)
        paths = ", ".join(literal(escaped(path)) for path in self.files.paths)
        options = "hive_partitioning=false"
        if not self._alike:
            options += ", union_by_name=true"
        if file:
            options += f", filename={literal(file)}"
        return f"select {selected(names, file)} from read_parquet([{paths}], {options})"

    def _check_case(self, name: str) -> None:
        same = [other for other in self._schema.names if other.lower() == name.lower()]
        if len(same) > 1:
            raise InputError(
                f"{self._called}: the columns `{same[0]}` and `{same[1]}` differ only in case, and "
                "are one to DuckDB: rename one."
            )

    def rows(self) -> int:
        """Return the number of rows."""
        return self._rows


def escaped(path: Path) -> str:
    """Escape a path so that DuckDB sees no pattern in it."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


def open_parquet(path: Path, called: str = "") -> tuple[pq.ParquetFile, str | None]:
    """Open a file, and return it with the digest that it carries, if any."""
    try:
        digest = checked_digest(path)
        return pq.ParquetFile(path), digest
    except InputError:
        raise
    except OSError as error:
        reason = error.strerror if error.errno else "it is not a Parquet file"
        raise InputError(
            f"{called or path}: cannot be read ({reason}): check its name and what it holds."
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
    try:
        return pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(
            f"{path} and {other_path} have columns of other types ({shortened(error)}): write "
            "them in one type."
        ) from error


def plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of a column, not of their codes."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if kind_of(value) == "text" else value


def kind_of(kind: pa.DataType) -> str:
    """Return the kind of values of a type, in words."""
    types = pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    names = {
        "text": (types.is_string, types.is_large_string, types.is_string_view),
        "numbers": (types.is_integer, types.is_floating, types.is_decimal),
        "true and false": (types.is_boolean,),
        "nothing": (types.is_null,),
        "records": (types.is_struct, types.is_map),
        "lists": (types.is_nested,),
        "bytes": (types.is_binary, types.is_large_binary, types.is_fixed_size_binary),
    }
    for name, tests in names.items():
        if any(test(kind) for test in tests):
            return name
    return f"values of type {kind}"
