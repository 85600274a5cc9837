"""A note if several rows seem to be of one person, and no cluster is named.

Clusters of one group whose rows are alike make a test at the level α reject with the chance
2 Φ(z / √D), z being the quantile of α / 2, and D the design effect 1 + (g − 1) ICC, where g is the
mean number of rows of the person of a row.

See L. Kish (1965), *Survey Sampling*, section 5.4.
"""

import re
from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from fairpairs.base.arrays import Integers

#: Last words of the name of a column that says whose a row is: a person, a case or a document,
ID = re.compile(
    r"(^|_)(?:(?:person|user|subject|patient|customer|client|household|student|pupil|participant"
    r"|respondent|applicant|candidate|employee|worker|defendant|borrower|account|member|driver"
    r"|voter|tenant|case|session|prompt|question|document|kunde|bewerber|mitarbeiter|schüler)"
    r"(?:_?(?:ids?|no|nr|num|number|nummer|key|name))?"
    # a register's or a program's number of one
    r"|ids?|uid|uuid|guid|ssn|mrn|pid|e_?mail|[a-zäöüß]+nummer)$"
)
#: Where words of a name meet: user_id, userId.
BETWEEN_WORDS = re.compile(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|[\W_]+")
#: Share of the variance that rows of one person are supposed to have in common.
ICC = 0.5
#: With more rows of each on average, values are categories rather than persons.
MOST_ROWS = 100
#: And with fewer values.
FEWEST = 20


def looks_like_an_id(name: str) -> bool:
    """Return whether the name of a column suggests that it identifies a person or the like.

    >>> [name for name in ("userId", "Patient", "paid", "user_age") if looks_like_an_id(name)]
    ['userId', 'Patient']
    """
    return ID.search(BETWEEN_WORDS.sub("_", name).strip("_").lower()) is not None


def rows_of_a_person(sizes: Integers) -> float | None:
    """Return the mean number of rows of a row's person from the rows of each value, or None.

    None means that the values are unlike ids: all different, only a few, or of very many rows each.
    """
    n = int(sizes.sum())
    if len(sizes) == n or len(sizes) < FEWEST or n > MOST_ROWS * len(sizes):
        return None
    return float(np.square(sizes).sum() / n)


class Columns(Protocol):
    """A table, as far as ids are looked at."""

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""

    def sizes(self, name: str) -> Integers:
        """Return the number of rows of each value of a column."""


def repeated_ids(
    table: Columns,
    named: Collection[str | None],
    alpha: float = 0.05,
    remedy: str = "give --cluster {}",
) -> list[str]:
    """Return a note for the first column without a role whose values look like ids that repeat."""
    for name in table.columns:
        if name not in named and looks_like_an_id(name):
            text = remedy.format(name)
            if notes := _note_on(table.sizes(name), f"Column `{name}`", text, alpha):
                return notes
    return []


def copied_rows(times: int) -> list[str]:
    """Return what to check where each row of a file occurs so many times."""
    return [
        f"Every row occurs at least {times} times, the same in all columns, and copies are taken "
        "for independent rows: keep each once."
    ] * (times > 1)


def repeated_index(
    values: object, name: str, alpha: float, remedy: str = "give clusters={}.index"
) -> list[str]:
    """Return the same for an index of pandas."""
    index = getattr(values, "index", None)
    if not isinstance(index, pd.Index) or index.is_unique:
        return []
    sizes = np.asarray(index.value_counts(), dtype=np.int64)
    return _note_on(sizes, f"The index of {name}", remedy.format(name), alpha)


def _note_on(sizes: Integers, what: str, remedy: str, alpha: float) -> list[str]:
    rows = rows_of_a_person(sizes)
    if rows is None:
        return []
    return [_repeated_ids(what, rows, ICC, alpha, rejected(rows, alpha), remedy)]


def rejected(rows: float, alpha: float) -> float:
    """Return the level of a test that wrongly takes a person's rows for independent.

    >>> round(rejected(5, 0.05), 2)
    0.26
    """
    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(1 + (rows - 1) * ICC)))


def _repeated_ids(
    what: str, rows: float, icc: float, alpha: float, rejected: float, remedy: str
) -> str:
    """Note the error rate if rows of one person are treated as independent."""
    return (
        f"{what} repeats, {rows:.1f} rows to a value on average over the rows, and rows are taken "
        f"for independent: if those of one value are alike (ICC {icc:g}) and of one group, a test "
        f"at {alpha:g} rejects {rejected:.2f} of fair models; {remedy}."
    )
