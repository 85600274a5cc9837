"""The tables of a comparison and its verdict."""

from dataclasses import dataclass

import pandas as pd

from fairpairs.audits.compare.fields import SCHEMA, VERDICTS
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.verdicts import NOT_SHOWN
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.inference.results import verdict


@dataclass(frozen=True, repr=False)
class ComparisonTables(Outcome):
    """The tables of a comparison and its verdict; `ComparisonResult` describes the attributes."""

    COMMAND, SCHEMA = "compare", SCHEMA
    DIFFERENCE = "A difference is by how much that of the groups is larger under the new model."
    VERDICTS = tuple(VERDICTS)
    FAILS, UNSHOWN = "worse", f"{NOT_SHOWN} not to be worse by the margin"
    UNTESTED = (
        "{criteria} cannot be tested on these items (the lines above say why): add items, or name "
        "another --criterion."
    )
    OVERALL = ("worse", "shown")
    TABLES = (("tests", "_tests_of_json"), ("decisions", "decisions"))
    CSV = ("tests", "decisions", "changed")

    tests: pd.DataFrame
    decisions: pd.DataFrame
    changed: pd.DataFrame
    about: Record

    @property
    def pvalue(self) -> float:
        """The smallest p-value of a larger gap, of the criteria that count; NaN for none.

        It is adjusted by Holm over all their lines. With a margin, it is that of a gap that is
        larger by more than the margin.
        """
        return float(self.tests["pvalue_gate"].min())

    @property
    def worse(self) -> bool | None:
        """Whether `pvalue` is below the level; None when nothing that counts could be tested."""
        return verdict(self.pvalue, self.about["alpha"])

    @property
    def shown(self) -> bool | None:
        """Whether each line that counts is shown not to be worse by the margin, at the level.

        It needs no adjustment (intersection-union). None without a margin, and when the only lines
        that are not shown cannot be tested.
        """
        shown: bool | None = self.about["gate"]["shown"]
        return shown

    @property
    def _tests_of_json(self) -> pd.DataFrame:
        return self.tests.astype({"changed": object})  # whole numbers beside missing ones
