"""How a result prints: what was tested, and a line for each hypothesis; in a notebook, a table."""

import html
from collections.abc import Iterator
from dataclasses import fields
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.document import Document, Grid
from fairpairs.base.plain_values import rows_of
from fairpairs.base.results import Result
from fairpairs.base.texts import interval, number, p_equals, printable_lines

#: Hypotheses that print, and those of the table in a notebook.
LINES, ROWS = 6, 20
#: Columns of the table in a notebook.
COLUMNS = ("hypothesis", "estimate", "ci_low", "ci_high", "statistic", "pvalue", "n", "note")
#: Attributes with the rate of each group.
RATES = ("tpr", "fpr", "rates")
#: What a result says, also of a line of an audit.
VIOLATED, NOT_SHOWN = "violated", "not shown"
NOT_TESTED, NOT_ESTIMATED = "cannot be tested", "cannot be estimated"


def verdict_in_words(found: bool | None, words: str) -> str:
    """Return these words for what is found, or that it is not shown or has no test."""
    return NOT_TESTED if found is None else words if found else NOT_SHOWN


class Printed(Result):
    """A result, a data class with a `name`, whose arrays do not print."""

    @property
    def passed(self) -> bool | None:
        """True if all is shown to lie within a margin, False if a difference is shown, or None."""
        if getattr(self, "all_within", False):
            return True
        return False if getattr(self, "violated", False) else None

    @property
    def by_group(self) -> pd.DataFrame:
        """A row per group and a column per rate; AttributeError where pairs are compared."""
        known = {name: getattr(self, name) for name in RATES if name in vars(self)}
        if not known:
            raise AttributeError("by_group: it compares pairs of groups; to_frame() has them.")
        return pd.DataFrame(known, index=pd.Index(list(getattr(self, "groups")), name="group"))  # noqa: B009

    def __init_subclass__(cls) -> None:
        cls.__repr__ = Printed.__repr__  # type: ignore[method-assign]  # a data class keeps it

    def __repr__(self) -> str:
        rows = self._printed()
        lines = [self._head()]
        for row in rows_of(rows.head(LINES)):
            lines.append(f"{row['hypothesis']}: {', '.join(_numbers(row))}")
        if len(rows) > LINES:
            lines.append(f"and {len(rows) - LINES:,} more: to_frame()")
        return printable_lines("\n".join(lines))

    def _repr_html_(self) -> str:
        rows = self._printed()
        table = rows[[name for name in COLUMNS if name in rows and rows[name].notna().any()]]
        shown = table.to_html(index=False, float_format=number, na_rep="–", max_rows=ROWS, border=0)
        return printable_lines(f"<p>{html.escape(self._head())}</p>\n{shown}")

    def to_html(self) -> str:
        """Return a page with the rows of `to_frame`, which opens offline."""
        rows = self._printed()
        cells = [
            [number(x) if isinstance(x, float) else str(x) for x in row.values()]
            for row in rows_of(rows)
        ]
        return Document(self._head(), [Grid([*rows], cells, ["hypothesis", "note"])]).to_html()

    def _head(self) -> str:
        """Return what was tested, and what all hypotheses together say."""
        name = str(getattr(self, "name"))  # noqa: B009  (of the data class)
        if not hasattr(self, "violated"):
            return name
        return f"{name}: {verdict_in_words(self.violated, VIOLATED)}"

    def _printed(self) -> pd.DataFrame:
        """Return a row for each hypothesis: its table, or the fields that are numbers."""
        if hasattr(self, "to_frame"):
            table: pd.DataFrame = self.to_frame()
            return table
        values = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]  # a data class
        numbers = {name: value for name, value in values.items() if isinstance(value, Real)}
        return pd.DataFrame({"hypothesis": list(numbers), "estimate": list(numbers.values())})


def _numbers(row: dict[Any, Any]) -> Iterator[str]:
    """Yield estimate and interval (else the statistic), p, and why there is none of them."""
    known = {name: row.get(name, np.nan) for name in ("estimate", "ci_low", "statistic", "pvalue")}
    known = {name: value for name, value in known.items() if np.isfinite(value)}
    if "estimate" in known:
        limits = f" ({interval(row['ci_low'], row['ci_high'])})" if "ci_low" in known else ""
        yield f"{number(row['estimate'])}{limits}"
    elif "statistic" in known:
        yield f"statistic {number(row['statistic'])}"
    if "pvalue" in known:
        yield p_equals(row["pvalue"])
    if not known:
        yield str(row.get("note") or NOT_ESTIMATED)
