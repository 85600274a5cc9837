"""The result of an audit of many groups: its table as text, page, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.audits.groups.answer import answer
from fairpairs.audits.groups.details import details
from fairpairs.audits.groups.tables import GroupTables
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.junit import Line, numbers
from fairpairs.audits.lines.verdicts import ALL_WITHIN, BEYOND, NOT_ESTIMATED, VIOLATED
from fairpairs.base.document import Part


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

    def _lines(self, *, unless_shown: bool) -> Iterator[Line]:
        for row in self.tests.to_dict("records"):
            verdict, name = row["verdict"], f"{row['group']}: {row['measure']}"
            fails = verdict == BEYOND or (verdict == VIOLATED and np.isnan(row["margin"]))
            yield Line(
                row["criterion"],
                name,
                f"{name}, against everyone else",
                verdict if fails else "",
                verdict != NOT_ESTIMATED,
                verdict in ALL_WITHIN,
                [
                    *numbers(row, "pvalue_adjusted", "simultaneous interval"),
                    f"margin {row['margin']:g}" if row["margin"] > 0 else "",
                ],
            )
