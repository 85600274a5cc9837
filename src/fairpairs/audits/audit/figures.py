"""The figure of the rates of groups, as SVG that takes the colours of the page."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairpairs.audits.lines.figures import WIDE, inline, middle_cut, page_style
from fairpairs.base.style import MARKERS, PALETTE, drawing
from fairpairs.base.texts import printable

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
    with drawing(WIDE, 0.42 * len(groups) + 1.0, page_style()) as figure:
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
        names = [middle_cut(printable(name)) for name in groups]
        axes.set_yticks(range(len(groups)), names)
        axes.set_ylim(len(groups) - 0.4, -0.6)
        if measures[0] in (*DRAWN, "accuracy"):
            axes.set_xlim(-0.02, 1.02)
        figure.legend(loc="outside upper center", ncols=len(measures), frameon=False)
        return inline(figure, prefix)
