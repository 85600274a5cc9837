"""Many tables of two rates at once: Fisher's test, simultaneous intervals, rates within strata.

docs/explanation/methods.md, "Many groups", has the p-values and the intervals, and why they are
exact. The tails of Fisher's test are sums of ratios of consecutive chances, without logarithms, so
that they are the same on every machine. The weights of strata are those of
`sampling/controlled.py`, from which the variance is too.

References: R. A. Fisher (1935), The logic of inductive inference; C. J. Clopper and E. S. Pearson
(1934), The use of confidence or fiducial limits illustrated in the case of the binomial; G. Y. Zou
and A. Donner (2008), Construction of confidence limits about effect measures; N. Mantel and W.
Haenszel (1959), Statistical aspects of the analysis of data from retrospective studies of disease;
C. R. Mehta, N. R. Patel and R. Gray (1985), Computing an exact confidence interval for the common
odds ratio in several 2 × 2 contingency tables.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, gammainc, gammaincc, ndtr, ndtri

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.contrasts.score_statistic import score_statistic
from fairpairs.mathematics.inference.rates import clopper_pearson_limits, sum_limits, wilson_limits
from fairpairs.mathematics.inference.sampling.controlled import LEAST_UNITS
from fairpairs.mathematics.inference.sampling.gaps import HALF_KNOWN_RATES, share_known

#: With as many items expected in each cell, the pooled z is as good: at p = 1e-6 the upper tail of
#: rare outcomes is a quarter larger than the normal one, the lower tail as much smaller.
MOST_EXPECTED = 10_000
#: Where chances exceed that of the observed count by this factor, its tail is 0.
LARGEST = 1e280
#: Chances below this share of a sum do not change it.
LEAST = 1e-17
#: With fewer successes, or failures, in a sample, MOVER misses too often in the far tail. With as
#: many an interval of 1 − 2.5e-5 misses at most 0.95 times that often, by enumeration.
FEW = 40
#: With a smaller variance the distribution of the sum is exact.
EXACT_VARIANCE = 100
#: Chances below it are left out.
LEAST_CHANCE = 1e-100
#: With a smaller skewness the normal distribution is as good.
LEAST_SKEWNESS = 1e-3


def exact_pvalues(
    successes_1: Integers, n_1: Integers, successes_2: Integers, n_2: Integers
) -> Floats:
    """Return two-sided p-values of p1 = p2: twice the smaller tail of Fisher's test, at most 1.

    With 10,000 items or more expected in each cell it is that of the pooled z; NaN without a trial.
    """
    k1, m1, k2, m2 = (np.asarray(x, dtype=np.int64) for x in (successes_1, n_1, successes_2, n_2))
    some = (m1 > 0) & (m2 > 0)
    z, expected = score_statistic(k1, k2, m1, m2, 0.0)
    exact = some & (expected < MOST_EXPECTED)
    pvalue = np.where(some, 2 * ndtr(-np.abs(z)), np.nan)
    table = [x[exact] for x in (k1, m1 - k1, k2, m2 - k2)]
    # the tails of the successes in the first sample, given all margins, and of the failures
    above, below = _beyond(*table), _beyond(table[1], table[0], table[3], table[2])
    with np.errstate(over="ignore"):
        total = above + below - 1
    pvalue[exact] = np.minimum(1, 2 * np.minimum(above, below) / total)
    return pvalue


def _beyond(k: Integers, failures: Integers, other: Integers, other_failures: Integers) -> Floats:
    """Return the chance of at least k successes, divided by that of k; infinite above LARGEST."""
    total = np.ones(len(k))
    term, row = np.ones(len(k)), np.arange(len(k))
    a, b, c, d = (x.astype(float) for x in (k, failures, other, other_failures))
    while len(row):
        # one more success in the first sample, one less in the second
        term = term * (b * c) / ((a + 1) * (d + 1))
        total[row] += term
        a, b, c, d = a + 1, b - 1, c - 1, d + 1
        large = term > LARGEST
        # the chances fall from the mode on
        done = large | (term <= LEAST * total[row]) & (b * c <= (a + 1) * (d + 1))
        if done.any():
            total[row[large]] = np.inf
            term, row, a, b, c, d = (x[~done] for x in (term, row, a, b, c, d))
    return total


def simultaneous_limits(
    successes_1: Integers, n_1: Integers, successes_2: Integers, n_2: Integers, *, alpha: float
) -> tuple[Floats, Floats]:
    """Return intervals of p1 − p2, shape (m,), that all cover together with a chance of 1 − alpha.

    Each covers 1 − alpha / m (Bonferroni); NaN where a sample has no trial, which does not count.
    """
    counts = [np.asarray(x, dtype=np.float64) for x in (successes_1, n_1, successes_2, n_2)]
    some = (counts[1] > 0) & (counts[3] > 0)
    k1, m1, k2, m2 = (x[some] for x in counts)
    tail = alpha / max(some.sum(), 1) / 2
    few = np.minimum(np.minimum(k1, m1 - k1), np.minimum(k2, m2 - k2)) < FEW
    # one of two limits misses: each has half of the chance
    quantile = -ndtri(np.where(few, tail / 2, tail))
    p1, p2 = k1 / m1, k2 / m2
    limits = _exact_limits(p1, m1, quantile), _exact_limits(p2, m2, quantile)
    (low_1, high_1), (low_2, high_2) = limits
    lows, highs = np.stack(limits, axis=-1)
    below, above = sum_limits(np.stack([p1, p2], axis=-1), lows, highs, np.array([1.0, -1.0]))
    low, high = np.full(len(some), np.nan), np.full(len(some), np.nan)
    low[some] = np.maximum(np.where(few, low_1 - high_2, below), -1)
    high[some] = np.minimum(np.where(few, high_1 - low_2, above), 1)
    return low, high


def _exact_limits(rate: Floats, trials: Floats, quantile: Floats) -> tuple[Floats, Floats]:
    """Return Clopper and Pearson's limits; Wilson's where their computation fails (10^9 trials)."""
    low, high = clopper_pearson_limits(rate, trials, quantile)
    near_low, near_high = wilson_limits(rate, trials, quantile)
    failed = (low > rate) | (high < rate)
    return np.where(failed, near_low, low), np.where(failed, near_high, high)


@dataclass(frozen=True)
class StratifiedRates:
    """Rates of groups and of everyone else in the same mix of strata, (G,), or NaN."""

    first: Floats
    second: Floats
    #: The independent trials that each rate is worth; 0 where there is none.
    trials_first: Floats
    trials_second: Floats
    #: Variance of the difference if there is none in any stratum.
    variance: Floats
    pvalue: Floats
    #: p-value of: the difference is the same in all strata (Cochran's Q).
    heterogeneity: Floats


def stratified_rates(
    successes_1: Integers,
    n_1: Integers,
    successes_2: Integers,
    n_2: Integers,
    group: Integers,
    groups: int,
) -> StratifiedRates:
    """Return the rates of `groups` groups from their strata, shape (R,), each of a `group`."""
    both = (n_1 > 0) & (n_2 > 0)
    k1, m1, k2, m2 = (x[both].astype(float) for x in (successes_1, n_1, successes_2, n_2))
    index, whole, successes = group[both], m1 + m2, k1 + k2

    def summed(values: Floats) -> Floats:
        return np.bincount(index, values, groups).astype(float)

    total = summed(m1 * m2 / whole)
    with np.errstate(invalid="ignore", divide="ignore"):
        first, second = (
            np.clip(summed(k) / total, 0, 1) for k in (k1 * m2 / whole, k2 * m1 / whole)
        )
        chance = successes * (whole - successes) / (whole * np.maximum(whole - 1, 1))
        variance = m1 * m2 / whole * chance
        apart = (first - second)[index]
        trials = []
        for rate, k, m, other, sign in ((first, k1, m1, m2, 1), (second, k2, m2, m1, -1)):
            share = other / whole
            fitted = successes / whole + sign * apart * share
            # of the items of a stratum, all but one vary about its constant
            squares = (k * (1 - fitted) ** 2 + (m - k) * fitted**2) * whole / (whole - 1)
            spread, units = (summed(share**2 * x) / total**2 for x in (squares, m))
            # the trials as `effective_trials`; by the units if all are alike
            scale = rate * (1 - rate)
            scaled = np.where(scale > 0, spread / scale, units)
            events = np.where(scaled > 0, scale / (1 - 2 * rate) ** 2 / scaled, 0.0)
            known = share_known(events, HALF_KNOWN_RATES)
            trials.append(np.where(total > 0, 1 / (known * scaled + (1 - known) * units), 0.0))
        return StratifiedRates(
            first,
            second,
            trials[0],
            trials[1],
            summed(variance) / total**2,
            np.where(total > 0, _pvalues(k1, m1, m2, successes, index, groups), np.nan),
            _heterogeneity(k1, m1, k2, m2, index, groups),
        )


def _pvalues(
    k: Floats, m1: Floats, m2: Floats, successes: Floats, index: Integers, groups: int
) -> Floats:
    """Return twice the smaller tail of the successes of a group, at most 1, shape (G,)."""
    whole = m1 + m2
    variance = m1 * m2 * successes * (whole - successes) / (whole**2 * np.maximum(whole - 1, 1))
    third = (whole - 2 * m1) * (whole - 2 * successes) / (whole * np.maximum(whole - 2, 1))
    beyond, spread, skewed = (
        np.bincount(index, x, groups).astype(float)
        for x in (k - m1 * successes / whole, variance, variance * third)
    )
    skewness = skewed / spread**1.5
    pvalue = 2 * np.minimum(_above(beyond, spread, skewness), _above(-beyond, spread, -skewness))
    pvalue = np.where(spread > 0, np.minimum(pvalue, 1), 1.0)
    varying = np.flatnonzero((variance > 0) & (spread < EXACT_VARIANCE)[index])
    varying = varying[np.argsort(index[varying], kind="stable")]
    starts = np.flatnonzero(np.diff(index[varying], prepend=-1))
    for rows in np.split(varying, starts[1:]) if len(starts) else ():
        low, chances = 0, np.ones(1)
        for table in zip(m1[rows], m2[rows], successes[rows], strict=True):
            least, more = _hypergeometric(*table)
            low, chances = _trimmed(low + least, np.convolve(chances, more))
        place = int(k[rows].sum()) - low
        if 0 <= place < len(chances):
            tails = chances[place:].sum(), chances[: place + 1].sum()
            pvalue[index[rows[0]]] = min(1.0, 2 * min(tails))
    return pvalue


def _above(beyond: Floats, variance: Floats, skewness: Floats) -> Floats:
    """Return the chance that a sum is as far or farther above its mean; sums are whole numbers."""
    z = (beyond - 0.5) / np.sqrt(variance)
    normal = np.abs(skewness) < LEAST_SKEWNESS
    size = 1 / np.where(normal, 1.0, skewness) ** 2  # the mean of the Poisson number
    number = np.maximum(size + np.sign(skewness) * z * np.sqrt(size), 0)
    # a continuous one: half of a step is in z
    tail = np.where(skewness > 0, gammainc(number + 0.5, size), gammaincc(number + 0.5, size))
    return np.asarray(np.where(normal, ndtr(-z), tail))


def _hypergeometric(first: float, second: float, successes: float) -> tuple[int, Floats]:
    """Return the least number of successes in the first sample, and the chance of each one."""
    low, high = int(max(0, successes - second)), int(min(first, successes))
    x = np.arange(low, high, dtype=float)
    ratio = (first - x) * (successes - x) / ((x + 1) * (second - successes + x + 1))
    mode = int((ratio >= 1).sum())
    chances = np.concatenate(
        [np.cumprod(1 / ratio[:mode][::-1])[::-1], [1.0], np.cumprod(ratio[mode:])]
    )
    return _trimmed(low, chances / chances.sum())


def _trimmed(low: int, chances: Floats) -> tuple[int, Floats]:
    kept = np.flatnonzero(chances > LEAST_CHANCE)
    return low + int(kept[0]), chances[kept[0] : kept[-1] + 1]


def _heterogeneity(
    k1: Floats, m1: Floats, k2: Floats, m2: Floats, index: Integers, groups: int
) -> Floats:
    """Return the p-value of Cochran's Q, as `heterogeneity` of `sampling/controlled.py`."""
    spread = np.zeros(len(k1))
    for k, m in ((k1, m1), (k2, m2)):
        # a rate of 0 or 1 varies too
        rate = np.where((k == 0) | (k == m), (k + 1) / (m + 2), k / m)
        spread += rate * (1 - rate) / np.maximum(m - 1, 1)
    known = np.minimum(m1, m2) >= LEAST_UNITS
    weight = np.where(known, 1 / spread, 0.0)
    apart = k1 / m1 - k2 / m2
    center = np.bincount(index, weight * apart, groups) / np.bincount(index, weight, groups)
    statistic = np.bincount(index, weight * (apart - center[index]) ** 2, groups)
    strata = np.bincount(index, known, groups)
    return np.where(strata > 1, chdtrc(np.maximum(strata - 1, 1), statistic), np.nan)
