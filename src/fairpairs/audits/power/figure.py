"""The figure of a power analysis."""

import itertools
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.ticker import LogLocator, NullFormatter

from fairpairs.audits.lines.figures import inline, page_figure
from fairpairs.base.style import PALETTE, drawing, rendered


def power_by_number(
    ending: str, curves: pd.DataFrame, *, wanted: float, margin: float | None = None
) -> bytes:
    """Return a figure (svg or png) of the power of tests by their number of labels or pairs.

    `curves` has the columns `test`, `number`, `power` of `fairpairs.power.power_curve`; a line
    marks `wanted`. With `margin`, differences are shown to lie within it; without, violations are
    found.
    """
    with drawing(6.5, 4) as figure:
        axes = _drawn(figure, curves, wanted)
        if margin is None:
            axes.set(xlabel="labels, or pairs that are judged", ylabel="P(violation found)")
        else:
            axes.set(xlabel="labels", ylabel=f"P(shown within ±{margin:g})")
        return rendered(figure, ending)


def inline_power(curves: pd.DataFrame, *, wanted: float) -> str:
    """Return the same figure as part of a page."""
    with page_figure(4.9, 2.9) as figure:
        _drawn(figure, curves, wanted).set(xlabel="number", ylabel="power")
        return inline(figure, "power")


def _drawn(figure: MatplotlibFigure, curves: pd.DataFrame, wanted: float) -> Any:
    axes = figure.add_subplot()
    for (name, part), colour in zip(
        curves.groupby("test", sort=False), itertools.cycle(PALETTE), strict=False
    ):
        axes.plot(part["number"], part["power"], color=colour, label=str(name))
    axes.axhline(wanted, color="#999999", linewidth=0.7)
    axes.set(xscale="log", ylim=(0, 1.02))
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.legend(fontsize=9, frameon=False)
    return axes
