"""CSV files, whose rows DuckDB reads, strictly."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairpairs.base.arrays import Array
from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.csv_layout import BEFORE, Layout, layout_of
from fairpairs.base.reading.database import database, literal
from fairpairs.base.reading.numbers import PLAIN
from fairpairs.base.reading.packed import blocks, zero_bytes
from fairpairs.base.reading.paths import Unchanged
from fairpairs.base.reading.sources import Source, selected, unified

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: How lines end.
END = b"\n"
#: The lower case of letters.
LOWER = bytes(range(256)).lower()
#: Rows that show what the cells of a column are, and so few different values that they are all.
SAMPLE, FEW = 1000, 20


class CsvFiles(Source):
    """CSV files of the same columns, in any order."""

    of_text = True

    def __init__(self, files: Unchanged, called: str) -> None:
        super().__init__()
        self.files, self.called = files, called
        self.layouts = {path: layout_of(path) for path in files.paths}
        self.schema, *others = [
            # a column without a name is mostly an index that was saved along
            pa.schema([(name, pa.string()) for name in layout.header if name])
            for layout in self.layouts.values()
        ]
        for path, schema in zip(files.paths[1:], others, strict=True):
            unified(self.schema, schema, files.paths[0], path)
        self.columns = self.schema.names
        self.european = any(layout.separator == ";" for layout in self.layouts.values())
        rows = [look(path, layout) for path, layout in self.layouts.items()]
        self.rows = None if None in rows else sum(n for n in rows if n is not None)

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

    def parts(self, names: Sequence[str]) -> Iterator[tuple[Path, pa.Table]]:
        """Yield the rows of each file in their order."""
        for path, layout in self.layouts.items():
            columns = [f"x{layout.header.index(name)}" for name in names]
            with database(str(path)) as connection:
                connection.execute("set preserve_insertion_order=true")
                query = f"select {selected(columns, '')} from {layout.cells([path])}"
                rows = connection.sql(query).to_arrow_table()
            yield path, rows.rename_columns(list(names))


def look(path: Path, layout: Layout) -> int | None:
    """Look at all bytes of a CSV once; return the number of its rows, None if it is not plain.

    Refused are zero bytes, lines that end in several ways, the header in the middle, rows with more
    cells than the header whose last are empty, and rows between two quotes that are astray.
    """
    mark, width = layout.separator.encode(), len(layout.header)
    header, end, lines, quotes, quoted = b"", b"", 0, 0, False
    blank, longer = layout.skip > 0, False
    for raw in _whole_lines(path):
        if b"\0" in raw:
            raise zero_bytes(path)
        quotes += raw.count(b'"')
        end = end or next((one for one in (b"\r\n", END, b"\r") if one in raw), END)
        text = _with_line_feeds(path, raw, end, lines, quotes=quotes > 0)
        start = 0
        if not header:
            before = re.match(b"(?:" + codecs.BOM_UTF8 + b")?" + BEFORE.encode(), text)
            start = before.end() if before else 0
            header = text[start:].partition(END)[0] + END
            start += len(header)
        _check_header(path, text, header, start, lines)
        if quotes and not quoted:
            quoted = any(one + b'"' in text for one in (mark, END, mark + b" "))
        data = np.frombuffer(text, dtype=np.uint8)
        ends = np.flatnonzero(data == END[0])
        last = data[ends - 1]  # of an empty first line, the last of the text
        blank = blank or bool((last == END[0]).any())
        if (last == mark[0]).any() or (quotes and (last == ord('"')).any()):
            line = _longer_line(data, ends, mark, width)
            if line is not None and not quotes:
                raise _longer(path, lines + line + 1, width)
            longer = longer or line is not None
        lines += len(ends)
    if quoted and quotes % 2:
        raise _odd_quotes(path, quotes)
    if longer:  # in quotes a separator may be part of a cell
        _check_lengths(path, layout)
    if quotes:
        _check_quotes(path, layout)
    return None if quotes or blank else lines - 1


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Yield blocks of whole lines; only the last may lack its end."""
    left = b""
    for block in blocks(path):
        content = left + block
        end = max(content.rfind(END), content[:-1].rfind(b"\r")) + 1
        left = content[end:]
        if end:
            yield content[:end]
    if left:
        yield left


