"""The table of an audit of many groups and its verdict."""

from dataclasses import dataclass

import pandas as pd

from fairpairs.audits.groups.fields import SCHEMA, VERDICTS
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.verdicts import ALL_WITHIN, BEYOND, all_within
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.inference.results import verdict


@dataclass(frozen=True, repr=False)
class GroupTables(Outcome):
    """The table of an audit of many groups; `GroupAuditResult` describes the attributes."""

    COMMAND, SCHEMA = "audit-groups", SCHEMA
    VERDICTS = tuple(VERDICTS)
    UNTESTED = (
        "no group can be tested (--details says why): add items, or name another --criterion."
    )

    tests: pd.DataFrame
    about: Record

    @property
    def pvalue(self) -> float:
        """The smallest p-value, by Bonferroni over all lines; NaN when none could be tested."""
        return float(self.tests["pvalue_adjusted"].min())

    @property
    def violated(self) -> bool | None:
        """Whether any group is shown to differ; with a margin, by more than it.

        A model that treats all groups alike is violated in at most a share `alpha`. None when no
        line could be tested.
        """
        if self.about["margin"] is None:
            return verdict(self.pvalue, self.about["alpha"])
        return bool(self.counts[BEYOND]) if self.tests["estimate"].notna().any() else None

    @property
    def shown(self) -> bool | None:
        """Whether each line is shown to lie within the margin, all together; None without one."""
        if self.about["margin"] is None:
            return None
        return all_within(self.tests["verdict"].isin(ALL_WITHIN))
