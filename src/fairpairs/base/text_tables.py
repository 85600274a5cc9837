"""Columns of a text: a CSV, or JSON lines; errors name the file, the place and the remedy."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, half_character, shown
from fairpairs.base.harnesses import reader_of, unpacked
from fairpairs.base.plain_values import Record

#: How files that gzip and ZIP have compressed start.
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
#: Bytes in which a JSON file has shown itself.
LONGEST_START = 100
#: How a text of JSON objects starts: one on each line, or in an array.
OBJECTS = re.compile(rb"\s*(\{|\[\s*\{)")
#: Endings of the names of JSON files, and of logs that hold JSON.
JSON = (".json", ".jsonl", ".ndjson", ".eval")
#: Lines of JSON that are read at a time.
LINES = 10_000
#: What a list of values is in JSON, and in Parquet.
LISTS = (list, np.ndarray)
#: Bytes of JSON that are read into memory.
MAX_JSON = 2 * 10**9
#: What may stand between the columns of a CSV: the first that gives the header several columns.
SEPARATORS = (",", ";", "\t")
#: What stands there if a caller names it.
_NAMED: ContextVar[str | None] = ContextVar("separator", default=None)
#: Bytes in a CSV that need a full parser: zero bytes, quotes, and blanks before a line; also blanks
#: before a cell.
NOT_PLAIN = (b"\0", b'"', b"\n ", b"\n\t", b"\r ", b"\r\t")
#: A number with a decimal comma, as a spreadsheet writes it where semicolons separate columns.
DECIMAL_COMMA, DECIMAL_POINT = r"^([+-]?\d+),(\d+)$", r"\1.\2"


def check_start(path: Path, start: bytes, size: int) -> None:
    """Raise InputError if a file starts with zero bytes, or is JSON that memory may not hold."""
    if start.startswith(bytes(4)):
        _check_zero_bytes(path, "\0")
    if size > MAX_JSON and is_json(path, start):
        raise InputError(
            f"{path}: {size / 1e9:.0f} GB of JSON, which would be read into memory: write it as "
            "Parquet."
        )


def text_columns(path: Path, content: bytes) -> Mapping[str, Series | pa.ChunkedArray]:
    """Return the columns of a file: a CSV, whose cells are texts, or JSON; also by gzip.

    Files of evaluation harnesses are read by their own readers (`base/harnesses`).
    """
    content = _unpacked(path, content)
    log = unpacked(path, content)
    if log is not None:
        return columns_of(path, [log])
    if is_json(path, content):
        return _json_columns(path, content)
    return _csv_columns(path, content)


def is_json(path: Path, start: bytes) -> bool:
    """Return whether a file with this start is JSON."""
    objects = OBJECTS.match(start[:LONGEST_START].removeprefix(codecs.BOM_UTF8))
    return bool(objects) or path.name.lower().removesuffix(".gz").endswith(JSON)


def check_names(path: Path, names: pd.Index[str]) -> None:
    """Raise InputError when two columns have one name, or one has a zero character in it."""
    cut = [name for name in names if "\0" in str(name)]
    if cut:
        raise InputError(
            f"{path}: the name of the column {shown(cut[0])} holds a zero character, at which some "
            "programs end a name: rename the column."
        )
    repeated = names[names.duplicated()]
    if len(repeated):
        raise InputError(f"{path}: duplicate column `{next(iter(repeated))}`: rename or drop one.")


def _unpacked(path: Path, content: bytes) -> bytes:
    """Return the content of a file, decompressed if gzip has compressed it."""
    if not content.startswith(GZIP):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: cannot be decompressed ({last_line(error)}): compress it again, or give the "
            "CSV itself."
        ) from error


def _csv_columns(path: Path, content: bytes) -> dict[str, pa.ChunkedArray]:
    """Return the columns of a CSV as text."""
    with _csv_errors(path):
        _check_packed(path, content)
        between = separator(content)
        cells = _plain_cells(content, between)
        if cells is None:
            # with or without a byte order mark
            text = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig").read()
            _check_zero_bytes(path, text)
            cells = _all_cells(text, between)
    header = _named(path, cells)
    if between != ",":
        cells = [pc.replace_substring_regex(c, DECIMAL_COMMA, DECIMAL_POINT) for c in cells]
    if len(cells[0]) == 1:
        raise InputError(f"{path}: the file has a header but no rows: give at least one item.")
    return {name: cells[i][1:] for i, name in enumerate(header) if name != ""}


def separator(start: bytes) -> str:
    r"""Return what stands between the columns of a CSV with this start, unless a caller named it.

    >>> separator(b"a,b;c"), separator(b'"a,b";c'), separator(b"a"), separator(b"a\tb")
    (',', ';', ',', '\t')
    """
    if named := _NAMED.get():
        return named
    header = start.removeprefix(codecs.BOM_UTF8).lstrip().splitlines()[:1]
    line = header[0].decode("utf-8", "replace").replace("\0", "") if header else ""
    for between in SEPARATORS:
        with suppress(csv.Error):  # a name of more than 128 kB
            if any(len(row) > 1 for row in csv.reader([line], delimiter=between)):
                return between
    return ","


@contextmanager
def separated_by(text: str | None) -> Iterator[None]:
    """Read all CSV files within as files with this separator; None to look for it in each."""
    named = {"tab": "\t", "\\t": "\t"}.get(text, text) if text is not None else None
    if named is not None and (
        len(named) != 1 or not named.isascii() or named.isalnum() or named in '"\r\n\0'
    ):
        raise InputError(
            f"--separator {shown(text)}: give the one character between the columns, such as ';' "
            "or '|', or tab."
        )
    token = _NAMED.set(named)
    try:
        yield
    finally:
        _NAMED.reset(token)


def csv_header(path: Path, start: bytes) -> tuple[list[str], int]:
    """Return the names of the columns of a CSV with this start, and the blank lines before them."""
    with _csv_errors(path):
        _check_packed(path, start)
        # the start may end within a character
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(start)
        _check_zero_bytes(path, text)
        cells = _all_cells(text, separator(start), rows=1)
    blank = text[: len(text) - len(text.lstrip())]
    return _named(path, cells), blank.count("\n")


@contextmanager
def _csv_errors(path: Path) -> Iterator[None]:
    """Turn errors of a CSV into an InputError with the remedy."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not a text in UTF-8 ({error.reason} at byte {error.start}): save it as "
            "CSV in UTF-8."
        ) from error
    except pd.errors.EmptyDataError as error:
        raise InputError(f"{path}: the file is empty: give a CSV with a header.") from error
    except pd.errors.ParserError as error:
        raise InputError(
            f"{path}: not a CSV table ({last_line(error)}): put "
            f"{'commas' if (mark := _NAMED.get()) is None else shown(mark)} between the columns, "
            f"and cells that hold {'a comma' if mark is None else 'it'} in quotes."
        ) from error


