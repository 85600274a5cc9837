"""The table of the register, worlds where ours is worse first, and its picture."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from benchmarks.levels.tables import with_error
from benchmarks.register.measure import ALPHA, OURS as OUR_TOOL
from benchmarks.register.worlds import REGISTER_WORLDS
from fairpairs.base.style import OURS, PUBLISHED, drawing, rendered
from fairpairs.base.texts import MISSING, decimals
from fairpairs.mathematics.promises.check import ROUNDING
from fairpairs.mathematics.promises.promise import POWER_MARGIN

#: Share of the most data sets of a world that a tool must have answered to be the best there.
ALMOST_ALL = 0.9
TEXT = ("tool", "version", "world", "question", "promise", "best_tool", "call", "note")
PROMISES = {
    "level": "Level",
    "power": "Power",
    "coverage (no difference)": "Coverage, no difference",
    "coverage (difference)": "Coverage, difference",
}
NOTE = (
    "Level: share of data sets without a difference in which a tool finds one at 0.05. Power: "
    "share of data sets with a difference in which it finds one. Coverage: share of 95 % intervals "
    "that hold the true difference. ± Monte Carlo standard error. † The level is above 0.05 by "
    "more than chance explains (one-sided, 1 %), so the power is no merit. Best: the largest power "
    "of a tool without † that has all data sets. ms: the median time of a "
    "data set. A tool is measured in the worlds for which its documentation has a call; –: it has "
    "no test or no interval there. First come the worlds where FairPairs finds less than the best, "
    "by more than 0.03."
)


def gather(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all tools with the best power, worlds of `lost` first, ours before others.

    The best power is that of a tool whose level is not broken, on all data sets.
    """
    rows = rows.fillna({name: "" for name in TEXT if name in rows})
    levels = rows[rows["promise"] == "level"]
    broken = levels.loc[levels["low"] > ALPHA, ["tool", "world"]].apply(tuple, axis=1)
    power = (rows["promise"] == "power") & rows["measured"].notna()
    keeps = ~rows[["tool", "world"]].apply(tuple, axis=1).isin(set(broken))
    many = rows["sets"] >= ALMOST_ALL * rows.groupby("world")["sets"].transform("max")
    fit = rows[power & keeps & many].sort_values(["measured", "tool"], ascending=[False, True])
    best = fit.drop_duplicates("world").set_index("world")
    rows = rows.assign(
        keeps=np.where(rows["promise"].isin(["level", "power"]), keeps, True),
        best=rows["world"].map(best["measured"]).where(power),
        best_tool=rows["world"].map(best["tool"]).where(power).fillna(""),
    )
    order = {world: n for n, world in enumerate(dict.fromkeys([*lost(rows), *REGISTER_WORLDS]))}
    promises = {name: n for n, name in enumerate(PROMISES)}
    keys = pd.DataFrame({
        "world": rows["world"].map(order).fillna(len(order)), "other": rows["tool"] != OUR_TOOL,
        "tool": rows["tool"], "promise": rows["promise"].map(promises),
    })  # fmt: skip
    return rows.loc[keys.sort_values([*keys.columns]).index].reset_index(drop=True)


def lost(rows: pd.DataFrame) -> list[str]:
    """Return the worlds where ours finds less than the best, or breaks its level, worst first."""
    ours = rows[(rows["tool"] == OUR_TOOL) & (rows["promise"] == "power")].dropna(subset="measured")
    loss = ours["best"] - ours["measured"]
    worse = ~ours["keeps"].astype(bool) | (loss > POWER_MARGIN + ROUNDING)
    return list(
        ours["world"][worse].loc[loss[worse].sort_values(ascending=False, kind="stable").index]
    )


