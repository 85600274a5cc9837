"""How a CSV is laid out: its header, what stands between its columns, and its decimal mark."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.arrow import check_names
from fairpairs.base.reading.database import literal
from fairpairs.base.reading.packed import is_packed, start_of, zero_bytes
from fairpairs.base.reading.sources import escaped

#: What may stand between the columns of a CSV: the first that gives the header several columns.
SEPARATORS = (",", ";", "\t")
#: Columns of a CSV; DuckDB takes minutes for 100,000.
MAX_COLUMNS = 20_000
#: Bytes in which the header lies.
START = 1 << 20
#: What may be before the header: blank lines, and the line that tells Excel the separator.
LINE_END = r"(?:\r\n|\r|\n)"
BEFORE = rf"(?:[ \t\f\v]*{LINE_END})*(?:[sS][eE][pP]=(.){LINE_END})?"
#: How a ZIP file starts, and the marks of texts in UTF-16.
ZIP, UTF16 = b"PK\x03\x04", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
csv.field_size_limit(START)


@dataclass(frozen=True)
class Style:
    """How a caller says that CSV files are written; what is None is looked for."""

    separator: str | None = None
    decimal: str | None = None


_FOUND = Style()
STYLE: ContextVar[Style] = ContextVar("style", default=_FOUND)


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
    token = STYLE.set(Style(named, decimal))
    try:
        yield
    finally:
        STYLE.reset(token)


@dataclass(frozen=True)
class Layout:
    """How DuckDB is to read a CSV: header, separator, blank lines before them, compression."""

    header: tuple[str, ...]
    separator: str
    skip: int
    packed: bool

    def cells(self, paths: Sequence[Path], file: str = "") -> str:
        """Return a query of all cells of files, in columns x0, x1 and so on."""
        files = ", ".join(literal(escaped(path)) for path in paths)
        types = ", ".join(f"'x{i}': 'VARCHAR'" for i in range(len(self.header)))
        options = [
            f"columns={{{types}}}", "auto_detect=false", "header=true", "strict_mode=true",
            f"delim={literal(self.separator)}", "quote='\"'", "escape='\"'",
            "hive_partitioning=false", f"compression={'gzip' if self.packed else 'none'!r}",
            f"skip={self.skip}", *([f"filename={literal(file)}"] if file else []),
        ]  # fmt: skip
        return f"read_csv([{files}], {', '.join(options)})"


def layout_of(path: Path) -> Layout:
    """Look at the start of a CSV; InputError for what has no header of several columns."""
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
    before = re.match(BEFORE, text)
    assert before is not None
    rows = text[before.end() :]
    separator = STYLE.get().separator or before[1] or _separator(rows)
    try:
        lines = csv.reader(io.StringIO(rows, newline=""), delimiter=separator,
                           skipinitialspace=True, strict=True)  # fmt: skip
        names = [name.strip() for name in next(lines)]
    except csv.Error as error:
        raise InputError(
            f"{path}: not a CSV table (its header: {error}): put one line of names first, and "
            "names that hold a separator in quotes."
        ) from error
    counts = Counter(names)
    header = tuple(
        f"{name} (column {n})" if name and counts[name] > 1 else name
        for n, name in enumerate(names, 1)
    )
    if len(header) == 1:
        remedy = (
            "put commas (or semicolons, or tabs) between the columns, or give the command "
            "--separator"
            if STYLE.get().separator is None
            else "name another --separator, or leave it out"
        )
        raise InputError(f"{path}: it has only one column, {shown(header[0])}: {remedy}.")
    if len(header) > MAX_COLUMNS:
        raise InputError(
            f"{path}: {len(header):,} columns, and a CSV may have {MAX_COLUMNS:,}: keep those that "
            "you name, or write it as Parquet."
        )
    ends = re.findall(LINE_END, "".join(islice(io.StringIO(rows, newline=""), lines.line_num)))
    if len(ends) > 1 and (len(set(ends)) > 1 or start.startswith(codecs.BOM_UTF8)):
        name = next(name for name in header if re.search(LINE_END, name))
        raise InputError(  # DuckDB would begin after another line
            f"{path}: the name of the column {shown(name)} has several lines: write it in one line."
        )
    skip = len(re.findall(LINE_END, before[0]))
    check_names(path, [name for name in header if name])
    return Layout(header, separator, skip, is_packed(path))


def _separator(text: str) -> str:
    r"""Return what stands between the columns of a CSV with this start.

    >>> _separator("a,b;c"), _separator('"a,b";c'), _separator("a"), _separator('"a\nb"\tc')
    (',', ';', ',', '\t')
    """
    for between in SEPARATORS:
        with suppress(csv.Error):  # a name of more than 1 MB
            if len(next(csv.reader(io.StringIO(text, newline=""), delimiter=between))) > 1:
                return between
    return ","
