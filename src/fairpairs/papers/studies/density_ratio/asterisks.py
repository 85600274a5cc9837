"""The asterisks of Tables 1, 2, 8 and 9, and whether printed correlations imply them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from fairpairs.base.texts import decimals
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.published.table import MARK, PublishedTable
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE
from fairpairs.papers.studies.density_ratio.cells import HALF, LEVEL, correlation_of

#: The paper's regressors.
REGRESSORS = 22
ROUNDING = "the printed digits leave it open"
TIES = "ties, of which nothing is printed, may explain it"
NOTE = (
    "Follow: with 22 regressors, every correlation that rounds to the printed one has p < 0.05 "
    "where there is an asterisk, and none where there is none. Left open by the rounding: some "
    "have, some have not. Left open by ties: Kendall's coefficient would have an asterisk without "
    "ties, and need not with them. Ours are of other regressors, so whether both have an asterisk "
    "is no verdict."
)


def least_significant(coefficient: str, n: int) -> tuple[float, float]:
    """Return the least |correlation| of n items with p < 0.05, without ties and with the most ties.

    Spearman's is tested by Student's t of n − 2, as in scipy, whether there are ties or not;
    Kendall's by the normal distribution. Of ties, two measures of two values each need the largest
    Kendall's coefficient, which is then the phi of a 2 × 2 table.
    """
    if coefficient == "spearman":
        t = stdtrit(n - 2, 1 - LEVEL / 2)
        least = float(t / np.sqrt(n - 2 + t * t))
        return least, least
    z = -ndtri(LEVEL / 2)
    return float(z * np.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))), float(z / np.sqrt(n - 1))


def asterisk_rows(
    published: Mapping[int, pd.DataFrame], correlations: pd.DataFrame
) -> pd.DataFrame:
    """Compare every printed asterisk with the printed correlation, and with ours.

    The verdict is whether the asterisk, or its absence, follows from what is printed: "not
    comparable" if rounding or ties leave it open.
    """
    find = correlation_of(correlations)
    parts = []
    for table, cells in published.items():
        least, with_ties = least_significant(cells["key"].iloc[0]["coefficient"], REGRESSORS)
        size = cells["published"].abs()
        starred = cells["published_mark"] == MARK
        low, high = size - HALF, size + HALF
        open_by = np.select(
            [(low < least) & (high >= least), ~starred & (low >= least) & (low < with_ties)],
            [ROUNDING, TIES],
            "",
        )
        follows = np.where(starred == (low >= least), AGREES, DIFFERS)
        ours = list(map(find, cells["key"]))
        parts.append(
            pd.DataFrame(
                {
                    "table": table,
                    "row": cells["row"],
                    "column": cells["column"],
                    "published": cells["published"],
                    "published_asterisk": starred.astype(int),
                    "verdict": np.where(open_by == "", follows, NOT_COMPARABLE),
                    "note": open_by,
                    "value": [match["value"] if match else np.nan for match in ours],
                    "pvalue": [match["pvalue"] if match else np.nan for match in ours],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def asterisk_counts(rows: pd.DataFrame) -> pd.DataFrame:
    """Count the asterisks of each table, those that follow, and those that ours share."""
    theirs, ours, others = (
        rows["published_asterisk"] == 1,
        rows["pvalue"] < LEVEL,
        rows["pvalue"] >= LEVEL,
    )
    counted = {
        "printed correlations": rows["published"].notna(),
        "with an asterisk": theirs,
        "asterisks that follow": theirs & (rows["verdict"] == AGREES),
        "none that follow": ~theirs & (rows["verdict"] == AGREES),
        "left open by rounding": rows["note"] == ROUNDING,
        "left open by ties": rows["note"] == TIES,
        "do not follow": rows["verdict"] == DIFFERS,
        "ours too": theirs & ours,
        "theirs alone": theirs & others,
        "ours alone": ~theirs & ours,
        "neither": ~theirs & others,
    }
    counts = pd.DataFrame(counted).groupby("Table " + rows["table"].astype(str), sort=False).sum()
    return pd.concat([counts, counts.sum().rename("all").to_frame().T]).rename_axis("table")


def display(rows: pd.DataFrame) -> Display:
    """Return the counts of `asterisk_counts` in words."""
    counts = asterisk_counts(rows).map(lambda count: decimals(count, 0))
    return Display(counts, f"Asterisks (p < {LEVEL:g}) of Tables 1, 2, 8 and 9", NOTE)


def write_asterisk_table(
    published: Sequence[PublishedTable], correlations: pd.DataFrame, stem: str | Path
) -> None:
    """Write every printed correlation as stem.csv, and their counts as .md and .tex."""
    rows = asterisk_rows({table.spec["table"]: table.cells for table in published}, correlations)
    write_table(stem, rows, display(rows))
