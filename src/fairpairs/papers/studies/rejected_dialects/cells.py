"""The tables of the paper (research questions 1 to 3), from the results of a run."""

from collections.abc import Sequence
from operator import attrgetter

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import TableRow
from fairpairs.papers.published.cells import Cell, Cells, from_rows, looked_up, reproduced
from fairpairs.papers.published.table import MARK, Key, PublishedTable
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE

#: A p-value below it, after Holm over the models, has an asterisk.
LEVEL = 0.05
CELL = ["row", "column", "published_mark", "key"]
#: What identifies an effect.
KEYS = ("model", "quantity")


@from_rows(attrgetter("results"), *KEYS)
def effects_table(row: TableRow, key: Key) -> Cell:
    """Reproduce a cell from what `measures.measure_effects` returned."""
    return reproduced(row["estimate"], mark=MARK * (row["pvalue_holm"] < LEVEL))


CELLS: Cells = {f"table_{number}": effects_table for number in (1, 2, 3)}


def dialect_tables(
    published: Sequence[PublishedTable], effects: pd.DataFrame, gaps: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return the gaps of all models, and their asterisks."""
    return {"gaps": gaps, "asterisks": asterisk_rows(published, effects)}


def asterisk_rows(published: Sequence[PublishedTable], effects: pd.DataFrame) -> pd.DataFrame:
    """Compare the asterisks of all printed numbers that are tested with ours, a row per number.

    `published_asterisk` is 1 or 0, `asterisk` NaN if the run has none.
    """
    find = looked_up(effects, KEYS, lambda row, key: row["pvalue_holm"])
    tested = set(effects.loc[effects["pvalue"].notna(), "quantity"])
    rows = [
        (table.spec["table"], row, column, int(mark == MARK), find(key))
        for table in published
        for row, column, mark, key in table.cells[CELL].itertuples(index=False)
        if key["quantity"] in tested
    ]
    columns = ["table", "row", "column", "published_asterisk", "pvalue_holm"]
    frame = pd.DataFrame(rows, columns=columns).astype({"pvalue_holm": float})
    p = frame["pvalue_holm"]
    frame["asterisk"] = (p < LEVEL).astype(float).where(p.notna())
    same = np.where(frame["asterisk"] == frame["published_asterisk"], AGREES, DIFFERS)
    frame["verdict"] = np.where(frame["asterisk"].isna(), NOT_COMPARABLE, same)
    return frame
