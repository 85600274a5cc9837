"""DuckDB: its limit of memory, its folder to sort in, and its errors in one sentence."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from fairpairs.base.errors import InputError, shortened

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Megabytes that DuckDB may take before it uses the disk, enough for so many threads.
MEMORY, MAX_THREADS = 300, 8
#: Rows that DuckDB hands over at a time.
BATCH = 2**17
#: What DuckDB says when the disk has no room for what it sorts.
NO_ROOM = re.compile(r"no space|could not write|max_temp_directory|out of memory|offload", re.I)
#: What it says of a line of a CSV.
LINE = re.compile(r"Line: (\d+)")
WIDTH = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


@contextmanager
def database(called: str) -> Iterator[DuckDBPyConnection]:
    """Yield a connection that sorts on disk what is too large for memory, and removes it then.

    Errors of DuckDB about the files, and a full disk, become an InputError of one sentence.
    """
    import duckdb  # noqa: PLC0415  (slow)

    folder = temporary_folder()
    try:
        with connected(folder) as connection:
            yield connection
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        if "interrupted" not in str(error):
            raise
        raise KeyboardInterrupt from None
    except (duckdb.Error, _StreamError) as error:
        raise InputError(_sentence(called, str(error), folder)) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def connected(folder: Path) -> DuckDBPyConnection:
    """Begin a database in memory, which sorts in a folder what is too large for that."""
    import duckdb  # noqa: PLC0415  (slow)

    # those that this process may use, such as a job of a cluster
    counted = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if counted else os.cpu_count() or 1
    return duckdb.connect(
        config={
            "memory_limit": f"{MEMORY}MB",
            "threads": str(min(cores, MAX_THREADS)),
            "temp_directory": str(folder),
            # the order of rows is never used
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        }
    )


def temporary_folder() -> Path:
    """Return a new folder for data that do not fit into memory."""
    try:
        return Path(tempfile.mkdtemp(prefix="fairpairs-"))
    except OSError as error:
        raise InputError(
            f"No folder for temporary files can be made ({error.strerror}): name one with room in "
            "TMPDIR."
        ) from error


class _StreamError(Exception):
    """An error of DuckDB that Arrow reports."""


def batches(connection: DuckDBPyConnection, query: str) -> Iterator[pa.RecordBatch]:
    """Yield the result of a query in batches of rows."""
    reader = connection.sql(query).to_arrow_reader(BATCH)
    while True:
        try:
            batch = next(reader, None)
        except (pa.ArrowException, OSError) as error:
            raise _StreamError(str(error)) from error
        if batch is None:
            return
        yield batch


def _sentence(called: str, text: str, folder: Path) -> str:
    if NO_ROOM.search(text):
        free = shutil.disk_usage(folder.parent).free / 1e9
        return (
            f"{called}: no room to sort the rows: {folder.parent} has {free:.1f} GB free: make "
            "room for some 40 bytes per row, or name another folder in TMPDIR."
        )
    if "state machine" in text:
        return (
            f"{called}: not a CSV table: its lines end in more than one way (CR, LF or both), or a "
            "quote is astray: write it again, with one kind of line end."
        )
    line = LINE.search(text)
    width = WIDTH.search(text)
    if line and width:
        return (
            f"{called}: line {line[1]} has {width[2]} cell(s) and the header {width[1]}: correct "
            "the line, and put cells that hold a separator in quotes."
        )
    if line:
        what = "is not a text in UTF-8" if "unicode" in text.lower() else "is not of a CSV table"
        return f"{called}: line {line[1]} {what}: correct it, or save the file as CSV in UTF-8."
    return f"{called}: cannot be read ({shortened(text.splitlines()[0])}): write it again."


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: object) -> str:
    """Return a text as SQL writes it."""
    return "'" + str(text).replace("'", "''") + "'"
