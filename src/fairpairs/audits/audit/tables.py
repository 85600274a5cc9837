"""The tables of an audit and its verdict."""

from __future__ import annotations

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

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hypothesis or measure, of a group minus the reference group.

        Columns: `attribute`, `group`, `reference`, `criterion`, `measure`, `hypothesis`,
        `estimate`, `ci_low`, `ci_high`, `effect_size`, `effect_kind` (h and w, Cohen's; d, in
        standard deviations), `magnitude` (in words), `statistic`, `pvalue`, `pvalue_adjusted` (over
        one attribute and criterion), `pvalue_gate` (over all that counts; NaN for other criteria),
        `margin`, `margin_low`, `margin_high` (the interval of 1 − 2 alpha, which lies within the
        margin where that is shown), `pvalue_within` (of a difference of the margin or more, not
        adjusted), `pvalue_beyond` and `pvalue_beyond_gate` (of a difference within the margin,
        adjusted as `pvalue_adjusted` and `pvalue_gate` are), `ratio`, `ratio_low`, `ratio_high` (of
        two rates of decisions, the group's by that of the reference; where this is 0, the first and
        the last are infinite, and NaN here), `n`, `smallest_cell`, `verdict`, `note`.

        Of a label of several classes also `label_class`, the class that is compared with the rest;
        "" in rows of all classes, which have the group "" where they are of all groups too.
        """
        return self.tests.copy()

    def four_fifths(self) -> pd.DataFrame:
        """Return the four-fifths rule for selection rates: a row per group, and one for all groups.

        It is `about["four_fifths"]` as a table; without rows where predictions are numbers. The
        rule is of the outcome that `favourable` names; without it, there is no finding.

        Columns: `attribute`; `group`, which is compared with the reference, "" for the row of all
        groups; `lowest` and `highest`, the groups whose rates are compared; `ratio`, the lower by
        the higher selection rate, with its interval `ratio_low` to `ratio_high`; `finding`, "below
        four fifths", "at least four fifths" or "cannot be estimated"; `shown`, whether the interval
        lies on that side of 0.8 too.
        """
        return pd.DataFrame(self.about["four_fifths"], columns=list(FOUR_FIFTHS))
