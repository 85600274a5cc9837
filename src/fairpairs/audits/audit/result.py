"""The result of an audit: its tables as text, page, JSON and CSV."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.audits.audit.answer import answer
from fairpairs.audits.audit.details import details
from fairpairs.audits.audit.sections import compared
from fairpairs.audits.audit.tables import AuditTables
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.junit import Line
from fairpairs.audits.lines.verdicts import BEYOND, VIOLATED
from fairpairs.base.document import Part
from fairpairs.base.plain_values import TableRow
from fairpairs.base.texts import coverage, interval, number, p_equals


@dataclass(frozen=True, repr=False)
class AuditResult(AuditTables):
    """The result of an audit.

    Attributes
    ----------
    tests
        One row per hypothesis or measure, of a group minus the reference group, as `to_frame`
        returns it.
    rates
        One row per group and rate, which is count / n.
    about
        What was audited and how: see `SCHEMA`.
    sweep
        With a score, the gaps in TPR and FPR at up to 120 of its values as thresholds: `attribute`,
        `group`, `reference`, `measure`, `threshold`, `estimate`, `ci_low`, `ci_high`. The band
        covers both rates of the two groups at all thresholds at once. Empty without a score, with
        clusters or weights, and for several classes.
    """

    @cached_property
    def answer(self) -> Answer:
        """Whether groups are treated alike, and why; it prints as the terminal does."""
        return answer(self)

    def _details(self) -> Iterator[Part]:
        return details(self)

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        alpha, with_margin = self.about["alpha"], self.about["margin"] is not None
        decides = row["pvalue_beyond_gate" if with_margin else "pvalue_gate"]
        verdict = VIOLATED if np.isnan(row["margin"]) else BEYOND
        return Line(
            row["criterion"],
            f"{compared(row, ': ')}: {row['measure']}",
            row["hypothesis"],
            verdict if decides < alpha else "",
            bool(np.isfinite(row["pvalue_within"] if unless_shown else decides)),
            row["pvalue_within"] < alpha,
            [*_numbers(row, alpha), row["note"]],
        )


def _numbers(row: TableRow, alpha: float) -> Iterator[str]:
    """Yield the numbers of a line in words."""
    if np.isfinite(row["estimate"]):
        yield f"estimate {number(row['estimate'], sign=bool(row['group']))}"
    if np.isfinite(row["margin"]):
        yield f"margin {row['margin']:g}"
    if np.isfinite(row["margin_low"]):
        limits = interval(row["margin_low"], row["margin_high"], sign=True)
        yield f"{coverage(alpha, 2)} interval {limits}"
    elif np.isfinite(row["ci_low"]):
        limits = interval(row["ci_low"], row["ci_high"], sign=True)
        yield f"{coverage(alpha)} interval {limits}"
    for words, column in (
        ("", "pvalue_gate"),
        ("beyond the margin ", "pvalue_beyond_gate"),
        ("not within the margin ", "pvalue_within"),
    ):
        if np.isfinite(row[column]):
            yield f"{words}{p_equals(row[column])}"
