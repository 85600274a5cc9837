"""The lines of a monitor as a table, and the verdict of all that counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairpairs.audits.audit.verdicts import (
    BEYOND,
    NOT_SHOWN,
    NOT_TESTED,
    VIOLATED,
    VIOLATED_WITHIN,
    WITHIN,
)
from fairpairs.base.files import plain_rows
from fairpairs.mathematics.inference.results import verdict

#: Columns of the table.
COLUMNS = (
    "criterion", "attribute", "group", "reference", "measure", "counts", "estimate", "ci_low",
    "ci_high", "pvalue", "pvalue_adjusted", "margin", "pvalue_beyond", "pvalue_within", "items",
    "items_reference", "verdict", "since", "since_rows", "note",
)  # fmt: skip
#: Columns of the table of earlier looks.
HISTORY = (
    "batch", "rows", "criterion", "attribute", "group", "reference", "measure", "estimate",
    "ci_low", "ci_high",
)  # fmt: skip
#: Verdict → its meaning here.
VERDICTS = {
    BEYOND: "at this look or an earlier one, the difference was shown to exceed the margin",
    VIOLATED: "at this look or an earlier one, a difference was shown; with a margin, not whether "
    "it exceeds it",
    VIOLATED_WITHIN: "there is a difference, and it is shown to lie within the margin so far",
    WITHIN: "all items so far show the difference to lie within the margin",
    NOT_SHOWN: "nothing is shown: this is no evidence of fairness",
    NOT_TESTED: "too few items; the note says of what",
}
#: Version of monitor.json.
FORMAT = 1


@dataclass(frozen=True)
class MonitorTables:
    """The lines and what they say; `MonitorResult` describes the attributes."""

    lines: pd.DataFrame
    history: pd.DataFrame
    about: dict[str, Any]

    @property
    def pvalue(self) -> float:
        """The smallest p-value of what counts, by Holm; NaN when no line could be tested."""
        return float(self._counted["pvalue_adjusted"].min())

    @property
    def violated(self) -> bool | None:
        """Whether what counts was violated at any look; with a margin, beyond it.

        A fair model is so at any look, ever, with a chance of at most `alpha`. None while no line
        that counts can be tested.
        """
        lines, alpha = self._counted, self.about["alpha"]
        if not lines["pvalue"].notna().any():
            return None
        with_margin = lines["margin"].notna()
        decides = lines["pvalue_beyond"].where(with_margin, lines["pvalue_adjusted"])
        return bool(verdict(float(decides.min()), alpha)) if decides.notna().any() else None

    @property
    def shown(self) -> bool | None:
        """Whether all that counts is shown to lie within the margin so far; None without one."""
        lines = self._counted
        if lines["margin"].isna().all():
            return None
        return bool(lines["verdict"].isin([WITHIN, VIOLATED_WITHIN]).all())

    @property
    def counts(self) -> dict[str, int]:
        """How many lines that count have each verdict."""
        counts = self._counted["verdict"].value_counts()
        return {name: int(counts.get(name, 0)) for name in VERDICTS}

    @property
    def _counted(self) -> pd.DataFrame:
        return self.lines[self.lines["counts"]]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per line.

        Columns: `criterion`, `attribute`, `group`, `reference`, `measure`; `counts`, whether it
        counts for the verdict; `estimate` of the difference, with `ci_low` to `ci_high`, which
        cover at all looks; `pvalue`, valid at all looks, and `pvalue_adjusted`, by Holm over all
        that counts; `margin`, `pvalue_beyond` (adjusted) and `pvalue_within` (now); `items` and
        `items_reference`; `verdict`; `since`, the batch in which the line was first violated (0 for
        none), and `since_rows`, the rows until then; `note`.
        """
        return self.lines.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, as in monitor.json; what is missing is None."""
        pvalue = self.pvalue
        return {
            "format": FORMAT,
            "about": self.about,
            "violated": self.violated,
            "shown": self.shown,
            "pvalue": None if pd.isna(pvalue) else pvalue,
            "verdicts": self.counts,
            "lines": plain_rows(self.lines),
        }
