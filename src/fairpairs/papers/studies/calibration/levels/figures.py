"""Figure of the promises of all tests: the worst level and the worst power come first."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fairpairs.base.plain_values import Record
from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import saved
from fairpairs.papers.studies.calibration.levels.tables import AT_MOST, worst_first

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
