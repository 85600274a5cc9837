"""The figures of an audit alone, as SVG that takes the colours of the page."""

import numpy as np
import pandas as pd

from fairpairs.audits.lines.figures import INK, LINE, LONGEST, WIDE, inline, page_figure
from fairpairs.base.style import MARKERS, PALETTE
from fairpairs.base.texts import middle_cut, printable

#: Rates that are drawn.
DRAWN = ("selection rate", "TPR", "FPR")


def group_rates(rates: pd.DataFrame, *, prefix: str) -> str:
    """Draw the rates of all groups, or the means of predictions and labels."""
    measures = [measure for measure in DRAWN if (rates["measure"] == measure).any()]
    if not measures:
        measures = ["mean label", "mean prediction"]
        measures = [measure for measure in measures if (rates["measure"] == measure).any()]
    if not measures:
        measures = ["accuracy"]
    groups = list(dict.fromkeys(rates["group"]))
    with page_figure(WIDE, 0.42 * len(groups) + 1.0) as figure:
        axes = figure.add_subplot()
        for k, measure in enumerate(measures):
            part = rates[(rates["measure"] == measure) & np.isfinite(rates["estimate"])]
            y = [groups.index(group) for group in part["group"]]
            shifted = np.array(y) + 0.22 * (k - (len(measures) - 1) / 2)
            axes.errorbar(
                part["estimate"],
                shifted,
                xerr=[part["estimate"] - part["ci_low"], part["ci_high"] - part["estimate"]],
                fmt=MARKERS[k],
                color=PALETTE[k],
                markersize=4.5,
                linewidth=1.4,
                label=measure,
            )
        names = [middle_cut(printable(name), LONGEST) for name in groups]
        axes.set_yticks(range(len(groups)), names)
        axes.set_ylim(len(groups) - 0.4, -0.6)
        if measures[0] in (*DRAWN, "accuracy"):
            axes.set_xlim(-0.02, 1.02)
        figure.legend(loc="outside upper center", ncols=len(measures), frameon=False)
        return inline(figure, prefix)


def sweep(rows: pd.DataFrame, threshold: float | None, margin: float | None, *, prefix: str) -> str:
    """Draw gaps over the thresholds of a score, with their bands, and the one that is chosen."""
    with page_figure(WIDE, 2.6) as figure:
        axes = figure.add_subplot()
        if margin is not None:
            axes.axhspan(-margin, margin, color=LINE)
        for k, (measure, part) in enumerate(rows.groupby("measure", sort=False)):
            x, low, high = part["threshold"], part["ci_low"], part["ci_high"]
            axes.fill_between(x, low, high, step="pre", color=PALETTE[k], alpha=0.2, linewidth=0)
            axes.step(
                x, part["estimate"], where="pre", color=PALETTE[k], linewidth=1.4, label=measure,
                linestyle=("-", "--")[k],
            )  # fmt: skip
        axes.axhline(0, color=INK, linewidth=0.8)
        if threshold is not None:
            axes.axvline(threshold, color=INK, linewidth=0.8, linestyle=":")
        axes.set_xlabel("threshold of the score")
        axes.set_ylabel("group minus reference")
        figure.legend(loc="outside upper center", ncols=2, frameon=False)
        return inline(figure, prefix)
