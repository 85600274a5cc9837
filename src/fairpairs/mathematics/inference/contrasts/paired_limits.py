"""Score limits of the change of a rate between two decisions on the same items.

References
----------
T. Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
paired-sample design, equations (6) and (11).
"""

import math
from collections.abc import Iterator

import numpy as np

from fairpairs.base.arrays import Floats

#: Steps of the search for a limit; it takes about ten.
STEPS = 80
#: The search ends where the statistic is as near to the quantile as this share of it.
NEAR = 1e-11


def paired_statistic(change: float, changed: float, items: float, null: float) -> float:
    """Return Tango's score statistic of: the rate changes by `null`.

    `change` is the mean of new − old, `changed` the share of items that changed. The variance takes
    the share of changed items that is most likely if the rate changes by `null`, so it is not 0
    where none changed.
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


def paired_limits(
    change: Floats, changed: Floats, items: Floats, quantile: float
) -> tuple[Floats, Floats]:
    """Return Tango's limits of the change of rates; the arguments are those of `paired_statistic`.

    >>> low, high = paired_limits(np.array([0.0]), np.array([0.0]), np.array([100.0]), 1.96)
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (-0.037, 0.037)
    """
    if quantile == 0:
        return change, change
    # numbers one by one: of so few, arrays take five times as long
    rates = list(zip(change.tolist(), changed.tolist(), items.tolist(), strict=True))
    searches = [_search(*rate, sign, quantile) for sign in (-1.0, 1.0) for rate in rates]
    for _ in range(STEPS):
        null_values, apart, found = zip(*map(next, searches), strict=True)
        if all(distance <= NEAR * quantile for distance in apart):
            found = null_values
            break
    low, high = np.reshape(found, (2, len(rates)))
    return low, high


def _search(
    change: float, changed: float, items: float, sign: float, quantile: float
) -> Iterator[tuple[float, float, float]]:
    """Yield null values on one side: one that is tried, its distance, and the last that is inside.

    By regula falsi, where an end that stays twice has its value halved (Illinois).
    """

    def beyond(null: float) -> float:
        return -sign * paired_statistic(change, changed, items, null) - quantile

    inside, outside = change, sign
    at_inside, at_outside = -quantile, beyond(outside)
    stayed: bool | None = None
    while True:
        bounded = math.isfinite(at_outside) and inside != outside
        if bounded:
            null_value = inside - at_inside * (outside - inside) / (at_outside - at_inside)
        else:
            null_value = (inside + outside) / 2
        value = beyond(null_value)
        kept = value <= 0
        share = 0.5 if bounded and kept is stayed else 1.0
        stayed = kept
        if kept:
            inside, at_inside, at_outside = null_value, value, share * at_outside
        else:
            outside, at_outside, at_inside = null_value, value, share * at_inside
        yield null_value, abs(value), inside
