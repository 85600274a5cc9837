"""TPR(a, b) from all pairs of items, whatever their labels, which may have weights."""

from dataclasses import replace

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_binary, score_order
from fairpairs.mathematics.estimates.pairs.rates import (
    NO_VARIANCE,
    PairRates,
    Ties,
    by_class,
    check_ties,
    group_pairs,
)
from fairpairs.mathematics.estimates.pairs.running_sums import sums_over_labels, sums_over_pairs


def all_pairs(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    n_groups: int,
    *,
    ties: Ties = "wrong",
    weights: Floats | None = None,
    strata: Integers | None = None,
) -> PairRates:
    """Estimate TPR(a, b) from all pairs of items, in O(n log n) time and O(n) memory.

    Arrays are (n,), or (r, n) for r data sets. A pair weighs the product of the weights of its
    items; give the `strata` by which these were estimated, so that what items add is centred
    within. Classes of items are group × label for one data set of binary labels without weights,
    else the groups.
    """
    check_ties(ties)
    k = n_groups
    if y_true.ndim == 1:
        low, high = y_true.min(), y_true.max()
        if weights is None and low < high and ((y_true == low) | (y_true == high)).all():
            return all_pairs_binary(y_true == high, score_order(y_score), group, k, ties)
        one = None if weights is None else weights[None]
        within = None if strata is None else strata[None]
        items = y_true[None], y_score[None], group[None], k
        return all_pairs(*items, ties=ties, weights=one, strata=within).take(0)
    concordant, comparable, pairs, added, kernels = projections(
        y_true, y_score, group, k, ties, weights, strata
    )
    components, sizes = by_class(np.moveaxis(added, -1, 0), group, k)
    pooled = None
    if weights is not None and strata is not None:
        sizes = effective_items(weights, group, k)
        pooled = pooled_in_strata(
            kernels, (concordant, comparable), sizes, (weights, group, strata)
        )

    def rates_among(i: Integers, cells: Integers) -> PairRates:
        # with unweighted items, the rates of some groups do not depend on those of another
        table, square = (..., i[:, None], i), (..., i[:, None, None], cells[:, None], cells)
        parts = components[square]
        right, usable, number = (counts[table] for counts in (concordant, comparable, pairs))
        twice = np.zeros(parts[:, 0].shape)
        return PairRates(right, usable, number, parts, sizes[..., i], twice)

    groups = np.arange(k)
    each_two = tuple(
        rates_among(np.array(two), np.add.outer(k * np.array(two), two).ravel())
        for two in group_pairs(k)
    )
    return replace(rates_among(groups, np.arange(k * k)), pooled=pooled, each_two=each_two or None)


def projections(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    k: int,
    ties: Ties,
    weights: Floats | None = None,
    strata: Integers | None = None,
) -> tuple[Floats, ...]:
    """Return pairs ranked right, pairs of different labels, their number, and what items add.

    Pairs are (weighted) by cell, (r, K, K). What items add (Hájek's projections) is of each rate,
    (r, n, K²), centred within group and stratum where strata are given, and, (2, r, n), as a winner
    and as a loser, whatever the group of the other.
    """
    member = (np.arange(k)[:, None, None] == group).astype(float)  # (K, r, n)
    columns = member if weights is None else member * weights
    beaten, beating = sums_over_pairs(y_true, y_score, columns, ties=ties)
    counted = [columns] if weights is None else [columns, member * (weights > 0)]
    lower, higher = sums_over_labels(y_true, np.concatenate(counted))
    concordant = np.einsum("arn,brn->rab", columns, beaten)
    sums = [
        np.einsum("arn,brn->rab", weighted, lower[index * k : (index + 1) * k])
        for index, weighted in enumerate(counted)
    ]
    comparable, pairs = sums[0], sums[-1]
    concordant = np.where(
        np.isclose(concordant, comparable, rtol=1e-12, atol=0), comparable, concordant
    )  # not 1 − 1e-16
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = concordant / comparable
        added = np.zeros((k, k, *y_true.shape))
        for a in range(k):
            for b in range(k):
                theta, total = rate[:, a, b, None], comparable[:, a, b, None]
                added[a, b] += columns[a] * (beaten[b] - theta * lower[b]) / total
                added[a, b] += columns[b] * (beating[a] - theta * higher[a]) / total
    added = added.reshape(k * k, *y_true.shape)
    if strata is not None:
        added = centred(added, group * (strata.max() + 1) + strata)
    with np.errstate(invalid="ignore", divide="ignore"):
        common = (concordant.sum(axis=(1, 2)) / comparable.sum(axis=(1, 2)))[:, None]
    kernels = np.stack([summed.sum(axis=0) for summed in (beaten, beating)])
    kernels -= common * np.stack([summed[:k].sum(axis=0) for summed in (lower, higher)])
    return concordant, comparable, pairs, np.moveaxis(added, 0, -1), kernels


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

    What an item adds as a winner, and as a loser, then depends on its label alone; its variance is
    estimated from the items of all groups in a stratum. That of single pairs comes on top.
    `kernels` is the last of `projections`; `counts` the concordant and comparable pairs, (r, K, K);
    `sizes` the items of equal weight that a group is worth, (r, K); `items` weight, group and
    stratum, (r, n).
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
    """Centre what items add, (..., r, n), within classes, times √(m / (m − 1)); one alone stays."""
    index = (np.arange(len(classes))[:, None] * (classes.max() + 1) + classes).ravel()
    m = np.bincount(index)
    flat = added.reshape(-1, index.size)
    means = np.stack([np.bincount(index, row) / np.maximum(m, 1) for row in flat])
    factor = np.sqrt(m / np.maximum(m - 1, 1))
    result = np.where((m > 1)[index], factor[index] * (flat - means[:, index]), flat)
    return np.asarray(result.reshape(added.shape))
