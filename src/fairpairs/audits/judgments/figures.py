"""The forest plot of an audit of judgments, as SVG that takes the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairpairs.audits.audit.figures import (
    CONFIDENCE,
    INK,
    LONGEST,
    WIDE,
    draw_estimate,
    inline,
    page_style,
)
from fairpairs.audits.audit.text import cut
from fairpairs.audits.judgments.tables import WITHIN
from fairpairs.base.plain_values import TableRow
from fairpairs.base.style import drawing
from fairpairs.base.texts import printable

#: Characters of a group's name below the axis.
SHORT = 16
#: Characters before the middle of a long name.
START = 7
#: Inches of a row, and of what is above and below all.
ROW, REST = 0.25, 0.95


def gaps(rows: Sequence[TableRow], names: Sequence[str], *, prefix: str) -> str:
    """Draw gaps of one criterion with their intervals, one per row; "" if none is estimated.

    `names` are the labels at the axis.
    """
    estimates = np.array([row["estimate"] for row in rows], dtype=float)
    if not np.isfinite(estimates).any():
        return ""
    with drawing(WIDE, ROW * len(rows) + REST, page_style()) as figure:
        axes = figure.add_subplot()
        for y, row in enumerate(rows):
            draw_estimate(axes, y, row, CONFIDENCE)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_yticks(range(len(rows)), [_middle(printable(name)) for name in names])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        ends = [[row[key] for key in ("estimate", "ci_low", "ci_high")] for row in rows]
        end = 1.08 * max(float(np.nanmax(np.abs(np.array(ends, dtype=float)))), 0.05)
        axes.set_xlim(-end, end)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel(_sides(rows))
        return inline(figure, prefix)


def _sides(rows: Sequence[TableRow]) -> str:
    """Return which group each side of 0 favours."""
    pairs = {(row["reference"], row["group"]) for row in rows}
    low, high = next(iter(pairs)) if len(pairs) == 1 else ("reference", "group")
    low, high = (cut(printable(name), SHORT) for name in (low, high))
    if rows[0]["criterion"] == WITHIN:
        return f"← {low} predicted better | {high} →"
    return f"← leans towards {low} | {high} →"


def _middle(text: str) -> str:
    """Remove the middle of a long text: names of models differ at their ends."""
    return text if len(text) <= LONGEST else f"{text[:START]}…{text[START + 1 - LONGEST :]}"
