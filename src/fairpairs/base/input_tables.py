"""CSV, JSON lines (both also by gzip) and Parquet files; errors name the place and the remedy."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Series
from fairpairs.base.columns import (
    Column,
    PartialColumn,
    column,
    column_with_missing,
    fill_missing,
)
from fairpairs.base.errors import InputError, half_character, shown
from fairpairs.base.files import MISSING, file_sha256, read_parquet
from fairpairs.base.harnesses import reader_of
from fairpairs.base.inputs import LARGEST, NO_NUMBERS
from fairpairs.base.named_columns import NamedColumns
from fairpairs.base.plain_values import Record
from fairpairs.base.tables import frame_of, table
from fairpairs.base.text_tables import (
    LISTS,
    check_names,
    check_start,
    columns_of,
    last_line,
    text_columns,
    without_lists,
)
from fairpairs.base.texts import listed

#: Endings of the names of Parquet files.
PARQUET = (".parquet", ".pq")
#: How a Parquet file starts.
PARQUET_START = b"PAR1"
#: Name that pandas gives to an unnamed index in a Parquet file.
UNNAMED_INDEX = r"__index_level_\d+__"
#: The key in the metadata of a counts file, and the format that it names there.
COUNTS_KEY, COUNTS_FORMAT = b"fairpairs", "fairpairs counts"
#: The columns of a table: of a CSV texts, of other files values of any type.
TableColumns: TypeAlias = "Mapping[str, Series | pa.ChunkedArray]"
#: Types of cells that are not single values → their names in messages.
NOT_SINGLE = {bytes: "bytes", dict: "records", **dict.fromkeys(LISTS, "lists")}


class Table(NamedColumns):
    """A CSV, JSON lines or Parquet file; every error names the file.

    Cells of a CSV are kept as text without surrounding blanks; a column of another file keeps its
    type. JSON lines hold an object on each line; in place of a value there may be a list of one.
    """

    #: The name and the number of rows of each part of a joined table.
    _parts: Sequence[tuple[str, int]] = ()

    def __init__(self, path: Path, *, of_counts: bool = False) -> None:
        """Read a file; a counts file only where `of_counts` says that its counts are known."""
        self.path, self.called = path, str(path)
        check_regular(path)
        if not of_counts and is_parquet(path) and is_counts(path):
            raise InputError(
                f"{path}: a counts file, each of whose rows stands for several items: give the "
                "rows that were counted."
            )
        self._cells: TableColumns
        self._cells = self._parquet() if is_parquet(path) else self._text()
        if reader_of(dict.fromkeys(self._cells)) is not None:  # columns of a harness
            rows = pa.table(dict(self._cells)).to_pylist()
            self._cells = columns_of(path, [[_without_missing(row) for row in rows]])
        self.columns = list(self._cells)

    @classmethod
    def of(cls, values: Any, name: str) -> Table:
        """Return a table of any kind under a name; it has no digest."""
        frame = frame_of(values, name)
        if frame is not None and not isinstance(frame, pd.DataFrame):
            import narwhals as nw  # noqa: PLC0415  (slow)

            values = frame.collect("pyarrow") if isinstance(frame, nw.LazyFrame) else values
        rows = table(values, name)
        if rows is None:
            raise InputError(f"{name} must be a path or a table, not {shown(values)}.")
        check_names(Path(name), rows.columns)
        if not len(rows):
            raise InputError(f"{name}: the table has no rows: give at least one.")
        return cls.of_cells(
            {
                str(column): without_lists(values.reset_index(drop=True))
                for column, values in rows.items()
            },
            name,
        )

    @classmethod
    def joined(cls, tables: Sequence[Table], called: str) -> Table:
        """Return the rows of several tables of the same columns, one table after the other."""
        rows = cls.of_cells(
            {name: _joined([table._cells[name] for table in tables]) for name in tables[0].columns},
            called,
        )
        rows._parts = [(table.called, len(table)) for table in tables]
        return rows

    def frame(self) -> pd.DataFrame:
        """Return the values of a table that is no CSV."""
        return pd.DataFrame(self._cells)

    def as_written(self) -> pd.DataFrame:
        """Return all columns; those of a CSV as texts."""
        return pd.DataFrame(
            {
                name: cells if isinstance(cells, pd.Series) else cells.to_pandas()
                for name, cells in self._cells.items()
            }
        )

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return which rows have no value in a column."""
        self.check_column(name, "--label")
        cells = self._cells[name]
        if isinstance(cells, pd.Series):
            return cells.isna().to_numpy()
        return self._encoded(cells)[1] < 0

    def kept(self, names: Sequence[str]) -> Table:
        """Return the table with these columns only."""
        rows = Table.of_cells({name: self._cells[name] for name in names}, self.called, self.sha256)
        rows._parts = self._parts
        return rows

    def repeated(self, counts: NDArray[np.int64]) -> Table:
        """Return the table with each row repeated by its count."""
        rows = np.repeat(np.arange(len(self)), counts)
        return Table.of_cells(
            {
                name: cells.take(rows).reset_index(drop=True)
                if isinstance(cells, pd.Series)
                else cells.take(pa.array(rows))
                for name, cells in self._cells.items()
            },
            self.called,
            self.sha256,
        )

    @classmethod
    def of_cells(cls, cells: TableColumns, called: str, sha256: str = "") -> Self:
        """Return a table of columns already in memory, under a name."""
        self = cls.__new__(cls)
        self.path, self.called, self.sha256 = Path(called), called, sha256
        self._cells, self.columns = cells, list(cells)
        return self

    def __len__(self) -> int:
        return len(next(iter(self._cells.values())))

    def _parquet(self) -> dict[str, Series]:
        try:
            pq.read_schema(self.path)  # what is no Parquet file is refused before all of it is read
            self.sha256 = file_sha256(self.path)
            rows = read_parquet(self.path, ignore_metadata=True)
        except OSError as error:  # pyarrow raises it without errno for files that are not Parquet
            reason = os.strerror(error.errno) if error.errno else "it is not a Parquet file"
            raise InputError(
                f"{self.path}: cannot be read ({reason}): check its name and what it holds."
            ) from error
        except InputError:
            raise
        except ValueError as error:
            raise InputError(
                f"{self.path}: not a Parquet file ({last_line(error)}): write it again, or give a "
                "CSV."
            ) from error
        if not len(rows):
            raise InputError(f"{self.path}: the file has no rows: give at least one item.")
        # an unnamed index is not a column
        rows = rows.loc[:, ~rows.columns.str.fullmatch(UNNAMED_INDEX)]
        check_names(self.path, rows.columns)
        return {str(name): without_lists(values) for name, values in rows.items()}

    def _text(self) -> TableColumns:
        """Return the columns of a CSV, or of JSON lines."""
        try:
            with self.path.open("rb") as file:
                check_start(self.path, file.peek(), os.fstat(file.fileno()).st_size)
                content = file.read()
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be read ({error.strerror}): check its name."
            ) from error
        self.sha256 = hashlib.sha256(content).hexdigest()
        return text_columns(self.path, content)

    def words(self, name: str, remedy: str = "") -> pd.Series[str]:
        """Return a column as it is written; InputError when a value is missing."""
        try:
            return _words(self.filled(name, remedy))
        except UnicodeEncodeError as error:
            raise half_character(self._called(name), error) from error

    def categories(self, name: str, remedy: str = "") -> Series:
        """Return `words` as sorted categories, which are faster if values recur."""
        if isinstance(self._cells[name], pd.Series):
            return self.words(name, remedy).astype("category")
        words = self.coded(name, remedy)
        order = np.argsort(words.kinds)
        position = np.empty(len(order), dtype=np.int64)
        position[order] = np.arange(len(order))
        kinds = pd.Index(words.kinds[order], dtype="str")
        return pd.Series(pd.Categorical.from_codes(words.of_items(position), kinds), name=name)

    def categories_in_part(self, name: str) -> Series:
        """Return `categories` of a column of which values may be missing."""
        part = self.coded_in_part(name)
        known = _words(pd.Series(part.known.of_items(part.known.kinds)))
        rows = np.flatnonzero(part.where)
        return known.set_axis(rows).reindex(range(len(self))).astype("category")

    def two_groups(self, name: str) -> tuple[pd.Series[str], list[str]]:
        """Return a column of groups and their sorted names; InputError unless there are two."""
        groups = self.words(name)
        names = sorted(groups.unique())
        if len(names) != 2:
            raise InputError(
                f"{self.path}: column `{name}` has {len(names)} group(s), "
                f"{listed(map(repr, names))}: two are compared, so keep two, or write one against "
                "the others."
            )
        return groups, names

    def filled(self, name: str, remedy: str = "") -> Series:
        """Return a column of single values; InputError if one is missing or a list."""
        cells = self._cells[name]
        if isinstance(cells, pd.Series):
            return self._checked(name, cells, remedy)
        words = self.coded(name, remedy)
        return pd.Series(words.of_items(words.kinds), name=name, dtype="str")

    def sizes(self, name: str) -> NDArray[np.int64]:
        """Return the number of rows of each different value of a column, without missing ones."""
        cells = self._cells[name]
        if isinstance(cells, pd.Series):
            return np.asarray(cells.value_counts(), dtype=np.int64)
        counted = cells.value_counts()
        missing = pc.is_in(counted.field("values"), pa.array(MISSING))
        return np.asarray(counted.field("counts").filter(pc.invert(missing)), dtype=np.int64)

    def coded(self, name: str, remedy: str = "") -> Column:
        """Return a column by its different values; InputError as for `filled`."""
        cells = self._cells[name]
        if isinstance(cells, pd.Series):
            return column(self._checked(name, cells, remedy), self._called(name))
        kinds, code = self._encoded(cells)
        self._check_missing(name, code < 0, remedy)
        return Column(kinds, code)

    def coded_in_part(self, name: str) -> PartialColumn:
        """Return a column of which values may be missing; InputError where all are."""
        cells = self._cells[name]
        if isinstance(cells, pd.Series):
            where = ~self._missing(name, cells)
            self._check_any(name, where)
            known = cells[where]
            return PartialColumn(column(self._checked(name, known, ""), self._called(name)), where)
        kinds, code = self._encoded(cells)
        where = code >= 0
        self._check_any(name, where)
        return PartialColumn(Column(kinds, code[where]), where)

    def _check_any(self, name: str, where: NDArray[np.bool_]) -> None:
        if not where.any():
            raise InputError(
                f"{self.path}: column `{name}` has no value in any row: fill in some, or name "
                "another column."
            )

    def coded_with_missing(self, name: str) -> Column:
        """Return a column by its different values; a missing one is a value of its own."""
        cells = self._cells[name]
        if not isinstance(cells, pd.Series):
            return fill_missing(*self._encoded(cells), self._called(name))
        known = cells[~self._missing(name, cells)]
        if len(known):
            self._checked(name, known, "")
        return column_with_missing(cells, self._called(name))

    def _in_row(self, wrong: pd.Series[bool] | NDArray[np.bool_] | int) -> str:
        """Return the place of a row, or of the first wrong one, for messages."""
        row = wrong if isinstance(wrong, int) else int(np.argmax(wrong))
        for path, rows in self._parts:
            if row < rows:
                return f" in row {row + 1} of {path}"
            row -= rows
        return f" in row {row + 1}"

    def _called(self, name: str) -> str:
        return f"{self.path}: column `{name}`"

    @staticmethod
    def _encoded(cells: pa.ChunkedArray) -> tuple[Array, NDArray[np.int64]]:
        """Return the different texts of a CSV column, and their index by cell, −1 if missing."""
        encoded = cells.dictionary_encode().unify_dictionaries().combine_chunks()
        stripped = pc.utf8_trim_whitespace(encoded.dictionary)
        if not stripped.equals(encoded.dictionary):
            encoded = stripped.take(encoded.indices).dictionary_encode()
        code = encoded.indices.fill_null(-1).to_numpy()
        kinds = encoded.dictionary.to_numpy(zero_copy_only=False)
        known = ~pc.is_in(encoded.dictionary, pa.array(MISSING)).to_numpy(False)
        if known.all():
            return kinds, code
        position = np.append(np.where(known, np.cumsum(known) - 1, -1), -1)
        return kinds[known], position[code]

    def _checked(self, name: str, values: Series, remedy: str) -> Series:
        """Return a column of a Parquet file."""
        self._check_missing(name, self._missing(name, values), remedy)
        types = values.map(type) if values.dtype == object else [type(values.iloc[0])]
        for row, kind in enumerate(types):
            if kind in NOT_SINGLE:
                size = f" of {len(values.iloc[row])} values" if kind in LISTS else ""
                raise InputError(
                    f"{self.path}: column `{name}` holds {NOT_SINGLE[kind]}, the first{size}"
                    f"{self._in_row(row)}: write a text or a number in each row, or name "
                    "another column."
                )
        if pd.api.types.is_numeric_dtype(values) and values.dtype.kind in "fiu":
            self._check_size(name, values)
        return values

    def _missing(self, name: str, values: Series) -> NDArray[np.bool_]:
        """Return which values are missing; InputError for a signalling NaN."""
        try:
            return np.asarray(values.isna())
        except ArithmeticError as error:
            raise InputError(
                f"{self._called(name)} holds a decimal that signals that it is no number (sNaN): "
                "correct it, or leave the cell empty."
            ) from error

    def _check_missing(self, name: str, missing: NDArray[np.bool_], remedy: str) -> None:
        if missing.any():
            raise InputError(
                f"{self.path}: column `{name}` has {missing.sum()} missing value(s), the first"
                f"{self._in_row(missing)}: fill in or drop such rows{remedy}."
            )

    def _check_size(self, name: str, values: Series) -> None:
        large = values.astype(np.float64).abs() > LARGEST
        if large.any():
            raise InputError(
                f"{self.path}: column `{name}` holds {float(values[large].iloc[0]):g}"
                f"{self._in_row(large)}, and numbers may be as large as {LARGEST:g}: "
                "correct it, or divide the column by a large number."
            )

    def numbers(self, name: str, remedy: str) -> pd.Series[float]:
        """Return a column of finite numbers; InputError, with the remedy, when there is another."""
        values = self.filled(name)
        # dates and times would count nanoseconds
        plain = values if values.dtype.kind not in NO_NUMBERS else values.astype(str)
        if plain.dtype == object:
            plain = plain.map(_real)
        numbers = pd.to_numeric(plain, errors="coerce").astype(np.float64)
        wrong = numbers.isna() | np.isinf(numbers)
        if wrong.any():
            raise InputError(
                f"{self.path}: column `{name}` must hold finite numbers and holds "
                f"{shown(values[wrong].iloc[0])}{self._in_row(wrong)}: {remedy}."
            )
        self._check_size(name, numbers)
        return numbers


