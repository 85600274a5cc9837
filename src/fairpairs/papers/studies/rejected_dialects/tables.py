"""Tables of the study: the gaps of each model, and whether asterisks agree."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.texts import decimals, interval, pvalue
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.published.cells import by, values_of
from fairpairs.papers.published.table import MARK, PublishedTable
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE
from fairpairs.papers.studies.rejected_dialects.cells import KEYS, LEVEL
from fairpairs.papers.studies.rejected_dialects.gaps import HYPOTHESES

GAPS_NOTE = (
    "TPR(a,b): the share of prompts whose preferred answer, in dialect a, has a higher score than "
    "the dispreferred one in dialect b. Within: prompts and answers in AAL against prompts and "
    "answers in WME; below 0 the model is right less often in AAL. Across: on prompts in WME; "
    "above 0 it leans towards answers in WME. Intervals are of each gap alone, p-values by Holm "
    "over the models. Both rates of a gap are of the same prompts, and are tested as pairs."
)
ASTERISKS_NOTE = (
    f"An asterisk is p < {LEVEL:g} after Holm over the models. Agree: both have one, or neither."
)


def write_dialect_tables(
    published: Sequence[PublishedTable],
    effects: pd.DataFrame,
    gaps: pd.DataFrame,
    stem: str | Path,
    asterisks: str | Path,
) -> None:
    """Write the gaps of all models as stem.csv, .md and .tex, and their asterisks likewise."""
    write_table(stem, gaps, gaps_display(gaps))
    rows = asterisk_rows(published, effects)
    write_table(asterisks, rows, asterisks_display(rows))


def gaps_display(gaps: pd.DataFrame) -> Display:
    """Lay out `gaps.measure_gaps`, a row for each model."""
    parts = {}
    for hypothesis, gap in HYPOTHESES.items():
        rows = gaps[gaps["hypothesis"] == hypothesis].set_index("model")
        for rate, column in zip(gap.rates, ("first", "second"), strict=True):
            parts[rate] = rows[column].map(lambda value: decimals(value, 3))
        parts[f"{hypothesis}: gap"] = rows["estimate"].map(lambda gap: decimals(gap, 3, sign=True))
        parts[f"{hypothesis}: interval"] = rows[["ci_low", "ci_high"]].apply(
            lambda limits: interval(*limits, sign=True), axis=1
        )
        parts[f"{hypothesis}: p"] = rows["pvalue_holm"].map(pvalue)
    table = pd.DataFrame(parts).rename_axis("model")
    return Display(table, "Comparative separation between WME and AAL", GAPS_NOTE)


def asterisk_rows(published: Sequence[PublishedTable], effects: pd.DataFrame) -> pd.DataFrame:
    """Compare the asterisks of all printed numbers that are tested with ours, a row per number.

    `published_asterisk` is 1 or 0, `asterisk` NaN if the run has none.
    """
    ours = by(effects, *KEYS)
    tested = set(effects.loc[effects["pvalue"].notna(), "quantity"])
    rows = []
    for table in published:
        for row, column, mark, key in table.cells[
            ["row", "column", "published_mark", "key"]
        ].itertuples(index=False):
            if key["quantity"] in tested:
                p = ours.get(values_of(key, KEYS), {}).get("pvalue_holm", np.nan)
                asterisk = np.nan if np.isnan(p) else float(p < LEVEL)
                rows.append((table.spec["table"], row, column, int(mark == MARK), p, asterisk))
    columns = ["table", "row", "column", "published_asterisk", "pvalue_holm", "asterisk"]
    frame = pd.DataFrame(rows, columns=columns)
    same = np.where(frame["asterisk"] == frame["published_asterisk"], AGREES, DIFFERS)
    frame["verdict"] = np.where(frame["asterisk"].isna(), NOT_COMPARABLE, same)
    return frame


def asterisks_display(rows: pd.DataFrame) -> Display:
    """Count the asterisks of `asterisk_rows` by table and column."""
    counted = pd.DataFrame(
        {
            "printed numbers": rows["published_asterisk"].notna(),
            "with an asterisk": rows["published_asterisk"] == 1,
            "ours with one": rows["asterisk"] == 1,
            "agree": rows["verdict"] == AGREES,
            "differ": rows["verdict"] == DIFFERS,
        }
    )
    columns = "Table " + rows["table"].astype(str) + ", " + rows["column"]
    counts = counted.groupby(columns, sort=False).sum()
    counts = pd.concat([counts, counts.sum().rename("all").to_frame().T]).rename_axis("column")
    table = counts.map(lambda count: decimals(count, 0))
    return Display(table, f"Asterisks (p < {LEVEL:g}) of Tables 1 to 3", ASTERISKS_NOTE)
