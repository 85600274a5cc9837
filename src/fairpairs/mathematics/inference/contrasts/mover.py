"""A sum of rates, each times a number, tested against any value by exact limits of each.

Each side of Clopper and Pearson's limits keeps its level for any rate, where Wilson's miss a rate
next to 0 or 1, on one side, far too often: in up to 0.19 of samples of 25 trials, not 0.05. Where
one rate is known far worse than the others, their sum inherits that.

References
----------
C. J. Clopper and E. S. Pearson (1934), The use of confidence or fiducial limits illustrated in the
case of the binomial; G. Y. Zou and A. Donner (2008), Construction of confidence limits about effect
measures, equation 4 (MOVER).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.contrast import Contrast, student_quantile, student_tail
from fairpairs.mathematics.inference.mover import clopper_pearson_limits

#: Limits of a larger quantile, whose chance is 10⁻³³, are not computed.
LARGEST_QUANTILE = 12.0


@dataclass(frozen=True, eq=False)
class ExactMoverContrast(Contrast):
    """A sum of rates, whose distances to their limits are put together by their squares.

    >>> contrast = ExactMoverContrast(np.array([0.7, 0.6]), np.array([50, 100]), np.array([1, -1]))
    >>> [round(limit, 3) for limit in contrast.limits(0.05)]
    [-0.075, 0.259]
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

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        low, high = self._limits(student_quantile(alpha / 2, self.df))
        least = float(self.factors[self.factors < 0].sum())
        most = float(self.factors[self.factors > 0].sum())
        return max(low, least), min(high, most)

    def pvalue_above(self, null: float) -> float:
        """Return the one-sided p-value of: the sum is `null` or less."""
        return student_tail(self._statistic(null), self.df)

    def pvalue_below(self, null: float) -> float:
        """Return the one-sided p-value of: the sum is `null` or more."""
        return student_tail(-self._statistic(null), self.df)

    def _limits(self, quantile: float) -> tuple[float, float]:
        low, high = clopper_pearson_limits(self.rates, self.trials, quantile)
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
        end, sign = (0, 1.0) if self.estimate > null else (1, -1.0)

        def apart(quantile: float) -> float:
            return sign * (self._limits(quantile)[end] - null)

        if apart(LARGEST_QUANTILE) > 0:
            return sign * LARGEST_QUANTILE
        if apart(0) <= 0:  # the limits of few trials do not meet
            return 0.0
        return sign * float(brentq(apart, 0, LARGEST_QUANTILE))
