"""Figures of a ranking: xROC curves, densities, conditional xAUC, calibration, a forest plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from fairpairs.output.figures import points, saved
from fairpairs.output.labels import label
from fairpairs.output.style import MARKERS, OURS, PALETTE, PUBLISHED
from fairpairs.studies.xauc.tables import HYPOTHESES

GROUP_0, GROUP_1 = OURS, PUBLISHED
#: Curve → colour and line.
STYLES = {
    "ROC(0)": (GROUP_0, "-"),
    "ROC(1)": (GROUP_1, "-"),
    "xROC(0,1)": ("#009E73", "--"),
    "xROC(1,0)": ("#CC79A7", "--"),
    "xROC_1(0)": (GROUP_0, "-"),
    "xROC_1(1)": (GROUP_1, "-"),
    "xROC_0(0)": (GROUP_0, "--"),
    "xROC_0(1)": (GROUP_1, "--"),
    "A=0, Y=0": (GROUP_0, "--"),
    "A=0, Y=1": (GROUP_0, "-"),
    "A=1, Y=0": (GROUP_1, "--"),
    "A=1, Y=1": (GROUP_1, "-"),
    "xAUC(0,1)": ("#009E73", "-"),
    "xAUC(1,0)": ("#CC79A7", "-"),
    "A=0": (GROUP_0, "-"),
    "A=1": (GROUP_1, "-"),
}
ACROSS = 3


def group_names(roles: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Return what the groups are called, by (data set, attribute)."""
    return {
        (about["dataset"], attribute): f"0: {names['zero']}, 1: {names['one']}"
        for about in roles
        for attribute, names in about["sensitive"].items()
    }


def curves(stem: str | Path, kind: str, shown: pd.DataFrame, names: Mapping[Any, str]) -> None:
    """Draw one kind of `FIGURES` from `ranking_curves`, a panel for each data set and attribute."""
    draw = _DRAW[kind]
    panels = list(shown.groupby(["dataset", "attribute"], sort=False))
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    with saved(stem, 3.2 * across + 0.4, 3.0 * down + 0.9) as figure:
        axes = figure.subplots(down, across, squeeze=False).ravel()
        for own, ((dataset, attribute), part) in zip(axes, panels, strict=False):
            draw(own, part)
            own.set_title(
                f"{label(str(dataset))}, {attribute}\n{names[dataset, attribute]}", fontsize=8
            )
        for own in axes[len(panels) :]:
            own.set_visible(False)
        handles = {
            name: handle
            for own in axes[: len(panels)]
            for handle, name in zip(*own.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles.keys(), loc="outside lower center",
                      ncols=4, frameon=False)  # fmt: skip


def _curve(axes: Axes, part: pd.DataFrame, name: str, *, band: bool = True) -> None:
    own = part[part["curve"] == name].sort_values("x")
    colour, line = STYLES[name]
    axes.plot(own["x"], own["mean"], color=colour, linestyle=line, linewidth=1.3, label=name)
    if band and own["sd"].notna().any():
        low, high = own["mean"] - own["sd"], own["mean"] + own["sd"]
        axes.fill_between(own["x"], low.clip(0, 1), high.clip(0, 1), color=colour, alpha=0.15,
                          linewidth=0)  # fmt: skip


def _xroc(names: Sequence[str]) -> Callable[[Axes, pd.DataFrame], None]:
    def draw(axes: Axes, part: pd.DataFrame) -> None:
        for name in names:
            _curve(axes, part[part["kind"] == "xroc"], name)
        axes.axline((0, 0), slope=1, color="#999999", linestyle=":", linewidth=1)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="false positive rate, second group",
                 ylabel="true positive rate, first group")  # fmt: skip
        if "ROC(0)" not in names:
            axes.set(xlabel="false positive rate", ylabel="true positive rate")

    return draw


