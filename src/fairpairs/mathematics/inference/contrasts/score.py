"""A sum of rates, each times a number, tested against any value by the score statistic.

Its variance is that under the null value, so that a rate of 0 or 1 has one too, and the test keeps
its level where Wald's does not: with few successes, and with samples of unlike sizes.

References
----------
C. P. Farrington and G. Manning (1990), Test statistics and sample size formulae for comparative
binomial trials with null hypothesis of non-zero risk difference (two rates); A. Martín Andrés,
M. Álvarez Hernández and I. Herranz Tejedor (2011), Inferences about a linear combination of
proportions (any number).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.contrast import Contrast, student_quantile, student_tail
from fairpairs.mathematics.inference.ratios import ratio_limits

#: An estimate this near to a null value is equal to it.
ROUNDING = 1e-12
#: Doublings of the multiplier until the sum is at its end.
DOUBLINGS = 200


@dataclass(frozen=True, eq=False)
class ScoreContrast(Contrast):
    """A sum of rates, each times a number.

    >>> contrast = ScoreContrast(np.array([0.7, 0.6]), np.array([50, 100]), np.array([1, -1]))
    >>> [round(limit, 3) for limit in contrast.limits(0.05)], round(contrast.pvalue(), 3)
    ([-0.065, 0.25], 0.231)
    """

    rates: Floats
    #: The independent trials that each rate is worth, any numbers above 0.
    trials: Floats
    #: What each rate is multiplied by: 1 and −1 for a difference of two.
    factors: Floats
    #: Of the estimates of the rates, shape (L, L); None where they are independent.
    correlation: Floats | None = None
    df: float = np.inf

    @property
    def estimate(self) -> float:  # type: ignore[override]  # no field here
        """The sum."""
        return float(self.factors @ self.rates)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest sum that rates from 0 to 1 can have."""
        factors = self.factors
        return float(factors[factors < 0].sum()), float(factors[factors > 0].sum())

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        quantile = student_quantile(alpha / 2, self.df)
        return self._limit(quantile, 0), self._limit(quantile, 1)

    def ratio(self, alpha: float) -> tuple[float, float, float]:
        """Return the ratio of two rates and its interval of 1 − alpha; infinite for a rate of 0.

        NaN where both rates are 0.
        """
        (first, second), shared = self.rates, self.correlation
        trials, quantile = (self.trials[0], self.trials[1]), student_quantile(alpha / 2, self.df)
        correlation = 0.0 if shared is None else shared[0, 1]
        low, high = ratio_limits(first, second, trials, quantile, correlation)
        ratio = first / second if second > 0 else (np.inf if first > 0 else np.nan)
        return float(ratio), float(low), float(high)

    def pvalue_above(self, null: float) -> float:
        """Return the one-sided p-value of: the sum is `null` or less."""
        return student_tail(self._statistic(null), self.df)

    def pvalue_below(self, null: float) -> float:
        """Return the one-sided p-value of: the sum is `null` or more."""
        return student_tail(-self._statistic(null), self.df)

    def _limit(self, quantile: float, end: int) -> float:
        """Return the null value whose statistic is the quantile: below the estimate, or above."""
        sign, estimate = 1 - 2 * end, self.estimate

        def short(multiplier: float) -> float:
            rates = self._restricted(sign * multiplier)
            apart = abs(estimate - float(self.factors @ rates))
            # a rate of 0 or 1 stays there for small multipliers
            return apart - quantile * self._error(rates) if apart > 0 else -1.0

        if estimate == self.ends[end]:
            return estimate
        return float(self.factors @ self._restricted(sign * _root(short, self.trials.max())))

    def _statistic(self, null: float) -> float:
        """Return how many standard errors the estimate lies above a null value."""
        apart, (least, most) = self.estimate - null, self.ends
        if abs(apart) <= ROUNDING:
            return 0.0
        if null <= least or null >= most:
            return float(np.copysign(np.inf, apart))
        sign = 1.0 if apart > 0 else -1.0

        def short(multiplier: float) -> float:
            return sign * (null - float(self.factors @ self._restricted(sign * multiplier)))

        rates = self._restricted(sign * _root(short, self.trials.max()))
        return apart / self._error(rates)

    def _restricted(self, multiplier: float) -> Floats:
        """Return the most likely rates whose sum is some null value, by Lagrange's multiplier.

        They solve trials (rates − p) = multiplier factors p (1 − p), a quadratic each.
        """
        found = []
        for factor, trials, rate in self._terms:  # of so few, arrays take three times as long
            slope = multiplier * factor
            half = slope + trials
            root = math.sqrt(max(half * half - 4 * slope * trials * rate, 0.0))
            p = 2 * trials * rate / (half + root) if half > 0 else (half - root) / (2 * slope)
            found.append(min(max(p, 0.0), 1.0))
        return np.array(found)

    @cached_property
    def _terms(self) -> list[tuple[float, float, float]]:
        terms = zip(self.factors, self.trials, self.rates, strict=True)
        return [(float(factor), float(trials), float(rate)) for factor, trials, rate in terms]

    def _error(self, rates: Floats) -> float:
        """Return the standard error of the estimate if these are the rates."""
        errors = self.factors * np.sqrt(rates * (1 - rates) / self.trials)
        shared = errors if self.correlation is None else self.correlation @ errors
        return float(np.sqrt(max(float(errors @ shared), 0.0)))


def _root(short: Callable[[float], float], start: float) -> float:
    """Return where a function that is negative at first, and then rises, is 0."""
    from scipy.optimize import brentq  # noqa: PLC0415  (slow)

    short, high = cache(short), start  # the search asks for its ends again
    for _ in range(DOUBLINGS):
        if short(high) > 0:
            break
        high *= 2
    else:
        return high
    return float(brentq(short, 0.0, high, xtol=1e-12 * high, rtol=1e-14))
