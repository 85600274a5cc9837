"""How time and memory grow with the number of items and of repeats: a table and a figure."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from processes import run

from fairpairs.base.style import MARKERS, PALETTE, drawing, rendered

WORKS = Path(__file__).parent / "works.py"
#: What grows → its sizes, over three decades.
SIZES = {"n": (10**3, 10**4, 10**5, 10**6), "repeats": (10, 10**2, 10**3, 10**4)}
#: Work → what it grows with.
GROWS = {
    "train": ("n", "repeats"),
    "test": ("n", "repeats"),
    "all pairs": ("n",),
    "audit": ("n",),
    "summarise": ("repeats",),
}
NAMES = {"n": "items", "repeats": "repeats"}


@dataclass(frozen=True)
class Growth:
    """Seconds and peak memory in MB of some work, by one of its sizes."""

    work: str
    by: str
    sizes: Sequence[int]
    seconds: Sequence[float]
    peaks: Sequence[float]

    @property
    def row(self) -> tuple[str, ...]:
        """The line of the table."""
        return (
            self.work,
            f"{NAMES[self.by]}, {self.sizes[0]:,} – {self.sizes[-1]:,}",
            f"{self.seconds[-1]:,.3g}",
            *(f"{slope(self.sizes[k:], self.seconds[k:]):.2f}" for k in (0, -2)),
            f"{self.peaks[-1]:,.3g}",
            *(f"{slope(self.sizes[k:], self.peaks[k:]):.2f}" for k in (0, -2)),
        )


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of a line through the points on logarithmic axes; NaN for one point."""
    known = np.isfinite(values)
    if known.sum() < 2:
        return float("nan")
    x, y = np.log(np.asarray(sizes)[known]), np.log(np.asarray(values)[known])
    return float(np.polyfit(x, y, 1)[0])


def measure(sizes: dict[str, Sequence[int]]) -> list[Growth]:
    """Do each work at each size, in a process of its own."""
    growths = []
    for work, grows in GROWS.items():
        for by in grows:
            ran = [run(sys.executable, WORKS, work, f"--{by}", size) for size in sizes[by]]
            seconds, peaks = ([r.answer[key] for r in ran] for key in ("seconds", "peak"))
            growths.append(Growth(work, by, sizes[by], seconds, peaks))
            print("  " + "  ".join(growths[-1].row), flush=True)
    return growths


def table(growths: Sequence[Growth]) -> pd.DataFrame:
    """Return the table of the page."""
    columns = ["what", "grows with", "seconds at the end", "slope", "last decade", "MB at the end",
               "slope of MB", "last decade of MB"]  # fmt: skip
    return pd.DataFrame([growth.row for growth in growths], columns=columns)


def figure(growths: Sequence[Growth]) -> bytes:
    """Draw seconds and memory by items, and by repeats, as SVG."""
    with drawing(7.5, 5.5) as drawn:
        axes = drawn.subplots(2, 2, sharex="col", sharey="row", squeeze=False)
        for j, by in enumerate(SIZES):
            for i, label in enumerate(("seconds", "peak, MB")):
                panel = axes[i][j]
                for k, work in enumerate(GROWS):
                    for growth in growths:
                        if (growth.work, growth.by) == (work, by):
                            values = (growth.seconds, growth.peaks)[i]
                            panel.loglog(
                                growth.sizes,
                                values,
                                marker=MARKERS[k],
                                color=PALETTE[k],
                                label=work,
                            )
                if j == 0:
                    panel.set_ylabel(label)
            axes[1][j].set_xlabel(NAMES[by])
        handles = {
            label: line
            for panel in axes[0]
            for line, label in zip(*panel.get_legend_handles_labels(), strict=True)
        }
        drawn.legend(handles.values(), handles, loc="outside upper center", ncols=len(handles))
        return rendered(drawn, "svg")
