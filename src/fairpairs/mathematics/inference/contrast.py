"""The difference of two rates or means, tested against any value, and against a margin.

References: D. J. Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
approach.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from fairpairs.base.inputs import Alternative


class Contrast(ABC):
    """A difference that is estimated, with its tests."""

    estimate: float

    @abstractmethod
    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""

    @abstractmethod
    def tail(self, null: float, side: int) -> float:
        """Return the p-value of one side: the difference is `null` or less (1), or more (−1)."""

    def pvalue_above(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or less."""
        return self.tail(null, 1)

    def pvalue_below(self, null: float) -> float:
        """Return the one-sided p-value of: the difference is `null` or more."""
        return self.tail(null, -1)

    def pvalue(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of: the difference is `null`."""
        return min(1.0, 2 * min(self.pvalue_above(null), self.pvalue_below(null)))

    def equality(self, alternative: Alternative) -> float:
        """Return the p-value of: the difference is 0, against any, larger or smaller values."""
        if alternative == "two-sided":
            return self.pvalue()
        return self.tail(0.0, 1 if alternative == "greater" else -1)

    def within(self, margin: float) -> float:
        """Return the p-value of: the difference lies at ±margin or beyond (two one-sided tests)."""
        return max(self.pvalue_above(-margin), self.pvalue_below(margin))

    def within_and_interval(self, margin: float, alpha: float) -> tuple[float, float, float]:
        """Return the interval that covers 1 − 2 alpha, and the p-value of `within`.

        Ends may be known to a tolerance only, so they are moved to lie within the margin exactly
        where the p-value of their side is below alpha.
        """
        low, high = self.limits(2 * alpha)
        above, below = self.pvalue_above(-margin), self.pvalue_below(margin)
        inner = float(np.nextafter(margin, 0))
        low = max(low, -inner) if above < alpha else min(low, -margin)
        high = min(high, inner) if below < alpha else max(high, margin)
        return low, high, max(above, below)

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
        margin = student_quantile(alpha / 2, self.df) * self.error
        return self.estimate - margin, self.estimate + margin

    def tail(self, null: float, side: int) -> float:
        """Return the one-sided p-value of: the difference is `null` or less (side 1), or more."""
        return student_tail(side * (self.estimate - null) / self.error, self.df)


@dataclass(frozen=True)
class ScaledContrast(Contrast):
    """A number, not 0, times a difference that has tests."""

    other: Contrast
    scale: float

    @property
    def estimate(self) -> float:  # type: ignore[override]  # no field here
        """The difference."""
        return self.scale * self.other.estimate

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        low, high = (self.scale * end for end in self.other.limits(alpha))
        return (low, high) if self.scale > 0 else (high, low)

    def tail(self, null: float, side: int) -> float:
        """Return the one-sided p-value of: the difference is `null` or less (side 1), or more."""
        return self.other.tail(null / self.scale, side if self.scale > 0 else -side)


def student_quantile(tail: float, df: float) -> float:
    """Return the quantile of Student's t, normal if df is infinite, exceeded with this chance."""
    return float(-stdtrit(df, tail))


def student_tail(statistic: float, df: float) -> float:
    """Return the chance that Student's t exceeds a statistic."""
    return float(stdtr(df, -statistic))
