"""The forest plot of the worst groups, as SVG that takes the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairpairs.audits.audit.figures import (
    CONFIDENCE,
    INK,
    LINE,
    WIDE,
    draw_estimate,
    inline,
    page_style,
)
from fairpairs.audits.audit.text import cut
from fairpairs.base.plain_values import TableRow
from fairpairs.base.style import drawing
from fairpairs.base.texts import printable

#: Inches of a row, and of what is above and below all.
ROW, REST = 0.24, 0.75
#: Characters of the name of a line.
LONGEST = 60


def forest(rows: Sequence[TableRow], *, prefix: str) -> str:
    """Draw differences with their intervals, and shrunken ones; "" without any."""
    rows = [row for row in rows if np.isfinite(row["estimate"])]
    if not rows:
        return ""
    with drawing(WIDE + 2.6, ROW * len(rows) + REST, page_style()) as figure:
        axes = figure.add_subplot()
        margin = rows[0]["margin"]
        if np.isfinite(margin):
            axes.axvspan(-margin, margin, color=LINE)
        for y, row in enumerate(rows):
            draw_estimate(axes, y, row, CONFIDENCE)
            axes.plot(row["shrunken"], y, marker="|", color=INK, markersize=9, linestyle="none")
        axes.axvline(0, color=INK, linewidth=0.8)
        names = [cut(f"{row['measure']}, {printable(row['group'])}", LONGEST) for row in rows]
        axes.set_yticks(range(len(rows)), names)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        end = 1.08 * max(abs(row[key]) for row in rows for key in ("ci_low", "ci_high"))
        axes.set_xlim(-end, end)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("group minus everyone else")
        return inline(figure, prefix)
