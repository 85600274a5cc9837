"""CSV, JSON lines (both also by gzip) and Parquet files; errors name the place and the remedy."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import stat
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairpairs.errors import InputError, shown
from fairpairs.fairness.columns import Column, column, column_with_missing, fill_missing
from fairpairs.fairness.inputs import LARGEST
from fairpairs.fairness.tables import table
from fairpairs.files import MISSING, file_sha256, read_parquet
from fairpairs.text_tables import LISTS, check_repeated, last_line, text_columns, without_lists
from fairpairs.texts import listed

#: Endings of the names of Parquet files.
PARQUET = (".parquet", ".pq")
#: Name that pandas gives to an unnamed index in a Parquet file.
UNNAMED_INDEX = r"__index_level_\d+__"
#: Types of cells that are not single values → their names in messages.
NOT_SINGLE = {bytes: "bytes", dict: "records", **dict.fromkeys(LISTS, "lists")}


class Table:
    """A CSV, JSON lines or Parquet file; every error names the file.

    Cells of a CSV are kept as text without surrounding blanks; a column of another file keeps its
    type. JSON lines hold an object on each line; in place of a value there may be a list of one.

    Attributes
    ----------
    path, sha256
        The file, and the digest of its content.
    columns
        Names of its columns.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        _check_regular(path)
        self._cells: Mapping[str, pd.Series[Any] | pa.ChunkedArray]
        self._cells = self._parquet() if path.suffix.lower() in PARQUET else self._text()
        self.columns = list(self._cells)

    @classmethod
    def of(cls, values: Any, name: str) -> Table:
        """Return a table of pandas, Arrow or Polars under a name; it has no digest."""
        rows = table(values, name)
        if rows is None:
            raise InputError(f"{name} must be a path or a table, not {shown(values)}.")
        self = cls.__new__(cls)
        self.path, self.sha256 = Path(name), ""
        check_repeated(self.path, rows.columns)
        self._cells = {
            str(column): without_lists(values.reset_index(drop=True))
            for column, values in rows.items()
        }
        if not len(rows):
            raise InputError(f"{name}: the table has no rows: give at least one.")
        self.columns = list(self._cells)
        return self

    def __len__(self) -> int:
        return len(next(iter(self._cells.values())))

    def _parquet(self) -> dict[str, pd.Series[Any]]:
        try:
            self.sha256 = file_sha256(self.path)
            rows = read_parquet(self.path, ignore_metadata=True)
        except OSError as error:  # pyarrow raises it without errno for files that are not Parquet
            reason = os.strerror(error.errno) if error.errno else "it is not a Parquet file"
            raise InputError(
                f"{self.path}: cannot be read ({reason}): check its name and what it holds."
            ) from error
        except ValueError as error:
            raise InputError(
                f"{self.path}: not a Parquet file ({last_line(error)}): write it again, or give a "
                "CSV."
            ) from error
        if not len(rows):
            raise InputError(f"{self.path}: the file has no rows: give at least one item.")
        # an unnamed index is not a column
        rows = rows.loc[:, ~rows.columns.str.fullmatch(UNNAMED_INDEX)]
        check_repeated(self.path, rows.columns)
        return {str(name): without_lists(values) for name, values in rows.items()}

    def _text(self) -> Mapping[str, pd.Series[Any] | pa.ChunkedArray]:
        """Return the columns of a CSV, or of JSON lines."""
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be read ({error.strerror}): check its name."
            ) from error
        self.sha256 = hashlib.sha256(content).hexdigest()
        return text_columns(self.path, content)

    def check_column(self, name: str, option: str) -> None:
        """Raise InputError, with the nearest name, when there is no such column."""
        if name in self.columns:
            return
        lower = {column.lower(): column for column in self.columns}
        close = get_close_matches(name.lower(), lower, 1)
        remedy = f"did you mean `{lower[close[0]]}`?" if close else f"correct {option}."
        raise InputError(
            f"{self.path}: there is no column `{name}`; it has {listed(self.columns)}: {remedy}"
        )

    def named(self, texts: Iterable[str], option: str) -> list[str]:
        """Return the columns that an option names, once each: repeated, or with commas.

        A column whose name holds a comma is named as it is, or in quotes in a list.
        """
        names = [
            name
            for text in texts
            for name in (names_of([text], option) if self._is_list(text) else [text])
        ]
        for name in names:
            self.check_column(name, option)
        return list(dict.fromkeys(names))

    def _is_list(self, text: str) -> bool:
        return text not in self.columns and (not text or "," in text or text.startswith('"'))

    def words(self, name: str, remedy: str = "") -> pd.Series[str]:
        """Return a column as it is written; InputError when a value is missing."""
        values = self.filled(name, remedy)
        if values.dtype.kind == "f" and ((values % 1 == 0) & (values.abs() < 2**53)).all():
            values = values.astype(np.int64)  # a column that had a missing value holds floats
        return values if values.dtype == "str" else values.astype(str)

    def categories(self, name: str, remedy: str = "") -> pd.Series[Any]:
        """Return `words` as categories, sorted, which is faster where they recur."""
        if isinstance(self._cells[name], pd.Series):
            return self.words(name, remedy).astype("category")
        words = self.coded(name, remedy)
        order = np.argsort(words.kinds)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        kinds = pd.Index(words.kinds[order], dtype="str")
        return pd.Series(pd.Categorical.from_codes(words.of_items(place), kinds), name=name)

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

    def filled(self, name: str, remedy: str = "") -> pd.Series[Any]:
        """Return a column of single values; InputError when one is missing or no such."""
        cells = self._cells[name]
        if isinstance(cells, pd.Series):
            return self._checked(name, cells, remedy)
        words = self.coded(name, remedy)
        return pd.Series(words.of_items(words.kinds), name=name, dtype="str")

    def sizes(self, name: str) -> NDArray[np.int64]:
        """Return the number of rows of each different value of a column, but for missing ones."""
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

    def coded_with_missing(self, name: str) -> Column:
        """Return a column by its different values; a missing one is a value of its own."""
        cells = self._cells[name]
        if not isinstance(cells, pd.Series):
            return fill_missing(*self._encoded(cells), self._called(name))
        if cells.notna().any():
            self._checked(name, cells.dropna(), "")
        return column_with_missing(cells, self._called(name))

    def _called(self, name: str) -> str:
        return f"{self.path}: column `{name}`"

    @staticmethod
    def _encoded(cells: pa.ChunkedArray) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the different texts of a CSV column, and the place of each cell, −1 if missing."""
        encoded = cells.dictionary_encode().unify_dictionaries().combine_chunks()
        stripped = pc.utf8_trim_whitespace(encoded.dictionary)
        if not stripped.equals(encoded.dictionary):
            encoded = stripped.take(encoded.indices).dictionary_encode()
        code = encoded.indices.fill_null(-1).to_numpy()
        kinds = encoded.dictionary.to_numpy(zero_copy_only=False)
        known = ~pc.is_in(encoded.dictionary, pa.array(MISSING)).to_numpy(False)
        if known.all():
            return kinds, code
        place = np.append(np.where(known, np.cumsum(known) - 1, -1), -1)
        return kinds[known], place[code]

    def _checked(self, name: str, values: pd.Series[Any], remedy: str) -> pd.Series[Any]:
        """Return a column of a Parquet file."""
        self._check_missing(name, values.isna().to_numpy(), remedy)
        types = values.map(type) if values.dtype == object else [type(values.iloc[0])]
        for row, kind in enumerate(types):
            if kind in NOT_SINGLE:
                size = f" of {len(values.iloc[row])} values" if kind in LISTS else ""
                raise InputError(
                    f"{self.path}: column `{name}` holds {NOT_SINGLE[kind]}, the first{size} in "
                    f"row {row + 1}: write a text or a number in each row, or name another column."
                )
        if pd.api.types.is_numeric_dtype(values) and values.dtype.kind in "fiu":
            self._check_size(name, values)
        return values

    def _check_missing(self, name: str, missing: NDArray[np.bool_], remedy: str) -> None:
        if missing.any():
            raise InputError(
                f"{self.path}: column `{name}` has {missing.sum()} missing value(s), the first in "
                f"row {int(missing.argmax()) + 1}: fill in or drop such rows{remedy}."
            )

    def _check_size(self, name: str, values: pd.Series[Any]) -> None:
        large = values.astype(np.float64).abs() > LARGEST
        if large.any():
            raise InputError(
                f"{self.path}: column `{name}` holds {float(values[large].iloc[0]):g} in row "
                f"{row_number(large)}, and numbers may be as large as {LARGEST:g}: correct it, or "
                "divide the column by a large number."
            )

    def numbers(self, name: str, remedy: str) -> pd.Series[float]:
        """Return a column of finite numbers; InputError, with the remedy, when there is another."""
        values = self.filled(name)
        numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
        wrong = numbers.isna() | np.isinf(numbers)
        if wrong.any():
            raise InputError(
                f"{self.path}: column `{name}` must hold finite numbers and holds "
                f"{shown(values[wrong].iloc[0])} in row {row_number(wrong)}: {remedy}."
            )
        self._check_size(name, numbers)
        return numbers


def split_names(text: str) -> list[str]:
    """Return the names in a list with commas; one with a comma or a line break is in quotes."""
    lines = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    return [name for line in lines for name in line if name]


def names_of(texts: Iterable[str], option: str) -> list[str]:
    """Return the names in the lists that an option is given; InputError for a list without any."""
    lists = {text: split_names(text) for text in texts}
    for text, names in lists.items():
        if not names:
            raise InputError(f"{option}: {shown(text)} names nothing: write at least one name.")
    return [name for names in lists.values() for name in names]


def row_number(wrong: pd.Series[bool]) -> int:
    """Return the first wrong row, the one below the header being 1."""
    return int(wrong.to_numpy().argmax()) + 1


def _check_regular(path: Path) -> None:
    """Raise unless a path can be opened again and has an end, as a pipe or a device may not."""
    if path == Path("-") and not path.exists():
        raise InputError("-: standard input cannot be read: save it to a file, and name that.")
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}): check its name.") from error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(
            f"{path}: a pipe or a device, not a file: save what it gives to a file, and name that."
        )
