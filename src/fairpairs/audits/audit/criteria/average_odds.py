"""Average odds, the mean of the differences of TPR and FPR, and its test in small cells.

The variance that a normal approximation estimates from few items, or from few items of another
prediction than the rest, may be near zero by chance. Then a handful of items would show a
violation, so the interval and the p-value are Newcombe's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from fairpairs.audits.audit.comparison import Comparison
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.criteria.rates import needs_decisions, rate_gaps
from fairpairs.audits.audit.rows import Measure, Row
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL, UNVARYING
from fairpairs.mathematics.fairness.separation import separation_from_counts
from fairpairs.mathematics.inference.contrasts.mover import ExactMoverContrast
from fairpairs.mathematics.inference.proportions import FEW_EVENTS, few_events
from fairpairs.mathematics.inference.sampling.gaps import Gap, average

NEWCOMBE = "{}: Newcombe's interval, p of it"

MEASURE = Measure(
    "average odds",
    "TPR and FPR of {a} differ from those of {b} by 0 on average",
    words="TPR and FPR of {group} are, on average,",
    against="those of {reference}",
    favours=1,
)
#: The p-value of a larger quantile underflows.
LARGEST_Z = 38.0


def average_odds(comparison: Comparison) -> Iterator[Row]:
    """Test AOD, the mean of both differences, whose items are not the same ones."""
    counts = comparison.counts
    difference = separation_from_counts(counts, alpha=comparison.alpha, method="auto")
    estimate, smallest = float(difference.estimate.mean()), int(difference.smallest_cell.min())
    row = comparison.row(
        MEASURE, estimate=estimate, n=int(difference.n.sum()), smallest_cell=smallest
    )
    if np.isnan(estimate):
        yield replace(row, note="empty cell")
        return
    row = replace(row, contrast=average_odds_contrast(counts))
    successes, sizes = counts[..., 1], counts.sum(axis=-1)
    rate = successes / sizes
    error = float(np.sqrt((rate * (1 - rate) / sizes).sum()) / 2)
    few = bool(few_events(successes[1], sizes[1], successes[0], sizes[0]).any())
    if smallest < SMALL_CELL or (few and error > 0):
        low, high, pvalue = average_odds_test(successes, sizes, comparison.alpha)
        note = NEWCOMBE.format(SMALL if smallest < SMALL_CELL else FEW_EVENTS)
        yield replace(row, ci_low=low, ci_high=high, pvalue=pvalue, note=note)
    elif error > 0:
        z, margin = estimate / error, ndtri(1 - comparison.alpha / 2) * error
        yield replace(
            row,
            ci_low=max(estimate - margin, -1),
            ci_high=min(estimate + margin, 1),
            statistic=z,
            pvalue=float(2 * ndtr(-abs(z))),
        )
    else:
        yield replace(row, note=UNVARYING)


def average_odds_contrast(counts: NDArray[np.int64]) -> ExactMoverContrast:
    """Return the tests of the average odds difference against any value; no cell may be empty.

    Student's t has the degrees of freedom of the smallest cell: the sum of the squares of two
    limits of a few items falls a little short.
    """
    sizes = counts.sum(axis=-1)
    return ExactMoverContrast(
        (counts[..., 1] / sizes).ravel(),
        sizes.ravel().astype(float),
        np.array([-0.5, -0.5, 0.5, 0.5]),
        df=float(max(sizes.min() - 1, 1)),
    )


def average_odds_limits(
    successes: NDArray[np.int64], n: NDArray[np.int64], z: float
) -> tuple[float, float]:
    """Return the ends of the interval of the AOD, by Newcombe's method; counts are (group, label).

    AOD is a sum of four independent rates, times ±1/2. The distance of an end from the estimate is
    the root of the summed squares of the distances of Wilson's limits, each on the side that
    counts: G. Y. Zou and A. Donner (2008), Construction of confidence limits about effect measures:
    a general approach, equation 4; R. G. Newcombe (1998), method 10, is the case of two rates.
    """
    rate = successes / n
    middle = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    margin = z * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    down, up = rate - (middle - margin), middle + margin - rate
    estimate = (rate[1] - rate[0]).mean()
    below = np.sqrt((down[1] ** 2 + up[0] ** 2).sum()) / 2
    above = np.sqrt((up[1] ** 2 + down[0] ** 2).sum()) / 2
    return float(max(estimate - below, -1)), float(min(estimate + above, 1))


def average_odds_test(
    successes: NDArray[np.int64], n: NDArray[np.int64], alpha: float
) -> tuple[float, float, float]:
    """Return the interval of the average odds difference and the p-value that agrees with it.

    The p-value is 1 minus the coverage of the interval of which 0 is an end.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  (slow)

    low, high = average_odds_limits(successes, n, float(-ndtri(alpha / 2)))
    estimate = float((successes / n @ [0.5, 0.5]) @ [-1, 1])
    if estimate == 0:
        return low, high, 1.0
    end = 0 if estimate > 0 else 1

    def beyond(z: float) -> float:
        return average_odds_limits(successes, n, z)[end]

    if beyond(LARGEST_Z) * estimate > 0:
        return low, high, 0.0
    return low, high, float(2 * ndtr(-brentq(beyond, 0, LARGEST_Z)))


def average_odds_gap(comparison: Comparison) -> Iterator[Gap]:
    """Yield the mean of the differences of TPR and FPR, with the influence of each item."""
    yield average(tuple(rate_gaps(comparison)))


AVERAGE_ODDS = Criterion(
    "average_odds",
    "Average odds",
    "The mean of both differences of separation; opposite ones cancel.",
    (MEASURE,),
    average_odds,
    why_not=needs_decisions,
    gaps=average_odds_gap,
)
