"""Figure of the designs: levels by pairs and by items, and power."""

import itertools
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy.special import ndtri

from fairpairs.base.plain_values import Record
from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import saved
from fairpairs.papers.studies.calibration.designs.tables import FEW


def design_figure(stem: str | Path, study: pd.DataFrame, *, alpha: float) -> None:
    """Draw levels by number of pairs and of items, and power, from `measure_design`."""
    with saved(stem, 10, 8) as figure:
        panels = figure.subplots(2, 2)
        fair = study[study["separation"]]
        fair, study = (part[part["rejected"].notna()] for part in (fair, study))
        first = fair[fair["design"] == fair["design"].iloc[0]] if len(fair) else fair
        _levels_by_pairs(panels[0, 0], first, alpha)
        _levels_by_design(panels[0, 1], fair, alpha)
        _levels_with_labels(panels[1, 0], fair, alpha)
        _power(panels[1, 1], study)


#: How intervals are drawn.
ERRORBAR: Record = {"markersize": 4, "capsize": 2, "linewidth": 1}
#: Test of the study, quantity → name, colour (Okabe and Ito), marker.
CURVES = {
    ("binomial", "either"): ("paper, drawn pairs, either", PUBLISHED, "D"),
    ("fresh_pairs", "either"): ("paper, fresh pairs, either", "#E69F00", "s"),
    ("drawn_pairs", "holm"): ("dyadic, drawn pairs, Holm", OURS, "o"),
    ("all_pairs", "holm"): ("all pairs, Holm", "#009E73", "^"),
    ("separation", "holm"): ("separation, Holm", "#555555", "v"),
}
LABEL_CURVES = {
    ("all_pairs_raw", "holm"): ("all pairs, raw, Holm", PUBLISHED, "D"),
    ("all_pairs_balanced", "holm"): ("all pairs, balanced, Holm", OURS, "o"),
    ("permutation", "joint"): ("permutation within labels", "#009E73", "^"),
}


def _curve(
    axes: Axes, part: pd.DataFrame, x: str, curve: tuple[str, str, str], **style: Any
) -> None:
    name, colour, marker = curve
    error = ndtri(0.975) * part["standard_error"]
    style = {**ERRORBAR, "color": colour, "marker": marker, "label": name, **style}
    axes.errorbar(part[x], part["rejected"], yerr=error, **style)


def _select(study: pd.DataFrame, key: tuple[str, str]) -> pd.DataFrame:
    return study[(study["test"] == key[0]) & (study["quantity"] == key[1])]


def _nominal(axes: Axes, alpha: float) -> None:
    for level in (alpha, 1 - (1 - alpha) ** 2):
        axes.axhline(level, color="#999999", linestyle=":", linewidth=1)


def _levels_by_pairs(axes: Axes, study: pd.DataFrame, alpha: float) -> None:
    sizes = sorted(study["n"].unique())[-2:]
    for key, curve in CURVES.items():
        for n, line in zip(sizes, ("--", "-"), strict=False):
            part = _select(study[study["n"] == n], key).dropna(subset="pairs_per_item")
            if not part.empty:
                name = f"{curve[0]}, {n:,} items"
                _curve(axes, part, "pairs_per_item", curve, linestyle=line, label=name)
    _nominal(axes, alpha)
    axes.set(xscale="log", ylim=(0, None), xlabel="pairs per item", ylabel="P(violation found)")
    axes.xaxis.set_major_formatter("{x:g}")
    title = study["title"].iloc[0] if len(study) else ""
    axes.set_title(f"{title}: nothing is violated", fontsize=9)
    _legend(axes)


def _legend(axes: Axes, **where: Any) -> None:
    handles, names = axes.get_legend_handles_labels()
    if handles:
        axes.legend(handles, names, fontsize=7, frameon=False, **where)


def _levels_by_design(axes: Axes, study: pd.DataFrame, alpha: float) -> None:
    names = {
        name: title
        for name, title in zip(study["design"], study["title"], strict=True)
        if len(_select(study[study["design"] == name], ("all_pairs", "holm")))
    }
    largest = 0.0
    for (key, curve), shift in zip(list(CURVES.items())[2:], (-0.2, 0, 0.2), strict=True):
        part = _select(study[study["design"].isin(names)], key)
        part = part.sort_values(["n", "pairs_per_item"]).groupby("design").tail(1)
        largest = max(largest, part["rejected"].max() if len(part) else 0)
        y = [list(names).index(name) + shift for name in part["design"]]
        error = ndtri(0.975) * part["standard_error"]
        style = {**ERRORBAR, "color": curve[1], "label": curve[0]}
        axes.errorbar(part["rejected"], y, xerr=error, fmt=curve[2], **style)
    axes.axvline(alpha, color="#999999", linestyle=":", linewidth=1)
    axes.set_yticks(range(len(names)), list(names.values()))
    axes.invert_yaxis()
    axes.set_xlim(0, max(0.13, 1.1 * largest))
    axes.set_xlabel("P(violation found), most items and pairs")
    axes.set_title("Nothing is violated", fontsize=9)
    _legend(axes, loc="upper right")


def _levels_with_labels(axes: Axes, study: pd.DataFrame, alpha: float) -> None:
    real = _select(study, ("all_pairs_raw", "holm"))
    titles = dict(zip(real["design"], real["title"], strict=True))
    lines = dict(zip(titles, itertools.cycle(("-", "--", ":", "-.")), strict=False))
    for design, line in lines.items():
        for key, curve in LABEL_CURVES.items():
            rows = _select(study[study["design"] == design], key)
            if not rows.empty:
                _curve(axes, rows, "n", curve, linestyle=line, label="")
    _nominal(axes, alpha)
    axes.set(xscale="log", ylim=(0, None), xlabel="items", ylabel="P(violation found)")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title("Real labels, separation holds", fontsize=9)
    shown = [Line2D([], [], color=c, marker=m, label=name) for name, c, m in LABEL_CURVES.values()]
    shown += [
        Line2D([], [], color="#333333", linestyle=line, label=titles[design])
        for design, line in lines.items()
    ]
    axes.legend(handles=shown, fontsize=7, frameon=False, loc="upper left")


def _power(axes: Axes, study: pd.DataFrame) -> None:
    known = study[study["expected"].notna() & (study["small"] <= FEW)]
    for key, curve in CURVES.items():
        part = _select(known, key)
        error = ndtri(0.975) * part["standard_error"]
        style = {**ERRORBAR, "color": curve[1], "label": curve[0]}
        axes.errorbar(part["expected"], part["rejected"], yerr=error, fmt=curve[2], **style)
    axes.axline((0, 0), slope=1, color="#999999", linestyle=":", linewidth=1)
    axes.set(xlabel="expected by the formulas", ylabel="simulated", xlim=(0, 1), ylim=(0, 1))
    axes.set_title("P(violation found), classifiers, cells of 30 and more", fontsize=9)
    _legend(axes)
