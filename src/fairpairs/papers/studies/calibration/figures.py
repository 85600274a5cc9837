"""The figures of the study: rejections of designs, worst cases, label mix, and power."""

import itertools
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy.special import ndtr, ndtri

from fairpairs.base.plain_values import Record
from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.mathematics.power.items import items_from_rates
from fairpairs.mathematics.power.rejection import expected_rejection
from fairpairs.mathematics.power.sample_sizes import power_curve
from fairpairs.papers.display.figures import saved
from fairpairs.papers.studies.calibration.designs.tables import FEW
from fairpairs.papers.studies.calibration.levels.tables import AT_MOST, worst_first


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


#: Rows of a panel, and letters of a case that fit beside it.
MOST, LETTERS = 14, 46


def level_figure(stem: str | Path, studies: Iterable[pd.DataFrame]) -> None:
    """Draw the worst case of each test, and the worst of all powers, by their distance."""
    study = worst_first(studies)
    study = study[study["promised"].notna()]
    power = study["promise"] == "power"
    with saved(stem, 13, 5) as figure:
        panels = figure.subplots(1, 2)
        titles = (
            "levels, margins and coverage: worse than promised by",
            "power: less than promised by",
        )
        for axes, part, title in zip(panels, (study[~power], study[power]), titles, strict=True):
            keys = ["test", "case"] if axes is panels[1] else ["test"]
            _worst(axes, part.drop_duplicates(keys).head(MOST))
            axes.set_title(title, fontsize=9)
        entries = panels[0].get_legend_handles_labels()
        figure.legend(*entries, loc="outside lower center", ncols=2, frameon=False)


def _worst(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a row per case, to the right what is worse than promised; red where it is broken."""
    sign = np.where(rows["promise"].isin(AT_MOST), 1, -1)
    x = np.asarray(sign * (rows["measured"] - rows["promised"]))
    to_bound, y = np.asarray(abs(rows["measured"] - rows["bound"])), np.arange(len(rows))
    for kept, colour, marker in ((True, OURS, "o"), (False, PUBLISHED, "D")):
        shown = (rows["kept"] == kept).to_numpy()
        name = "kept, or not known yet" if kept else "broken"
        bars = np.stack([to_bound[shown], np.zeros(shown.sum())])
        style: Record = {"color": colour, "markersize": 4, "label": name}
        axes.errorbar(x[shown], y[shown], xerr=bars, fmt=marker, **style)
    axes.axvline(0, color="#555555", linestyle="--", linewidth=1)
    tests = rows["test"].str.replace("_", " ")
    cases = [case if len(case) <= LETTERS else case[: LETTERS - 1] + "…" for case in rows["case"]]
    names = [f"{test}\n{case}" for test, case in zip(tests, cases, strict=True)]
    axes.set_yticks(y, names, fontsize=6)
    axes.invert_yaxis()


def gap_of_label_mix(shift: float, noise: float) -> float:
    """Return TPR(1,0) − TPR(0,1) of a model that satisfies separation, if labels differ.

    Labels are normal with variance 1, group 1's higher by `shift`; scores are labels with normal
    noise of the standard deviation `noise` for both groups. With D = y_i − y_j ~ N(±shift, 2), each
    rate is E[Φ(D / (noise √2)) | D > 0].
    """
    from scipy.integrate import quad  # noqa: PLC0415  (slow)

    def rate(mean: float) -> float:
        def weight(d: float) -> float:
            return math.exp(-((d - mean) ** 2) / 4) / math.sqrt(4 * math.pi)

        ranked = quad(lambda d: weight(d) * ndtr(d / (noise * np.sqrt(2))), 0, mean + 20)[0]
        return float(ranked / ndtr(mean / np.sqrt(2)))

    return rate(shift) - rate(-shift)


def label_mix(stem: str | Path, gap: Callable[[float, float], float]) -> None:
    """Draw the raw gap of a model that satisfies separation, by the shift of the labels."""
    shifts = np.linspace(0, 2, 41)
    with saved(stem, 5.5, 3.4) as figure:
        axes = figure.add_subplot()
        for noise, colour in ((0.5, "#009E73"), (1.0, PUBLISHED), (2.0, "#E69F00")):
            raw = [gap(float(shift), noise) for shift in shifts]
            axes.plot(shifts, raw, color=colour, label=f"raw, noise {noise:g}")
        axes.plot(shifts, 0 * shifts, color=OURS, label="labels balanced, any noise")
        axes.set_xlabel("labels of group 1 higher by (standard deviations)")
        axes.set_ylabel("TPR(1,0) − TPR(0,1)")
        axes.set_title("A model that satisfies separation", fontsize=9)
        axes.legend(fontsize=8, frameon=False)


def power_curves(stem: str | Path, *, alpha: float) -> None:
    """Draw how many judgments are needed over how many items, for a TPR of 0.8 against 0.7."""
    items = items_from_rates(tpr=(0.8, 0.7))
    numbers = np.unique(np.geomspace(100, 100_000, 40).astype(int))
    sizes = (500, 1000, 2000, 4000, 8000)
    colours = mpl.colormaps["viridis"](np.linspace(0, 0.85, len(sizes)))
    with saved(stem, 6.5, 4) as figure:
        axes = figure.add_subplot()
        for n, colour in zip(sizes, colours, strict=True):
            drawn = {
                "drawn": lambda m, n=n: expected_rejection(
                    "drawn_pairs", items, n_items=n, n_pairs=m, alpha=alpha, correction="holm"
                )
            }
            curve = power_curve(drawn, numbers)
            axes.plot(curve["number"], curve["power"], color=colour, label=f"{n:,} items")
            limit = expected_rejection(
                "all_pairs", items, n_items=n, alpha=alpha, correction="holm"
            )
            axes.axhline(limit, color=colour, linestyle=":", linewidth=1)
        axes.axhline(0.8, color="#999999", linewidth=0.7)
        axes.set(xscale="log", ylim=(0, 1))
        axes.set(xlabel="judgments over these items", ylabel="P(violation found)")
        axes.set_title("TPR 0.8 against 0.7; dotted: all pairs of the items", fontsize=9)
        axes.legend(fontsize=8, frameon=False)
