"""How near the truth measures of separation are, and how often its tests find a violation."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.display.tables import Display, write_table

#: Tests whose measure is not the ratio.
OTHER = ("information", "comparative_separation")


def known_separation_rows(results: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """Compare measures of separation with the truth, and count rejections, by design and estimator.

    `bias` and `sd` are of the logarithm of the estimate over the truth (NaN for what is no ratio),
    `failed` is the share without a finite estimate above 0, `rejected` the share of tests with a
    p-value of at most alpha (NaN without a test).
    """
    frame = results.copy()
    ratio = ~frame["estimator"].isin(OTHER)
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["error"] = np.where(ratio, np.log(frame["value"] / frame["truth"]), np.nan)
    frame["failed"] = ~np.isfinite(frame["value"]) | (ratio & ~np.isfinite(frame["error"]))
    frame["error"] = frame["error"].where(np.isfinite(frame["error"]))
    frame["rejected"] = (frame["pvalue"] <= alpha).astype(float).where(frame["pvalue"].notna())
    rows = frame.groupby(["gap", "noise", "truth", "estimator"], sort=False).agg(
        bias=("error", "mean"),
        sd=("error", "std"),
        standard_error=("error", "sem"),
        failed=("failed", "mean"),
        rejected=("rejected", "mean"),
        tested=("rejected", "count"),
        n=("failed", "size"),
    )
    rows = rows.reset_index()
    variance = rows["rejected"] * (1 - rows["rejected"]) / rows["tested"].where(rows["tested"] > 0)
    rows["rejected_standard_error"] = np.sqrt(variance)
    return rows.drop(columns="tested")


def write_known_separation_table(results: pd.DataFrame, stem: str | Path, *, alpha: float) -> None:
    """Write `known_separation_rows` as stem.csv, .md and .tex."""
    rows = known_separation_rows(results, alpha=alpha)
    write_table(stem, rows, display(rows, alpha=alpha))


def display(rows: pd.DataFrame, *, alpha: float) -> Display:
    """Return `known_separation_rows` in words, estimators down, designs across."""
    texts = rows.assign(
        column=[
            f"{gap:g}, {noise:g} (ratio {truth:.2f})"
            for gap, noise, truth in rows[["gap", "noise", "truth"]].to_numpy()
        ],
        text=[_text(row) for row in rows.to_dict("records")],
    )
    lines, columns = (list(dict.fromkeys(texts[axis])) for axis in ("estimator", "column"))
    table = texts.pivot(index="estimator", columns="column", values="text").loc[lines, columns]
    return Display(
        table.rename_axis("estimator \\ gap, noise"),
        title="Separation of regressions whose dependence on the group is known",
        note=(
            "Logarithm of the estimated over the true mean ratio, mean ± spread of one data set; 0 "
            f"is right. Rejected: share of tests with p ≤ {alpha:g} ± Monte Carlo standard error, "
            "which should be the level in the first column and near 1 in the others. Given the "
            "label, predictions of group 1 are gap higher with noise of that standard deviation "
            "(1 in group 0); labels differ by half a standard deviation. _published: in the form "
            "of the public code, which multiplies ratios where they must be divided. Slow "
            f"estimators on {int(rows['n'].min())} data sets of a design, others on "
            f"{int(rows['n'].max())}."
        ),
    )


def _text(row: dict[Any, Any]) -> str:
    parts = []
    if row["estimator"] not in OTHER:
        parts.append(f"{decimals(row['bias'], 2)} ± {decimals(row['sd'], 2)}")
    if row["failed"]:
        parts.append(f"{row['failed']:.0%} failed")
    if not np.isnan(row["rejected"]):
        error = decimals(row["rejected_standard_error"], 2)
        parts.append(f"rejected {decimals(row['rejected'], 2)} ± {error}")
    return ", ".join(parts)
