"""The difference of two rates or means, tested against any value, and against a margin.

A contrast knows its interval at any level, from which follow the p-value of each side of any null
value, whether it lies within a margin (two one-sided tests), and whether it is beyond it.

References
----------
D. J. Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach;
G. Y. Zou and A. Donner (2008), Construction of confidence limits about effect measures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from fairpairs.arrays import Floats
from fairpairs.fairness.mover import wilson_limits
from fairpairs.fairness.ratios import ratio_limits

#: The p-value of a larger quantile underflows.
LARGEST_QUANTILE = 38.0


class Contrast(ABC):
    """A difference that is estimated, with its tests."""

    estimate: float

    @abstractmethod
    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""

    @abstractmethod
    def pvalue_above(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or less."""

    @abstractmethod
    def pvalue_below(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or more."""

    def pvalue(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of: the difference is `null`."""
        return min(1.0, 2 * min(self.pvalue_above(null), self.pvalue_below(null)))

    def within(self, margin: float) -> float:
        """Return the p-value of: the difference lies at ±margin or beyond (two one-sided tests)."""
        return max(self.pvalue_above(-margin), self.pvalue_below(margin))

    def beyond(self, margin: float) -> float:
        """Return the p-value of: the difference lies within ±margin.

        It is twice the smaller of both sides, so that for a margin near 0 it is the two-sided one.
        """
        return min(1.0, 2 * min(self.pvalue_above(margin), self.pvalue_below(-margin)))


@dataclass(frozen=True)
class StudentContrast(Contrast):
    """A difference of means, by Student's t with any degrees of freedom (infinite: normal)."""

    estimate: float
    error: float
    df: float = np.inf

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        margin = _quantile(alpha / 2, self.df) * self.error
        return self.estimate - margin, self.estimate + margin

    def pvalue_above(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or less."""
        return _tail((self.estimate - null) / self.error, self.df)

    def pvalue_below(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or more."""
        return _tail((null - self.estimate) / self.error, self.df)


@dataclass(frozen=True, eq=False)
class MoverContrast(Contrast):
    """A sum of rates, each times a number, by Wilson's limits put together by their squares.

    Attributes
    ----------
    rates
        Shape (L,).
    trials
        The independent trials that each is worth, shape (L,).
    factors
        What each rate is multiplied by, shape (L,): 1 and −1 for a difference of two.
    correlation
        Of the estimates of the rates, shape (L, L); None where they are independent.
    df
        Degrees of freedom of Student's t, infinite for the normal distribution.

    Examples
    --------
    >>> contrast = MoverContrast(np.array([0.7, 0.6]), np.array([50, 100]), np.array([1, -1]))
    >>> [round(limit, 3) for limit in contrast.limits(0.05)]
    [-0.065, 0.247]
    """

    rates: Floats
    trials: Floats
    factors: Floats
    correlation: Floats | None = None
    df: float = np.inf

    @property
    def estimate(self) -> float:  # type: ignore[override]  # no field here
        """The sum."""
        return float(self.factors @ self.rates)

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        low, high = self._limits(_quantile(alpha / 2, self.df))
        least = float(self.factors[self.factors < 0].sum())
        most = float(self.factors[self.factors > 0].sum())
        return max(low, least), min(high, most)

    def ratio(self, alpha: float) -> tuple[float, float, float]:
        """Return the ratio of two rates and its interval of 1 − alpha; infinite for a rate of 0.

        NaN where both rates are 0.
        """
        (first, second), shared = self.rates, self.correlation
        low, high = ratio_limits(
            first, second, (self.trials[0], self.trials[1]), _quantile(alpha / 2, self.df),
            0.0 if shared is None else shared[0, 1],
        )  # fmt: skip
        ratio = first / second if second > 0 else (np.inf if first > 0 else np.nan)
        return float(ratio), float(low), float(high)

    def pvalue_above(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or less."""
        return _tail(self._statistic(null), self.df)

    def pvalue_below(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or more."""
        return _tail(-self._statistic(null), self.df)

    def _limits(self, quantile: float) -> tuple[float, float]:
        low, high = wilson_limits(self.rates, self.trials, quantile)
        down, up = self.factors * (self.rates - low), self.factors * (high - self.rates)
        # the end of each rate that makes the sum least, and most
        below = np.where(self.factors > 0, down, up)
        above = np.where(self.factors > 0, up, down)
        return self.estimate - self._length(below), self.estimate + self._length(above)

    def _length(self, parts: Floats) -> float:
        """Return the root of the sum of squares of parts that are correlated."""
        shared = parts if self.correlation is None else self.correlation @ parts
        return float(np.sqrt(max(float(parts @ shared), 0.0)))

    def _statistic(self, null: float) -> float:
        """Return the quantile at which `null` is an end of the interval, with a sign."""
        from scipy.optimize import brentq  # noqa: PLC0415  (slow)

        if self.estimate == null:
            return 0.0
        above = self.estimate > null
        end, sign = (0, 1.0) if above else (1, -1.0)

        def apart(quantile: float) -> float:
            return sign * (self._limits(quantile)[end] - null)

        if apart(LARGEST_QUANTILE) > 0:
            return sign * LARGEST_QUANTILE
        return sign * float(brentq(apart, 0, LARGEST_QUANTILE))


def _quantile(tail: float, df: float) -> float:
    return float(-ndtri(tail) if np.isinf(df) else -stdtrit(df, tail))


def _tail(statistic: float, df: float) -> float:
    return float(ndtr(-statistic) if np.isinf(df) else stdtr(df, -statistic))
