"""Figures, in one style, as SVG and PNG with the same bytes for the same data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import norm

from fairpairs.files import written_whole
from fairpairs.reporting.comparison import DIFFERS
from fairpairs.reporting.tables import label

#: Two colours of Okabe and Ito's palette, which the colour-blind tell apart.
OURS, PUBLISHED = "#0072B2", "#D55E00"
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "svg.hashsalt": "fairpairs",  # the identifiers in an SVG are otherwise random
    "svg.fonttype": "none",
}


@contextmanager
def _saved(stem: str | Path, width: float, height: float) -> Iterator[Figure]:
    with mpl.rc_context(STYLE):  # type: ignore[arg-type]  # the stub lists every key
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        for ending, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            with written_whole(Path(stem).with_suffix(f".{ending}")) as temporary:
                figure.savefig(temporary, format=ending, dpi=150, metadata=metadata)


def acceptance_region(stem: str | Path, *, alpha: float) -> None:
    """Draw Figure 1 of the paper: the probability of accepting H0 (Proposition 3.5).

    The difference of two rates is normal with mean μ = P(W=1) − P(V=1); H0 is accepted where the
    estimate lies within z σ of zero.
    """
    mu, z = 0.9, ndtri(1 - alpha / 2)
    x = np.linspace(-4, 5.5, 600)
    density = norm.pdf(x, mu)
    beta = norm.cdf(z, mu) - norm.cdf(-z, mu)
    with _saved(stem, 6, 3) as figure:
        axes = figure.add_subplot()
        axes.grid(visible=False)
        axes.plot(x, density, color=OURS)
        inside = np.abs(x) <= z
        axes.fill_between(x[inside], density[inside], color=OURS, alpha=0.25)
        for bound in (-z, z):
            axes.axvline(bound, color="#555555", linestyle="--", linewidth=1)
        axes.axvline(mu, ymax=0.93, color=PUBLISHED, linewidth=1)
        axes.set_xticks([-z, 0, mu, z], [f"−{z:.2f}σ", "0", "μ", f"{z:.2f}σ"])
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_ylim(0, None)
        axes.set_xlabel("estimated difference of the two rates")
        axes.text(-0.4, 0.08, f"β = {beta:.3f}\n(H0 accepted)", ha="center")
        axes.set_title(f"H0 is accepted with two-tailed p ≥ {alpha:g} inside ±{z:.2f}σ", fontsize=9)


def published_against_reproduced(stem: str | Path, comparison: pd.DataFrame) -> None:
    """Draw the simulated cells of a table, ours and the published ones, with 95 % intervals.

    Above the shares themselves, below ours less the published one.
    """
    cells = comparison[(comparison["kind"] == "simulated") & comparison["reproduced"].notna()]
    columns, rows = (list(dict.fromkeys(cells[axis])) for axis in ("column", "row"))
    shares_only = bool(cells["run_sd"].isna().all())
    largest = (cells["reproduced"] - cells["published"]).abs() + 2 * cells["difference_error"]
    if cells.empty:
        with _saved(stem, 5, 1) as figure:
            figure.text(0.5, 0.5, "No cell of this table is part of this run.", ha="center")
        return
    with _saved(stem, 2.6 * len(columns) + 1.8, 0.7 * len(rows) + 2) as figure:
        panels = figure.subplots(2, len(columns), sharey=True, squeeze=False)
        for (shares, differences), column in zip(panels.T, columns, strict=True):
            part = cells[cells["column"] == column].set_index("row").reindex(rows)
            y, p = np.arange(len(rows)), part["published"]
            own, error = part["reproduced"], part["standard_error"]
            _points(shares, own, error, y - 0.13, OURS, "o", "ours")
            _points(shares, p, part["published_error"], y + 0.13, PUBLISHED, "D", "published")
            _rows(shares, rows, column, share=shares_only)
            _points(differences, own - p, part["difference_error"], y, OURS, "o", "")
            differences.axvline(0, color=PUBLISHED, linewidth=1)
            widest = largest.max() if shares_only else largest[cells["column"] == column].max()
            differences.set_xlim(-widest, widest)
            differences.set_xlabel("ours − published")
            for position in y[(part["verdict"] == DIFFERS).to_numpy()]:
                differences.annotate("≠", (1, position), xycoords=("axes fraction", "data"))
        panels[0, 0].invert_yaxis()
        figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center",
                      ncols=2, frameon=False)  # fmt: skip


def experiment_rates(stem: str | Path, summary: pd.DataFrame) -> None:
    """Draw how often each test found a violation, by data set, attribute and treatment."""
    groups = list(summary.groupby(["dataset", "attribute"], sort=False))
    rows = [label(name) for name in dict.fromkeys(summary["treatment"])]
    tests = list(dict.fromkeys(summary["test"]))
    with _saved(stem, 2.6 * len(groups) + 1.8, 0.45 * len(rows) + 1.5) as figure:
        panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
        for axes, ((dataset, attribute), part) in zip(panels, groups, strict=True):
            for i, test in enumerate(tests):
                own = part[part["test"] == test].set_index("treatment")
                y = np.arange(len(own)) + 0.22 * (i - (len(tests) - 1) / 2)
                colour, marker = (OURS, "o") if i % 2 == 0 else (PUBLISHED, "D")
                _points(
                    axes, own["violated"], own["standard_error"], y, colour, marker, label(test)
                )
            _rows(axes, rows, f"{label(str(dataset))}, {attribute}")
        panels[0].invert_yaxis()
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center",
                      ncols=len(tests), frameon=False)  # fmt: skip


def _points(
    axes: Axes, x: pd.Series, error: pd.Series, y: NDArray[Any], colour: str, marker: str, name: str
) -> None:
    axes.errorbar(x, y, xerr=ndtri(0.975) * error, fmt=marker, color=colour, markersize=4.5,
                  capsize=2, linewidth=1, label=name)  # fmt: skip


def _rows(axes: Axes, rows: list[str], title: str, *, share: bool = True) -> None:
    axes.set_yticks(range(len(rows)), rows)
    if share:
        axes.set_xlim(-0.03, 1.05)
        axes.set_xlabel("P(violation found)")
    axes.set_title(title, fontsize=9)
