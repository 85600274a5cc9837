"""The figures of an audit, as SVG that takes the colours of the page."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fairpairs.audits.audit.criteria import MEASURES, measure_title
from fairpairs.audits.audit.effects import weight
from fairpairs.audits.audit.text import cut
from fairpairs.base.plain_values import TableRow
from fairpairs.base.style import MARKERS, OURS, PALETTE, PUBLISHED, STYLE, drawing, rendered
from fairpairs.base.texts import printable

#: Colours of the SVG → their replacements on the page, light and dark.
INK, LINE = "#1b1f24", "#dddddd"
VARIABLES = {
    INK: "currentColor",
    LINE: "var(--line)",
    OURS.lower(): "var(--good)",
    PUBLISHED.lower(): "var(--bad)",
    PALETTE[2].lower(): "var(--third)",
}
#: Weight of a line → its marker, colour, and whether it is filled.
LOOKS = {
    "strong": ("D", PUBLISHED, True),
    "medium": ("D", PUBLISHED, True),
    "weak": ("D", PUBLISHED, False),
    "negligible": ("D", OURS, False),
    "within": ("o", PALETTE[2], True),
    "open": ("o", OURS, False),
}
#: The columns of the ends of an interval, and the width of its line.
CONFIDENCE, MARGIN = ("ci_low", "ci_high", 1.4), ("margin_low", "margin_high", 3)
#: Rates that are drawn.
DRAWN = ("selection rate", "TPR", "FPR")
#: Inches: narrow enough to be legible on a phone.
WIDE = 4.9
#: Characters of a group's name in a figure.
LONGEST = 22


def differences(rows: pd.DataFrame, *, prefix: str) -> str:
    """Draw the differences of one group that lie on one scale, with their intervals and margins."""
    drawn = rows["measure"].isin([name for name, measure in MEASURES.items() if measure.drawn])
    shown = rows[drawn & np.isfinite(rows["estimate"])]
    if shown.empty:
        return ""
    with drawing(WIDE, 0.24 * len(shown) + 0.75, page_style()) as figure:
        axes = figure.add_subplot()
        for y, row in enumerate(shown.to_dict("records")):
            if np.isfinite(row["margin"]):
                axes.fill_betweenx([y - 0.5, y + 0.5], -row["margin"], row["margin"], color=LINE)
            draw_estimate(axes, y, row, CONFIDENCE, MARGIN)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_yticks(range(len(shown)), [measure_title(measure) for measure in shown["measure"]])
        axes.set_ylim(len(shown) - 0.5, -0.5)
        ends = shown[["estimate", "ci_low", "ci_high", "margin"]].abs().max().max()
        axes.set_xlim(-1.08 * max(ends, 0.05), 1.08 * max(ends, 0.05))
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("group minus reference")
        return inline(figure, prefix)


def draw_estimate(axes: Axes, y: int, row: TableRow, *intervals: tuple[str, str, float]) -> None:
    """Draw the estimate of a line at the height `y`, on top of its intervals."""
    marker, colour, filled = LOOKS[weight(row)]
    for low, high, width in intervals:
        if np.isfinite(row[low]):
            axes.plot([row[low], row[high]], [y, y], color=colour, linewidth=width)
    axes.plot(
        row["estimate"],
        y,
        marker=marker,
        color=colour,
        markersize=5,
        markerfacecolor=colour if filled else "none",
        linestyle="none",
    )


def group_rates(rates: pd.DataFrame, *, prefix: str) -> str:
    """Draw the rates of all groups, or the means of predictions and labels."""
    measures = [measure for measure in DRAWN if (rates["measure"] == measure).any()]
    if not measures:
        measures = ["mean label", "mean prediction"]
        measures = [measure for measure in measures if (rates["measure"] == measure).any()]
    if not measures:
        measures = ["accuracy"]
    groups = list(dict.fromkeys(rates["group"]))
    with drawing(WIDE, 0.42 * len(groups) + 1.0, page_style()) as figure:
        axes = figure.add_subplot()
        for k, measure in enumerate(measures):
            part = rates[(rates["measure"] == measure) & np.isfinite(rates["estimate"])]
            y = [groups.index(group) for group in part["group"]]
            shifted = np.array(y) + 0.22 * (k - (len(measures) - 1) / 2)
            axes.errorbar(
                part["estimate"],
                shifted,
                xerr=[part["estimate"] - part["ci_low"], part["ci_high"] - part["estimate"]],
                fmt=MARKERS[k],
                color=PALETTE[k],
                markersize=4.5,
                linewidth=1.4,
                label=measure,
            )
        names = [cut(printable(name), LONGEST) for name in groups]
        axes.set_yticks(range(len(groups)), names)
        axes.set_ylim(len(groups) - 0.4, -0.6)
        if measures[0] in (*DRAWN, "accuracy"):
            axes.set_xlim(-0.02, 1.02)
        figure.legend(loc="outside upper center", ncols=len(measures), frameon=False)
        return inline(figure, prefix)


def page_style() -> Any:
    """Return the style of all figures, in the page's ink and without a ground."""
    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    return {
        **STYLE,
        **dict.fromkeys(inked, INK),
        "grid.color": LINE,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "axes.axisbelow": True,
    }


def inline(figure: Figure, prefix: str) -> str:
    """Return a figure as part of a page, with prefixed ids and the page's colours."""
    text = rendered(figure, "svg").decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'(\bid="|\bhref="#|url\(#)', rf"\g<1>{prefix}-", text)
    for colour, variable in VARIABLES.items():
        text = re.sub(colour, variable, text, flags=re.I)
    return text
