"""CSV and Parquet files of a user; every error names the file, the place and the remedy."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import stat
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.errors import InputError, shown
from fairpairs.fairness.inputs import LARGEST
from fairpairs.files import MISSING, file_sha256, read_parquet
from fairpairs.texts import listed

#: Endings of the names of Parquet files.
PARQUET = (".parquet", ".pq")
#: Name that pandas gives to an unnamed index in a Parquet file.
UNNAMED_INDEX = r"__index_level_\d+__"
#: Types of cells that are not single values → their names in messages.
NOT_SINGLE = {bytes: "bytes", dict: "records", list: "lists", np.ndarray: "lists"}


class Table:
    """A CSV or Parquet file; every error names the file.

    Cells of a CSV are kept as text without surrounding blanks; a column of a Parquet file keeps its
    type.

    Attributes
    ----------
    path, sha256
        The file, and the digest of its content.
    rows
        A frame, one row for each row of the file.
    columns
        Names of its columns.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        _check_regular(path)
        if path.suffix.lower() in PARQUET:
            rows = self._parquet()
        else:
            rows = self._csv()
            # a column without a name is mostly an index that was saved along
            rows = rows.loc[:, rows.columns != ""]
            rows = rows.mask(rows.isin(MISSING))
        self.rows = rows
        self.columns = [str(name) for name in rows.columns]

    def _parquet(self) -> pd.DataFrame:
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
                f"{self.path}: not a Parquet file ({_last_line(error)}): write it again, or give a "
                "CSV."
            ) from error
        if not len(rows):
            raise InputError(f"{self.path}: the file has no rows: give at least one item.")
        # an unnamed index is not a column
        rows = rows.loc[:, ~rows.columns.str.fullmatch(UNNAMED_INDEX)]
        self._check_repeated(rows.columns)
        return rows

    def _csv(self) -> pd.DataFrame:
        path = self.path
        try:
            content = path.read_bytes()
            self.sha256 = hashlib.sha256(content).hexdigest()
            # with or without a byte order mark
            text = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig").read()
            if "\0" in text:
                raise InputError(
                    f"{path}: not a text in UTF-8 (it has zero bytes): save it as CSV in UTF-8."
                )
            cells = pd.read_csv(
                io.StringIO(text), header=None, dtype=str, keep_default_na=False,
                skipinitialspace=True,
            )  # fmt: skip
        except OSError as error:
            raise InputError(
                f"{path}: cannot be read ({error.strerror}): check its name."
            ) from error
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}: not a text in UTF-8 ({error.reason} at byte {error.start}): save it as "
                "CSV in UTF-8."
            ) from error
        except pd.errors.EmptyDataError as error:
            raise InputError(f"{path}: the file is empty: give a CSV with a header.") from error
        except pd.errors.ParserError as error:
            raise InputError(
                f"{path}: not a CSV table ({_last_line(error)}): put commas between the columns, "
                "and cells that hold a comma in quotes."
            ) from error
        cells = pd.DataFrame({i: cells[i].str.rstrip() for i in cells})
        header = cells.iloc[0]
        if len(header) == 1:
            raise InputError(
                f"{path}: it has only one column, {shown(header[0])}: put commas between the "
                "columns."
            )
        self._check_repeated(header[header != ""])
        if len(cells) == 1:
            raise InputError(f"{path}: the file has a header but no rows: give at least one item.")
        return cells.iloc[1:].set_axis(header.to_list(), axis=1).reset_index(drop=True)

    def _check_repeated(self, names: Any) -> None:
        repeated = names[names.duplicated()]
        if len(repeated):
            raise InputError(
                f"{self.path}: duplicate column `{next(iter(repeated))}`: rename or drop one."
            )

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
        values = self.rows[name]
        if values.isna().any():
            raise InputError(
                f"{self.path}: column `{name}` has {values.isna().sum()} missing value(s), the "
                f"first in row {row_number(values.isna())}: fill in or drop such rows{remedy}."
            )
        if (kind := NOT_SINGLE.get(type(values.iloc[0]))) is not None:
            raise InputError(
                f"{self.path}: column `{name}` holds {kind}, not a text or a number in each row: "
                "name another column, or write it as text or numbers."
            )
        if pd.api.types.is_numeric_dtype(values) and values.dtype.kind in "fiu":
            self._check_size(name, values)
        return values

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
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}): check its name.") from error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(
            f"{path}: a pipe or a device, not a file: save what it gives to a file, and name that."
        )


def _last_line(error: Exception) -> str:
    """Return the last line of the message of a library."""
    return str(error).splitlines()[-1].strip().removesuffix(".")
