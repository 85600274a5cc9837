"""Figure of the measured level, coverage and power of every test."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import saved
from fairpairs.papers.studies.calibration.levels.tables import AT_MOST, worst_first


def level_figure(stem: str | Path, studies: Iterable[pd.DataFrame]) -> None:
    """Draw every measured promise: one row per test, one point per case."""
    study = worst_first(studies)
    tests = sorted(set(study["test"]))
    titles = {"level": "level", "coverage": "coverage", "power": "power less promised"}
    with saved(stem, 11, 0.3 * len(tests) + 1.5) as figure:
        panels = figure.subplots(1, 3, sharey=True)
        for axes, (promise, title) in zip(panels, titles.items(), strict=True):
            promises = AT_MOST if promise == "level" else (promise,)
            part = study[study["promise"].isin(promises)]
            shift = part["promised"] if promise == "power" else 0
            for noted, colour, marker, name in (
                (False, OURS, "o", "without a note"),
                (True, PUBLISHED, "D", "with a note"),
            ):
                shown = part["noted"] == noted
                y = np.array([tests.index(test) for test in part.loc[shown, "test"]], dtype=float)
                x, y = (part["measured"] - shift)[shown], y + (0.15 if noted else -0.15)
                axes.plot(x, y, marker, color=colour, markersize=3, alpha=0.5, label=name)
            bounds = sorted(set(part["promised"])) if promise != "power" else [0.0]
            for bound, style in zip(bounds, ("--", ":"), strict=False):
                axes.axvline(bound, color="#555555", linestyle=style, linewidth=1)
            axes.set_title(title, fontsize=9)
        panels[0].set_yticks(range(len(tests)), [test.replace("_", " ") for test in tests])
        panels[0].invert_yaxis()
        entries = panels[0].get_legend_handles_labels()
        figure.legend(*entries, loc="outside lower center", ncols=2, frameon=False)
