"""A raw file of which a card is drafted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs.base.errors import InputError
from fairpairs.base.files import MISSING
from fairpairs.base.named_columns import NamedColumns
from fairpairs.base.reading.arrow import kind_of
from fairpairs.base.reading.opening import is_parquet
from fairpairs.base.reading.sources import Source
from fairpairs.papers.datasets.raw_table import as_texts, check_lines, open_parquet, read_csv

#: Further texts that often mean a missing value.
UNKNOWN = ("?",)
SEPARATORS = (",", ";", "\t")
#: What columns of a Parquet file or a table in memory may hold that is no text.
NO_TEXTS = ("lists", "records", "bytes")


class RawFile(NamedColumns):
    """A raw file, all of its cells as texts, NaN for a missing value."""

    def __init__(self, path: Path, separators: Sequence[str], called: str) -> None:
        self.called = called
        self.read: dict[str, Any] = {}
        #: Columns whose cells are no texts, and what they hold.
        self.others: dict[str, str] = {}
        if is_parquet(path):
            table, self.others = texts_and_others(open_parquet(path, {}))
        else:
            rows = {m: read_csv(path, {"read": {"separator": m}}, nrows=1) for m in separators}
            mark = max(rows, key=lambda mark: rows[mark].shape[1])
            self.read = {} if mark == "," else {"separator": mark}
            card = {"read": self.read}
            check_lines(path, card, list(read_csv(path, card, nrows=1, header=None).iloc[0]))
            table = read_csv(path, card, na_values=list(MISSING))
        self.columns = list(map(str, table.columns))
        unknown = [text for text in UNKNOWN if table.isin([text]).any(axis=None)]
        if unknown:
            self.read["missing_values"] = unknown
        self.table = table.mask(table.isin(unknown))

    def check_column(self, name: str, option: str) -> None:
        """Raise InputError when there is no such column, or its cells are no texts."""
        if name in self.others:
            raise InputError(
                f"{self.called}: column `{name}` holds {self.others[name]}: write it as text or "
                f"numbers, or correct {option}."
            )
        super().check_column(name, option)

    def values(self, column: str) -> list[str]:
        """Return the different values of a column, the most frequent first."""
        return [str(value) for value in self.table[column].value_counts().index]

    def numbers(self, column: str) -> bool:
        """Whether all values of a column are numbers."""
        known = self.table[column].dropna()
        return bool(len(known)) and bool(pd.to_numeric(known, errors="coerce").notna().all())


def texts_and_others(source: Source) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the columns of texts and numbers as texts, and what each other column holds."""
    kinds = {name: kind_of(source.type_of(name)) for name in source.columns}
    others = {name: kind for name, kind in kinds.items() if kind in NO_TEXTS}
    return as_texts(source, [name for name in kinds if name not in others]), others