def markdown(rows: pd.DataFrame) -> str:
    """Return `gather` as Markdown, a row for each world and tool."""
    lines = []
    for (world, tool), part in rows[rows["world"] != ""].groupby(["world", "tool"], sort=False):
        by = part.set_index("promise")
        line = {"World": world, "Tool": tool}
        for promise, heading in PROMISES.items():
            value, error = _value(by, promise), _value(by, promise, "standard_error")
            text = MISSING if np.isnan(value) else with_error(value, error)
            broken = promise == "level" and not by["keeps"].get(promise, True)
            line[heading] = text + " †" * broken
        line["Best"] = decimals(part["best"].max(), 3)
        line["Data sets"] = decimals(part["sets"].max(), 0)
        line["ms"] = decimals(1000 * part["seconds"].mean(), 1)
        lines.append(line)
    table = pd.DataFrame(lines).to_markdown(index=False, disable_numparse=True)
    left_out = rows[rows["world"] == ""]
    reasons = [f" {row['tool']}: {row['note']}." for _, row in left_out.iterrows()]
    return f"# The register of levels\n\n{table}\n\n{NOTE}{''.join(reasons)}\n"


def write(folder: Path, rows: pd.DataFrame) -> None:
    """Write `gather` as levels.csv and levels.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "levels.csv").write_text(rows.to_csv(index=False), "utf-8")
    (folder / "levels.svg").write_bytes(picture(rows))


def _value(by: pd.DataFrame, promise: str, column: str = "measured") -> float:
    return float(by[column].to_dict().get(promise, np.nan))


#: Points of the diameter of a circle of power 1.
LARGEST = 15.0
NO_TEST = "#999999"
#: A level that may be larger than this is not known well enough.
KNOWN = 2 * ALPHA


def picture(rows: pd.DataFrame) -> bytes:
    """Draw `gather` as SVG: worlds down, tools across, those of most worlds first.

    A circle is blue if the tool keeps its level, hollow if the level may still be above `KNOWN`,
    and its area is the power; it is red with the level in percent if it rejects more fair models
    than chance explains. A square is an interval without a test, with its coverage without and with
    a difference, in percent.
    """
    rows = rows[rows["world"] != ""]
    worlds = list(rows["world"].unique())
    sizes = rows.groupby("tool")["world"].nunique()
    tools = sorted(sizes.index, key=lambda tool: (tool != OUR_TOOL, -sizes[tool], tool))
    with drawing(0.42 * len(tools) + 4.2, 0.3 * len(worlds) + 2.1) as figure:
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
        handles = [
            *(Line2D([], [], color=colour, marker=marker, markerfacecolor=face, markersize=10,
                     linestyle="", label=text) for text, marker, colour, face in LEGEND),
            Line2D([], [], color="#555555", linewidth=0.8, linestyle=":",
                   label="above: FairPairs finds less than the best test"),
        ]  # fmt: skip
        figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)
        return rendered(figure, "svg")


LEGEND = (
    ("keeps its level; area: the power", "o", OURS, OURS),
    ("the same, but too few data sets to exclude a level of 0.1", "o", OURS, "white"),
    ("rejects too many fair models: % of them (5)", "o", PUBLISHED, PUBLISHED),
    ("interval: coverage in %, without and with a difference (95)", "s", NO_TEST, "white"),
)


def _cell(axes, x: int, y: int, by: pd.DataFrame) -> None:
    def write(share: float, above: float, colour: str) -> None:
        text = "–" if np.isnan(share) else f"{100 * share:.0f}"
        style = {"ha": "center", "va": "center_baseline", "fontsize": 6, "color": colour}
        axes.text(x, y + above, text, **style)

    level, power = (_value(by, promise) for promise in ("level", "power"))
    if not np.isnan(level):
        keeps = bool(by.loc["level", "keeps"])
        size = LARGEST * np.sqrt(max(0.0 if np.isnan(power) else power, 0.02))
        colour = OURS if keeps else PUBLISHED
        sure = not keeps or _value(by, "level", "high") <= KNOWN
        face, size = colour if sure else "white", size if keeps else LARGEST
        axes.plot(x, y, "o", color=colour, markersize=size, markerfacecolor=face)
        if not keeps:
            write(level, 0.0, "white")
        return
    coverage = [_value(by, f"coverage ({kind})") for kind in ("no difference", "difference")]
    if not np.isnan(coverage).all():
        axes.plot(x, y, "s", color=NO_TEST, markersize=LARGEST, markerfacecolor="white")
        for share, above in zip(coverage, (-0.17, 0.17), strict=True):
            write(share, above, "#333333")
