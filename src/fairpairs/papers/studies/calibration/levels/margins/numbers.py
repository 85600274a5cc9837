"""Worlds of numbers: comparative separation with balanced labels, and means.

Labels have levels, whose shares may differ between the groups; scores are labels plus normal noise.
Across groups, the scores of group 1 are shifted; within groups, its noise has another spread.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.special import ndtr

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.pairs.balanced import balanced_pairs
from fairpairs.mathematics.estimates.pairs.rates import PairRates
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.means import WelchContrast
from fairpairs.mathematics.inference.gaps import gap_contrasts, gaps_from_rates
from fairpairs.papers.studies.calibration.levels.cases.decisions import decisions
from fairpairs.papers.studies.calibration.levels.cases.sample import format_sizes, repeat_groups
from fairpairs.papers.studies.calibration.levels.margins.worlds import (
    MARGIN,
    Batch,
    MarginWorld,
    Sides,
    counting,
    side,
    signed,
)

SIZES = ((50, 50), (300, 300), (950, 50))
#: Shares of the levels of the label in group 0, and in group 1 if they differ.
SHARES = np.full(6, 1 / 6), np.array([1, 1, 2, 2, 3, 3]) / 12
#: Standard deviation of the noise, in levels.
NOISE = 1.0
#: Data sets that are tested at once.
BLOCK = 100
#: The largest shift, or logarithm of a spread, of a world.
FARTHEST = 3.0


def number_worlds() -> Iterator[MarginWorld]:
    """Yield the worlds: every case and gap, on both sides."""
    for sizes in SIZES:
        for differ in (False, True):
            shares = np.stack([SHARES[0], SHARES[1] if differ else SHARES[0]])
            for index, measure in enumerate(("across", "within")):
                for sign in (1, -1):
                    labels = "labels differ" if differ else "labels alike"
                    case = f"{format_sizes(sizes)}, {labels}, {signed(sign)}"
                    change = _change(sizes, shares, index, sign)
                    draw = partial(gaps, sizes, shares, index, change)
                    yield MarginWorld(case, measure, counting(draw, sign))


def _change(sizes: tuple[int, int], shares: Floats, index: int, sign: int) -> float:
    """Return the shift, or the logarithm of the spread, of group 1 at the margin."""
    from scipy.optimize import brentq  # noqa: PLC0415  (slow)

    def over(change: float) -> float:
        return true_gap(sizes, shares, index, change) - sign * MARGIN

    return float(brentq(over, -FARTHEST, FARTHEST, xtol=1e-12))


def true_gap(sizes: tuple[int, int], shares: Floats, index: int, change: float) -> float:
    """Return the true gap, group 1 first, of items weighted by the other group's share."""
    items = np.array(sizes)[:, None] * shares
    weight = items.prod(axis=0) / items.sum(axis=0)
    levels = np.arange(shares.shape[1])
    apart = levels[:, None] - levels
    pairs = np.outer(weight, weight) * (apart > 0)

    def rate(shift: float, spread: float) -> float:
        return float((pairs * ndtr((apart + shift) / spread)).sum() / pairs.sum())

    if index == 0:
        spread = NOISE * np.sqrt(2)
        return rate(change, spread) - rate(-change, spread)
    return rate(0, NOISE * np.exp(change) * np.sqrt(2)) - rate(0, NOISE * np.sqrt(2))


def gaps(
    sizes: tuple[int, int],
    shares: Floats,
    index: int,
    change: float,
    rng: np.random.Generator,
    sets: int,
) -> Iterator[Batch]:
    """Draw a gap of comparative separation."""
    group = repeat_groups(sizes)
    for first in range(0, sets, BLOCK):
        r = min(BLOCK, sets - first)
        label = np.concatenate(
            [rng.choice(len(p), size=(r, n), p=p) for n, p in zip(sizes, shares, strict=True)],
            axis=1,
        ).astype(float)
        noise = NOISE * rng.normal(size=label.shape)
        score = label + (noise + change * group if index == 0 else noise * np.exp(change * group))
        rates = balanced_pairs(label, score, np.tile(group, (r, 1)), 2)
        estimate = gaps_from_rates(rates).estimate[:, index]
        yield estimate, partial(_contrast, rates, index)


def _contrast(rates: PairRates, index: int, number: int) -> Contrast | None:
    return gap_contrasts(rates.take(number))[index]


#: The margin, in standard deviations of the larger group.
MEAN_MARGIN = 0.5
SHAPES = ("normal", "heavy", "skewed")
MEAN_SIZES = ((10, 10), (30, 30), (1000, 15), (1000, 60), (200, 200))
#: Spread of group 1 divided by that of group 0, for normal values.
SPREADS = (1 / 3, 1.0, 3.0)


def mean_worlds() -> Iterator[MarginWorld]:
    """Yield the worlds: every case, on both sides."""
    for sizes in MEAN_SIZES:
        for shape in SHAPES:
            for spread in SPREADS if shape == "normal" else (1.0,):
                for sign in (1, -1):
                    spreads = f", spread 1 / {spread:.2g}" if shape == "normal" else ""
                    margin = signed(sign, MEAN_MARGIN)
                    case = f"{format_sizes(sizes)}, {shape}{spreads}, {margin}"
                    yield MarginWorld(case, "mean", partial(means, sizes, shape, spread, sign))


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
    found, margin = np.zeros((sets, 2)), MEAN_MARGIN
    for number in range(sets):
        sample = decisions(rng, sizes=sizes, shape=shape, spread=(1.0, spread))
        shifted = sample.score + sign * margin * sample.group
        contrast = WelchContrast.of(shifted - sample.reference, sample.group)
        # shuffles reject nothing that Welch's t does not, and take longer
        if side(contrast.welch, margin, sign) < alpha and side(contrast, margin, sign) < alpha:
            found[number] = 1, side(contrast, margin, -sign) < alpha
    return found
