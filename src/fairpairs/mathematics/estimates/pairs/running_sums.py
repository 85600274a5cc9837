"""Sums over the items with a lower label, and over those that have a lower score, too.

Both take O(n log n) time and O(n) memory, with bit by bit of the rank of the label.
"""

import numpy as np

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.mathematics.estimates.balance import dense_ranks
from fairpairs.mathematics.estimates.pairs.rates import Ties, check_ties


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
