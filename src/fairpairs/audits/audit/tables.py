"""The tables of an audit and its verdict."""

from dataclasses import dataclass, field

import pandas as pd

from fairpairs.audits.audit.fields import FOUR_FIFTHS, SCHEMA
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.verdicts import MEANINGS
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.inference.results import verdict


@dataclass(frozen=True, repr=False)
class AuditTables(Outcome):
    """The tables of an audit and its verdict; `AuditResult` describes the attributes."""

    COMMAND, SCHEMA = "audit", SCHEMA
    VERDICTS = tuple(MEANINGS)
    OVERALL = ("violated", "shown")
    TABLES = (("tests", "tests"), ("rates", "rates"))
    CSV = ("tests", "rates")

    tests: pd.DataFrame
    rates: pd.DataFrame
    about: Record
    sweep: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def pvalue(self) -> float:
        """The smallest p-value of the criteria that count; NaN when none could be tested.

        It is adjusted by Holm over all their hypotheses, of all attributes and intersections. With
        a margin, it is that of a difference beyond the margin.
        """
        column = "pvalue_gate" if self.about["margin"] is None else "pvalue_beyond_gate"
        return float(self.tests[column].min())

    @property
    def violated(self) -> bool | None:
        """Whether `pvalue` is below the level: a fair model is violated in at most that share.

        Only the criteria count that `criterion` names. With a margin, a difference is shown to
        exceed it: a model is fair if all differences lie within the margin. None when none could be
        tested.
        """
        return verdict(self.pvalue, self.about["alpha"])

    @property
    def shown(self) -> bool | None:
        """Whether each row that counts is shown to lie within the margin, at the level.

        A model with a difference of the margin or more passes in at most that share, without an
        adjustment (intersection-union test). None without a margin, and when the only rows that are
        not shown cannot be tested against it.
        """
        shown: bool | None = self.about["gate"]["shown"]
        return shown

    def _tested(self, *, against_margin: bool) -> bool:
        gate = self.about["gate"]
        if against_margin:
            return bool(gate["untested"] < gate["lines"])
        return super()._tested(against_margin=against_margin)

    def four_fifths(self) -> pd.DataFrame:
        """Return the four-fifths rule for selection rates: a row per group, and one for all groups.

        It is `about["four_fifths"]` as a table; without rows where predictions are numbers. The
        rule is of the outcome that `favourable` names; without it, there is no finding.
        """
        return pd.DataFrame(self.about["four_fifths"], columns=list(FOUR_FIFTHS))
