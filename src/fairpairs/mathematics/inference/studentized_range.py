"""The studentised range, for many statistics at once: scipy's takes 30 ms for each number.

The range of k independent standard normal variables over an independent estimate of their standard
deviation with ν degrees of freedom. Both integrals are sums over fixed nodes, which agree with
`scipy.stats.studentized_range` to ten digits or more.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv, gammaln, logit, ndtr, stdtrit, xlogy

from fairpairs.base.arrays import Floats

#: Nodes and weights: of the smallest of the k variables, and of the estimated deviation.
SMALLEST = np.linspace(-8.5, 8.5, 86)
DENSITY = np.exp(-(SMALLEST**2) / 2) / np.sqrt(2 * np.pi) * (SMALLEST[1] - SMALLEST[0])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(96)
#: Chance that the nodes of the deviation leave out on either side.
LEFT_OUT = 1e-15
#: More degrees of freedom count as infinite: the p-values differ by less than 1e-7.
MAX_DOF = 1e7
#: Statistics that are handled at once.
CHUNK = 256
#: Secants of the log odds of the p-value over the logarithm of the quantile.
SECANTS = 10


def range_pvalue(statistic: ArrayLike, k: int, dof: ArrayLike) -> Floats:
    """Return the chance that the studentised range of k means is larger; `dof` may be infinite."""
    q, freedom = np.broadcast_arrays(np.asarray(statistic, float), np.asarray(dof, float))
    parts = [
        _pvalue(q.ravel()[start : start + CHUNK], k, freedom.ravel()[start : start + CHUNK])
        for start in range(0, q.size, CHUNK)
    ]
    return np.where(np.isinf(q), 0.0, np.concatenate([*parts, np.empty(0)]).reshape(q.shape))


def range_quantile(alpha: float, k: int, dof: ArrayLike) -> Floats:
    """Return the studentised range of k means that is exceeded with the chance `alpha`."""
    freedom = np.asarray(dof, float)
    different, index = np.unique(freedom, return_inverse=True)
    # one difference of two means is exceeded less often, and Bonferroni's bound more often
    shortened = np.minimum(different, MAX_DOF)
    low, high = (
        np.log(-np.sqrt(2) * stdtrit(shortened, alpha / (2 * m))) for m in (1, k * (k - 1) / 2 + 1)
    )

    def excess(log_quantile: Floats) -> Floats:
        chance = range_pvalue(np.exp(log_quantile), k, different)
        return np.asarray(logit(np.clip(chance, LEFT_OUT, 1 - LEFT_OUT)) - logit(alpha))

    before, quantile = low, high
    then = excess(before)
    for _ in range(SECANTS):
        now = excess(quantile)
        step = np.zeros_like(now)
        np.divide(now * (quantile - before), now - then, out=step, where=now != then)
        if not step.any():
            break
        before, then = quantile, now
        quantile = np.clip(quantile - step, low, high)
    return np.asarray(np.exp(quantile)[index].reshape(freedom.shape))


def _pvalue(statistic: Floats, k: int, dof: Floats) -> Floats:
    half = np.minimum(dof, MAX_DOF)[:, None] / 2
    # in the fourth root of the deviation, whose density is smooth at 0 for any degrees of freedom
    low, high = ((gammaincinv(half, p) / half) ** 0.125 for p in (LEFT_OUT, 1 - LEFT_OUT))
    root = (low + high) / 2 + (high - low) / 2 * NODES
    deviation = root**4
    log_density = xlogy(half, half) - gammaln(half) + xlogy(8 * half - 1, root)
    weight = np.exp(log_density - half * deviation**2) * WEIGHTS
    # an infinite statistic times a deviation of 0 has no value
    width = np.minimum(statistic, 1e100)[:, None] * deviation
    inside = ndtr(SMALLEST) - ndtr(SMALLEST - width[..., None])
    within = k * np.clip(inside, 0, 1) ** (k - 1) @ DENSITY
    chance = 1 - (within * weight).sum(axis=1) / weight.sum(axis=1)
    return np.asarray(np.clip(chance, 0, 1))
