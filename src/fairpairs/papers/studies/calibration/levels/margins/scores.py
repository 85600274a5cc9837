"""Worlds of scores: AUC, xAUC and the balanced xAUCs of normal scores.

The scores of items with label 1 are higher by a distance. For the AUC the groups have different
distances, for the xAUCs the scores of one group are shifted.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.rates import PairRates
from fairpairs.mathematics.estimates.ranking_rates import MEASURES
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.ranking_differences import difference_contrasts
from fairpairs.papers.experiments.normal_scores import xauc_of_normal_scores
from fairpairs.papers.studies.calibration.levels.cases.sample import format_sizes, repeat_groups
from fairpairs.papers.studies.calibration.levels.cases.scores import AUC
from fairpairs.papers.studies.calibration.levels.margins.worlds import (
    MARGIN,
    Batch,
    MarginWorld,
    counting,
    signed,
)

#: Items of both groups, half of which have label 1.
SIZES = ((30, 30), (200, 200), (1000, 30), (1000, 100))
#: Distances of the labels, in standard deviations.
DISTANCES = (0.0, 2.0, 4.0)
#: Measures; of scores, xAUC_0 is xAUC_1 of the other label.
MEASURED = ("AUC", "xAUC", "xAUC_1")
#: The two rates that each measure compares; all items are the last group.
CELLS = ((0, 0), (1, 1)), ((0, 1), (1, 0)), ((0, 2), (1, 2)), ((2, 0), (2, 1))
#: Data sets that are ranked at once.
BLOCK = 200
#: The largest shift of the scores, or change of a distance.
FARTHEST = 6.0


def score_worlds() -> Iterator[MarginWorld]:
    """Yield the worlds: every case and measure, on both sides."""
    for sizes in SIZES:
        for distance in DISTANCES:
            for measure in MEASURED:
                for sign in (1, -1):
                    world = _world(sizes, distance, MEASURES.index(measure), sign)
                    if world is not None:
                        case = f"{format_sizes(sizes)}, AUC {AUC[distance]}, {signed(sign)}"
                        draw = partial(differences, sizes, world, measure)
                        yield MarginWorld(case, measure, counting(draw, sign))


def _world(
    sizes: tuple[int, int], distance: float, index: int, sign: int
) -> tuple[float, float, float] | None:
    """Return the distances of both groups, and the shift of group 1, at the margin."""
    from scipy.optimize import brentq  # noqa: PLC0415  (slow)

    def settings(change: float) -> tuple[float, float, float]:
        return (distance, distance + change, 0.0) if index == 0 else (distance, distance, change)

    def over(change: float) -> float:
        return true_difference(sizes, settings(change), index) - sign * MARGIN

    if over(-FARTHEST) * over(FARTHEST) > 0:
        return None
    return settings(float(brentq(over, -FARTHEST, FARTHEST, xtol=1e-12)))


def true_difference(sizes: tuple[int, int], world: tuple[float, float, float], index: int) -> float:
    """Return the true difference of a measure, group 0 minus group 1."""
    one, two, shift = world
    rates = xauc_of_normal_scores(np.array([[0, one], [shift, two + shift]]), np.ones((2, 2)))
    share = np.array(sizes) / sum(sizes)
    shares = np.vstack([np.eye(2), share])
    rate = shares @ rates @ shares.T
    first, second = CELLS[index]
    return float(rate[first] - rate[second])


def differences(
    sizes: tuple[int, int],
    world: tuple[float, float, float],
    measure: str,
    rng: np.random.Generator,
    sets: int,
) -> Iterator[Batch]:
    """Draw the difference of a measure, group 0 minus group 1."""
    one, two, shift = world
    group = repeat_groups(sizes)
    label = np.concatenate([np.arange(size) % 2 for size in sizes])
    mean: Floats = np.where(group == 1, shift + two * label, one * label)
    index = MEASURES.index(measure)
    higher, lower = CELLS[index]
    for first in range(0, sets, BLOCK):
        scored = mean + rng.normal(size=(min(BLOCK, sets - first), len(group)))
        rates = rates_of_scores(label, scored, group)
        estimate = rates.tpr[:, *higher] - rates.tpr[:, *lower]
        yield estimate, partial(_contrast, rates, index)


def _contrast(rates: PairRates, index: int, number: int) -> Contrast | None:
    return difference_contrasts(rates.take(number))[index]


def rates_of_scores(label: Integers, score: Floats, group: Integers) -> PairRates:
    """Return the rates of two groups and of all items; scores are (r, n), without ties."""
    r, n = score.shape
    rank = score.argsort(axis=1).argsort(axis=1)
    counts = np.zeros((r, 3, 2, n))
    counts[np.arange(r)[:, None], group, label, rank] = 1
    counts[:, 2] = counts[:, :2].sum(axis=1)
    return all_pairs_from_counts(counts, ties="half")
