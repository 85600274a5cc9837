"""Weighted items in strata of the label: their effective number and their variance."""

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE


def effective_items(weights: Floats, group: Integers, n_groups: int) -> Floats:
    """Return the effective number of items of each group, (Σω)² / Σω², shape (r, K)."""
    member = np.arange(n_groups)[:, None] == group[..., None, :]
    total, square = (np.where(member, w[..., None, :], 0).sum(-1) for w in (weights, weights**2))
    return np.asarray(total**2 / np.where(square > 0, square, 1))


def pooled_in_strata(
    kernels: Floats,
    counts: tuple[Floats, Floats],
    sizes: Floats,
    items: tuple[Floats, Integers, Integers],
) -> Floats:
    """Return the covariance of balanced rates where separation holds.

    What an item adds to a rate as a winner, and as a loser, then depends on its label alone; its
    variance is estimated from the items of all groups in a stratum of the label. The variance of
    single pairs comes on top: it counts where few pairs of near labels decide. `kernels`,
    (2, r, n), are sums over the pairs that an item wins, and that it loses, minus their
    expectation; `counts` the weighted concordant and comparable pairs, (r, K, K); `sizes` the items
    of equal weight that each group is worth, (r, K); `items` their weight, group and stratum,
    (r, n).
    """
    concordant, comparable = counts
    weights, group, strata = items
    r, k = comparable.shape[:2]
    n_strata = int(strata.max()) + 1
    index = np.arange(r)[:, None] * n_strata + strata

    def in_strata(values: Floats) -> Floats:
        return np.bincount(index.ravel(), values.ravel(), minlength=r * n_strata).astype(float)

    weighs = (weights > 0).astype(float)
    m = in_strata(weighs)
    sums = [in_strata(weighs * x) for x in kernels]
    member = (np.arange(k)[:, None, None] == group) * weights
    total = member.sum(axis=-1)  # (K, r)
    squares = np.stack([in_strata(row**2) for row in member]).reshape(k, r, n_strata)
    parts = np.empty((r, k, 2, 2))  # of each group: winner and loser
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = comparable.sum(axis=(1, 2)) / total.sum(axis=0) ** 2
        divisor = total.sum(axis=0) * chance * total  # of a kernel
        for x in range(2):
            for y in range(2):
                product = in_strata(weighs * kernels[x] * kernels[y]) - sums[x] * sums[y] / m
                spread = np.nan_to_num(product / np.maximum(m - 1, 1)).reshape(r, n_strata)
                parts[:, :, x, y] = ((squares * spread).sum(axis=-1) / divisor**2).T
    role = np.zeros((2, k, k, k))  # role, group, cell
    for g in range(k):
        role[0, g, g, :] = role[1, g, :, g] = 1
    covariance = np.einsum("xgab,rgxy,ygcd->rabcd", role, parts, role).reshape(r, k * k, k * k)
    with np.errstate(invalid="ignore", divide="ignore"):
        common = concordant.sum(axis=(1, 2)) / comparable.sum(axis=(1, 2))
        pairs = chance[:, None, None] * sizes[:, :, None] * sizes[:, None, :]
        alone = (common * (1 - common))[:, None, None] / pairs
    index = np.arange(k * k)
    varies = covariance[:, index, index] > NO_VARIANCE  # not if all scores are equal
    covariance[:, index, index] += np.where(varies, alone.reshape(r, k * k), 0)
    return np.asarray(covariance)


def centred(added: Floats, classes: Integers) -> Floats:
    """Centre what items add, shape (..., r, n), within classes, times the root of m / (m − 1).

    A class of one stays.
    """
    index = (np.arange(len(classes))[:, None] * (classes.max() + 1) + classes).ravel()
    m = np.bincount(index)
    flat = added.reshape(-1, index.size)
    means = np.stack([np.bincount(index, row) / np.maximum(m, 1) for row in flat])
    factor = np.sqrt(m / np.maximum(m - 1, 1))
    result = np.where((m > 1)[index], factor[index] * (flat - means[:, index]), flat)
    return np.asarray(result.reshape(added.shape))