def _with_line_feeds(path: Path, raw: bytes, end: bytes, lines: int, *, quotes: bool) -> bytes:
    """Return lines that end in line feeds; InputError where some end in another way."""
    if b"\r" in raw:
        marked = raw.replace(end, b"\0")
        others = [i for i in map(marked.find, (b"\r", END)) if i >= 0]
        if others and not quotes:
            line = lines + marked[: min(others)].count(b"\0") + 1
            raise InputError(
                f"{path}: line {line} ends in another way than those before (CR, LF or both): "
                "write the file again with one kind of line end."
            )
        raw = raw.replace(end, END)
    return raw if raw.endswith(END) else raw + END


def _odd_quotes(path: Path, quotes: int) -> InputError:
    """Refuse a file in which a quote is astray; where, only its first line can tell."""
    lines = (line for block in _whole_lines(path) for line in re.split(rb"\r\n|\r|\n", block)[:-1])
    odd = next((i for i, line in enumerate(lines, 1) if line.count(b'"') % 2), 1)
    return InputError(
        f"{path}: line {odd} is the first with an odd number of quotes, and so is that of the file "
        f"({quotes:,}), in which cells are in quotes: delete the quote that is astray, or put its "
        "cell in quotes and write it twice."
    )


def _check_header(path: Path, text: bytes, header: bytes, start: int, lines: int) -> None:
    """Raise InputError for the header again, also with other case, quotes or blanks."""
    if header.count(b'"') % 2:  # only a part of it
        return
    rows = text[start:]
    word = max(re.findall(rb"[\w\x80-\xff]+", header.lower()), key=len, default=b"")
    if word not in rows.lower():  # in a third of the time
        return
    header, rows = _folded(header), _folded(rows)
    again = rows.find(header)
    while again > 0 and rows[again - 1] != END[0]:
        again = rows.find(header, again + 1)
    if again >= 0:
        line = lines + text[:start].count(END) + rows[:again].count(END) + 1
        raise InputError(
            f"{path}: line {line} is the header again: delete it, "
            "as files that are put one after the other each have one."
        )


def _folded(text: bytes) -> bytes:
    return text.translate(LOWER, b'" ' + codecs.BOM_UTF8)


def _longer_line(data: Array, ends: Array, mark: bytes, width: int) -> int | None:
    """Return the first line that ends in an empty cell more than there are columns."""
    marks = np.flatnonzero(data == mark[0])
    many = np.diff(np.searchsorted(marks, ends), prepend=0) >= width
    for line in np.flatnonzero(many).tolist():
        text = data[ends[line] - 3 : ends[line]].tobytes()
        if text.endswith((mark, mark + b'""')):
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
    swallows = []
    for i in range(width):
        text = f"replace(replace(x{i}, chr(13) || chr(10), chr(10)), chr(13), chr(10))"
        breaks = f"length({text}) - length(replace({text}, chr(10), ''))"
        # a cell from a column of one row to that of another has so many separators
        marks = f"length(x{i}) - length(replace(x{i}, {mark}, ''))"
        swallows.append(f"({breaks} > 0 and {marks} = {width - 1} * ({breaks}))")
    with database(str(path)) as connection:
        cells = layout.cells([path])
        where = " or ".join(swallows)
        found = connection.sql(f"select * from {cells} where {where}").to_arrow_table()
        if not len(found):
            return
        some = connection.sql(f"select * from {cells} limit {SAMPLE}").to_arrow_table()
    kinds = [_kind(some.column(i)) for i in range(width)]
    for i in range(width):
        for text in found.column(i).drop_null().to_pylist():
            lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
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
