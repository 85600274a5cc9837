"""What the wealth of bets says: a p-value for all looks, limits, and Holm's adjustment."""

import math

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.sequential.looks import DECIMALS


def log_evidence_beyond(log_wealth: Floats, differences: Floats, margin: float) -> Floats:
    """Return the logarithm of the evidence that the difference lies beyond ±margin, shape (...).

    It is the mean wealth of both bettors. `log_wealth`, (..., 2, d), is against "the difference is
    at most d" and "at least d", for `differences` of which one is `margin` and one −`margin`.
    """
    above, below = (int(np.flatnonzero(differences == d)[0]) for d in (margin, -margin))
    both = np.logaddexp(log_wealth[..., 0, above], log_wealth[..., 1, below])
    return np.round(both - math.log(2), DECIMALS)


def log_evidence_within(log_wealth: Floats, differences: Floats, margin: float) -> Floats:
    """Return the logarithm of the evidence that the difference lies within ±margin, shape (...).

    Both "at least margin" and "at most −margin" must be excluded, each at the level (two one-sided
    tests), so it is the smaller evidence of the two.
    """
    above, below = (int(np.flatnonzero(differences == d)[0]) for d in (margin, -margin))
    return np.minimum(log_wealth[..., 1, above], log_wealth[..., 0, below])


def pvalue(log_evidence: Floats) -> Floats:
    """Return p-values that are valid at any look: the inverse of the largest evidence so far."""
    return np.exp(-np.maximum(log_evidence, 0))


def limits(log_wealth: Floats, differences: Floats, alpha: float) -> tuple[float, float]:
    """Return an interval of the difference that covers at all looks with probability 1 − alpha.

    Each side has one half of alpha. `log_wealth` is (2, d), for `differences` ascending, on which
    the limits lie; they are −1 and 1 where nothing is excluded.
    """
    excluded = log_wealth >= math.log(2 / alpha)
    # a hypothesis is excluded only with all that lie farther out: one mistake is then the first
    low = int(np.cumprod(excluded[0]).sum())
    high = int(np.cumprod(excluded[1][::-1]).sum())
    return (
        float(differences[low - 1]) if low else -1.0,
        float(differences[-high]) if high else 1.0,
    )
