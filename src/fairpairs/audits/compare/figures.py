"""The figure of a comparison, as SVG that takes the colours of the page."""

import numpy as np
import pandas as pd

from fairpairs.audits.criteria import MEASURES
from fairpairs.audits.lines.figures import INK, LINE, WIDE, inline, page_figure
from fairpairs.audits.lines.findings import FOUND
from fairpairs.audits.lines.verdicts import WORDS
from fairpairs.base.plain_values import rows_of
from fairpairs.base.style import OURS, PUBLISHED


def gap_changes(rows: pd.DataFrame, *, prefix: str) -> str:
    """Draw the gaps of both models, and beside them the change with its interval and margin.

    Only lines on one scale are drawn: differences of rates.
    """
    drawn = rows["measure"].isin([name for name, measure in MEASURES.items() if measure.drawn])
    shown = rows[drawn & np.isfinite(rows["change"])]
    if shown.empty:
        return ""
    with page_figure(WIDE, 0.26 * len(shown) + 1.0) as figure:
        gaps, changes = figure.subplots(1, 2, sharey=True)
        for y, row in enumerate(rows_of(shown)):
            colour = PUBLISHED if WORDS[row["verdict"]].state in FOUND else OURS
            gaps.plot([row["old"], row["new"]], [y, y], color=colour, linewidth=1.2)
            gaps.plot(row["old"], y, "o", color=INK, markersize=5, markerfacecolor="none")
            gaps.plot(row["new"], y, "D", color=colour, markersize=5)
            if np.isfinite(row["margin"]):
                changes.barh(y, 2 * row["margin"], left=-row["margin"], height=0.8, color=LINE)
            if np.isfinite(row["ci_low"]):
                changes.plot([row["ci_low"], row["ci_high"]], [y, y], color=colour, linewidth=1.6)
            changes.plot(row["change"], y, "s", color=colour, markersize=4)
        for axes, label in ((gaps, "gap: ○ old, ◆ new"), (changes, "change")):
            axes.axvline(0, color=INK, linewidth=0.8)
            axes.set_xlabel(label)
            axes.locator_params(axis="x", nbins=3)
        gaps.set_yticks(range(len(shown)), list(shown["measure"]))
        gaps.set_ylim(len(shown) - 0.5, -0.5)
        return inline(figure, prefix)
