"""What every command shares: CSV and Parquet in, one sentence about bad input, files out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import typer

from fairpairs.datasets.prepare import MISSING
from fairpairs.errors import InputError

#: Exit status when the input is bad.
BAD_INPUT = 2
#: Numbers above it are refused: the test takes their fourth powers.
LARGEST = 1e50
#: Names of a list that are printed.
MOST_LISTED = 20


@contextmanager
def bad_input_in_one_sentence() -> Iterator[None]:
    """Print an InputError on stderr and exit with BAD_INPUT."""
    try:
        yield
    except InputError as error:
        typer.echo(f"fairpairs: {error}", err=True)
        raise typer.Exit(BAD_INPUT) from None


class Table:
    """A CSV or Parquet file, every cell as a word; every complaint names the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path.suffix.lower() == ".parquet":
                cells = parquet_cells(path)
            else:
                text = path.read_text("utf-8-sig")  # with or without a byte order mark
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
            reason = str(error).splitlines()[-1].strip().removesuffix(".")
            raise InputError(
                f"{path}: not a CSV table ({reason}): put commas between the columns, and cells "
                "that hold a comma in quotes."
            ) from error
        header = cells.iloc[0]
        if len(header) == 1:
            raise InputError(
                f"{path}: there is one column only, {header[0]!r}: put commas between the columns."
            )
        repeated = header[header.duplicated() & (header != "")]
        if len(repeated):
            raise InputError(
                f"{path}: the column `{repeated.iloc[0]}` stands there twice: rename or drop one."
            )
        if len(cells) == 1:
            raise InputError(f"{path}: there is a header and no row: give at least one item.")
        rows = cells.iloc[1:].set_axis(header.to_list(), axis=1).reset_index(drop=True)
        # a column without a name is mostly an index that was saved along
        rows = rows.loc[:, rows.columns != ""]
        self.rows = rows.mask(rows.isin(MISSING))
        self.columns = [str(name) for name in rows.columns]

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

    def words(self, name: str, remedy: str = "") -> pd.Series[str]:
        """Return a column as it is written; InputError when a value is missing."""
        values: pd.Series[str] = self.rows[name]
        if values.isna().any():
            raise InputError(
                f"{self.path}: column `{name}` has {values.isna().sum()} missing value(s), the "
                f"first in row {row_number(values.isna())}: fill in or drop such rows{remedy}."
            )
        return values

    def numbers(self, name: str, remedy: str) -> pd.Series[float]:
        """Return a column of finite numbers; InputError, with the remedy, when there is another."""
        values = self.words(name)
        numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
        wrong = numbers.isna() | (numbers.abs() > LARGEST)
        if wrong.any():
            raise InputError(
                f"{self.path}: column `{name}` must hold finite numbers and holds "
                f"{values[wrong].iloc[0]!r} in row {row_number(wrong)}: {remedy}."
            )
        return numbers


def parquet_cells(path: Path) -> pd.DataFrame:
    """Return the cells of a Parquet file as words, the header above them, as of a CSV file.

    A whole number is written without a point, for a column with a missing value holds floats.
    """
    content = path.read_bytes()
    try:
        table = pq.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{path}: not a Parquet file, or not a whole one: save it again, or give a CSV file."
        ) from error
    if table.num_columns < 2:
        raise InputError(f"{path}: there are fewer than two columns: save the others along.")
    names = ["" if name.startswith("__index_level_") else name for name in table.column_names]
    columns = [
        [name, *map(_word, column.to_pylist())]
        for name, column in zip(names, table.columns, strict=True)
    ]
    return pd.DataFrame(dict(enumerate(columns)), dtype=str)


def _word(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


@contextmanager
def output_errors(output: Path, option: str = "--output") -> Iterator[None]:
    """Turn what the system says of an output into an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{output}: cannot be written ({error.strerror}): name another {option}."
        ) from error


def split_names(names: str) -> list[str]:
    """Return the names in a list with commas; a name that holds a comma stands in quotes."""
    return [name for line in csv.reader([names], skipinitialspace=True) for name in line if name]


def listed(names: Any) -> str:
    """Return names with commas, the first MOST_LISTED of them."""
    names = list(names)
    return ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")


def row_number(wrong: pd.Series[bool]) -> int:
    """Return the first wrong row, the one below the header being 1."""
    return int(wrong.to_numpy().argmax()) + 1
