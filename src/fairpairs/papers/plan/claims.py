"""The conclusions of a paper (`claims.yaml` of a study), each with a check on our results.

A check is a function of `claims.py`. It reads tables of the run, and returns a `Finding`: a verdict
and the numbers that it rests on (`fairpairs.papers.plan.claim_numbers`). If a table or a row is
missing, `table` and `row` end it with the verdict `UNTOLD` and the reason.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.base.errors import shown
from fairpairs.base.texts import listed
from fairpairs.papers.plan.claim_numbers import CannotTellError, written
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import VERDICTS


@dataclass(frozen=True)
class Finding:
    """The result of a check."""

    #: One of `VERDICTS`.
    verdict: str
    #: What it rests on, in the order in which it is read: name → value.
    numbers: Mapping[str, object] = field(default_factory=dict)
    #: The tables under `results/` that the check read, as `tables/xauc/table_1.csv`; `judge` sets
    #: them.
    evidence: tuple[str, ...] = ()
    #: Why it cannot be told, or the note of the claim; `judge` sets it.
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"the verdict is {shown(self.verdict)}, not one of {VERDICTS}")
        if not isinstance(self.numbers, Mapping):
            raise TypeError(f"the numbers are {shown(self.numbers)}, not a name → value")
        for name, value in self.numbers.items():
            if "; " in name or ": " in name:  # they part the numbers in claims.csv
                raise ValueError(f"the name {shown(name)} of a number has a mark of lists in it")
            written(value)


def table(
    results: Results, path: str, *, text: Collection[str] = (), needed: Collection[str] = ()
) -> pd.DataFrame:
    """Read a table for a check: a CSV under `results/`, or a table of the study, without `.csv`.

    `text` are its columns of text (see `fairpairs.papers.display.tables.read_table`), `needed`
    those of numbers of which none may be missing. CannotTellError if the run did not make it, or it
    has no rows, or lacks numbers that are needed.
    """
    if not path.endswith(".csv"):
        path = f"tables/{results.study}/{path}.csv"
    frame = results.table(path, text=text)
    if frame is None:
        raise CannotTellError(f"This run did not make results/{path}.")
    if frame.empty:
        raise CannotTellError(f"results/{path} has no rows.")
    if frame[list(needed)].isna().any(axis=None):
        raise CannotTellError(f"results/{path} has not all numbers of {listed(needed)}.")
    frame.attrs["path"] = path
    return frame


def rows(frame: pd.DataFrame, **keys: Any) -> pd.DataFrame:
    """Return the rows of a table with these values, or with one of several in a list or tuple.

    CannotTellError if there are none.
    """
    found = np.full(len(frame), True)
    for column, value in keys.items():
        several = isinstance(value, list | tuple)
        found &= np.asarray(frame[column].isin(value) if several else frame[column] == value)
    if not found.any():
        raise _other_number(frame, "no", keys)
    return frame[found]


def row(frame: pd.DataFrame, **keys: Any) -> Series:
    """Return the one row of a table with these values; CannotTellError for none or several."""
    found = rows(frame, **keys)
    if len(found) > 1:
        raise _other_number(frame, str(len(found)), keys)
    return found.iloc[0]


def _other_number(frame: pd.DataFrame, number: str, keys: Mapping[str, Any]) -> CannotTellError:
    words = ", ".join(f"{column} {value}" for column, value in keys.items())
    path = frame.attrs.get("path", "")
    return CannotTellError(f"results/{path} has {number} rows with {words}.")
