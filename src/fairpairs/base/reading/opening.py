"""Files and tables that a user gives, opened as a source of rows."""

from __future__ import annotations

import shutil
import stat
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.harnesses import reader_of
from fairpairs.base.reading.arrow import single
from fairpairs.base.reading.csv_files import CsvFiles
from fairpairs.base.reading.csv_layout import START
from fairpairs.base.reading.database import temporary_folder
from fairpairs.base.reading.json_files import columns_of, is_json, read_json
from fairpairs.base.reading.packed import start_of
from fairpairs.base.reading.paths import Unchanged, called, expanded
from fairpairs.base.reading.sources import Frame, ParquetFiles, Source, cast, unified
from fairpairs.base.tables import frame_of

if TYPE_CHECKING:
    import narwhals as nw

#: Endings of the names of Parquet files, and how they start.
PARQUET, PARQUET_START = (".parquet", ".pq"), b"PAR1"
#: The key in the metadata of a counts file, the format that it names there, and its ending.
COUNTS_KEY, COUNTS_FORMAT, COUNTS = b"fairpairs", "fairpairs counts", ".counts"


def source_of(paths: Sequence[Path]) -> Source:
    """Open files of one kind: Parquet, also of counts, CSV, or JSON."""
    for path in paths:
        check_regular(path)
    name, files = called(paths), Unchanged(paths)
    kinds = {path: kind_of_file(path) for path in paths}
    other = next((path for path in paths if kinds[path] != kinds[paths[0]]), None)
    if other is not None:
        raise InputError(
            f"{paths[0]} is {kinds[paths[0]]}, and {other} is {kinds[other]}: give files of one "
            "kind."
        )
    if kinds[paths[0]] == "Parquet":
        source: Source = ParquetFiles(files)
    elif kinds[paths[0]] == "CSV":
        source = CsvFiles(files, name)
    else:  # rows of JSON files of the same columns
        tables = [read_json(path) for path in paths]
        whole = tables[0].schema
        for path, table in zip(paths, tables, strict=True):
            whole = unified(whole, table.schema, paths[0], path)
        parts = [cast(table, whole, path) for path, table in zip(paths, tables, strict=True)]
        return Frame(pa.concat_tables(parts), name, paths)
    schema = source.schemas[paths[0]].names if isinstance(source, ParquetFiles) else source.columns
    if len(paths) > 1 or reader_of(dict.fromkeys(schema)) is None:
        return source
    return _of_harness(source.unify(), name, paths[0])


def _of_harness(source: Source, name: str, path: Path) -> Source:
    """Return the rows that the reader of a harness makes of a table with its columns."""
    ((_, rows),) = source.parts(source.columns)
    if source.of_text:
        for i, column in enumerate(rows.columns):
            rows = rows.set_column(i, rows.column_names[i], single(column, name))
    return Frame(columns_of(path, rows.to_pylist()), name, [path])


def kind_of_file(path: Path) -> str:
    """Return whether a file is Parquet, JSON or CSV."""
    if is_parquet(path) or path.suffix.lower() == COUNTS:
        return "Parquet"
    return "JSON" if is_json(path, start_of(path, START)) else "CSV"


def is_parquet(path: Path) -> bool:
    """Return whether a file is called as Parquet files are, or starts as they do."""
    if path.suffix.lower() in PARQUET:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(PARQUET_START)) == PARQUET_START
    except OSError:
        return False  # which reading it reports


def is_counts(source: Source) -> bool:
    """Return whether files say that they are counts files."""
    schemas = source.schemas.values() if isinstance(source, ParquetFiles) else ()
    texts = ((schema.metadata or {}).get(COUNTS_KEY, b"") for schema in schemas)
    return any(COUNTS_FORMAT.encode() in text for text in texts)


def is_empty(path: Path) -> bool:
    """Return whether a file has columns but no rows, as some parts of large data have."""
    if kind_of_file(path) == "Parquet":
        with pq.ParquetFile(path) as file:
            return bool(file.metadata.num_rows == 0)
    start = start_of(path, START)
    return not is_json(path, start) and sum(map(bool, map(bytes.strip, start.splitlines()))) == 1


def check_regular(path: Path) -> None:
    """Raise unless a path can be opened again and has an end, as a pipe or a device may not."""
    if path == Path("-") and not path.exists():
        raise InputError("-: standard input cannot be read: save it to a file, and name that.")
    try:
        mode = path.stat().st_mode
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or "its name holds half of a character"
        raise InputError(f"{path}: cannot be read ({reason}): check its name.") from error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(
            f"{path}: a pipe or a device, not a file: save what it gives to a file, and name that."
        )
    try:
        str(path).encode()
    except UnicodeEncodeError as error:  # such a name neither DuckDB nor Arrow can take
        raise InputError(f"{path}: the name of the file is not in UTF-8: rename it.") from error


def source_of_table(values: Any, name: str) -> Source:
    """Open a table of any kind; one that is computed when it is read is written to a file first."""
    frame = frame_of(values, name)
    if frame is None:
        raise InputError(f"{name} must be a path or a table, not {shown(values)}.")
    if not isinstance(frame, pd.DataFrame):
        import narwhals as nw  # noqa: PLC0415  (slow)

        if isinstance(frame, nw.LazyFrame):
            return _spooled(frame, name)
    source = Frame(frame, name)
    if not source.rows:
        raise InputError(f"{name}: the table has no rows: give at least one.")
    return source


def _spooled(table: nw.LazyFrame[Any], name: str) -> Source:
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
    source.temporary = True
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source
