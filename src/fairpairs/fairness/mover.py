"""The difference of two rates by MOVER: Wilson's limits of each, put together by their squares.

A rate has the number of independent trials that would give it its variance, so that pairs that
share items count by their effective number.

References
----------
E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference;
R. G. Newcombe (1998), Interval estimation for the difference between independent proportions
(method 10); G. Y. Zou and A. Donner (2008), Construction of confidence limits about effect
measures.
"""

from __future__ import annotations

import numpy as np

from fairpairs.arrays import Floats

#: Halvings of the interval in which the statistic lies: more than a double can tell.
HALVINGS = 60


def wilson_limits(rate: Floats, trials: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    """Return Wilson's limits of rates with any (not only whole) numbers of trials.

    Parameters
    ----------
    rate, trials, quantile
        Shapes that broadcast.
    """
    with np.errstate(invalid="ignore", divide="ignore"):  # a rate without trials
        share = np.square(quantile) / trials
        centre = (rate + share / 2) / (1 + share)
        varying = np.maximum(rate * (1 - rate), 0)  # a rate may exceed 1 by rounding
        margin = np.sqrt(share * varying + share**2 / 4) / (1 + share)
    return np.asarray(centre - margin), np.asarray(centre + margin)


def difference_limits(
    first: Floats,
    second: Floats,
    trials_first: Floats,
    trials_second: Floats,
    quantile: Floats | float,
) -> tuple[Floats, Floats]:
    """Return MOVER's limits of first − second.

    Parameters
    ----------
    first, second
        Two independent rates.
    trials_first, trials_second
        The independent trials that each is worth.
    quantile
        Of the normal distribution, or of Student's t.

    Examples
    --------
    >>> low, high = difference_limits(0.7, 0.6, 50.0, 100.0, 1.96)
    >>> round(float(low), 3), round(float(high), 3)
    (-0.065, 0.247)
    """
    low_first, high_first = wilson_limits(first, trials_first, quantile)
    low_second, high_second = wilson_limits(second, trials_second, quantile)
    below = np.hypot(first - low_first, high_second - second)
    above = np.hypot(high_first - first, second - low_second)
    return first - second - below, first - second + above


def difference_statistic(
    first: Floats, second: Floats, trials_first: Floats, trials_second: Floats
) -> Floats:
    """Return the quantile at which 0 is a limit of first − second, with the sign of it.

    Parameters
    ----------
    first, second, trials_first, trials_second
        As in `difference_limits`; arrays of one shape. NaN stays NaN.

    Examples
    --------
    >>> rates = np.array([0.7]), np.array([0.6]), np.array([50.0]), np.array([100.0])
    >>> statistic = difference_statistic(*rates)
    >>> low, high = difference_limits(*rates, statistic)
    >>> bool(abs(low[0]) < 1e-12)
    True
    """
    swap = first < second
    high, low = np.where(swap, second, first), np.where(swap, first, second)
    n_high, n_low = (
        np.where(swap, trials_second, trials_first), np.where(swap, trials_first, trials_second)
    )  # fmt: skip
    with np.errstate(invalid="ignore", divide="ignore"):
        # where one of the two limits alone spans the difference; if neither can, rates are 0 and 1
        reach = [np.sqrt(n / np.maximum(x * (1 - x), 0)) for n, x in ((n_high, low), (n_low, high))]
        bound = (high - low) * np.fmin(*reach)
        bound = np.where(np.isinf(bound), np.sqrt(3 * np.fmax(n_high, n_low)), bound)
    inside, outside = np.zeros_like(bound), np.where(high > low, bound, 0)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        positive = difference_limits(high, low, n_high, n_low, middle)[0] > 0
        inside, outside = np.where(positive, middle, inside), np.where(positive, outside, middle)
    statistic = np.where(swap, -outside, outside)
    return np.where(np.isnan(first - second + n_high + n_low), np.nan, statistic)
