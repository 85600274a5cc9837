"""The asterisks of Tables 1, 2, 8 and 9, and whether printed correlations imply them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from fairpairs.base.plain_values import Content
from fairpairs.papers.display.layouts import counted
from fairpairs.papers.published.table import MARK, PublishedTable
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE
from fairpairs.papers.studies.density_ratio.cells import HALF, LEVEL, correlation_of

#: The paper's regressors.
REGRESSORS = 22
ROUNDING = "the printed digits leave it open"
TIES = "ties, of which nothing is printed, may explain it"


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
    published: Sequence[PublishedTable], correlations: pd.DataFrame
) -> tuple[pd.DataFrame, Content]:
    """Compare every printed asterisk with the printed correlation, and with ours; and count them.

    The verdict is whether the asterisk, or its absence, follows from what is printed: "not
    comparable" if rounding or ties leave it open.
    """
    find, parts = correlation_of(correlations), []
    for table in published:
        cells = table.cells
        least, with_ties = least_significant(cells["key"].iloc[0]["coefficient"], REGRESSORS)
        starred, size = cells["published_mark"] == MARK, cells["published"].abs()
        low, high = size - HALF, size + HALF
        open_by = np.select(
            [(low < least) & (high >= least), ~starred & (low >= least) & (low < with_ties)],
            [ROUNDING, TIES],
            "",
        )
        follows = np.where(starred == (low >= least), AGREES, DIFFERS)
        ours = [find(key) or {} for key in cells["key"]]
        part = cells[["row", "column", "published"]].assign(
            published_asterisk=starred.astype(int),
            verdict=np.where(open_by == "", follows, NOT_COMPARABLE),
            note=open_by,
            value=[row.get("value", np.nan) for row in ours],
            pvalue=[row.get("pvalue", np.nan) for row in ours],
        )
        part.insert(0, "table", table.spec["table"])
        parts.append(part)
    rows = pd.concat(parts, ignore_index=True)
    return rows, {"rows": asterisk_counts(rows)}


def asterisk_counts(rows: pd.DataFrame) -> pd.DataFrame:
    """Count the asterisks of each table, those that follow, and those that ours share."""
    theirs, verdict = rows["published_asterisk"] == 1, rows["verdict"]
    ours, others = rows["pvalue"] < LEVEL, rows["pvalue"] >= LEVEL
    cases = {
        "printed correlations": rows["published"].notna(),
        "with an asterisk": theirs,
        "asterisks that follow": theirs & (verdict == AGREES),
        "none that follow": ~theirs & (verdict == AGREES),
        "left open by rounding": rows["note"] == ROUNDING,
        "left open by ties": rows["note"] == TIES,
        "do not follow": verdict == DIFFERS,
        "ours too": theirs & ours,
        "theirs alone": theirs & others,
        "ours alone": ~theirs & ours,
        "neither": ~theirs & others,
    }
    return counted(cases, "Table " + rows["table"].astype(str))
