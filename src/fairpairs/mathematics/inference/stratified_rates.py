"""Differences of two rates within strata, of many groups at once, from counts.

A stratum of a group has n items of the group and n' of everyone else. Its difference has the weight
n n' / (n + n') (Mantel and Haenszel), as in `sampling/controlled.py`, from which the variance is
too. The p-value is that of Mantel and Haenszel's test given the totals of all strata: exact, as a
sum of independent hypergeometric numbers, where that varies little, and else by the Poisson number,
shifted and scaled, of the same mean, variance and third moment, which holds far in the tail.

References: N. Mantel and W. Haenszel (1959), Statistical aspects of the analysis of data from
retrospective studies of disease; C. R. Mehta, N. R. Patel and R. Gray (1985), Computing an exact
confidence interval for the common odds ratio in several 2 × 2 contingency tables.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy.special import chdtrc, gammainc, gammaincc, ndtr

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.sampling.controlled import LEAST_UNITS
from fairpairs.mathematics.inference.sampling.gaps import HALF_KNOWN_RATES, share_known

#: With a smaller variance the distribution of the sum is exact.
EXACT_VARIANCE = 100
#: Chances below this share of the largest one are left out.
LEAST = 1e-100
#: With a smaller skewness the normal distribution is as good.
LEAST_SKEWNESS = 1e-3


@dataclass(frozen=True)
class StratifiedRates:
    """The rates of groups and of everyone else, in the same mix of strata; NaN where none has both.

    All have the shape (G,).
    """

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
    """Return the rates of `groups` groups from their strata, shape (R,), each of the group `group`.

    >>> counts = (np.array(x) for x in ([8, 1], [10, 4], [6, 5], [10, 40]))
    >>> rates = stratified_rates(*counts, np.array([0, 0]), 1)
    >>> (rates.first - rates.second).round(4), rates.pvalue.round(4)
    (array([0.1684]), array([0.4281]))
    """
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
        for rate, k, m, share, sign in (
            (first, k1, m1, m2 / whole, 1),
            (second, k2, m2, m1 / whole, -1),
        ):
            fitted = successes / whole + sign * apart * share
            # of the items of a stratum, all but one vary about its constant
            squares = (k * (1 - fitted) ** 2 + (m - k) * fitted**2) * whole / (whole - 1)
            trials.append(
                _trials(
                    rate, summed(share**2 * squares) / total**2, summed(share**2 * m) / total**2
                )
            )
        some = total > 0
        return StratifiedRates(
            first,
            second,
            np.where(some, trials[0], 0.0),
            np.where(some, trials[1], 0.0),
            summed(variance) / total**2,
            np.where(some, _pvalues(k1, m1, m2, successes, index, groups), np.nan),
            _heterogeneity(k1, m1, k2, m2, index, groups),
        )


def _trials(rate: Floats, variance: Floats, units: Floats) -> Floats:
    """Return the trials that rates are worth, as `effective_trials` of `sampling/gaps.py` does.

    `units` is 1 / trials if the rate is the same in all strata.
    """
    scale = rate * (1 - rate)
    scaled = np.where(scale > 0, variance / scale, units)
    events = np.where(scaled > 0, scale / (1 - 2 * rate) ** 2 / scaled, 0.0)
    share = share_known(events, HALF_KNOWN_RATES)
    return np.asarray(1 / (share * scaled + (1 - share) * units))


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
        low, chances = reduce(
            _sum_of,
            (
                _hypergeometric(*row)
                for row in zip(m1[rows], m2[rows], successes[rows], strict=True)
            ),
        )
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


def _sum_of(one: tuple[int, Floats], other: tuple[int, Floats]) -> tuple[int, Floats]:
    return _trimmed(one[0] + other[0], np.convolve(one[1], other[1]))


def _trimmed(low: int, chances: Floats) -> tuple[int, Floats]:
    kept = np.flatnonzero(chances > LEAST)
    return low + int(kept[0]), chances[kept[0] : kept[-1] + 1]


def _heterogeneity(
    k1: Floats, m1: Floats, k2: Floats, m2: Floats, index: Integers, groups: int
) -> Floats:
    """Return the p-value of Cochran's Q, as `heterogeneity` of `sampling/controlled.py`."""
    spread = np.zeros(len(k1))
    for k, m in ((k1, m1), (k2, m2)):
        rate = np.where(
            (k == 0) | (k == m), (k + 1) / (m + 2), k / m
        )  # a rate of 0 or 1 varies too
        spread += rate * (1 - rate) / np.maximum(m - 1, 1)
    known = np.minimum(m1, m2) >= LEAST_UNITS
    weight = np.where(known, 1 / spread, 0.0)
    apart = k1 / m1 - k2 / m2
    center = np.bincount(index, weight * apart, groups) / np.bincount(index, weight, groups)
    statistic = np.bincount(index, weight * (apart - center[index]) ** 2, groups)
    strata = np.bincount(index, known, groups)
    return np.where(strata > 1, chdtrc(np.maximum(strata - 1, 1), statistic), np.nan)
