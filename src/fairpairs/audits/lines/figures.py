"""What the figures of all audits share, as SVG that takes the colours of the page."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from fairpairs.audits.lines.verdicts import WORDS
from fairpairs.base.plain_values import TableRow
from fairpairs.base.style import OURS, PALETTE, PUBLISHED, STYLE, drawing, rendered
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
#: What a line is coloured by → its marker, colour, and whether it is filled.
LOOKS = {
    "strong": ("D", PUBLISHED, True),
    "medium": ("D", PUBLISHED, False),
    "within": ("o", PALETTE[2], True),
    "open": ("o", OURS, False),
}
#: The columns of the ends of an interval, and the width of its line.
INTERVALS = (("ci_low", "ci_high", 1.4), ("margin_low", "margin_high", 3))
#: Inches: of the width, legible on a phone; of a line, and of what is above and below all.
WIDE, ROW, REST = 4.9, 0.25, 0.85
#: Characters of a name at the axis, and of its beginning where it is longer.
LONGEST, START = 30, 9


def forest(
    rows: Sequence[TableRow], names: Sequence[str], label: str, *, prefix: str, wide: float = WIDE
) -> str:
    """Draw differences with their intervals and margins, one per line; "" if none is estimated.

    `names` are those of the lines at the axis, whose meaning is `label`.
    """
    pairs = zip(rows, names, strict=True)
    shown = [(row, name) for row, name in pairs if np.isfinite(row["estimate"])]
    if not shown:
        return ""
    with drawing(wide, ROW * len(shown) + REST, page_style()) as figure:
        axes = figure.add_subplot()
        for y, (row, _) in enumerate(shown):
            margin = row.get("margin", np.nan)
            if np.isfinite(margin):
                axes.fill_betweenx([y - 0.5, y + 0.5], -margin, margin, color=LINE)
            marker, colour, filled = LOOKS[WORDS[row["verdict"]].kind]
            for low, high, width in INTERVALS:
                if np.isfinite(row.get(low, np.nan)):
                    axes.plot([row[low], row[high]], [y, y], color=colour, linewidth=width)
            face = colour if filled else "none"
            axes.plot(
                row["estimate"], y, marker=marker, color=colour, markersize=5, markerfacecolor=face,
                linestyle="none",
            )  # fmt: skip
            if "shrunken" in row:
                axes.plot(row["shrunken"], y, marker="|", color=INK, markersize=9, linestyle="none")
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_yticks(range(len(shown)), [middle_cut(printable(name)) for _, name in shown])
        axes.set_ylim(len(shown) - 0.5, -0.5)
        columns = ("estimate", "ci_low", "ci_high", "margin")
        ends = np.array([[row.get(key, np.nan) for key in columns] for row, _ in shown], float)
        end = 1.08 * max(float(np.nanmax(np.abs(ends))), 0.05)
        axes.set_xlim(-end, end)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel(label)
        return inline(figure, prefix)


def middle_cut(text: str) -> str:
    """Remove the middle of a long text: long names of groups and models differ at their ends."""
    return text if len(text) <= LONGEST else f"{text[:START]}…{text[START + 1 - LONGEST :]}"


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
