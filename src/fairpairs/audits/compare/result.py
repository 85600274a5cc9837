"""The result of a comparison: its tables as text, page, JSON and CSV."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.audits.compare.answer import answer
from fairpairs.audits.compare.details import details, names
from fairpairs.audits.compare.tables import ComparisonTables
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.junit import Line
from fairpairs.audits.lines.verdicts import WORSE, WORSE_BEYOND
from fairpairs.base.document import Part
from fairpairs.base.plain_values import TableRow
from fairpairs.base.texts import coverage, interval, number, p_equals


@dataclass(frozen=True, repr=False)
class ComparisonResult(ComparisonTables):
    """The result of a comparison of two models.

    Attributes
    ----------
    tests
        One row per measure of a group against the reference, as `to_frame` returns it.
    decisions
        One row per attribute, group and label: `items`, and those that only the new model
        (`to_positive`) or only the old one (`to_negative`) decides for, with shares and intervals.
    changed
        One row per item that is decided otherwise: `item`, `label`, `old`, `new`, and its groups.
    about
        What was compared and how: see `SCHEMA`.
    """

    @cached_property
    def answer(self) -> Answer:
        """Whether the new model treats groups less alike; it prints as the terminal does."""
        return answer(self)

    def _details(self) -> Iterator[Part]:
        return details(self)

    def _digests(self) -> Iterator[tuple[str, str]]:
        source = self.about["source"]
        yield from zip(names(self.about), source.get("sha256", ()), strict=False)

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        alpha = self.about["alpha"]
        groups = f"{row['attribute']}: {row['group']} minus {row['reference']}"
        name = f"{groups}: {row['measure']}"
        verdict = WORSE if np.isnan(row["margin"]) else WORSE_BEYOND
        decides = row["pvalue_not_worse" if unless_shown else "pvalue_gate"]
        return Line(
            row["criterion"],
            name,
            f"The gap of {name} is not larger",
            verdict if row["pvalue_gate"] < alpha else "",
            bool(np.isfinite(decides)),
            row["pvalue_not_worse"] < alpha,
            [*_numbers(row, alpha), row["note"]],
        )


def _numbers(row: TableRow, alpha: float) -> Iterator[str]:
    """Yield the numbers of a line in words."""
    if np.isfinite(row["change"]):
        old, new = (number(row[model], sign=True) for model in ("old", "new"))
        yield f"gap {old} to {new}"
    if np.isfinite(row["margin"]):
        yield f"margin {row['margin']:g}"
    if np.isfinite(row["ci_low"]):
        limits = interval(row["ci_low"], row["ci_high"], sign=True)
        yield f"change {number(row['change'], sign=True)}"
        yield f"{coverage(alpha)} interval {limits}"
    if np.isfinite(row["pvalue_gate"]):
        yield p_equals(row["pvalue_gate"])
