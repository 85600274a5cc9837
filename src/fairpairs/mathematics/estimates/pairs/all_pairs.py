"""TPR(a, b) from all pairs of items, whatever their labels, which may have weights.

Sums over the items with a lower label, and over those that have a lower score, too, take O(n log n)
time and O(n) memory, with bit by bit of the rank of the label.

Labels of several groups may be balanced by weights. The table of K groups takes overlap weights of
all groups; a gap takes those of its two groups, whose labels overlap more. Pairs of one stratum of
the label do not count: an item has no pair with itself, so a small group has fewer such pairs than
its weight implies.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.balance import balancing_weights, dense_ranks, label_strata
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_binary, score_order
from fairpairs.mathematics.estimates.pairs.given import given_pairs, take_items
from fairpairs.mathematics.estimates.pairs.rates import (
    NO_VARIANCE,
    PairRates,
    Ties,
    by_class,
    check_ties,
    group_pairs,
)


def sums_over_labels(y_true: Floats, columns: Floats) -> tuple[Floats, Floats]:
    """Sum columns, (c, r, n), over the items with a lower label, and over those with a higher."""
    r, n = y_true.shape
    start = n * np.arange(r)[:, None]
    order = start + np.argsort(y_true, axis=1)
    # of the items with the same label, the first and the last in this order
    first, last = start + dense_ranks(y_true)[1], start + n - 1 - dense_ranks(-y_true)[1]
    lower, higher = np.empty_like(columns), np.empty_like(columns)
    for column, below, above in zip(columns, lower, higher, strict=True):
        values = column.take(order)
        total = np.cumsum(values, axis=1)
        below[:] = (total - values).take(first)
        above[:] = total[:, -1:] - total.take(last)
    return lower, higher


def sums_over_pairs(
    y_true: Floats, y_score: Floats, columns: Floats, *, ties: Ties = "wrong"
) -> tuple[Floats, Floats]:
    """Sum columns, (c, r, n), over the items that an item beats, and over those that beat it.

    Items in the order of the scores are parted by the bits of the rank of the label, highest first:
    where two are parted, an item with bit 1 beats the running sum over those with bit 0.
    """
    check_ties(ties)
    r, n = y_true.shape
    index = (np.arange(r)[:, None] * n + np.argsort(y_score, axis=1)).ravel()
    rank = dense_ranks(y_true)[0].ravel()[index]
    scores = y_score.ravel()[index]
    level = np.cumsum(np.append(0, scores[1:] != scores[:-1]))
    tied = bool(level[-1] + 1 < len(level))
    values = columns.reshape(len(columns), -1)[:, index]
    beaten, beating = np.zeros_like(values), np.zeros_like(values)
    # blocks of items of one data set whose ranks have the same higher bits, each in score's order
    first, sizes = np.arange(r) * n, np.full(r, n)
    for bit in reversed(range(int(rank.max()).bit_length())):
        one = (rank >> bit & 1).astype(bool)
        ones, zeros = np.flatnonzero(one), np.flatnonzero(~one)
        ones_before = _running(one, np.int64)
        n_ones = ones_before[first + sizes] - ones_before[first]
        n_zeros = sizes - n_ones
        begin, end = np.repeat(first, n_ones), np.repeat(first + sizes, n_zeros)
        up_to_one, from_zero = [ones], [zeros]
        if tied:
            up_to_one, from_zero = _tie_bounds(level, first, ones, zeros, ties)
        # places among the zeros, and among the ones
        begin = begin - ones_before[begin]
        end = ones_before[end]
        up_to_one = [index - ones_before[index] for index in up_to_one]
        from_zero = [ones_before[index] for index in from_zero]
        total = _running(values.take(zeros, axis=1))
        beaten[:, ones] += _mean(total, up_to_one) - total.take(begin, axis=1)
        total = _running(values.take(ones, axis=1))
        beating[:, zeros] += total.take(end, axis=1) - _mean(total, from_zero)
        order = np.empty_like(index)
        order[zeros - ones_before[zeros] + np.repeat(ones_before[first], n_zeros)] = zeros
        begin_ones = first + n_zeros - ones_before[first]
        order[ones_before[ones] + np.repeat(begin_ones, n_ones)] = ones
        rank, index = rank[order], index[order]
        values, beaten, beating = (array.take(order, axis=1) for array in (values, beaten, beating))
        level = level[order] if tied else level
        first = np.stack([first, first + n_zeros], axis=1).ravel()
        sizes = np.stack([n_zeros, n_ones], axis=1).ravel()
        first, sizes = first[sizes > 0], sizes[sizes > 0]
    results = np.empty_like(beaten), np.empty_like(beating)
    results[0][:, index], results[1][:, index] = beaten, beating
    return results[0].reshape(columns.shape), results[1].reshape(columns.shape)


def _running(values: Array, dtype: type = np.float64) -> Array:
    """Sum all values before each, and all of them: one longer than the values."""
    total = np.zeros((*values.shape[:-1], values.shape[-1] + 1), dtype=dtype)
    np.cumsum(values, axis=-1, out=total[..., 1:])
    return total


def _mean(total: Floats, bounds: list[Integers]) -> Floats:
    taken = total.take(bounds[0], axis=1)
    return taken if len(bounds) == 1 else (taken + total.take(bounds[1], axis=1)) / 2


def _tie_bounds(
    level: Integers, first: Integers, ones: Integers, zeros: Integers, ties: Ties
) -> tuple[list[Integers], list[Integers]]:
    """Return where the items lie that are beaten, and that beat; the mean of two for half."""
    new = np.ones(len(level), dtype=bool)
    new[1:] = level[1:] != level[:-1]
    new[first] = True
    starts = np.flatnonzero(new)
    run = np.cumsum(new) - 1
    ends = np.append(starts[1:], len(level))
    up_to_one, from_zero = [starts[run[ones]]], [ends[run[zeros]]]
    if ties == "half":
        up_to_one.append(ends[run[ones]])
        from_zero.append(starts[run[zeros]])
    return up_to_one, from_zero


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

    What an item adds as a winner, and as a loser, then depends on its label alone; that of single
    pairs comes on top. `kernels` is the last of `projections`; `counts` the concordant and
    comparable pairs, (r, K, K); `sizes` the items of equal weight that a group is worth, (r, K);
    `items` weight, group and stratum, (r, n).
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


def balanced_pairs(
    y_true: Floats, y_score: Floats, group: Integers, n_groups: int, *, ties: Ties = "wrong"
) -> PairRates:
    """Estimate TPR(a, b) of balanced labels as `all_pairs`; InputError for many sets of K > 2."""
    strata = label_strata(y_true)
    weights = balancing_weights(group, strata, n_groups)
    levels = strata.astype(float)
    rates = all_pairs(levels, y_score, group, n_groups, ties=ties, weights=weights, strata=strata)
    each_two = []
    for a, b in _twos(y_true, n_groups):
        member = (group == a) | (group == b)
        code = (group[member] == b).astype(np.int64)
        each_two.append(balanced_pairs(y_true[member], y_score[member], code, 2, ties=ties))
    return replace(rates, each_two=tuple(each_two) or None)


def balanced_given_pairs(
    y_true: Floats, winner: Integers, loser: Integers, hit: Floats, group: Integers, n_groups: int
) -> PairRates:
    """Estimate TPR(a, b) of balanced labels as `given_pairs`; InputError for many sets of K > 2."""

    def rates_among(member: NDArray[np.bool_], code: Integers, k: int) -> PairRates:
        weights, strata = np.zeros(group.shape), np.zeros(group.shape)
        strata[..., member] = own = label_strata(y_true[..., member])
        weights[..., member] = balancing_weights(code[..., member], own, k)
        apart = take_items(strata, winner) != take_items(strata, loser)
        pair_weights = take_items(weights, winner) * take_items(weights, loser) * apart
        return given_pairs(winner, loser, hit, code, k, weights=pair_weights)

    each_two = [
        rates_among((group == a) | (group == b), (group == b).astype(np.int64), 2)
        for a, b in _twos(y_true, n_groups)
    ]
    every = np.ones(y_true.shape[-1], dtype=bool)
    return replace(rates_among(every, group, n_groups), each_two=tuple(each_two) or None)


def _twos(y_true: Floats, n_groups: int) -> list[tuple[int, int]]:
    twos = group_pairs(n_groups)
    if twos and y_true.ndim > 1:
        raise InputError("Balance the labels of more than two groups in one data set at a time.")
    return twos
