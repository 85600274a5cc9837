"""Worlds of decisions: rates, average odds and comparative separation.

Each group has the same share of positive labels, and the two differ in one rate, or in both for
the average of the odds. The lines of precision, FOR, FNR and FDR have the test of two rates.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from fairpairs.audits.audit.criteria.average_odds import average_odds_contrast
from fairpairs.base.arrays import Integers
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast
from fairpairs.mathematics.inference.gaps import decision_gaps
from fairpairs.papers.studies.calibration.levels.cases.sample import SIZES, format_sizes
from fairpairs.papers.studies.calibration.levels.margins.worlds import (
    MARGIN,
    MarginWorld,
    Sides,
    count_rates,
    drawn_rates,
    signed,
)

#: Prevalence, TPR and FPR: from common to rare and perfect.
RATES = (
    (0.5, 0.8, 0.4),
    (0.1, 0.8, 0.1),
    (0.01, 0.5, 0.02),
    (0.5, 0.02, 0.02),
    (0.3, 0.99, 0.01),
    (0.5, 0.5, 0.5),
)
#: The two gaps of comparative separation, in the order of their hypotheses.
GAPS = ("across", "within")

#: Numbers of items of each label, by group; rates of each group, by label.
Items = tuple[Sequence[int], Sequence[int]]
Chances = tuple[tuple[float, float], tuple[float, float]]


def decision_worlds() -> Iterator[MarginWorld]:
    """Yield the worlds: every case and measure, group 1 above and below group 0 by the margin."""
    for sizes in SIZES:
        for prevalence, tpr, fpr in RATES:
            case = f"{format_sizes(sizes)}, prevalence {prevalence:g}, TPR {tpr:g}, FPR {fpr:g}"
            positive = [max(1, round(prevalence * size)) for size in sizes]
            negative = [size - items for size, items in zip(sizes, positive, strict=True)]
            selected = prevalence * tpr + (1 - prevalence) * fpr
            for sign in (1, -1):
                name, step = f"{case}, {signed(sign)}", sign * MARGIN
                for measure, items, rate in (
                    ("EOD", positive, tpr),
                    ("FPR difference", negative, fpr),
                    ("selection rate", sizes, selected),
                ):
                    if 0 <= rate + step <= 1:
                        yield MarginWorld(
                            name, measure, partial(rates, items, (rate, rate + step), sign)
                        )
                if 0 <= tpr + step <= 1 and 0 <= fpr + step <= 1:
                    both = (fpr, tpr), (fpr + step, tpr + step)
                    test = partial(odds, (negative, positive), both, sign)
                    yield MarginWorld(name, "AOD", test)
                higher = tpr + step / (1 - fpr)
                if 0 <= higher <= 1:
                    both = (fpr, tpr), (fpr, higher)
                    for index, measure in enumerate(GAPS):
                        gap = partial(pairs, index, (negative, positive), both, sign)
                        yield MarginWorld(name, measure, gap)


def rates(
    trials: Sequence[int],
    chances: tuple[float, float],
    sign: int,
    rng: np.random.Generator,
    sets: int,
    alpha: float,
) -> Sides:
    """Test the difference of one rate, group 1 minus group 0."""
    successes = drawn_rates(rng, sets, trials, chances)
    reversed_trials = trials[1], trials[0]
    return count_rates((successes[:, 1], successes[:, 0]), reversed_trials, MARGIN, sign, alpha)


def odds(
    items: Items, chances: Chances, sign: int, rng: np.random.Generator, sets: int, alpha: float
) -> Sides:
    """Test the average of the differences of TPR and FPR."""
    tables, number = _tables(rng, sets, items, chances)
    return _sides(average_odds_contrast(tables), number, sign, alpha)


def pairs(
    index: int,
    items: Items,
    chances: Chances,
    sign: int,
    rng: np.random.Generator,
    sets: int,
    alpha: float,
) -> Sides:
    """Test a gap of comparative separation."""
    tables, number = _tables(rng, sets, items, chances)
    gaps = decision_gaps(all_pairs_from_counts(tables.astype(float)))
    return _sides(gaps.take((slice(None), index)), number, sign, alpha)


def _sides(contrast: ScoreContrast, number: Integers, sign: int, alpha: float) -> Sides:
    """Say which tables are rejected, each as often as it was drawn."""
    near, far = (contrast.tail(side * MARGIN, -side) < alpha for side in (sign, -sign))
    return np.repeat(np.column_stack([near, near & far]).astype(float), number, axis=0)


def _tables(
    rng: np.random.Generator, sets: int, items: Items, chances: Chances
) -> tuple[Integers, Integers]:
    """Draw the items of each cell (group, label, prediction), shape (tables, 2, 2, 2).

    Each table is returned once, with how often it was drawn.
    """
    sizes = np.array(items).T
    successes = drawn_rates(rng, sets, sizes, chances)
    successes, number = np.unique(successes, axis=0, return_counts=True)
    return np.stack([sizes - successes, successes], axis=-1), number