def _densities(axes: Axes, part: pd.DataFrame) -> None:
    own = part[part["kind"] == "density"]
    for name in dict.fromkeys(own["curve"]):
        _curve(axes, own, name, band=False)
    axes.set(xlim=(0, 1), ylim=(0, None), xlabel="score", ylabel="density")


def _conditional(axes: Axes, part: pd.DataFrame) -> None:
    own = part[part["kind"] == "conditional"]
    for name in dict.fromkeys(own["curve"]):
        rows = own[own["curve"] == name]
        bars, mean = rows[rows["x"].notna()], rows.loc[rows["x"].isna(), "mean"]
        colour = STYLES[name][0]
        width = 1 / len(bars)
        axes.bar(bars["x"], bars["mean"], width=width, color=colour, alpha=0.45, label=name)
        for value in mean:
            axes.axvline(value, color=colour, linestyle=":", linewidth=1.5)
    axes.set(xlim=(0, 1), xlabel="conditional xAUC",
             ylabel="share of negative items")  # fmt: skip


def _calibration(axes: Axes, part: pd.DataFrame) -> None:
    own = part[part["kind"] == "calibration"]
    # a bin that few repeats have an item in says nothing
    own = own[own["repeats"] >= own["repeats"].max() / 2]
    for name in dict.fromkeys(own["curve"]):
        _curve(axes, own, name)
    axes.axline((0, 0), slope=1, color="#999999", linestyle=":", linewidth=1)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="mean score", ylabel="share of label 1")


_DRAW: dict[str, Callable[[Axes, pd.DataFrame], None]] = {
    "xroc": _xroc(["ROC(0)", "ROC(1)", "xROC(0,1)", "xROC(1,0)"]),
    "balanced_xroc": _xroc(["xROC_1(0)", "xROC_1(1)", "xROC_0(0)", "xROC_0(1)"]),
    "score_densities": _densities,
    "conditional_xauc": _conditional,
    "calibration": _calibration,
}


def forest(stem: str | Path, rows: pd.DataFrame, names: Mapping[Any, str]) -> None:
    """Draw the differences between two groups, by data set, attribute and treatment.

    Bars are 95 % intervals by DeLong's standard error of one test set. With the test separation, a
    further panel shows how often a violation of it was found.
    """
    measures = [*HYPOTHESES, *(["separation"] if "separation" in set(rows["measure"]) else [])]
    places = list(dict.fromkeys(rows[["dataset", "attribute"]].itertuples(index=False, name=None)))
    treatments = list(dict.fromkeys(rows["treatment"]))
    height = (0.36 + 0.14 * len(treatments)) * len(places) + 1.6
    shown = [f"{label(d)}, {a}\n{names[d, a]}" for d, a in places]
    with saved(stem, 2.1 * len(measures) + 2.4, height) as figure:
        panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
        for axes, measure in zip(panels, measures, strict=True):
            for i, treatment in enumerate(treatments):
                chosen = rows[(rows["measure"] == measure) & (rows["treatment"] == treatment)]
                found = chosen.set_index(["dataset", "attribute"]).reindex(places)
                y: NDArray[Any] = np.arange(len(places)) + 0.16 * (i - (len(treatments) - 1) / 2)
                error = "standard_error" if measure == "separation" else "own_error"
                points(axes, found["mean"], found[error], y, PALETTE[i], MARKERS[i],
                       label(treatment))  # fmt: skip
            axes.set_yticks(range(len(places)), shown, fontsize=8)
            if measure == "separation":
                axes.set(xlim=(-0.03, 1.05), xlabel="share of repeats")
                axes.set_title("Separation violated", fontsize=9)
            else:
                axes.axvline(0, color="#999999", linewidth=1)
                axes.set_xlabel("group 0 minus group 1")
                axes.set_title(measure, fontsize=9)
        panels[0].invert_yaxis()
        if len(treatments) > 1:
            figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center",
                          ncols=len(treatments), frameon=False)  # fmt: skip
