"""Figures of a ranking: xROC curves, densities, conditional xAUC, calibration, a forest plot."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fairpairs.base.plain_values import Content
from fairpairs.base.style import PALETTE
from fairpairs.papers.display.figures import legend, saved, side_by_side
from fairpairs.papers.display.labels import label
from fairpairs.papers.experiments.summaries import Summary
from fairpairs.papers.studies.xauc.tables import HYPOTHESES, ranking_rows

GROUP_0, GROUP_1, FIRST, SECOND = PALETTE[:4]
#: Curve → colour and line.
STYLES = {
    **{"ROC(0)": (GROUP_0, "-"), "ROC(1)": (GROUP_1, "-")},
    **{"xROC(0,1)": (FIRST, "--"), "xROC(1,0)": (SECOND, "--")},
    **{"xROC_1(0)": (GROUP_0, "-"), "xROC_1(1)": (GROUP_1, "-")},
    **{"xROC_0(0)": (GROUP_0, "--"), "xROC_0(1)": (GROUP_1, "--")},
    **{"A=0, Y=0": (GROUP_0, "--"), "A=0, Y=1": (GROUP_0, "-")},
    **{"A=1, Y=0": (GROUP_1, "--"), "A=1, Y=1": (GROUP_1, "-")},
    **{"xAUC(0,1)": (FIRST, "-"), "xAUC(1,0)": (SECOND, "-")},
    **{"A=0": (GROUP_0, "-"), "A=1": (GROUP_1, "-")},
}
ACROSS = 3
CASE = ["dataset", "attribute"]


def group_names(roles: Sequence[Content]) -> dict[tuple[str, str], str]:
    """Return what the groups are called, by (data set, attribute)."""
    return {
        (metadata["dataset"], attribute): f"0: {names['zero']}, 1: {names['one']}"
        for metadata in roles
        for attribute, names in metadata["sensitive"].items()
    }


def all_curves(stem: str | Path, shown: pd.DataFrame, roles: Sequence[Content]) -> None:
    """Draw all kinds of curves of an experiment, each in a folder beside that of stem."""
    stem = Path(stem)
    for kind in _DRAW:
        curves(stem.parents[1] / kind / stem.name, kind, shown, group_names(roles))


def curves(stem: str | Path, kind: str, shown: pd.DataFrame, names: Mapping[Any, str]) -> None:
    """Draw one kind of `FIGURES` from `ranking_curves`, a panel for each data set and attribute."""
    draw = _DRAW[kind]
    panels = list(shown.groupby(CASE, sort=False))
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    with saved(stem, 3.2 * across + 0.4, 3.0 * down + 0.9) as figure:
        axes = figure.subplots(down, across, squeeze=False).ravel()
        for panel, ((dataset, attribute), part) in zip(axes, panels, strict=False):
            draw(panel, part)
            panel.set_title(
                f"{label(str(dataset))}, {attribute}\n{names[dataset, attribute]}", fontsize=8
            )
        for panel in axes[len(panels) :]:
            panel.set_visible(False)
        legend(figure, *axes[: len(panels)], columns=4)


def _curve(axes: Axes, part: pd.DataFrame, name: str, *, band: bool = True) -> None:
    rows = part[part["curve"] == name].sort_values("x")
    colour, line = STYLES[name]
    axes.plot(rows["x"], rows["mean"], color=colour, linestyle=line, linewidth=1.3, label=name)
    if band and rows["sd"].notna().any():
        low = (rows["mean"] - rows["sd"]).clip(0, 1)
        high = (rows["mean"] + rows["sd"]).clip(0, 1)
        axes.fill_between(rows["x"], low, high, color=colour, alpha=0.15, linewidth=0)


def _xroc(names: Sequence[str]) -> Callable[[Axes, pd.DataFrame], None]:
    def draw(axes: Axes, part: pd.DataFrame) -> None:
        for name in names:
            _curve(axes, part[part["kind"] == "xroc"], name)
        axes.axline((0, 0), slope=1, color="#999999", linestyle=":", linewidth=1)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        first, second = (", first group", ", second group") if "ROC(0)" in names else ("", "")
        axes.set_xlabel(f"false positive rate{second}")
        axes.set_ylabel(f"true positive rate{first}")

    return draw


def _densities(axes: Axes, part: pd.DataFrame) -> None:
    rows = part[part["kind"] == "density"]
    for name in dict.fromkeys(rows["curve"]):
        _curve(axes, rows, name, band=False)
    axes.set(xlim=(0, 1), ylim=(0, None), xlabel="score", ylabel="density")


def _conditional(axes: Axes, part: pd.DataFrame) -> None:
    shares = part[part["kind"] == "conditional"]
    for name in dict.fromkeys(shares["curve"]):
        rows = shares[shares["curve"] == name]
        bars, mean = rows[rows["x"].notna()], rows.loc[rows["x"].isna(), "mean"]
        colour = STYLES[name][0]
        width = 1 / len(bars)
        axes.bar(bars["x"], bars["mean"], width=width, color=colour, alpha=0.45, label=name)
        for value in mean:
            axes.axvline(value, color=colour, linestyle=":", linewidth=1.5)
    axes.set(xlim=(0, 1), xlabel="conditional xAUC", ylabel="share of negative items")


def _calibration(axes: Axes, part: pd.DataFrame) -> None:
    rows = part[part["kind"] == "calibration"]
    # a bin that few repeats have an item in says nothing
    rows = rows[rows["repeats"] >= rows["repeats"].max() / 2]
    for name in dict.fromkeys(rows["curve"]):
        _curve(axes, rows, name)
    axes.axline((0, 0), slope=1, color="#999999", linestyle=":", linewidth=1)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="mean score", ylabel="share of label 1")


_DRAW: dict[str, Callable[[Axes, pd.DataFrame], None]] = {
    "xroc": _xroc(["ROC(0)", "ROC(1)", "xROC(0,1)", "xROC(1,0)"]),
    "balanced_xroc": _xroc(["xROC_1(0)", "xROC_1(1)", "xROC_0(0)", "xROC_0(1)"]),
    "score_densities": _densities,
    "conditional_xauc": _conditional,
    "calibration": _calibration,
}


def ranking(stem: str | Path, summary: Summary, roles: Sequence[Content]) -> None:
    """Draw the differences between two groups, by data set, attribute and treatment.

    Bars are 95 % intervals by DeLong's standard error of one test set. With the test separation, a
    further panel shows how often a violation of it was found.
    """
    rows, names = ranking_rows(summary), group_names(roles)
    measures = [*HYPOTHESES, *(["separation"] if "separation" in set(rows["measure"]) else [])]
    cases = list(dict.fromkeys(rows[CASE].itertuples(index=False, name=None)))
    treatments = list(dict.fromkeys(rows["treatment"]))
    height = (0.36 + 0.14 * len(treatments)) * len(cases) + 1.6
    shown = [f"{label(case[0])}, {case[1]}\n{names[case]}" for case in cases]
    with saved(stem, 2.1 * len(measures) + 2.4, height) as figure:
        panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
        for axes, measure in zip(panels, measures, strict=True):
            columns = ("mean", "standard_error" if measure == "separation" else "own_error")
            keys, selected = (CASE, "treatment"), rows[rows["measure"] == measure]
            side_by_side(axes, selected, keys, columns, treatments, 0.16)
            axes.set_yticks(range(len(cases)), shown, fontsize=8)
            if measure == "separation":
                axes.set(xlim=(-0.03, 1.05), xlabel="share of repeats")
            else:
                axes.axvline(0, color="#999999", linewidth=1)
                axes.set_xlabel("group 0 minus group 1")
            title = "Separation violated" if measure == "separation" else measure
            axes.set_title(title, fontsize=9)
        panels[0].invert_yaxis()
        if len(treatments) > 1:
            legend(figure, panels[0])
