"""The tables of an audit of judgments and its verdict."""

from dataclasses import dataclass

import pandas as pd

from fairpairs.audits.judgments.fields import SCHEMA, VERDICTS
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.inference.results import verdict

#: Whether a criterion compares the two orders of two groups, or the judgments within each.
ACROSS, WITHIN = "across", "within"
#: What is asked of the judgments themselves: ties, the first place, a lean of the judges.
TIES, FIRST_PLACE, LEAN = "ties", "first place", "lean of the judges"
#: The part of the judgments that counts for the verdict.
ALL = "all"


@dataclass(frozen=True, repr=False)
class JudgmentsTables(Outcome):
    """The tables of an audit of judgments; `JudgmentsResult` describes the attributes."""

    COMMAND, SCHEMA = "audit-judgments", SCHEMA
    VERDICTS = tuple(VERDICTS)
    UNTESTED = "nothing can be tested with these judgments (--details says why): add judgments."
    OVERALL = ("violated", "pvalue")
    TABLES = (
        ("tests", "tests"), ("rates", "cells"), ("shares", "shares"), ("judges", "judges"),
        ("differ", "differ"),
    )  # fmt: skip
    CSV = ("tests", "cells")
    BY_GROUP = ("main", "estimate")

    tests: pd.DataFrame
    cells: pd.DataFrame
    about: Record
    shares: pd.DataFrame
    judges: pd.DataFrame
    differ: pd.DataFrame

    @property
    def counted(self) -> pd.DataFrame:
        """The lines that count."""
        return self.main

    @property
    def main(self) -> pd.DataFrame:
        """The tests on all judgments, across and within groups: those that count."""
        tests = self.tests
        return tests[(tests["part"] == ALL) & tests["criterion"].isin([ACROSS, WITHIN])]

    @property
    def pvalue(self) -> float:
        """The smallest p-value, by Holm over all models and attributes; NaN when none is tested."""
        return float(self.tests["pvalue_gate"].min())

    @property
    def violated(self) -> bool | None:
        """Whether any hypothesis is violated, by Holm over all; None when none can be tested."""
        return verdict(self.pvalue, self.about["alpha"])

    def rates(self) -> pd.DataFrame:
        """Return one row per model, attribute and two groups: TPR(winner, loser).

        `pairs` are the judgments; a tie that counts half is half of one for each side.
        """
        return self.cells.copy()