def _check_packed(path: Path, content: bytes) -> None:
    if content.startswith(ZIP):
        raise InputError(
            f"{path}: a ZIP file or a workbook: unpack it, or save the sheet as CSV in UTF-8."
        )


def _check_zero_bytes(path: Path, text: str) -> None:
    if "\0" in text:
        raise InputError(
            f"{path}: not a text in UTF-8 (it has zero bytes): save it as CSV in UTF-8."
        )


def _named(path: Path, cells: list[pa.ChunkedArray]) -> list[str]:
    """Return the header; a column without a name is mostly an index that was saved along."""
    header = [str(column[0].as_py()).strip() for column in cells]
    if len(header) == 1:
        remedy = (
            "put commas (or semicolons, or tabs) between the columns, or give the command "
            "--separator"
            if _NAMED.get() is None
            else "name another --separator, or leave it out"
        )
        raise InputError(f"{path}: it has only one column, {shown(header[0])}: {remedy}.")
    check_names(path, pd.Index([name for name in header if name != ""]))
    return header


def _plain_cells(content: bytes, between: str = ",") -> list[pa.ChunkedArray] | None:
    """Return the columns of a plain CSV as text, the header first; None where it is not plain."""
    content = content.removeprefix(codecs.BOM_UTF8)
    mark = between.encode()
    blanks = (mark + b" ", *((mark + b"\t",) if mark != b"\t" else ()))
    if content[:1].isspace() or any(part in content for part in (*NOT_PLAIN, *blanks)):
        return None
    header = re.match(rb"[^\r\n]*", content)
    width = header[0].count(mark) + 1 if header else 0
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(content),
            # threads would take more memory and hardly less time
            arrow_csv.ReadOptions(autogenerate_column_names=True, use_threads=False),
            arrow_csv.ParseOptions(delimiter=between, quote_char=False),
            arrow_csv.ConvertOptions(column_types={f"f{i}": pa.string() for i in range(width)}),
            memory_pool=pa.system_memory_pool(),
        )
    except pa.ArrowInvalid:  # for instance rows of other lengths
        return None
    return list(table.columns)


