"""The lines of a monitor as a table, and the verdict of all that counts."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.verdicts import ALL_WITHIN, all_within
from fairpairs.audits.monitor.fields import DIFFERS, SCHEMA, VERDICTS
from fairpairs.base.plain_values import Record, TableRow
from fairpairs.mathematics.inference.results import verdict

#: Columns of the table of earlier looks.
HISTORY = (
    "batch", "batch_name", "rows", "criterion", "attribute", "group", "reference", "measure",
    "estimate", "ci_low", "ci_high",
)  # fmt: skip


def since_in_words(row: TableRow) -> str:
    """Return the batch in which a line was first violated: its name, or "batch" and its number."""
    name = str(row["since_name"])
    return f"batch {row['since']:,}" if name == str(row["since"]) else name


@dataclass(frozen=True, repr=False)
class MonitorTables(Outcome):
    """The lines and what they say; `MonitorResult` describes the attributes."""

    COMMAND, SCHEMA = "monitor", SCHEMA
    VERDICTS = tuple(VERDICTS)
    UNTESTED = (
        "nothing that counts can be tested yet (--details says why): append more rows, or begin "
        "with another --criterion."
    )
    TABLES = (("lines", "lines"),)
    CSV = ("lines", "history")
    OVERALL = ("violated", "shown", "differs_now", "pvalue")

    lines: pd.DataFrame
    history: pd.DataFrame
    about: Record

    @property
    def pvalue(self) -> float:
        """The smallest p-value of what counts, by Holm; NaN when no line could be tested."""
        return float(self.counted["pvalue_adjusted"].min())

    @property
    def violated(self) -> bool | None:
        """Whether what counts was violated at any look; with a margin, beyond it.

        A fair model is so at any look, ever, with a chance of at most `alpha`. None while no line
        that counts can be tested.
        """
        lines, alpha = self.counted, self.about["alpha"]
        if not lines["pvalue"].notna().any():
            return None
        with_margin = lines["margin"].notna()
        decides = lines["pvalue_beyond"].where(with_margin, lines["pvalue_adjusted"])
        return bool(verdict(float(decides.min()), alpha)) if decides.notna().any() else None

    @property
    def differs_now(self) -> bool | None:
        """Whether something that counts differs now; None where changes are not looked for.

        Where nothing differs, it becomes true after `about["run_length"]` at the earliest, on
        average.
        """
        now = self.counted["now"]
        return bool((now == DIFFERS).any()) if (now != "").any() else None

    @property
    def shown(self) -> bool | None:
        """Whether all that counts is shown to lie within the margin so far; None without one."""
        lines = self.counted
        if lines["margin"].isna().all():
            return None
        return all_within(lines["verdict"].isin(ALL_WITHIN))

    @property
    def counted(self) -> pd.DataFrame:
        """The lines that count."""
        return self.lines[self.lines["counts"]]
