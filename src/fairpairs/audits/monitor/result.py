"""The result of a monitor: its lines and their history as text, page, JSON and CSV."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.junit import Line, by_verdict
from fairpairs.audits.lines.verdicts import VIOLATED
from fairpairs.audits.monitor.answer import answer
from fairpairs.audits.monitor.details import details, title
from fairpairs.audits.monitor.tables import MonitorTables, since_in_words
from fairpairs.base.document import Part
from fairpairs.base.plain_values import TableRow
from fairpairs.base.texts import interval, number, p_equals


@dataclass(frozen=True, repr=False)
class MonitorResult(MonitorTables):
    """What the batches so far show.

    Attributes
    ----------
    lines
        One row per line: see `to_frame`.
    history
        Estimates and intervals after earlier batches, at most about 200 looks of each line, and
        now: `batch`, `batch_name`, `rows`, the line, `estimate`, `ci_low`, `ci_high`.
    about
        What is monitored and how: see `SCHEMA`.
    """

    @cached_property
    def answer(self) -> Answer:
        """Whether the model was fair so far, and since when not; it prints as the terminal does."""
        return answer(self)

    def _details(self) -> Iterator[Part]:
        return details(self)

    @property
    def named(self) -> str:
        """The state."""
        return str(self.about["state"])

    def _settings(self) -> dict[str, str]:
        return {name: str(self.about[name]) for name in ("batches", "rows")}

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        return by_verdict(row, title(row), title(row), [*_numbers(row), row["note"]])


def _numbers(row: TableRow) -> Iterator[str]:
    """Yield the numbers of a line in words."""
    if np.isfinite(row["estimate"]):
        yield f"estimate {number(row['estimate'], sign=True)}"
        yield f"interval {interval(row['ci_low'], row['ci_high'], sign=True)}"
    if np.isfinite(row["margin"]):
        yield f"margin {row['margin']:g}"
    if np.isfinite(row["pvalue_adjusted"]):
        yield p_equals(row["pvalue_adjusted"])
    if row["since"]:
        yield f"{VIOLATED} since {since_in_words(row)}"
