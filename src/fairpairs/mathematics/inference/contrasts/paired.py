"""The change of a measure of decisions, tested against any value by the items that changed.

References: T. Tango (1998), Equivalence test and confidence interval for the difference in
proportions for the paired-sample design, equations (6) and (11); G. Y. Zou and A. Donner (2008),
Construction of confidence limits about effect measures.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.crossing import crossing
from fairpairs.mathematics.inference.contrast import Contrast, student_quantile, student_tail
from fairpairs.mathematics.inference.rates import sum_limits

#: The p-value of a larger quantile underflows.
LARGEST_QUANTILE = 38.0
#: Most steps of the search for a limit; it takes about ten.
STEPS = 80
#: The search ends where the statistic is as near to the quantile as this share of it.
NEAR = 1e-11


@dataclass(frozen=True, eq=False)
class PairedContrast(Contrast):
    """A sum of changes of rates, each times a number, by Tango's limits of each (MOVER)."""

    #: The sum, or near it where rates are multiplied.
    estimate: float
    #: New minus old rate, −1 to 1, shape (L,), as are the next three.
    changes: Floats
    #: Share of the items of each whose decision changed.
    changed: Floats
    #: Independent items that each is worth.
    items: Floats
    #: What each change is multiplied by.
    factors: Floats
    #: Of the estimates of the changes, shape (L, L).
    correlation: Floats
    df: float = np.inf
    #: The statistic at each null value that was asked for: tests in both directions share it.
    _statistics: dict[float, float] = field(default_factory=dict, init=False, repr=False)

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        quantile = student_quantile(alpha / 2, self.df)
        low, high = self._end(quantile, 0), self._end(quantile, 1)
        most = float(np.abs(self.factors).sum())
        return max(low, -most), min(high, most)

    def pvalue(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of: the change is `null`."""
        return 2 * student_tail(abs(self._statistic(null)), self.df)

    def tail(self, null: float, side: int) -> float:
        """Return the one-sided p-value of: the change is `null` or less (side 1), or more."""
        return student_tail(side * self._statistic(null), self.df)

    def _end(self, quantile: float, end: Literal[0, 1]) -> float:
        """Return the lower or the upper limit, for which each change has one of its own."""
        sides = np.where(self.factors > 0, 1.0, -1.0) * (1 if end else -1)
        ends = paired_ends(self.changes, self.changed, self.items, quantile, sides)
        limits = sum_limits(self.changes, ends, ends, self.factors, self.correlation)
        # the estimate is near the sum where rates are multiplied
        rest = self.estimate - float(self.changes @ self.factors)
        return float(limits[end]) + rest

    def _statistic(self, null: float) -> float:
        if null not in self._statistics:
            self._statistics[null] = self._new_statistic(null)
        return self._statistics[null]

    def _new_statistic(self, null: float) -> float:
        """Return the quantile at which `null` is an end of the interval, with a sign."""
        if self.estimate == null:
            return 0.0
        end: Literal[0, 1] = 0 if self.estimate > null else 1
        sign = -1.0 if end else 1.0

        def beyond(quantile: Floats) -> Floats:
            return np.asarray(sign * (null - self._end(float(quantile), end)))

        return sign * float(crossing(beyond, np.zeros(()), np.asarray(LARGEST_QUANTILE)))


def paired_statistic(change: float, changed: float, items: float, null: float) -> float:
    """Return Tango's score statistic of: the rate changes by `null`.

    `change` is the mean of new − old, `changed` the share of items that changed. The variance is
    that under `null`, so it is not 0 where none changed.
    """
    if change == null:
        return 0.0
    lost = (changed - change) / 2
    linear = (2 - change) * null - changed
    constant = -lost * null * (1 - null)
    # the share that goes from 1 to 0 if the rate changes by `null`
    expected = (math.sqrt(max(linear * linear - 8 * constant, 0.0)) - linear) / 4
    variance = max(2 * expected + null * (1 - null), 0.0)
    return (change - null) * (math.sqrt(items / variance) if variance else math.inf)


def paired_ends(
    change: Floats, changed: Floats, items: Floats, quantile: float, sides: Floats
) -> Floats:
    """Return one of Tango's limits of each rate: the lower one at the side −1, the upper at 1."""
    if quantile == 0:
        return change
    # numbers one by one: of so few, arrays take five times as long
    terms = zip(change.tolist(), changed.tolist(), items.tolist(), sides.tolist(), strict=True)
    return np.array([_limit(*term, quantile) for term in terms])


def _limit(change: float, changed: float, items: float, side: float, quantile: float) -> float:
    """Search by regula falsi; an end that stays twice has its value halved (Illinois)."""
    inside, outside = change, side
    at_inside = -quantile
    at_outside = -side * paired_statistic(change, changed, items, outside) - quantile
    stayed: bool | None = None
    for _ in range(STEPS):
        bounded = at_outside < math.inf and inside != outside
        if bounded:
            null_value = inside - at_inside * (outside - inside) / (at_outside - at_inside)
        else:
            null_value = (inside + outside) / 2
        value = -side * paired_statistic(change, changed, items, null_value) - quantile
        if abs(value) <= NEAR * quantile:
            return null_value
        kept = value <= 0
        share = 0.5 if bounded and kept is stayed else 1.0
        stayed = kept
        if kept:
            inside, at_inside, at_outside = null_value, value, share * at_outside
        else:
            outside, at_outside, at_inside = null_value, value, share * at_inside
    return inside
