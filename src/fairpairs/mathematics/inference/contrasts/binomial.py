"""The difference of two independent binomial rates, tested against any value.

Where a sample has few successes or failures the test is exact: its p-value is the largest chance,
over both rates that differ by the null value, of counts as extreme by the score statistic.

References: R. L. Berger and D. D. Boos (1994), P values maximized over a confidence set for the
nuisance parameter; I. S. F. Chan and Z. Zhang (1999), Test-based exact confidence intervals for the
difference of two binomial proportions; J. Röhmel and U. Mansmann (1999), Unconditional
non-asymptotic one-sided tests for independent binomial proportions when the interest lies in
showing non-inferiority.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betainccinv, betaincinv, gammaln, ndtr, ndtri

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.inputs import Alternative
from fairpairs.mathematics.estimates.estimates import UNVARYING, Estimates, cohens_h
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.score_statistic import (
    ROUNDING,
    Numbers,
    score_statistic,
    sixth_of_skewness,
    uncorrected,
    with_skewness,
)
from fairpairs.mathematics.inference.rates import (
    FEW_EXPECTED,
    LEAST_EXPECTED as LEAST_EXPECTED_FOR_Z,
)

#: With fewer successes or failures expected in a sample, at the null value, the test is exact. With
#: as many, the size of the score test is at most 0.0521, by enumeration.
LEAST_EXPECTED = 400
#: The note where so few are expected that z would not be taken either.
EXACT = f"{FEW_EXPECTED}: exact test"
#: The nuisance rate lies in a confidence set that misses it with one of these chances, which p
#: contains: the first at levels of one side that are at least `LEAST_LEVEL` times it, and so on.
MISSED = (1e-6, 1e-10, 1e-14)
LEAST_LEVEL = 100
#: Values of the nuisance rate; a finer grid changes p by less than 0.0004.
GRID = 60
#: Their places between the least and the largest.
PLACES = (1 - np.cos(np.linspace(0, np.pi, GRID))) / 2
#: Standard deviations of a count on either side of its mean that sums go over, for each of these.
REACH = (7.0, 8.0, 9.0)
#: Up to so many times as many counts of the one sample, sums are quicker than the beta function.
BETA = 40
#: Shares of the way between two ends, denser near these.
SPACED = (1 - np.cos(np.linspace(0, np.pi, 80))) / 2
#: Counts that a search asks for: near a guess, and then as shares of what is left.
NEAR, SHARES = np.arange(-1.0, 3.0)[:, None], np.arange(1, 8)[:, None] / 8
#: Rates nearer to 0 or 1 have no logarithm.
SMALLEST_RATE = 1e-16
#: Tolerance of the ends of intervals, as a share of their distance from the estimate.
PRECISION = 1e-3
#: Most steps of a search for an end.
STEPS = 30
#: Parts into which a search for an end of the score test's interval cuts it, three times.
CELLS = 64


@dataclass(frozen=True)
class BinomialContrast(Contrast):
    """The difference of the rates of two independent binomial samples, first − second.

    >>> contrast = BinomialContrast((39, 41), (40, 42))
    >>> round(contrast.estimate, 4), round(contrast.within(0.2), 4)
    (-0.0012, 0.0005)
    """

    successes: tuple[int, int]
    trials: tuple[int, int]

    @property
    def estimate(self) -> float:  # type: ignore[override]  # no field here
        """The difference."""
        (k, other), (n, m) = self.successes, self.trials
        return k / n - other / m

    def tail(self, null: float, side: int) -> float:
        """Return the one-sided p-value of: the difference is `null` or less (side 1), or more."""
        return _pvalue(self.successes[::side], self.trials[::side], side * null)

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha: its ends have a one-sided p of alpha / 2."""
        return self.limit(alpha / 2, 1), self.limit(alpha / 2, -1)

    def limit(self, tail: float, side: int) -> float:
        """Return the difference whose p-value of one side is `tail`."""
        (k, other), (n, m) = self.successes[::side], self.trials[::side]
        # the same difference of the failures, as of an error rate, is computed once
        return side * _lower_limit(*min(((k, other), (n, m)), ((m - other, n - k), (m, n))), tail)

    def pvalue(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of: the difference is `null`."""
        if abs(self.estimate - null) < ROUNDING:
            return 1.0
        return min(1.0, 2 * self.tail(null, 1 if self.estimate >= null else -1))

    def _score_limit(self, quantile: float) -> float:
        """Return the difference below the estimate that has this score statistic."""
        low, high = -1.0, self.estimate
        for _ in range(3):  # the statistic falls with the difference
            # as numpy.linspace, which takes three times as long
            nulls = np.arange(CELLS + 1, dtype=np.float64) * ((high - low) / CELLS) + low
            nulls[-1] = high
            statistic = score_statistic(*self.successes, *self.trials, nulls)[0]
            index = min(max(int(np.searchsorted(-statistic, -quantile)), 1), CELLS)
            low, high = float(nulls[index - 1]), float(nulls[index])
        over, under = statistic[index - 1], statistic[index]
        share = (over - quantile) / (over - under) if np.isfinite(over) and over > under else 1.0
        return float(low + share * (high - low))


@lru_cache(maxsize=2**14)  # lines of an audit, and audits of a study, share tables
def _pvalue(successes: tuple[int, int], trials: tuple[int, int], null: float) -> float:
    """Return the one-sided p-value of: the difference is `null` or less."""
    if abs(null) >= 1:
        (k, other), (n, m) = successes, trials
        return float(null >= 1 or k / n - other / m <= null)
    statistic, expected = (float(x) for x in score_statistic(*successes, *trials, null))
    if expected >= LEAST_EXPECTED:
        return float(ndtr(-statistic))
    return chance_beyond(statistic - ROUNDING * (1 + abs(statistic)), successes, trials, null)


@lru_cache(maxsize=4096)
def _lower_limit(successes: tuple[int, int], trials: tuple[int, int], tail: float) -> float:
    """Return the difference whose one-sided p-value is `tail`.

    The exact p and that of the score statistic depend on the difference almost alike, so a step
    asks for the statistic that misses the quantile of `tail` by as much as the last one did.
    """
    contrast = BinomialContrast(successes, trials)
    if contrast.estimate == -1:
        return -1.0
    low, high = -1.0, contrast.estimate
    wanted = quantile = float(-ndtri(tail))
    null = contrast._score_limit(quantile)
    tolerance = PRECISION * (contrast.estimate - null)
    for _ in range(STEPS):
        pvalue = _pvalue(successes, trials, null)
        low, high = (null, high) if pvalue < tail else (low, null)
        apart = wanted + float(ndtri(pvalue))
        if abs(apart) <= PRECISION * wanted or high - low <= tolerance:
            return null
        quantile += apart
        null = contrast._score_limit(quantile) if quantile > 0 else (low + high) / 2
        if not low < null < high:  # a jump of the exact p
            null = (low + high) / 2
    return (low + high) / 2


def binomial_contrasts(
    successes_1: Integers, n_1: Integers, successes_2: Integers, n_2: Integers
) -> tuple[BinomialContrast | None, ...]:
    """Return the tests of p1 − p2 of tables of counts, taken flat; None for an empty sample."""
    counts = np.stack([np.ravel(x) for x in (successes_1, n_1, successes_2, n_2)], axis=-1)
    return tuple(
        BinomialContrast((k, other), (n, m)) if min(n, m) > 0 else None
        for k, n, other, m in counts.tolist()
    )


def binomial_differences(
    successes_1: Integers,
    n_1: Integers,
    successes_2: Integers,
    n_2: Integers,
    *,
    alpha: float,
    alternative: Alternative = "two-sided",
) -> tuple[Estimates, tuple[BinomialContrast | None, ...]]:
    """Test p1 = p2 of tables of counts, shape (t,), by their contrasts, which are returned too.

    So the interval leaves out 0 exactly where p < alpha; of one side it ends at ±1 on the other.
    `statistic` is the pooled z; `reason` reports a sample without a trial, p̂
    of 0 or 1 in both, and few expected counts.
    """
    contrasts = binomial_contrasts(successes_1, n_1, successes_2, n_2)
    limits, pvalue = np.full((len(contrasts), 2), np.nan), np.full(len(contrasts), np.nan)
    total, trials = successes_1 + successes_2, n_1 + n_2
    compared = np.minimum(n_1, n_2) > 0
    varying = (total > 0) & (total < trials)
    for index in np.flatnonzero(compared):
        contrast = contrasts[index]
        assert contrast is not None
        tail = alpha / 2 if alternative == "two-sided" else alpha
        low = -1.0 if alternative == "less" else contrast.limit(tail, 1)
        high = 1.0 if alternative == "greater" else contrast.limit(tail, -1)
        if varying[index]:
            pvalue[index] = contrast.equality(alternative)
        limits[index] = low, high
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = successes_1 / n_1, successes_2 / n_2
        expected = score_statistic(successes_1, successes_2, n_1, n_2, 0.0)[1]
        statistic = uncorrected(successes_1, successes_2, n_1, n_2, 0.0)[0]
    few = expected < LEAST_EXPECTED_FOR_Z
    lows, highs = agreeing_limits(first - second, *limits.T, rejected=pvalue < alpha)
    return Estimates(
        estimate=first - second,
        ci_low=lows,
        ci_high=highs,
        statistic=np.where(compared & varying & ~few, statistic, np.nan),
        pvalue=pvalue,
        n=trials,
        smallest_cell=np.minimum(n_1, n_2),
        reason=np.select([~compared, ~varying, few], ["empty cell", UNVARYING, EXACT], ""),
        effect_size=cohens_h(first, second),
    ), contrasts


def agreeing_limits(
    estimate: Floats, low: Floats, high: Floats, *, rejected: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return intervals that leave out 0 exactly where it is rejected, as ends have a tolerance.

    >>> low, high = np.array([-0.01, 0.02]), np.array([0.3, 0.4])
    >>> agreeing_limits(np.array([0.1, 0.2]), low, high, rejected=np.array([True, False]))
    (array([0.0001, 0.    ]), array([0.3, 0.4]))
    """
    least = PRECISION * estimate
    kept_low, kept_high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    moved_low = np.where(least > 0, np.maximum(low, least), low)
    moved_high = np.where(least > 0, high, np.minimum(high, least))
    return np.where(rejected, moved_low, kept_low), np.where(rejected, moved_high, kept_high)


def chance_beyond(
    statistic: float, successes: tuple[int, int], trials: tuple[int, int], null: float
) -> float:
    """Return the largest chance of a score statistic as large, over rates near the observed.

    It is the least level at which the test rejects. The chance that is set aside falls with the
    level, so the sets grow, and a test that rejects at a level does so at all higher ones.
    """
    (k, other), (n, m) = successes, trials
    known = 1.0
    for missed in MISSED:
        tails = _tails(successes, trials, null, missed)
        if tails is None:
            pvalue = missed if k / n - other / m > null else 1.0
        else:
            pvalue = tails.largest(statistic) + missed
        if pvalue >= LEAST_LEVEL * missed:
            break
        known = LEAST_LEVEL * missed
    return min(pvalue, known)


def set_aside(level: ArrayLike) -> Floats:
    """Return the chance that is set aside at levels of one side.

    >>> set_aside([0.025, 1e-5, 1e-9])
    array([1.e-06, 1.e-10, 1.e-14])
    """
    some = [np.asarray(level) >= LEAST_LEVEL * missed for missed in MISSED]
    return np.asarray(np.select(some, MISSED, MISSED[-1]))


@dataclass(frozen=True)
class _Tails:
    """The chances of counts at rates of the second sample, shape (rates,), that differ by null."""

    trials: tuple[int, int]
    null: float
    #: The rates of the first sample, and the counts of both that have a chance.
    upper: Floats
    firsts: Floats
    seconds: Floats
    #: The chances of the counts of the second sample, shape (rates, seconds); of the first sample
    #: those of at least a count, shape (rates, firsts + 1), or None where there are very many.
    chances: Floats
    sums: Floats | None

    @classmethod
    def at(
        cls, trials: tuple[int, int], null: float, rates: Floats, seconds: Floats, reach: float
    ) -> _Tails:
        """Compute the chances."""
        (n, m), upper = trials, np.minimum(np.maximum(rates + null, 0), 1)
        firsts, sums = _window(n, upper, reach), None
        if len(firsts) < BETA * len(seconds):
            sums = np.zeros((len(upper), len(firsts) + 1))
            np.cumsum(_chances(n, upper, firsts)[:, ::-1], axis=1, out=sums[:, -2::-1])
        return cls(trials, null, upper, firsts, seconds, _chances(m, rates, seconds), sums)

    def largest(self, statistic: float) -> float:
        """Return the largest chance of a statistic as large.

        For each count of the second sample, a statistic as large has at least some count in the
        first sample, for it grows with that (Röhmel and Mansmann 1999).
        """
        n, least = self.trials[0], self._least(statistic)
        if self.sums is not None:
            tail = self.sums[:, (least - self.firsts[0]).astype(np.int64)]
        else:
            k = np.maximum(least, 1)
            above = betainc(k, np.maximum(n - k + 1, 1), self.upper[:, None])
            tail = np.where(least > 0, above, 1.0)
            tail[:, least > n] = 0
        return float((self.chances * tail).sum(axis=1).max())

    @np.errstate(invalid="ignore")
    def _least(self, statistic: float) -> Floats:
        """Return the least count of the first sample with a statistic as large, for each second."""
        (n, m), null, seconds = self.trials, self.null, self.seconds
        # counts with this statistic, by the rates that are likeliest with it
        start, end = max(0.0, -null), min(1.0, 1 - null)
        others = start + (end - start) * SPACED
        rates = others + null
        one, two = rates * (1 - rates) / n, others * (1 - others) / m
        scale = with_skewness(np.asarray(statistic), sixth_of_skewness(rates, others, n, m))
        scale = scale / np.sqrt(np.maximum(one + two, SMALLEST_RATE))
        guess = np.interp(seconds, m * (others - scale * two), n * (rates + scale * one))
        below = np.full(len(seconds), self.firsts[0] - 1)
        least: Floats = np.full(len(seconds), self.firsts[-1] + 1)
        cuts = np.floor(guess) + NEAR
        while True:
            cuts = np.fmax(np.fmin(cuts, least - 1), below)
            # a cut may fall on the lower end, which is known
            found = (score_statistic(cuts, seconds, n, m, null)[0] >= statistic) & (cuts > below)
            below = np.where(found, below, cuts).max(axis=0)
            least = np.where(found, cuts, least).min(axis=0)
            width = least - below
            if width.max() <= 1:
                return least
            cuts = np.floor(below + width * SHARES)


@lru_cache(maxsize=8)  # a search for a critical value asks for the same chances
def _tails(
    successes: tuple[int, int], trials: tuple[int, int], null: float, missed: float
) -> _Tails | None:
    """Return the chances at likely rates that differ by `null`; None where none are likely."""
    (k, other), (n, m) = successes, trials
    reach = REACH[MISSED.index(missed)]
    (low_1, high_1), (low_2, high_2) = _likely(k, n, missed), _likely(other, m, missed)
    low = max(low_1 - null, low_2, -null, 0.0)
    high = min(high_1 - null, high_2, 1 - null, 1.0)
    if low > high:
        return None
    rates = low + (high - low) * PLACES
    others = np.minimum(np.maximum(1 - rates - null, 0), 1)  # beyond by rounding
    windows = _window(m, rates, reach), _window(n, others, reach)
    if len(windows[0]) <= len(windows[1]):
        return _Tails.at((n, m), null, rates, windows[0], reach)
    # the failures of the second sample are to those of the first as successes are the other way
    return _Tails.at((m, n), null, others, windows[1], reach)


def _chances(n: int, rates: Floats, counts: Floats) -> Floats:
    """Return the binomial probabilities of counts at rates, shape (rates, counts)."""
    rates = np.minimum(np.maximum(rates, SMALLEST_RATE), 1 - SMALLEST_RATE)[:, None]
    ways = log_ways(n, counts)
    return np.asarray(np.exp(ways + counts * np.log(rates) + (n - counts) * np.log1p(-rates)))


def log_ways(n: Numbers, k: Numbers) -> Floats:
    """Return the logarithm of the number of ways to choose k of n."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def confidence_set(
    k: Integers | int, n: Integers | int, missed: Floats | float
) -> tuple[Floats, Floats]:
    """Return Clopper and Pearson's intervals of rates, which both samples miss with a chance."""
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, missed / 4), 0)
    high = np.where(k < n, betainccinv(k + 1, np.maximum(n - k, 1), missed / 4), 1)
    return low, high


@lru_cache(maxsize=256)
def _likely(k: int, n: int, missed: float) -> tuple[float, float]:
    """Return the interval of one rate."""
    low, high = confidence_set(k, n, missed)
    return float(low), float(high)


def _window(n: int, rates: Floats, reach: float) -> Floats:
    """Return the counts of n trials that have a chance at any of the rates."""
    mean = n * rates
    width = reach * np.sqrt(mean * (1 - rates)) + 10
    low, high = max(float((mean - width).min()), 0), min(float((mean + width).max()), n)
    return np.arange(math.floor(low), math.ceil(high) + 1, dtype=float)
