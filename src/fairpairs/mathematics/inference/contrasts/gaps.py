"""The tests of the gaps of comparative separation against any value, over all pairs of items.

A rate of binary labels is worth the trials of `rate_intervals.binary_trials`. One of real labels
whose distribution is balanced is worth the fewer trials of the two variances by which a gap is
tested (`gap_variances`), with the degrees of freedom of its unpooled variance. Real labels as they
are have Student's t of that. The pooled variance holds under separation only, so the test at a
margin never rests on it alone.
"""

import numpy as np

from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairRates
from fairpairs.mathematics.inference.contrast import Contrast, StudentContrast
from fairpairs.mathematics.inference.contrasts.score import differences_of_two
from fairpairs.mathematics.inference.gap_variances import (
    gap_trials,
    trials_worth,
    unpooled_variance,
)
from fairpairs.mathematics.inference.gaps import gap_cells
from fairpairs.mathematics.inference.rate_intervals import binary_trials


def gap_contrasts(rates: PairRates) -> tuple[Contrast | None, ...]:
    """Return the tests of the gaps against any value; None without a pair or a variance."""
    k = rates.concordant.shape[-1]
    if rates.class_sizes.shape[-1] == 2 * k:
        return _binary_label_contrasts(rates)
    if rates.each_two is not None:
        return tuple(
            test for two_rates in rates.each_two for test in _real_label_contrasts(two_rates)
        )
    return _real_label_contrasts(rates)


def _binary_label_contrasts(rates: PairRates) -> tuple[Contrast | None, ...]:
    """Return the tests of gaps of groups and labels; their two rates share no item."""
    cells = np.array(gap_cells(rates.concordant.shape[-1])).T
    return differences_of_two(rates.tpr.ravel()[cells], binary_trials(rates).ravel()[cells])


def _real_label_contrasts(rates: PairRates) -> tuple[Contrast | None, ...]:
    """Return the tests of the two gaps of two groups."""
    cells = np.array(gap_cells(2)).T
    gaps = np.eye(4)[cells[:, 0]] - np.eye(4)[cells[:, 1]]
    variance, df = unpooled_variance(rates, gaps)
    rate = rates.tpr.ravel()[cells]
    worth = trials_worth(rates)
    if worth is None:
        return tuple(
            StudentContrast(float(one - two), float(np.sqrt(spread)), float(d))
            if spread > NO_VARIANCE
            else None
            for (one, two), spread, d in zip(rate, variance, df, strict=True)
        )
    _, fewest = gap_trials(rates, gaps, worth)
    return differences_of_two(rate, fewest[cells], df=df)
