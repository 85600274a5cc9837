"""The tables of an audit and its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairpairs.auditing.verdicts import VERDICTS
from fairpairs.fairness.results import verdict
from fairpairs.files import plain_rows

#: Columns of the table of tests.
COLUMNS = (
    "attribute", "group", "reference", "criterion", "measure", "hypothesis", "estimate", "ci_low",
    "ci_high", "effect_size", "effect_kind", "magnitude", "statistic", "pvalue", "pvalue_adjusted",
    "pvalue_gate", "margin", "margin_low", "margin_high", "pvalue_within", "pvalue_beyond",
    "pvalue_beyond_gate", "ratio", "ratio_low", "ratio_high", "n", "smallest_cell", "verdict",
    "note",
)  # fmt: skip
#: Version of the JSON.
FORMAT = 2


@dataclass(frozen=True)
class AuditTables:
    """The tables of an audit and its verdict; `AuditResult` describes the attributes."""

    tests: pd.DataFrame
    rates: pd.DataFrame
    about: dict[str, Any]

    @property
    def pvalue(self) -> float:
        """The smallest p-value of the criteria that count; NaN when none could be tested.

        It is adjusted by Holm over all their hypotheses, of all attributes and intersections.
        """
        return float(self.tests["pvalue_gate"].min())

    @property
    def violated(self) -> bool | None:
        """Whether `pvalue` is below the level: a fair model is violated in at most that share.

        Only the criteria count that `criterion` names. None when none could be tested.
        """
        return verdict(self.pvalue, self.about["alpha"])

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each verdict."""
        counts = self.tests["verdict"].value_counts()
        return {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hypothesis or measure, of a group minus the reference group.

        Columns: `attribute`, `group`, `reference`, `criterion`, `measure`, `hypothesis`,
        `estimate`, `ci_low`, `ci_high`, `effect_size`, `effect_kind` (h, Cohen's; d, in standard
        deviations), `magnitude` (in words), `statistic`, `pvalue`, `pvalue_adjusted` (over one
        attribute and criterion), `pvalue_gate` (over all that counts for `violated`; NaN for other
        criteria), `n`, `smallest_cell`, `verdict`, `note`.
        """
        return self.tests.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, as in audit.json; what is missing is None."""
        return {
            "format": FORMAT,
            "about": self.about,
            "violated": self.violated,
            "verdicts": self.counts,
            "tests": plain_rows(self.tests),
            "rates": plain_rows(self.rates),
        }
