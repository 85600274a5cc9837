"""Score limits of the change of a rate between two decisions on the same items.

References
----------
T. Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
paired-sample design, equations (6) and (11).
"""

import math

import numpy as np

from fairpairs.base.arrays import Floats

#: Most steps of the search for a limit; it takes about ten.
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


def paired_ends(
    change: Floats, changed: Floats, items: Floats, quantile: float, sides: Floats
) -> Floats:
    """Return one of Tango's limits of each rate: the lower one at the side −1, the upper at 1.

    >>> low = paired_ends(*np.array([[0.0], [0.0], [100.0]]), 1.96, np.array([-1.0]))
    >>> round(float(low[0]), 3)
    -0.037
    """
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
