"""Files and tables that a user gives, opened as a source of rows, or read into memory."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from fairpairs.audits.counting.counts_header import CountsRoles, read_header
from fairpairs.audits.counting.csv_files import CsvFiles, start_of
from fairpairs.audits.counting.database import database, temporary_folder
from fairpairs.audits.counting.paths import Unchanged, called, expanded
from fairpairs.audits.counting.sources import Frame, ParquetFiles, Source
from fairpairs.base.arrays import Integers
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.input_tables import Table, check_regular, is_parquet
from fairpairs.base.inputs import LARGEST_WHOLE
from fairpairs.base.sealed import carries_digest
from fairpairs.base.tables import frame_of
from fairpairs.base.text_tables import is_json
from fairpairs.base.texts import listed

if TYPE_CHECKING:
    import narwhals as nw

#: Ending of the names of counts files.
COUNTS = ".counts"


@dataclass(frozen=True)
class Opened:
    """Rows as they were given."""

    #: What DuckDB reads.
    source: Source
    #: Their name in messages.
    called: str
    #: For counts files: the roles of the columns, and the sum of the counts; else None.
    roles: CountsRoles | None = None
    items: int | None = None
    #: A table in memory; else None.
    in_memory: Any = None
    #: Whether the rows were written to a temporary file.
    temporary: bool = False


def open_files(paths: Sequence[Path]) -> Opened:
    """Open files of one kind: Parquet, CSV, JSON lines, or counts files."""
    paths = expanded(paths)
    for path in paths:
        check_regular(path)
    name, files = called(paths), Unchanged(paths)
    kinds = {path: _kind(path) for path in paths}
    other = next((path for path in paths if kinds[path] != kinds[paths[0]]), None)
    if other is not None:
        raise InputError(
            f"{paths[0]} is {kinds[paths[0]]}, and {other} is {kinds[other]}: give files of one "
            "kind."
        )
    kind = kinds[paths[0]]
    if kind == "CSV":
        return Opened(CsvFiles(files), name)
    if kind == "JSON":
        table = _read(paths, name)
        return Opened(Frame(table.frame(), name, paths), name, in_memory=table)
    source = ParquetFiles(files)
    headers = {
        path: read_header(path, schema, source.digests[path])
        for path, schema in source.schemas.items()
    }
    roles, items = _same_roles(headers)
    if roles is not None:
        _check_shards(source, [path for path, header in headers.items() if header and header[1]])
        for path in without_digest(paths):
            check_repeated_cells(path, roles.names)
    return Opened(source.unify(), name, roles, items)


def without_digest(paths: Sequence[Path]) -> list[Path]:
    """Return the Parquet files that carry no digest."""
    return [path for path in paths if _kind(path) == "Parquet" and not carries_digest(path)]


def note_without_digest(paths: Sequence[Path]) -> list[str]:
    """Return a note on the Parquet files of counts that carry no digest, if there are any."""
    lacking = without_digest(paths)
    if not lacking:
        return []
    return [
        f"{called(lacking)}: no digest of FairPairs is in it, so damage that leaves whole numbers "
        "is not noticed."
    ]


def _check_shards(source: ParquetFiles, paths: Sequence[Path]) -> None:
    """Raise InputError when two counts files with items are the same."""
    first: dict[str, Path] = {}
    for path in paths:
        digest = source.digests[path]
        if digest is not None and (other := first.setdefault(digest, path)) != path:
            raise InputError(
                f"{other} and {path} are the same counts, which would count twice: leave one out, "
                "or, if they are of different items, count those in one run of `fairpairs count`."
            )


def check_repeated_cells(path: Path, names: Sequence[str]) -> None:
    """Raise InputError when rows of a Parquet file have the same values in all these columns."""
    source = ParquetFiles(Unchanged([path])).unify()
    keys = ", ".join(f"c{i}" for i in range(len(names)))
    with database(str(path)) as connection:
        query = f"from ({source.scan(connection, names)}) group by {keys} having count(*) > 1"
        rows = connection.sql(f"select {keys} {query} order by all limit 1").fetchall()
    if rows:
        values = listed(f"`{name}` {shown(x)}" for name, x in zip(names, rows[0], strict=True))
        raise InputError(
            f"{path}: more than one row counts {values}: sum the counts of equal rows, or correct "
            "the query that wrote them."
        )


def _kind(path: Path) -> str:
    if is_parquet(path) or path.suffix == COUNTS:
        return "Parquet"
    return "JSON" if is_json(path, start_of(path)) else "CSV"


def _same_roles(
    headers: Mapping[Path, tuple[CountsRoles, int] | None],
) -> tuple[CountsRoles | None, int | None]:
    """Return the roles that all counts files share, and their items; None for other files."""
    first, *others = headers
    header = headers[first]
    for path in others:
        if (headers[path] is None) != (header is None):
            counts, rows = (path, first) if header is None else (first, path)
            raise InputError(
                f"{counts} is a counts file, and {rows} is not: give files of one kind."
            )
    if header is None:
        if first.suffix == COUNTS:
            raise InputError(
                f"{first}: a Parquet file that does not say what it counts: count with `fairpairs "
                "count`, or call it .parquet."
            )
        return None, None
    items = 0
    for path, other in headers.items():
        assert other is not None
        if other[0] != header[0]:
            raise InputError(
                f"{first} counts {header[0].text()}, and {path} counts {other[0].text()}: count "
                "all files by the same columns, and all with --missing-group or none."
            )
        items += other[1]
    return header[0], items


def of_table(table: Any, name: str) -> Opened:
    """Open a table in memory, or one that is computed when it is read."""
    frame = frame_of(table, name)
    if frame is None:
        raise InputError(f"{name} must be a path or a table, not {shown(table)}.")
    if not isinstance(frame, pd.DataFrame):
        import narwhals as nw  # noqa: PLC0415  (slow)

        if isinstance(frame, nw.LazyFrame):
            return _spooled(frame, name)
    source = Frame(frame, name)
    if not source.rows():
        raise InputError(f"{name}: the table has no rows: give at least one.")
    return Opened(source, name, in_memory=frame)


def _spooled(table: nw.LazyFrame[Any], name: str) -> Opened:
    folder = temporary_folder()
    path = folder / "rows.parquet"
    try:
        table.sink_parquet(str(path))
        source = ParquetFiles(Unchanged(expanded([path])), name).unify()  # Spark writes a folder
    except Exception as error:  # whatever computing the rows raises
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(
            f"{name}: its rows cannot be written to {folder.parent} ({shortened(error)}): compute "
            "them first, or name another folder in TMPDIR."
        ) from error
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return Opened(source, name, temporary=True)


def table_of(opened: Opened, names: Sequence[str]) -> Table:
    """Return some columns in memory, without repeating rows by their counts."""
    table = opened.in_memory
    if isinstance(table, Table):
        return table.kept(names)
    if table is not None:
        return Table.of(table[list(names)], opened.called)
    return _read(opened.source.files.paths, opened.called, names)


def _read(paths: Sequence[Path], name: str, columns: Sequence[str] | None = None) -> Table:
    tables = []
    for path in [path for path in paths if not is_empty(path)] or paths[:1]:
        table = Table(path, of_counts=True)
        tables.append(table if columns is None else table.kept(columns))
    return tables[0] if len(tables) == 1 else Table.joined(tables, name)


def is_empty(path: Path) -> bool:
    """Return whether a file has columns but no rows, as some parts of large data have."""
    if _kind(path) == "Parquet":
        with pq.ParquetFile(path) as file:
            return bool(file.metadata.num_rows == 0)
    start = start_of(path)
    return not is_json(path, start) and sum(map(bool, map(bytes.strip, start.splitlines()))) == 1


def frequencies(table: Table, weight: str) -> Integers:
    """Return a column of counts; InputError unless all are whole numbers from 0 on."""
    counts = table.numbers(weight, "give counts")
    if ((counts < 0) | (counts % 1 != 0) | (counts > LARGEST_WHOLE)).any():
        raise InputError(
            f"{table.called}: column `{weight}` must hold counts, whole numbers from 0 on"
            ", up to 2^53: correct it, or name another column."
        )
    return np.asarray(counts, dtype=np.int64)
