"""Power curves: how many judgments over how many items find a violation."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

from fairpairs.mathematics.power.cells import items_from_rates
from fairpairs.mathematics.power.rejection import expected_rejection
from fairpairs.mathematics.power.sample_sizes import power_curve
from fairpairs.papers.display.figures import saved


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
