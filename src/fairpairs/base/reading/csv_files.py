"""CSV files: their header is looked at here, and DuckDB reads their rows, strictly."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.arrow import check_names
from fairpairs.base.reading.database import database, literal
from fairpairs.base.reading.numbers import PLAIN
from fairpairs.base.reading.packed import blocks, is_packed, start_of, zero_bytes
from fairpairs.base.reading.paths import Unchanged
from fairpairs.base.reading.sources import Source, escaped, selected, unified

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: What may stand between the columns of a CSV: the first that gives the header several columns.
SEPARATORS = (",", ";", "\t")
#: Columns of a CSV; DuckDB takes minutes for 100,000.
MAX_COLUMNS = 20_000
#: Bytes in which the header lies.
START = 1 << 20
#: How a ZIP file starts, and the marks of texts in UTF-16.
ZIP, UTF16 = b"PK\x03\x04", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
csv.field_size_limit(START)
#: How lines end.
_END = b"\n"
#: Rows that show what the cells of a column are, and so few different values that they are all.
SAMPLE, FEW = 1000, 20


@dataclass(frozen=True)
class Style:
    """What a caller says of the CSV files that it names; None is looked for in each."""

    separator: str | None = None
    decimal: str | None = None


_PLAIN = Style()
_STYLE: ContextVar[Style] = ContextVar("style", default=_PLAIN)


@contextmanager
def read_as(separator: str | None = None, decimal: str | None = None) -> Iterator[None]:
    """Read all files within by this separator of columns and this decimal mark."""
    named = {"tab": "\t", "\\t": "\t"}.get(separator, separator) if separator is not None else None
    if named is not None and (
        len(named) != 1 or not named.isascii() or named.isalnum() or named in '"\r\n\0'
    ):
        raise InputError(
            f"--separator {shown(separator)}: give the one character between the columns, such as "
            "';' or '|', or tab."
        )
    if decimal not in (None, ",", "."):
        raise InputError(f"--decimal {shown(decimal)}: give a comma or a point.")
    token = _STYLE.set(Style(named, decimal))
    try:
        yield
    finally:
        _STYLE.reset(token)


def decimal_named() -> str | None:
    """Return the decimal mark that a caller names."""
    return _STYLE.get().decimal


@dataclass(frozen=True)
class Layout:
    """How DuckDB is to read a CSV: header, separator, blank lines before them, compression."""

    header: tuple[str, ...]
    separator: str
    skip: int
    packed: bool

    @property
    def row(self) -> str:
        """The type of each column, in SQL."""
        return "{" + ", ".join(f"'x{i}': 'VARCHAR'" for i in range(len(self.header))) + "}"

    @cached_property
    def names(self) -> list[str]:
        """The columns that have a name: one without is mostly an index that was saved along."""
        return [name for name in self.header if name]

    def cells(self, paths: Sequence[Path], file: str = "") -> str:
        """Return a query of all cells of files, in columns x0, x1 and so on."""
        files = ", ".join(literal(escaped(path)) for path in paths)
        options = [
            f"columns={self.row}", "auto_detect=false", "header=true", "strict_mode=true",
            f"delim={literal(self.separator)}", "quote='\"'", "escape='\"'",
            "hive_partitioning=false", f"compression={'gzip' if self.packed else 'none'!r}",
            f"skip={self.skip}", *([f"filename={literal(file)}"] if file else []),
        ]  # fmt: skip
        return f"read_csv([{files}], {', '.join(options)})"


class CsvFiles(Source):
    """CSV files of the same columns, in any order."""

    of_text = True

    def __init__(self, files: Unchanged, called: str) -> None:
        super().__init__()
        self.files, self.called = files, called
        self.layouts = {path: _layout(path) for path in files.paths}
        schemas = [
            pa.schema([(name, pa.string()) for name in layout.names])
            for layout in self.layouts.values()
        ]
        for path, schema in zip(files.paths, schemas, strict=True):
            unified(schemas[0], schema, files.paths[0], path)
        self.columns = schemas[0].names
        self.european = any(layout.separator == ";" for layout in self.layouts.values())
        for path, layout in self.layouts.items():
            _look(path, layout)

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

    def rows(self) -> None:
        """Return None: the lines have to be counted."""

    def parts(self, names: Sequence[str]) -> Iterator[tuple[Path, pa.Table]]:
        """Yield the rows of each file in their order."""
        for path, layout in self.layouts.items():
            columns = [f"x{layout.header.index(name)}" for name in names]
            with database(str(path)) as connection:
                connection.execute("set preserve_insertion_order=true")
                query = f"select {selected(columns, '')} from {layout.cells([path])}"
                rows = connection.sql(query).to_arrow_table()
            yield path, rows.rename_columns(list(names))


def _layout(path: Path) -> Layout:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:  # such a name DuckDB cannot take
        raise InputError(f"{path}: the name of the file is not in UTF-8: rename it.") from error
    start = start_of(path, START)
    if start.startswith(ZIP):
        raise InputError(
            f"{path}: a ZIP file or a workbook: unpack it, or save the sheet as CSV in UTF-8."
        )
    if start.startswith(UTF16) or b"\0" in start[:4]:
        raise zero_bytes(path)
    try:  # the start may end within a character
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(start)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not a text in UTF-8 ({error.reason} at byte {error.start}): save it as "
            "CSV in UTF-8."
        ) from error
    if not text.strip():
        raise InputError(f"{path}: the file is empty: give a CSV with a header.")
    blank = text[: len(text) - len(text.lstrip())]
    separator = _separator(text.lstrip())
    try:
        lines = csv.reader(io.StringIO(text.lstrip(), newline=""), delimiter=separator,
                           skipinitialspace=True, strict=True)  # fmt: skip
        header = tuple(name.strip() for name in next(lines))
    except csv.Error as error:
        raise InputError(
            f"{path}: not a CSV table (its header: {error}): put one line of names first, and "
            "names that hold a separator in quotes."
        ) from error
    if len(header) == 1:
        remedy = (
            "put commas (or semicolons, or tabs) between the columns, or give the command "
            "--separator"
            if _STYLE.get().separator is None
            else "name another --separator, or leave it out"
        )
        raise InputError(f"{path}: it has only one column, {shown(header[0])}: {remedy}.")
    if len(header) > MAX_COLUMNS:
        raise InputError(
            f"{path}: {len(header):,} columns, and a CSV may have {MAX_COLUMNS:,}: keep those that "
            "you name, or write it as Parquet."
        )
    layout = Layout(header, separator, blank.replace("\r\n", "\n").count("\n"), is_packed(path))
    check_names(path, pd.Index(layout.names))
    return layout


def _separator(text: str) -> str:
    r"""Return what stands between the columns of a CSV with this start, unless a caller named it.

    >>> _separator("a,b;c"), _separator('"a,b";c'), _separator("a"), _separator("a\tb")
    (',', ';', ',', '\t')
    """
    if named := _STYLE.get().separator:
        return named
    line = text.splitlines()[0]
    for between in SEPARATORS:
        with suppress(csv.Error):  # a name of more than 128 kB
            if any(len(row) > 1 for row in csv.reader([line], delimiter=between)):
                return between
    return ","


def _look(path: Path, layout: Layout) -> None:
    """Look at all bytes of a CSV once, and refuse what DuckDB would read as other rows.

    These are zero bytes, the header in the middle, rows with more cells than the header whose last
    are empty, and rows between two quotes that are astray.
    """
    header, first, quotes, longer, end = b"", 1, False, False, b""
    for raw in _whole_lines(path):
        if b"\0" in raw:
            raise zero_bytes(path)
        quotes = quotes or b'"' in raw
        end = end or next((one for one in (b"\r\n", _END, b"\r") if one in raw), _END)
        if not quotes and (line := _other_end(raw, end)) is not None:
            raise InputError(
                f"{path}: line {first + line} ends in another way than those before (CR, LF or "
                "both): write the file again with one kind of line end."
            )
        block = raw.replace(end, _END).removesuffix(_END) + _END
        text, start = _END + block, 0
        if not header:
            start = len(text) - len(text.removeprefix(b"\n").removeprefix(codecs.BOM_UTF8).lstrip())
            header = text[start:].partition(b"\n")[0]
        again = text.find(b"\n" + header + b"\n", start)
        if again >= 0 and header.count(b'"') % 2 == 0:
            raise InputError(
                f"{path}: line {first + text[:again].count(_END)} is the header again: delete it, "
                "as files that are put one after the other each have one."
            )
        line = _longer_line(text, layout.separator, len(layout.header))
        if line is not None and not quotes:
            raise _longer(path, first + line, len(layout.header))
        longer = longer or line is not None
        first += block.count(_END)
    if longer:  # in quotes a separator may be part of a cell
        _check_lengths(path, layout)
    if quotes:
        _check_quotes(path, layout)


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Yield blocks of whole lines; only the last may lack its end."""
    left = b""
    for block in blocks(path):
        content = left + block
        end = max(content.rfind(_END), content[:-1].rfind(b"\r")) + 1
        left = content[end:]
        if end:
            yield content[:end]
    if left:
        yield left


