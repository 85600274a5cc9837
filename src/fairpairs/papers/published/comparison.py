"""Each published cell beside ours, with a verdict."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr

from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.published.table import PublishedTable
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE

#: The columns of results/comparison.csv, after the paper and the table.
COLUMNS = (
    *("row", "column", "published", "reproduced", "standard_error"),
    *("z", "p_adjusted", "verdict", "note"),
)

#: Kind of a cell that is given no verdict → why.
WITHOUT_VERDICT = {
    "redone": "redone with choices of our own",
    "impossible": "impossible: no data give the printed number",
    "universal": "said of all cases: judged among the conclusions",
}
#: A difference counts when its Holm-adjusted p-value is below this.
LEVEL = 0.05


def compare(
    published: PublishedTable, reproduced: pd.DataFrame, *, missing: Sequence[str] = ()
) -> pd.DataFrame:
    """Compare a table with the published one.

    A computed cell agrees when ours rounds to the printed digits; one of the kinds in
    `WITHOUT_VERDICT` gets no verdict. For a simulated one, z = difference / SE, where SE² = ours² +
    the published one's² + (unit of the last printed digit)² / 12; it differs when its p-value,
    adjusted by Holm over the table, is below 0.05. For shares, ours and the published SE are those
    of the pooled share p, sqrt(p (1 − p) / runs), as they are where both estimate the same: the
    share of a few runs is easily 0 or 1, whose own standard error is 0. For another quantity the
    published SE is our spread of a single run over sqrt(runs).

    `reproduced` has a row per cell: `row`, `column`, `reproduced`, `standard_error`, `run_sd` (the
    spread of a single run; NaN for a share), `runs` (behind a share) and `note`; `z` if it is not
    the one above. `missing` names the data sets of the table that
    the run left out, for the note of a cell that is not reproduced.

    The result has the published cells in their order: `paper`, `table` or `section`, `COLUMNS`, the
    printed `digits`, the `kind` of the cell, `difference_error`, the SE of z, and
    `published_error`, the published one's own, `run_sd` and `mark` as given, and the
    `published_mark`.
    """
    cells = published.cells.merge(reproduced, how="left", on=["row", "column"], validate="1:1")
    cells["note"] = cells["note"].fillna("")
    marks = cells.get("mark", default=pd.Series("", index=cells.index)).fillna("")
    simulated = (cells["kind"] == "simulated") & cells["reproduced"].notna()
    runs, unit = published.spec.get("runs", np.nan), 10.0 ** -cells["digits"]
    total = _difference_errors(cells, runs, unit)
    difference = cells["reproduced"] - cells["published"]
    apart = cells["kind"].isin(list(WITHOUT_VERDICT))
    given_z = cells.get("z", default=pd.Series(np.nan, index=cells.index))
    cells["z"] = given_z.fillna((difference / total).where(simulated)).mask(apart)
    cells["p_adjusted"] = adjusted(
        np.asarray(2 * ndtr(-cells["z"].abs()), dtype=np.float64), "holm"
    )
    # half a unit, and what the sum of a few floats may be off
    rounds = difference.abs() <= unit / 2 * (1 + 1e-9)
    same = rounds.where(~simulated, cells["p_adjusted"] >= LEVEL)
    cells["verdict"] = np.where(same, AGREES, DIFFERS)
    is_input = (cells["kind"] == "input") & rounds
    cells.loc[is_input, "verdict"] = NOT_COMPARABLE
    cells.loc[is_input, "note"] = "an input, taken from the paper"
    for kind, reason in WITHOUT_VERDICT.items():
        is_kind = cells["kind"] == kind
        cells.loc[is_kind, "verdict"] = NOT_COMPARABLE
        cells.loc[is_kind & (cells["note"] == ""), "note"] = reason
    absent = cells["reproduced"].isna()
    cells.loc[absent, "verdict"] = NOT_COMPARABLE
    for i in cells.index[absent & (cells["note"] == "")]:
        # a table without any cell lacks all its data sets, a cell the one of its key
        lost = [
            name for name in missing if absent.all() or name == cells.loc[i, "key"].get("dataset")
        ]
        reason = f" (unavailable: {', '.join(lost)})" if lost else ""
        cells.loc[i, "note"] = f"not part of this run{reason}"
    where = "table" if "table" in published.spec else "section"
    cells.insert(0, where, published.spec[where])
    cells.insert(0, "paper", published.study)
    cells["mark"] = marks
    cells["difference_error"] = total.where(simulated)
    share = cells["published"].clip(0, 1)
    share_error = np.sqrt(share * (1 - share) / runs)
    mean_error = cells["run_sd"] / np.sqrt(runs)
    printed_error = share_error.where(cells["run_sd"].isna(), mean_error)
    cells["published_error"] = printed_error.where(simulated)
    more = ("digits", "kind", "difference_error", "published_error", "run_sd")
    return cells[["paper", where, *COLUMNS, *more, "mark", "published_mark"]]


def _difference_errors(cells: pd.DataFrame, runs: float, unit: pd.Series) -> pd.Series:
    """Return the standard errors of ours minus the printed numbers, each of so many `runs`."""
    counts, run_sd = cells["runs"], cells["run_sd"]
    shares = cells["reproduced"] * counts + cells["published"] * runs
    pooled = (shares / (counts + runs)).clip(0, 1)
    share_variance = pooled * (1 - pooled) * (1 / counts + 1 / runs)
    other_variance = cells["standard_error"] ** 2 + run_sd**2 / runs
    is_share = counts.notna() & run_sd.isna()
    variance = share_variance.where(is_share, other_variance)
    return (variance + unit**2 / 12).pow(0.5)


def tally(comparison: pd.DataFrame) -> dict[str, int]:
    """Count the cells of each verdict."""
    counts = comparison["verdict"].value_counts()
    return {verdict: int(counts.get(verdict, 0)) for verdict in (AGREES, DIFFERS, NOT_COMPARABLE)}


def gather(comparisons: Iterable[pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Join the comparisons of numbered tables, and those of numbers in the text."""
    parts = list(comparisons)
    gathered = []
    for where in ("table", "section"):
        columns = ["paper", where, *COLUMNS]
        kept = [part[columns] for part in parts if where in part]
        empty = pd.DataFrame(columns=columns)
        gathered.append(pd.concat(kept, ignore_index=True) if kept else empty)
    return gathered[0].sort_values(["paper", "table"], kind="stable"), gathered[1]
