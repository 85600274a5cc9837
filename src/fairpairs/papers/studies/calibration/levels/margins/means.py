"""Worlds of means: of differences of all sizes and spreads, skewed, heavy-tailed and rare ones."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from fairpairs.mathematics.inference.contrasts.means import WelchContrast
from fairpairs.papers.studies.calibration.levels.cases.decisions import decisions
from fairpairs.papers.studies.calibration.levels.cases.sample import format_sizes
from fairpairs.papers.studies.calibration.levels.margins.worlds import Sides, World, side

#: The margin, in standard deviations of the larger group.
MARGIN = 0.5
SHAPES = ("normal", "heavy", "skewed")
SIZES = ((10, 10), (30, 30), (1000, 15), (1000, 60), (200, 200))
#: Spread of group 1 divided by that of group 0, for normal values.
SPREADS = (1 / 3, 1.0, 3.0)


def mean_worlds() -> Iterator[World]:
    """Yield the worlds: every case, on both sides."""
    for sizes in SIZES:
        for shape in SHAPES:
            for spread in SPREADS if shape == "normal" else (1.0,):
                for sign in (1, -1):
                    spreads = f", spread 1 / {spread:.2g}" if shape == "normal" else ""
                    sided = "+" if sign > 0 else "−"
                    case = f"{format_sizes(sizes)}, {shape}{spreads}, {sided}{MARGIN:g}"
                    yield World(case, "mean", partial(means, sizes, shape, spread, sign))


def means(
    sizes: tuple[int, int],
    shape: str,
    spread: float,
    sign: int,
    rng: np.random.Generator,
    sets: int,
    alpha: float,
) -> Sides:
    """Test the difference of two means, group 1 minus group 0."""
    found = np.zeros((sets, 2))
    for number in range(sets):
        sample = decisions(rng, sizes=sizes, shape=shape, spread=(1.0, spread))
        score, reference, group = sample.score, sample.reference, sample.group
        shifted = score + sign * MARGIN * group
        contrast = WelchContrast(shifted - reference, group)
        # shuffles reject nothing that Welch's t does not, and take longer
        if side(contrast.welch, MARGIN, sign) < alpha and side(contrast, MARGIN, sign) < alpha:
            found[number] = 1, side(contrast, MARGIN, -sign) < alpha
    return found