def _other_end(block: bytes, end: bytes) -> int | None:
    """Return the first line of a block that does not end as it should."""
    count = block.count(end)
    if count == block.count(b"\r" if end == b"\r" else _END) and (
        count == block.count(b"\r") or (end == _END and b"\r" not in block)
    ):
        return None
    rest = block.replace(end, b"\0")
    return rest[: min(i for i in map(rest.find, (b"\r", _END)) if i >= 0)].count(b"\0")


def _longer_line(text: bytes, separator: str, width: int) -> int | None:
    """Return the first line of a text that ends in an empty cell more than there are columns."""
    mark = separator.encode()
    if mark + _END not in text and mark + b'""' + _END not in text:
        return None
    data = np.frombuffer(text, dtype=np.uint8)
    ends, marks = np.flatnonzero(data == _END[0]), np.flatnonzero(data == mark[0])
    many = np.diff(np.searchsorted(marks, ends)) >= width
    for line in np.flatnonzero(many).tolist():
        if text[ends[line] + 1 : ends[line + 1]].endswith((mark, mark + b'""')):
            return line
    return None


def _longer(path: Path, line: int, width: int) -> InputError:
    return InputError(
        f"{path}: line {line} has more cells than the header, which has {width}: correct the line, "
        "and put cells that hold a separator in quotes."
    )


