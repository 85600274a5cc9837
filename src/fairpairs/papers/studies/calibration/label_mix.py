"""The raw gap of a model that satisfies separation, when the labels of the groups differ."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from scipy.special import ndtr

from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import saved


def gap_of_label_mix(shift: float, noise: float) -> float:
    """Return TPR(1,0) − TPR(0,1) of a model that satisfies separation, if labels differ.

    Labels are normal with variance 1, group 1's higher by `shift`; scores are labels with normal
    noise of the standard deviation `noise` for both groups. With D = y_i − y_j ~ N(±shift, 2), each
    rate is E[Φ(D / (noise √2)) | D > 0].
    """

    def rate(mean: float) -> float:
        def weight(d: float) -> float:
            return math.exp(-((d - mean) ** 2) / 4) / math.sqrt(4 * math.pi)

        ranked = quad(lambda d: weight(d) * ndtr(d / (noise * np.sqrt(2))), 0, mean + 20)[0]
        return float(ranked / ndtr(mean / np.sqrt(2)))

    return rate(shift) - rate(-shift)


def label_mix(stem: str | Path, gap: Callable[[float, float], float]) -> None:
    """Draw the raw gap of a model that satisfies separation, by the shift of the labels."""
    shifts = np.linspace(0, 2, 41)
    with saved(stem, 5.5, 3.4) as figure:
        axes = figure.add_subplot()
        for noise, colour in ((0.5, "#009E73"), (1.0, PUBLISHED), (2.0, "#E69F00")):
            raw = [gap(float(shift), noise) for shift in shifts]
            axes.plot(shifts, raw, color=colour, label=f"raw, noise {noise:g}")
        axes.plot(shifts, 0 * shifts, color=OURS, label="labels balanced, any noise")
        axes.set_xlabel("labels of group 1 higher by (standard deviations)")
        axes.set_ylabel("TPR(1,0) − TPR(0,1)")
        axes.set_title("A model that satisfies separation", fontsize=9)
        axes.legend(fontsize=8, frameon=False)
