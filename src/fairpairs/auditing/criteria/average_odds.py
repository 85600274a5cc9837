"""Tests that hold where a group has few items, or few items of another prediction than the rest.

The variance that a normal approximation estimates there may be near zero by chance, and then a
handful of items shows a violation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from fairpairs.fairness.estimates import SMALL_CELL

#: Shuffles of the groups of few items, or of counts, which cost nothing.
SHUFFLES = 9999
SMALL = f"a cell below {SMALL_CELL}"
#: Beyond it there is no p-value in double precision.
LARGEST_Z = 38.0


def average_odds_limits(
    successes: NDArray[np.int64], n: NDArray[np.int64], z: float
) -> tuple[float, float]:
    """Return the ends of the interval of the average odds difference, by Newcombe's method.

    Parameters
    ----------
    successes, n
        Counts of the reference and the group (rows), negative and positive labels (columns).
    z
        Normal quantile of the interval.

    Notes
    -----
    AOD is a sum of four independent rates, times ±1/2. An end lies as far from the estimate as the
    root of the summed squares of the distances of Wilson's limits, each on the side that counts.

    References
    ----------
    G. Y. Zou and A. Donner (2008), Construction of confidence limits about effect measures: a
    general approach, equation 4; R. G. Newcombe (1998), method 10, is the case of two rates.
    """
    rate = successes / n
    middle = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    margin = z * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    down, up = rate - (middle - margin), middle + margin - rate
    estimate = (rate[1] - rate[0]).mean()
    below = np.sqrt((down[1] ** 2 + up[0] ** 2).sum()) / 2
    above = np.sqrt((up[1] ** 2 + down[0] ** 2).sum()) / 2
    return float(max(estimate - below, -1)), float(min(estimate + above, 1))


def average_odds_test(
    successes: NDArray[np.int64], n: NDArray[np.int64], alpha: float
) -> tuple[float, float, float]:
    """Return the interval of the average odds difference and the p-value that agrees with it.

    The p-value is 1 less the coverage of the interval of which 0 is an end.

    Parameters
    ----------
    successes, n
        As `average_odds_limits` takes them.
    alpha
        The interval covers 1 − alpha.
    """
    low, high = average_odds_limits(successes, n, float(-ndtri(alpha / 2)))
    estimate = float((successes / n @ [0.5, 0.5]) @ [-1, 1])
    if estimate == 0:
        return low, high, 1.0
    end = 0 if estimate > 0 else 1

    def beyond(z: float) -> float:
        return average_odds_limits(successes, n, z)[end]

    if beyond(LARGEST_Z) * estimate > 0:
        return low, high, 0.0
    return low, high, float(2 * ndtr(-brentq(beyond, 0, LARGEST_Z)))
