"""What the figures of all audits share, as SVG that takes the colours of the page."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import LayoutEngine

from fairpairs.audits.lines.verdicts import WORDS
from fairpairs.base.plain_values import TableRow
from fairpairs.base.style import OURS, PALETTE, PUBLISHED, STYLE, drawing, rendered
from fairpairs.base.texts import middle_cut, printable

#: Colours of the SVG → their replacements on the page, light and dark.
INK, LINE = "#1b1f24", "#dddddd"
VARIABLES = {
    INK: "currentColor",
    LINE: "var(--line)",
    OURS.lower(): "var(--good)",
    PUBLISHED.lower(): "var(--bad)",
    PALETTE[2].lower(): "var(--third)",
}
#: What a line is coloured by → its marker, colour, and whether it is filled.
LOOKS = {
    "strong": ("D", PUBLISHED, True),
    "medium": ("D", PUBLISHED, False),
    "within": ("o", PALETTE[2], True),
    "open": ("o", OURS, False),
}
#: The columns of the ends of an interval, and the width of its line.
INTERVALS = (("ci_low", "ci_high", 1.4), ("margin_low", "margin_high", 3))
#: Columns of numbers that are drawn.
ENDS = ("estimate", "ci_low", "ci_high", "margin", "margin_low", "margin_high", "shrunken")
#: Inches: of the width, legible on a phone; of a line, and of what is above and below all.
WIDE, ROW, REST = 4.9, 0.25, 0.85
#: The style of all figures, in the page's ink and without a ground.
INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
PAGE_STYLE: Any = {
    **STYLE,
    **dict.fromkeys(INKED, INK),
    "font.size": 10,
    "grid.color": LINE,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.axisbelow": True,
}
#: Inches around a figure; the space between two axes, by their width.
PAD, WSPACE = 0.05, 0.2
#: Characters of a name at the axis.
LONGEST = 30


def forest(rows: Sequence[TableRow], names: Sequence[str], label: str, *, prefix: str) -> str:
    """Draw differences with their intervals and margins, one per line; "" if none is estimated.

    `names` are those of the lines at the axis, whose meaning is `label`.
    """
    pairs = zip(rows, names, strict=True)
    shown = [(row, name) for row, name in pairs if np.isfinite(row["estimate"])]
    if not shown:
        return ""
    with page_figure(WIDE, ROW * len(shown) + REST) as figure:
        axes = figure.add_subplot()
        ends = {name: np.array([row.get(name, np.nan) for row, _ in shown], float) for name in ENDS}
        y = np.arange(len(shown))
        edges, margin = np.column_stack([y - 0.5, y + 0.5]).ravel(), np.repeat(ends["margin"], 2)
        axes.fill_betweenx(edges, -margin, margin, where=np.isfinite(margin), color=LINE)
        looks = np.array([WORDS[row["verdict"]].kind for row, _ in shown])
        for kind in dict.fromkeys(looks):
            marker, colour, filled = LOOKS[kind]
            at = looks == kind
            for low, high, width in INTERVALS:
                axes.hlines(y[at], ends[low][at], ends[high][at], color=colour, linewidth=width)
            axes.plot(
                ends["estimate"][at], y[at], marker=marker, color=colour, markersize=5,
                markerfacecolor=colour if filled else "none", linestyle="none",
            )  # fmt: skip
        if np.isfinite(ends["shrunken"]).any():
            axes.plot(ends["shrunken"], y, marker="|", color=INK, markersize=9, linestyle="none")
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_yticks(
            range(len(shown)), [middle_cut(printable(name), LONGEST) for _, name in shown]
        )
        axes.set_ylim(len(shown) - 0.5, -0.5)
        reach = [np.abs(ends[name]) for name in ("estimate", "ci_low", "ci_high", "margin")]
        end = 1.08 * max(float(np.nanmax(reach)), 0.05)
        axes.set_xlim(-end, end)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel(label)
        return inline(figure, prefix)


class Margins(LayoutEngine):
    """Leaves room for ticks, labels and legend around axes in a row, in one pass.

    The constrained layout of matplotlib takes as long as all of the drawing.
    """

    _adjust_compatible = True
    _colorbar_gridspec = False

    def execute(self, fig: Figure) -> None:
        """Set the margins of a figure."""
        (wide, high), pad = fig.bbox.size, PAD * fig.dpi
        first, last = fig.axes[0], fig.axes[-1]
        y, x = (axis.get_tightbbox() or axis.axes.bbox for axis in (first.yaxis, first.xaxis))
        end = x if last is first else last.xaxis.get_tightbbox() or last.bbox
        legend = sum(each.get_window_extent().height for each in fig.legends)
        fig.subplots_adjust(
            left=(first.bbox.x0 - min(y.x0, x.x0) + pad) / wide,
            bottom=(first.bbox.y0 - x.y0 + pad) / high,
            right=1 - (max(end.x1 - last.bbox.x1, pad) + pad) / wide,
            top=1 - (legend + 2 * pad) / high,
            wspace=WSPACE,
        )  # fmt: skip


def page_figure(wide: float, high: float) -> AbstractContextManager[Figure]:
    """Give a figure of so many inches, for a page."""
    return drawing(wide, high, PAGE_STYLE, Margins())


def inline(figure: Figure, prefix: str) -> str:
    """Return a figure as part of a page, with prefixed ids and the page's colours."""
    text = rendered(figure, "svg").decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'(\bid="|\bhref="#|url\(#)', rf"\g<1>{prefix}-", text)
    for colour, variable in VARIABLES.items():
        text = re.sub(colour, variable, text, flags=re.I)
    return text
