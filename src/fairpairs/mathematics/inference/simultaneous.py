"""Intervals of many differences of two rates that cover all of them together.

One of thousands of intervals has to miss as rarely as once in 10^5 times. There Wilson's limits,
and so Newcombe's intervals, miss up to a thousand times as often in small samples. So the limits of
each rate are exact. Two exact limits are put together by MOVER where all counts are large, and
else one above the other, which misses at most as often as either limit.

References: C. J. Clopper and E. S. Pearson (1934), The use of confidence or fiducial limits
illustrated in the case of the binomial; G. Y. Zou and A. Donner (2008), Construction of confidence
limits about effect measures; C. E. Bonferroni (1936), Teoria statistica delle classi e calcolo
delle probabilità.
"""

import numpy as np
from scipy.special import ndtri

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.mover import (
    clopper_pearson_limits,
    sum_limits,
    wilson_limits,
)

#: With fewer successes, or failures, in a sample, MOVER misses too often in the far tail. With as
#: many an interval of 1 − 2.5e-5 misses at most 0.95 times that often, by enumeration.
FEW = 40


def simultaneous_limits(
    successes_1: Integers, n_1: Integers, successes_2: Integers, n_2: Integers, *, alpha: float
) -> tuple[Floats, Floats]:
    """Return intervals of p1 − p2, shape (m,), that all cover together with a chance of 1 − alpha.

    Each covers 1 − alpha / m (Bonferroni); NaN where a sample has no trial, which does not count.
    """
    counts = [np.asarray(x, dtype=np.float64) for x in (successes_1, n_1, successes_2, n_2)]
    some = (counts[1] > 0) & (counts[3] > 0)
    low, high = np.full(len(some), np.nan), np.full(len(some), np.nan)
    if some.any():
        k1, m1, k2, m2 = (x[some] for x in counts)
        low[some], high[some] = _limits(k1, m1, k2, m2, alpha / some.sum())
    return low, high


def _limits(k1: Floats, m1: Floats, k2: Floats, m2: Floats, alpha: float) -> tuple[Floats, Floats]:
    few = np.minimum(np.minimum(k1, m1 - k1), np.minimum(k2, m2 - k2)) < FEW
    # one of two limits misses: each has half of the chance
    quantile = -ndtri(np.where(few, alpha / 4, alpha / 2))
    p1, p2 = k1 / m1, k2 / m2
    (low_1, high_1), (low_2, high_2) = (
        _exact_limits(p, m, quantile) for p, m in ((p1, m1), (p2, m2))
    )
    values, lows, highs = (
        np.stack(pair, axis=-1) for pair in ((p1, p2), (low_1, low_2), (high_1, high_2))
    )
    low, high = sum_limits(values, lows, highs, np.array([1.0, -1.0]))
    low, high = np.where(few, low_1 - high_2, low), np.where(few, high_1 - low_2, high)
    return np.maximum(low, -1), np.minimum(high, 1)


def _exact_limits(rate: Floats, trials: Floats, quantile: Floats) -> tuple[Floats, Floats]:
    """Return Clopper and Pearson's limits; Wilson's where their computation fails (10^9 trials)."""
    low, high = clopper_pearson_limits(rate, trials, quantile)
    near_low, near_high = wilson_limits(rate, trials, quantile)
    failed = (low > rate) | (high < rate)
    return np.where(failed, near_low, low), np.where(failed, near_high, high)
