"""Whether p is below a level, of thousands of tables of two binomial samples.

Given the number of successes in both samples, that of the first is hypergeometric, whatever the
common rate. So the exact p of equal rates is the largest, over a grid of rates, of means of
hypergeometric tails. It is at least the mean at any of these rates, and at most the largest tail,
which decides most tables; the means at all rates decide nearly all others.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, ndtr

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.contrasts.binomial import (
    GRID,
    LEAST_EXPECTED,
    PLACES,
    BinomialContrast,
    confidence_set,
    log_ways,
    set_aside,
)
from fairpairs.mathematics.inference.contrasts.score_statistic import (
    ROUNDING,
    score_statistic,
    sixth_of_skewness,
    with_skewness,
)

#: Steps that decide more and more tables: the rates in use, and how many standard deviations of
#: the successes of both samples around them.
STEPS = ((PLACES[GRID // 2, None], 1.5), (PLACES[[0, GRID // 2, -1]], 4.0), (PLACES, 5.0))
#: Tables that are bounded at once.
AT_ONCE = 250
#: Chances that are summed; the rest of a tail is at most a geometric series.
TERMS = 8
#: Share by which bounds must pass the level, far above what rounding changes.
APART = 1e-3


def are_different(
    successes_1: Integers, n_1: Integers, successes_2: Integers, n_2: Integers, level: ArrayLike
) -> NDArray[np.bool_]:
    """Return where the two-sided p of p1 = p2 is below a level, as by `binomial_differences`.

    >>> are_different(np.array([3, 8]), 20, 12, 20, 0.05)
    array([ True, False])
    """
    arrays = np.broadcast_arrays(successes_1, n_1, successes_2, n_2, level)
    k, n, other, m, alpha = (array.ravel() for array in arrays)
    with np.errstate(divide="ignore", invalid="ignore"):
        larger = k / n >= other / m  # the first sample has the larger rate
        k, n, other, m = np.where(larger, (k, n, other, m), (other, m, k, n))
        statistic, expected = score_statistic(k, other, n, m, 0.0)
        found = (expected >= LEAST_EXPECTED) & (2 * ndtr(-statistic) < alpha)
    unknown = np.flatnonzero((expected < LEAST_EXPECTED) & (statistic > 0))
    for places, reach in STEPS:
        undecided = []
        for start in range(0, len(unknown), AT_ONCE):
            part = unknown[start : start + AT_ONCE]
            table = k[part], n[part], other[part], m[part]
            missed = set_aside(alpha[part] / 2)
            below, above = _bounds(*table, statistic[part], missed, places, reach)
            found[part] = above < alpha[part] / 2
            undecided.append(part[(below < alpha[part] / 2) & ~found[part]])
        unknown = np.concatenate([*undecided, unknown[:0]])
    for row in unknown.tolist():
        contrast = BinomialContrast((int(k[row]), int(other[row])), (int(n[row]), int(m[row])))
        found[row] = contrast.pvalue() < alpha[row]
    return found.reshape(arrays[0].shape)


def _bounds(
    k: Integers,
    n: Integers,
    other: Integers,
    m: Integers,
    statistic: Floats,
    missed: Floats,
    places: Floats,
    reach: float,
) -> tuple[Floats, Floats]:
    """Return bounds of the one-sided p of equal rates, shape (t,); the first rate is larger."""
    both = n + m
    (low, high), (other_low, other_high) = (
        confidence_set(x, of, missed) for x, of in ((k, n), (other, m))
    )
    low, high = np.maximum(low, other_low), np.minimum(high, other_high)
    disjoint, low = low > high, np.minimum(low, high)
    rates = low + (high - low) * places[:, None]
    least, largest = rates[0], rates[-1]
    spread = reach * np.sqrt(both * np.stack([least * (1 - least), largest * (1 - largest)]))
    first = np.maximum(np.floor(both * least - spread[0]), 0)
    last = np.minimum(np.ceil(both * largest + spread[1]), both)
    total = first[:, None] + np.arange(int((last - first).max()) + 1)
    inside = total <= last[:, None]
    total = np.minimum(total, last[:, None])
    n, m, both = n[:, None], m[:, None], both[:, None]
    ways = log_ways(both, total)
    tail, rest = _tails(n, m, total, statistic[:, None], ways)
    tail, rest = np.where(inside, tail, 0), np.where(inside, rest, 0)
    means = np.zeros((2, len(k)))
    for rate in np.clip(rates, ROUNDING, 1 - ROUNDING)[:, :, None]:
        chance = np.exp(ways + total * np.log(rate) + (both - total) * np.log1p(-rate))
        means = np.maximum(means, [(chance * x).sum(axis=1) for x in (tail, tail + rest)])
    below, above = means
    if len(places) < GRID:
        above = (tail + rest).max(axis=1)
    above = above + missed + _beyond(first, last, both[:, 0], least, largest)
    whole = len(places) > 1  # else there are other rates
    return (
        np.where(disjoint, 0, below) * (1 - APART),
        np.where(disjoint | ~np.array(whole), 1, above) * (1 + APART),
    )


def _tails(
    n: Integers, m: Integers, total: Floats, statistic: Floats, ways: Floats
) -> tuple[Floats, Floats]:
    """Return the chance of as large a statistic given the successes of both samples, (t, totals).

    A part of it is summed; the second array is at least the rest. `ways` are those of the totals.
    """
    both = n + m
    # the statistic is the count of the first sample, standardized, less its skewness
    rate, statistic = total / both, statistic - ROUNDING * (1 + statistic)
    error = np.sqrt(rate * (1 - rate) * n * m / both)
    z = with_skewness(statistic, sixth_of_skewness(rate, rate, n, m))
    count = np.ceil(total * n / both + z * error)
    possible = (error > 0) & (count <= np.minimum(n, total))
    count = np.where(possible, count, np.maximum(total - m, 0))
    chance = np.exp(log_ways(n, count) + log_ways(m, total - count) - ways) * possible
    tail = chance.copy()
    for _ in range(TERMS):
        ratio = (n - count) * (total - count) / ((count + 1) * (m - total + count + 1))
        chance *= ratio
        tail += chance
        count += 1
    # ratios fall with the count
    ratio = np.where(chance > 0, ratio, 0)
    return tail, np.where(ratio < 1, chance * ratio / np.maximum(1 - ratio, ROUNDING), 1)


def _beyond(first: Floats, last: Floats, n: Integers, low: Floats, high: Floats) -> Floats:
    """Return at least the chance of a count before the first, or after the last, at any rate."""
    before = np.where(first > 0, 1 - betainc(np.maximum(first, 1), n - first + 1, low), 0)
    after = np.where(last < n, betainc(last + 1, np.maximum(n - last, 1), high), 0)
    return np.asarray(before + after)
