"""The difference of two independent binomial rates, tested against any value.

Wald's test, and to a lesser degree any normal approximation, of one side rejects too often where a
sample has few successes or failures. So the test there is exact: its p-value is the largest chance,
over both rates that differ by the null value, of counts as extreme by the score statistic.

References
----------
C. P. Farrington and G. Manning (1990), Test statistics and sample size formulae for comparative
binomial trials with null hypothesis of non-zero risk difference; R. L. Berger and D. D. Boos
(1994), P values maximized over a confidence set for the nuisance parameter; I. S. F. Chan and
Z. Zhang (1999), Test-based exact confidence intervals for the difference of two binomial
proportions; J. Röhmel and U. Mansmann (1999), Unconditional non-asymptotic one-sided tests for
independent binomial proportions when the interest lies in showing non-inferiority.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv, gammaln, ndtr

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.contrast import Contrast

#: Numbers of several tables, or of one.
Numbers = Floats | Integers | float
#: With fewer successes or failures expected in a sample, at the null value, the test is exact. With
#: as many, the size of the score test is at most 0.0521, by enumeration.
LEAST_EXPECTED = 400
#: The nuisance rate lies in a confidence set that misses it with this chance, which p contains.
MISSED = 1e-6
#: Values of the nuisance rate; a finer grid changes p by less than 0.0004.
GRID = 60
#: Standard deviations of a count on either side of its mean that sums go over.
REACH = 7.0
#: Up to so many times as many counts of the one sample, sums are quicker than the beta function.
BETA = 40
#: Rates nearer to 0 or 1 have no logarithm.
SMALLEST_RATE = 1e-16
#: Statistics of equally extreme counts may differ by rounding.
ROUNDING = 1e-9
#: Tolerance of the ends of intervals, as a share of their distance from the estimate.
PRECISION = 1e-3
#: First step from an end of the score test's interval to the exact one, as such a share.
NEAR = 1 / 32
#: Tolerance of the ends of the score test's intervals.
FINEST = 1e-9


@dataclass(frozen=True)
class BinomialContrast(Contrast):
    """The difference of the rates of two independent binomial samples, first − second.

    >>> contrast = BinomialContrast((39, 41), (40, 42))
    >>> round(contrast.estimate, 4), round(contrast.within(0.2), 4)
    (-0.0012, 0.0014)
    """

    successes: tuple[int, int]
    trials: tuple[int, int]

    @property
    def estimate(self) -> float:  # type: ignore[override]  # no field here
        """The difference."""
        (k, other), (n, m) = self.successes, self.trials
        return k / n - other / m

    def pvalue_above(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or less."""
        return self._pvalue(null, exact=True)

    def pvalue_below(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or more."""
        return self._swapped.pvalue_above(-null)

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha: its ends have a one-sided p of alpha / 2."""
        return self._lower_limit(alpha / 2), -self._swapped._lower_limit(alpha / 2)

    @property
    def _swapped(self) -> BinomialContrast:
        """Second − first."""
        return BinomialContrast(self.successes[::-1], self.trials[::-1])

    def _pvalue(self, null: float, *, exact: bool) -> float:
        """Return the one-sided p-value of: the difference is `null` or less."""
        if abs(null) >= 1:
            return float(null >= 1 or self.estimate <= null)
        statistic, expected = score_statistic(*self.successes, *self.trials, null)
        if expected >= LEAST_EXPECTED or not exact:
            return float(ndtr(-statistic))
        return exact_pvalue(self.successes, self.trials, null)

    def _lower_limit(self, tail: float) -> float:
        """Return the difference whose one-sided p-value is `tail`."""
        from scipy.optimize import brentq  # noqa: PLC0415  (slow)

        def search(low: float, high: float, precision: float, *, exact: bool) -> float:
            def over(null: float) -> float:
                return self._pvalue(null, exact=exact) - tail

            return float(brentq(over, low, high, xtol=precision))

        if self.estimate == -1:
            return -1.0
        # the score test's limit is near that of the exact test
        near = search(-1, self.estimate, FINEST, exact=False)
        apart = self.estimate - near
        step, low, high = NEAR * apart, near, near
        while self._pvalue(low, exact=True) > tail:
            low, step = max(low - step, -1.0), 4 * step
        while self._pvalue(high, exact=True) < tail:
            high, step = min(high + step, self.estimate), 4 * step
        return search(low, high, PRECISION * apart, exact=True) if low < high else near


def binomial_contrasts(
    successes_1: Integers, n_1: Integers, successes_2: Integers, n_2: Integers
) -> tuple[BinomialContrast | None, ...]:
    """Return the tests of p1 − p2 of tables of counts, taken flat; None for an empty sample."""
    counts = np.stack([np.ravel(x) for x in (successes_1, n_1, successes_2, n_2)], axis=-1)
    return tuple(
        BinomialContrast((k, other), (n, m)) if min(n, m) > 0 else None
        for k, n, other, m in counts.tolist()
    )


def score_statistic(
    successes: Numbers, other: Numbers, n: Numbers, m: Numbers, null: float
) -> tuple[Floats, Floats]:
    """Return the score statistic of first − second = `null`, and the fewest expected counts.

    The counts are successes or failures. The variance has the rates that are most likely of those
    that differ by `null` (Farrington and Manning 1990, equation 5 and their appendix).
    """
    first, second = np.asarray(successes) / n, np.asarray(other) / m
    # the restricted rate solves a cubic: a p³ + b p² + c p + d = 0
    theta = m / n
    a = 1 + theta
    b = -(1 + theta + first + theta * second + null * (theta + 2)) / (3 * a)
    c = (null**2 + null * (2 * first + theta + 1) + first + theta * second) / (3 * a)
    d = -first * null * (1 + null) / (2 * a)
    v = b**3 - 1.5 * b * c + d
    u = np.copysign(np.sqrt(np.maximum(b**2 - c, 0)), v)
    with np.errstate(invalid="ignore", divide="ignore"):
        angle = np.where(u != 0, np.arccos(np.clip(v / u**3, -1, 1)), 0.0)
    p = 2 * u * np.cos((np.pi + angle) / 3) - b
    p = np.clip(p, max(null, 0.0), min(1 + null, 1.0))
    q = np.clip(p - null, 0, 1)
    error = np.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    apart = first - second - null
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = np.where(np.abs(apart) < ROUNDING, 0.0, apart / error)
    expected = np.minimum(n * np.minimum(p, 1 - p), m * np.minimum(q, 1 - q))
    return statistic, expected


def exact_pvalue(successes: tuple[int, int], trials: tuple[int, int], null: float) -> float:
    """Return the exact one-sided p-value of: the difference first − second is `null` or less."""
    observed = float(score_statistic(*successes, *trials, null)[0])
    return chance_beyond(observed - ROUNDING * (1 + abs(observed)), successes, trials, null)


def chance_beyond(
    statistic: float, successes: tuple[int, int], trials: tuple[int, int], null: float
) -> float:
    """Return the largest chance of a score statistic as large, over rates near the observed."""
    (k, other), (n, m) = successes, trials
    ends = [_confidence_set(k, n), _confidence_set(other, m)]
    low = max(ends[0][0] - null, ends[1][0], -null, 0.0)
    high = min(ends[0][1] - null, ends[1][1], 1 - null, 1.0)
    if low > high:
        return MISSED if k / n - other / m > null else 1.0
    rates = low + (high - low) * (1 - np.cos(np.linspace(0, np.pi, GRID))) / 2
    others = np.clip(1 - rates - null, 0, 1)  # beyond by rounding
    windows = _window(m, rates), _window(n, others)
    if len(windows[0]) <= len(windows[1]):
        return _largest_tail(statistic, n, m, null, rates, windows[0])
    # the failures of the second sample are to those of the first as successes are the other way
    return _largest_tail(statistic, m, n, null, others, windows[1])


def _largest_tail(
    statistic: float, n: int, m: int, null: float, rates: Floats, counts: Floats
) -> float:
    """Return the largest chance of a statistic as large, over rates of the second sample.

    `counts` are those of the second sample. For each, a statistic as large has at least some count
    in the first sample, for it grows with that (Röhmel and Mansmann 1999).
    """
    upper = np.clip(rates + null, 0, 1)
    firsts = _window(n, upper)
    below = np.full(len(counts), firsts[0] - 1)
    least = np.full(len(counts), firsts[-1] + 1)
    while (least - below).max() > 1:
        middle = np.floor((below + least) / 2)
        extreme = score_statistic(middle, counts, n, m, null)[0] >= statistic
        # a bracket that is one wide stays
        open_ = least - below > 1
        least, below = (
            np.where(open_ & extreme, middle, least),
            np.where(open_ & ~extreme, middle, below),
        )
    if len(firsts) < BETA * len(counts):
        sums = np.cumsum(_chances(n, upper, firsts)[:, ::-1], axis=1)[:, ::-1]
        tail = np.pad(sums, ((0, 0), (0, 1)))[:, (least - firsts[0]).astype(np.int64)]
    else:
        k = np.maximum(least, 1)
        tail = np.where(least > 0, betainc(k, np.maximum(n - k + 1, 1), upper[:, None]), 1.0)
        tail[:, least > n] = 0
    chance = _chances(m, rates, counts)
    return float(min((chance * tail).sum(axis=1).max() + MISSED, 1.0))


def _chances(n: int, rates: Floats, counts: Floats) -> Floats:
    """Return the binomial probabilities of counts at rates, shape (rates, counts)."""
    rates = np.clip(rates, SMALLEST_RATE, 1 - SMALLEST_RATE)[:, None]
    ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    return np.asarray(np.exp(ways + counts * np.log(rates) + (n - counts) * np.log1p(-rates)))


def _confidence_set(k: int, n: int) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a rate, which both samples miss with `MISSED`."""
    low = float(betaincinv(k, n - k + 1, MISSED / 4)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - MISSED / 4)) if k < n else 1.0
    return low, high


def _window(n: int, rates: Floats) -> Floats:
    """Return the counts of n trials that have a chance at any of the rates."""
    reach = REACH * np.sqrt(n * rates * (1 - rates)) + 10
    low, high = max(float((n * rates - reach).min()), 0), min(float((n * rates + reach).max()), n)
    return np.arange(np.floor(low), np.ceil(high) + 1)
