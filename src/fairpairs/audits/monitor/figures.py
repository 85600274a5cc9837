"""The figure of a line over time, as SVG that takes the colours of the page."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from fairpairs.audits.lines.figures import INK, LINE, inline, page_figure
from fairpairs.audits.lines.tables import cut
from fairpairs.base.arrays import Integers
from fairpairs.base.plain_values import TableRow
from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.base.texts import printable

#: Inches of a figure.
WIDE, HIGH = 3.4, 1.9
#: Ticks of the axis of batches, and characters of the name of one.
TICKS, NAME = 3, 12


def over_time(row: TableRow, looks: pd.DataFrame, *, prefix: str) -> str:
    """Draw the estimate and its interval by number of rows, with 0, the margin, and the violation.

    Periods with a difference are shaded. `looks` are the line's rows of the history. Each line has
    its own scale: a group of a few rows would flatten all others.
    """
    known = looks[np.isfinite(looks["estimate"])]
    if known.empty:
        return ""
    with page_figure(WIDE, HIGH) as figure:
        axes = figure.add_subplot()
        if np.isfinite(row["margin"]):
            axes.axhspan(-row["margin"], row["margin"], color=LINE)
        axes.axhline(0, color=INK, linewidth=0.8)
        for start, end in _periods(row["periods"], looks):
            axes.axvspan(start, end, color=PUBLISHED, alpha=0.15, linewidth=0)
        rows, low, high = (known[name] for name in ("rows", "ci_low", "ci_high"))
        axes.fill_between(rows, low, high, color=OURS, alpha=0.25, linewidth=0)
        axes.plot(
            rows,
            known["estimate"],
            color=OURS,
            linewidth=1.4,
            marker="o" if len(known) == 1 else "",
            markersize=4,
        )
        if row["since"]:
            axes.axvline(row["since_rows"], color=PUBLISHED, linewidth=1.2, linestyle="--")
        end = _end(known, row["margin"])
        axes.set_ylim(-end, end)
        last = float(looks["rows"].max())
        axes.set_xlim(0, 1.02 * last)
        axes.locator_params(axis="y", nbins=4)
        ticks = _ticks(looks["rows"].to_numpy(), last)
        names = looks["batch_name"].iloc[ticks]
        axes.set_xticks(looks["rows"].iloc[ticks], [cut(printable(name), NAME) for name in names])
        axes.set_xlabel("batch")
        return inline(figure, prefix)


def _periods(periods: str, looks: pd.DataFrame) -> Iterator[tuple[float, float]]:
    """Yield the rows before the first and after the last batch of each period of a line.

    Between looks that the history keeps, batches are taken to be of one size.
    """
    for first, _, last in (text.partition("-") for text in periods.split(", ") if text):
        ends = [int(first) - 1, int(last or looks["batch"].max())]
        start, end = np.interp(ends, [0, *looks["batch"]], [0, *looks["rows"]])
        yield float(start), float(end)


def _ticks(rows: Integers, last: float) -> list[int]:
    """Return the looks that have a tick: the last one, and those nearest to a third and two."""
    return sorted({int(np.abs(rows - last * k / TICKS).argmin()) for k in range(1, TICKS + 1)})


def _end(known: pd.DataFrame, margin: float) -> float:
    """Return how far from 0 a figure reaches: early estimates and intervals may leave it."""
    late = known.loc[known["rows"] >= 0.1 * known["rows"].max(), "estimate"]
    last = known[["ci_low", "ci_high"]].iloc[-1]
    return 1.1 * float(np.nanmax([0.02, margin, *late.abs(), *last.abs()]))