def _all_cells(text: str, between: str = ",", rows: int | None = None) -> list[pa.ChunkedArray]:
    """Return the columns of any CSV as text, or its first rows; short rows are filled with null."""
    cells = pd.read_csv(
        io.StringIO(text),
        sep=between,
        header=None,
        dtype=str,
        keep_default_na=False,
        skipinitialspace=True,
        nrows=rows,
    )
    # of a header with very many names pandas takes the cells at once far faster
    columns = cells.to_numpy(object).T if rows == 1 else (cells[i] for i in cells)
    return [pa.chunked_array([pa.array(c, pa.string(), from_pandas=True)]) for c in columns]


def _json_columns(path: Path, content: bytes) -> dict[str, Series]:
    """Return the columns of JSON objects, one on each line or all in an array."""
    try:
        text = content.decode("utf-8-sig").strip()
        parts = [_whole(text)] if _is_whole(text) else _json_lines(path, text)
    # also of too many digits, and of lists in lists in lists
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path}: cannot be read as JSON ({last_line(error)}): write one object on each line."
        ) from error
    return columns_of(path, parts)


def _is_whole(text: str) -> bool:
    """Return whether a text of JSON is one value, not one on each line."""
    return text.startswith("[") or text.partition("\n")[0].strip() == "{"


def _whole(text: str) -> list[Any]:
    """Return the objects of a text that is an array, or one object over several lines."""
    value = json.loads(text)
    return value if isinstance(value, list) else [value]


def columns_of(path: Path, parts: Iterable[list[Any]]) -> dict[str, Series]:
    """Return the columns of objects, or those that the reader of a harness makes of them."""
    objects: Iterator[list[Record]] = (_objects(path, rows) for rows in parts if rows)
    first: list[Record] = next(objects, [{}])
    reader = reader_of(first[0])
    objects = chain([first], objects)
    if reader is not None:
        objects = iter([reader.rows(list(chain.from_iterable(objects)), str(path))])
    try:
        tables = [pd.DataFrame(rows) for rows in objects]
    except UnicodeEncodeError as error:
        raise half_character(path, error) from error
    if not any(table.size for table in tables):
        raise InputError(f"{path}: the file has no rows: give at least one item.")
    table = pd.concat(tables, ignore_index=True)
    # parts of one column may differ in type
    columns = {
        name: pd.Series(values.tolist()) if values.dtype == object else values
        for name, values in table.items()
    }
    return {str(name): without_lists(values) for name, values in columns.items()}


def _json_lines(path: Path, text: str) -> Iterator[list[Any]]:
    """Yield the objects of the lines, some thousands at a time to save memory."""
    lines = text.split("\n")  # a text within a line may hold other line breaks
    for start in range(0, len(lines), LINES):
        some = [line for line in lines[start : start + LINES] if line and not line.isspace()]
        try:
            rows = json.loads(f"[{','.join(some)}]")
        except (ValueError, RecursionError):
            rows = []
        if len(rows) != len(some):
            rows = [
                _json_line(path, number, line)
                for number, line in enumerate(lines[start : start + LINES], start + 1)
                if line and not line.isspace()
            ]
        yield rows


def _json_line(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", last_line(error))
        raise InputError(
            f"{path}: line {number} is not JSON ({reason}): write one object on each line."
        ) from error


def _objects(path: Path, rows: list[Any]) -> list[Record]:
    if other := [row for row in rows if not isinstance(row, dict)]:
        raise InputError(
            f"{path}: it holds {shown(other[0])}, which is no object such as "
            '{"chosen": 1.5, "rejected": 0.2}: write one object on each line.'
        )
    return rows


def without_lists(values: Series) -> Series:
    """Return a column with the values of lists of one; other lists stay, and are refused later."""
    if values.dtype != object or not values.map(lambda x: isinstance(x, LISTS)).any():
        return values
    return values.map(_only).infer_objects()


def _only(value: Any) -> Any:
    """Return the value of a list of one, or of an array of no dimension; others as they are.

    >>> [_only(value) for value in ([4], np.array(3), [1, 2], np.ma.masked)]
    [4, 3, [1, 2], None]
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return None if value is np.ma.masked else value.item()
    return value[0] if isinstance(value, LISTS) and len(value) == 1 else value


def last_line(error: Exception) -> str:
    """Return the last line of the message of a library."""
    return str(error).splitlines()[-1].strip().removesuffix(".")
