"""Score limits of the change of a rate between two decisions on the same items.

References
----------
T. Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
paired-sample design, equations (6) and (11).
"""

from __future__ import annotations

import numpy as np

from fairpairs.arrays import Floats

#: Steps of the search for a limit; it takes about ten.
STEPS = 80
#: The search ends where the statistic is as near to the quantile as this share of it.
NEAR = 1e-11


def paired_statistic(change: Floats, changed: Floats, items: Floats, null: Floats) -> Floats:
    """Return Tango's score statistic of: the rate changes by `null`.

    `change` is the mean of new − old, `changed` the share of items that changed. The variance takes
    the share of changed items that is most likely if the rate changes by `null`, so it is not 0
    where none changed.
    """
    lost = (changed - change) / 2
    linear = (2 - change) * null - changed
    constant = -lost * null * (1 - null)
    # the share that goes from 1 to 0 if the rate changes by `null`
    expected = (np.sqrt(np.maximum(linear**2 - 8 * constant, 0)) - linear) / 4
    variance = np.maximum(2 * expected + null * (1 - null), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (change - null) * np.sqrt(items / variance)
    return np.where(change == null, 0.0, statistic)


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
    sign = np.array([[-1.0], [1.0]])  # of both limits
    inside = np.stack([change, change])
    outside = np.broadcast_to(sign, inside.shape)

    def beyond(null: Floats) -> Floats:
        return np.asarray(-sign * paired_statistic(change, changed, items, null) - quantile)

    at_inside, at_outside = np.full(inside.shape, -quantile), beyond(outside)
    before = np.zeros(inside.shape, dtype=np.int64)
    # regula falsi, where an end that stays twice has its value halved (Illinois)
    for _ in range(STEPS):
        with np.errstate(invalid="ignore", divide="ignore"):
            null_value = inside - at_inside * (outside - inside) / (at_outside - at_inside)
        within = np.isfinite(at_outside) & np.isfinite(null_value)
        null_value = np.where(within, null_value, (inside + outside) / 2)
        value = beyond(null_value)
        kept = value <= 0
        moved = np.where(kept, 1, -1)
        halved = np.where(within & (moved == before), 0.5, 1.0)
        at_outside = np.where(kept, halved * at_outside, value)
        at_inside = np.where(kept, value, halved * at_inside)
        before = moved
        inside, outside = np.where(kept, null_value, inside), np.where(kept, outside, null_value)
        if (np.abs(value) <= NEAR * quantile).all():
            return null_value[0], null_value[1]
    return inside[0], inside[1]