def _words(values: Series) -> pd.Series[str]:
    """Return values as they are written."""
    if values.dtype.kind == "f" and ((values % 1 == 0) & (abs(values.astype(float)) < 2**53)).all():
        values = values.astype(np.int64)  # a column that had a missing value holds floats
    return values if values.dtype == "str" else values.astype(str)


def _real(value: Any) -> Any:
    """Return a text for a complex number, and infinity for one of too many digits."""
    if type(value) is int and abs(value) > LARGEST:
        return np.inf
    return str(value) if isinstance(value, complex | np.complexfloating) else value


def _joined(parts: Sequence[Any]) -> Series | pa.ChunkedArray:
    if not isinstance(parts[0], pd.Series):
        return pa.chunked_array([chunk for part in parts for chunk in part.chunks], pa.string())
    # categories of one file may not be those of another
    plain = [
        part.astype(part.cat.categories.dtype)
        if isinstance(part.dtype, pd.CategoricalDtype)
        else part
        for part in parts
    ]
    return pd.concat(plain, ignore_index=True)


def _without_missing(row: Record) -> Record:
    return {name: None if value in MISSING else value for name, value in row.items()}


def row_number(wrong: pd.Series[bool]) -> int:
    """Return the number of the first wrong row; the one below the header is 1."""
    return int(wrong.to_numpy().argmax()) + 1


def is_parquet(path: Path) -> bool:
    """Return whether a file is called as Parquet files are, or starts as they do."""
    if path.suffix.lower() in PARQUET:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(PARQUET_START)) == PARQUET_START
    except OSError:
        return False  # which reading it reports


def is_counts(path: Path) -> bool:
    """Return whether a whole Parquet file says that it is a counts file."""
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (OSError, ValueError):
        return False  # which reading it reports
    return COUNTS_FORMAT.encode() in metadata.get(COUNTS_KEY, b"")


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
