"""The result of an audit of many groups: its table as text, page, JSON and CSV."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fairpairs.audits.groups.answer import answer
from fairpairs.audits.groups.details import details
from fairpairs.audits.groups.tables import GroupTables
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.junit import Line, by_verdict, numbers
from fairpairs.base.document import Part
from fairpairs.base.plain_values import TableRow


@dataclass(frozen=True, repr=False)
class GroupAuditResult(GroupTables):
    """The result of an audit of many groups.

    Attributes
    ----------
    tests
        One row per group and measure, the worst first: see `to_frame`.
    about
        What was audited and how: see `SCHEMA`.
    """

    @cached_property
    def answer(self) -> Answer:
        """Which groups are treated otherwise than everyone else; it prints as the terminal does."""
        return answer(self)

    def _details(self) -> Iterator[Part]:
        return details(self)

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        name = f"{row['group']}: {row['measure']}"
        margin = [f"margin {row['margin']:g}"] if row["margin"] > 0 else []
        details = [*numbers(row, "pvalue_adjusted", "simultaneous interval"), *margin]
        return by_verdict(row, name, f"{name}, against {row['others']}", details)
