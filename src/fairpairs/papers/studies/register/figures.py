"""The picture of the register: which tool keeps its level in which world, and what it finds."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import saved
from fairpairs.papers.studies.register.measure import ALPHA
from fairpairs.papers.studies.register.tables import lost
from fairpairs.papers.studies.register.tools import OURS as OUR_TOOL

#: Points of the diameter of a circle of power 1.
LARGEST = 15.0
NO_TEST = "#999999"
#: A level that may be larger than this is not known well enough.
KNOWN = 2 * ALPHA


def matrix(stem: str | Path, rows: pd.DataFrame) -> None:
    """Draw `tables.gather`: worlds down, tools across, those of most worlds first.

    A circle is blue if the tool keeps its level, hollow if the level may still be above `KNOWN`,
    and its area is the power; it is red with the
    level in percent if it rejects more fair models than chance explains. A square is an interval
    without a test, with its coverage without and with a difference, in percent.
    """
    rows = rows[rows["world"] != ""]
    worlds = list(rows["world"].unique())
    sizes = rows.groupby("tool")["world"].nunique()
    tools = sorted(sizes.index, key=lambda tool: (tool != OUR_TOOL, -sizes[tool], tool))
    with saved(stem, 0.42 * len(tools) + 4.2, 0.3 * len(worlds) + 2.1) as figure:
        axes = figure.add_subplot()
        for (world, tool), part in rows.groupby(["world", "tool"], sort=False):
            _cell(axes, tools.index(tool), worlds.index(world), part.set_index("promise"))
        axes.set_xticks(range(len(tools)), tools, rotation=60, ha="left", rotation_mode="anchor")
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(worlds)), worlds)
        axes.set(xlim=(-0.6, len(tools) - 0.4), ylim=(len(worlds) - 0.4, -0.6))
        axes.tick_params(length=0)
        axes.grid(color="#eeeeee")
        axes.set_axisbelow(True)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        if less := len(lost(rows)):
            axes.axhline(less - 0.5, color="#555555", linewidth=0.8, linestyle=":")
        figure.legend(handles=_legend(), loc="outside lower center", ncols=2, frameon=False)


def _cell(axes: Axes, x: int, y: int, by: pd.DataFrame) -> None:
    level, power = (_value(by, promise) for promise in ("level", "power"))
    if not np.isnan(level):
        keeps = bool(by.loc["level", "keeps"])
        size = LARGEST * np.sqrt(max(0.0 if np.isnan(power) else power, 0.02))
        colour = OURS if keeps else PUBLISHED
        sure = not keeps or _value(by, "level", "high") <= KNOWN
        face = colour if sure else "white"
        size = size if keeps else LARGEST
        axes.plot(x, y, "o", color=colour, markersize=size, markerfacecolor=face)
        if not keeps:
            _write(axes, x, y, level, "white")
        return
    coverage = [_value(by, f"coverage ({kind})") for kind in ("no difference", "difference")]
    if not np.isnan(coverage).all():
        axes.plot(x, y, "s", color=NO_TEST, markersize=LARGEST, markerfacecolor="white")
        for share, above in zip(coverage, (-0.17, 0.17), strict=True):
            _write(axes, x, y + above, share, "#333333")


def _write(axes: Axes, x: float, y: float, share: float, colour: str) -> None:
    text = "–" if np.isnan(share) else f"{100 * share:.0f}"
    axes.text(x, y, text, ha="center", va="center_baseline", fontsize=6, color=colour)


def _value(by: pd.DataFrame, promise: str, column: str = "measured") -> float:
    values = by[column].to_dict()
    return float(values.get(promise, np.nan))


def _legend() -> list[Line2D]:
    def mark(text: str, marker: str, colour: str, face: str) -> Line2D:
        return Line2D(
            [], [], color=colour, marker=marker, markerfacecolor=face, markersize=10,
            linestyle="", label=text,
        )  # fmt: skip

    return [
        mark("keeps its level; area: the power", "o", OURS, OURS),
        mark("the same, but too few data sets to exclude a level of 0.1", "o", OURS, "white"),
        mark("rejects too many fair models: % of them (5)", "o", PUBLISHED, PUBLISHED),
        mark("interval: coverage in %, without and with a difference (95)", "s", NO_TEST, "white"),
        Line2D([], [], color="#555555", linewidth=0.8, linestyle=":",
               label="above: FairPairs finds less than the best test"),
    ]  # fmt: skip
