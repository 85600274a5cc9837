"""The gaps of all models as a forest plot: within the dialects, and across them."""

from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.style import OURS
from fairpairs.papers.display.figures import saved
from fairpairs.papers.studies.rejected_dialects.cells import LEVEL
from fairpairs.papers.studies.rejected_dialects.measures import RATES

TITLES = {
    "within": "Within: below 0, right less often in AAL",
    "across": "Across: above 0, leans towards WME",
}


def forest(stem: str | Path, gaps: pd.DataFrame) -> None:
    """Draw the gaps with their intervals, hollow if not significant (Holm over the models)."""
    models = list(dict.fromkeys(gaps["model"]))
    with saved(stem, 10.5, 0.26 * len(models) + 1.3) as figure:
        panels = figure.subplots(1, len(RATES), sharey=True)
        for axes, (hypothesis, rates) in zip(panels, RATES.items(), strict=True):
            rows = gaps[gaps["hypothesis"] == hypothesis].set_index("model").loc[models]
            y, shown = np.arange(len(models)), rows["pvalue_holm"].to_numpy() < LEVEL
            axes.hlines(y, rows["ci_low"], rows["ci_high"], color=OURS, linewidth=1)
            for part, filled in ((shown, OURS), (~shown, "white")):
                x = rows["estimate"][part]
                axes.plot(x, y[part], "o", color=OURS, markersize=4.5, markerfacecolor=filled)
            axes.axvline(0, color="#999999", linewidth=1)
            axes.set_xlabel(" − ".join(rates))
            axes.set_title(TITLES[hypothesis], fontsize=9)
        panels[0].set_yticks(range(len(models)), models)
        panels[0].invert_yaxis()
