"""A figure of what each treatment of an experiment did."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import MOST_ACROSS, saved
from fairpairs.papers.display.labels import label
from fairpairs.papers.display.treatments import measure_label
from fairpairs.papers.experiments.comparison import BETTER, WORSE
from fairpairs.papers.experiments.measures import HIGHER

#: Colours of what is shown, and of what is not.
COLOURS, OPEN_COLOUR = {BETTER: OURS, WORSE: PUBLISHED}, "#777777"


def treatments_figure(stem: str | Path, comparison: pd.DataFrame) -> None:
    """Draw the change of each measure by each treatment, with its interval."""
    panels = list(_panels(comparison))
    several = len(set(comparison["model"])) > 1
    keys = ["dataset", "model", "treatment"] if several else ["dataset", "treatment"]
    lines = comparison[keys].apply(lambda row: ", ".join(map(label, row)), axis=1)
    rows = list(dict.fromkeys(lines))
    across = min(len(panels), MOST_ACROSS)
    down = -(-len(panels) // across)
    with saved(stem, 2.3 * across + 2.6, down * (0.24 * len(rows) + 1.1) + 0.3) as figure:
        axes = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for axis, (title, part) in zip(axes, panels, strict=False):
            places = lines[part.index].map(rows.index)
            for verdict, found in part.groupby("verdict"):
                colour = COLOURS.get(str(verdict), OPEN_COLOUR)
                x, y = found["difference"], places[found.index]
                ends = np.abs([x - found["low"], found["high"] - x])
                face = colour if verdict in COLOURS else "white"
                axis.errorbar(x, y, xerr=ends, fmt="o", color=colour, mfc=face, linewidth=1.2)
            axis.axvline(0, color="black", linewidth=0.8)
            axis.set_title(title, fontsize=9)
            axis.set_yticks(range(len(rows)), rows)
            axis.locator_params(axis="x", nbins=4)
        axes[0].invert_yaxis()
        figure.supxlabel(
            "change and its interval (of a gap: of its size); filled: shown", fontsize=8
        )


def _panels(comparison: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for (measure, attribute), part in comparison.groupby(["measure", "attribute"], sort=False):
        more = part["preferred"].iloc[0] == HIGHER
        arrow = "more is better" if more else "less is better"
        title = fill(measure_label(str(measure), str(attribute)), 26)
        yield f"{title}\n({arrow})", part
