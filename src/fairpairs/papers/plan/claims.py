"""The conclusions of a paper, each with a check on our results, as `claims.py` of a study lists.

A check reads tables of the run, and returns a `Finding`. If a table or a row is missing, `table`
and `row` end it with the verdict `UNTOLD` and the reason.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.base.errors import check_tuples, shown
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, REDONE, UNTOLD, VERDICTS

__all__ = [
    "FAILS",
    "HOLDS",
    "IN_PART",
    "REDONE",
    "UNTOLD",
    "VERDICTS",
    "CannotTellError",
    "Claim",
    "Finding",
    "row",
    "table",
]

#: A quote of a paper is no longer than this.
MAX_QUOTED_WORDS = 25


class CannotTellError(Exception):
    """Ends a check whose tables do not say whether the claim holds.

    Parameters
    ----------
    reason
        Why, in a sentence.
    evidence
        Paths under `results/` that the check looked at.
    """

    def __init__(self, reason: str, *evidence: str) -> None:
        super().__init__(reason)
        self.reason, self.evidence = reason, evidence


@dataclass(frozen=True)
class Finding:
    """The result of a check.

    Attributes
    ----------
    verdict
        One of `VERDICTS`.
    reason
        One or two sentences with the numbers; for `IN_PART` what holds and what does not.
    evidence
        Paths under `results/` that it rests on, as `tables/xauc/table_1.csv`.
    """

    verdict: str
    reason: str
    evidence: tuple[str, ...]

    def __post_init__(self) -> None:
        check_tuples(self, "evidence")
        if self.verdict not in VERDICTS:
            raise ValueError(f"the verdict is {shown(self.verdict)}, not one of {VERDICTS}")
        if not isinstance(self.reason, str):
            raise TypeError(f"the reason is {shown(self.reason)}, not text")


@dataclass(frozen=True)
class Claim:
    """A conclusion of a paper.

    Attributes
    ----------
    name
        In small letters, as `twice-the-pairs`.
    statement
        The conclusion as we understand it, in one plain sentence.
    where
        Where the paper draws it, as "abstract; section 5.2".
    check
        The results of a run → what they say about it.
    quote
        The paper's own words, at most 25, with … for what is left out; empty if they cannot be
        quoted.
    redone
        What of the check is our own choice because the paper does not give it, as "the regressors".
        Such a conclusion is "holds, redone" at best, and "cannot be told" where our choices
        contradict it.

    >>> claim = Claim("a-claim", "It rains.", "abstract", lambda r: Finding(HOLDS, "Look.", ()))
    >>> claim.check(None).verdict
    'holds'
    """

    name: str
    statement: str
    where: str
    check: Callable[[Results], Finding]
    quote: str = ""
    redone: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", str(self.name)):
            raise ValueError(f"the name {shown(self.name)} is not of small letters, digits and -")
        for part in ("statement", "where"):
            if not isinstance(getattr(self, part), str) or not getattr(self, part):
                raise TypeError(f"{part} of the claim {self.name} is no text")
        for part in ("quote", "redone"):
            if not isinstance(getattr(self, part), str):
                raise TypeError(f"{part} of the claim {self.name} is no text")
        words = len(self.quote.replace("…", " ").split())
        if words > MAX_QUOTED_WORDS:
            raise ValueError(
                f"the quote of the claim {self.name} has {words} words: at most {MAX_QUOTED_WORDS}"
            )
        if not callable(self.check):
            raise TypeError(f"check of the claim {self.name} is no function of the results")


def table(results: Results, path: str, *, text: Collection[str] = ()) -> pd.DataFrame:
    """Read a table for a check.

    Parameters
    ----------
    results
        The argument of the check.
    path
        The CSV under `results/`.
    text
        Its columns of text (see `fairpairs.papers.display.tables.read_table`).

    Raises
    ------
    CannotTellError
        When the run did not make it, or it has no rows.
    """
    frame = results.table(path, text=text)
    if frame is None:
        raise CannotTellError(f"This run did not make results/{path}.", path)
    if frame.empty:
        raise CannotTellError(f"results/{path} has no rows.", path)
    frame.attrs["path"] = path
    return frame


def row(frame: pd.DataFrame, **keys: Any) -> Series:
    """Return the one row of a table with these values.

    Raises
    ------
    CannotTellError
        When there is none, or there are several.
    """
    found = np.full(len(frame), True)
    for column, value in keys.items():
        found &= np.asarray(frame[column] == value)
    if (number := np.count_nonzero(found)) != 1:
        words = ", ".join(f"{column} {value}" for column, value in keys.items())
        path = frame.attrs.get("path", "")
        raise CannotTellError(
            f"results/{path} has {number or 'no'} rows with {words}.", *filter(None, [path])
        )
    return frame.iloc[found.argmax()]