def _check_lengths(path: Path, layout: Layout) -> None:
    """Raise InputError for a row with more cells than the header, among rows with quotes."""
    texts = (block.decode("utf-8", "replace") for block in _whole_lines(path))
    lines = (line for text in texts for line in io.StringIO(text, newline="\n"))
    rows = csv.reader(lines, delimiter=layout.separator, skipinitialspace=True)
    with suppress(csv.Error):  # which DuckDB reports
        for row in rows:
            if len(row) > len(layout.header):
                raise _longer(path, rows.line_num, len(layout.header))


def _check_quotes(path: Path, layout: Layout) -> None:
    """Raise InputError for a cell of several lines that are rows of the table."""
    width, mark = len(layout.header), literal(layout.separator)
    # a cell that begins in a column of one row and ends in that of another has so many separators
    swallows = " or ".join(
        f"(contains(x{i}, chr(10)) and length(x{i}) - length(replace(x{i}, {mark}, '')) = "
        f"{width - 1} * (length(x{i}) - length(replace(x{i}, chr(10), ''))))"
        for i in range(width)
    )
    with database(str(path)) as connection:
        cells = layout.cells([path])
        found = connection.sql(f"select * from {cells} where {swallows}").to_arrow_table()
        if not len(found):
            return
        some = connection.sql(f"select * from {cells} limit {SAMPLE}").to_arrow_table()
    kinds = [_kind(some.column(i)) for i in range(width)]
    for i in range(width):
        for text in found.column(i).drop_null().to_pylist():
            lines = text.replace("\r\n", "\n").split("\n")
            if len(lines) > 1 and _are_rows(lines, i, layout.separator, kinds):
                raise InputError(
                    f"{path}: a cell of column `{layout.header[i]}` holds {len(lines)} lines that "
                    f"are rows of the table, and begins {shown(text)}: delete the quote before it, "
                    "or write a quote that belongs to a text twice."
                )


def _kind(cells: pa.ChunkedArray) -> Callable[[str], bool]:
    """Return whether a text may be a value of a column, by some of its cells."""
    texts = pc.utf8_trim_whitespace(cells.drop_null())
    known = set(pc.unique(texts).to_pylist())
    if len(known) <= FEW:
        return known.__contains__
    if pc.all(pc.match_substring_regex(texts, f"^({PLAIN})$")).as_py():
        return lambda text: re.fullmatch(PLAIN, text) is not None
    return lambda text: True


def _are_rows(
    lines: list[str], column: int, separator: str, kinds: Sequence[Callable[[str], bool]]
) -> bool:
    """Return whether the lines of a cell are the end of a row, rows, and the start of one."""
    rows = [line.split(separator) for line in lines]
    rows[0] = [""] * column + rows[0]
    rows[-1] += [""] * (len(kinds) - 1 - column)
    return all(
        len(row) == len(kinds)
        and all(
            not text.strip() or i == column or may_be(text.strip())
            for i, (text, may_be) in enumerate(zip(row, kinds, strict=True))
        )
        for row in rows
    )
