"""TPR(a, b) from all pairs of items with binary labels: placements, level by level of the score.

A placement of an item with label 1 is the number of items with label 0 of a group that it
outscores; of an item with label 0, the number of those with label 1 that outscore it. DeLong's
estimates need the sums of placements and of their products, which are whole numbers: they do not
depend on how items are divided into blocks, nor on the order of equal scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, check_ties, group_pairs

#: A variance of single placements below this is rounding.
NO_SPREAD = 1e-15
#: Items that are handled at once: few enough for sums of products that floats hold exactly.
BLOCK = 1 << 15


@dataclass(frozen=True)
class ScoreOrder:
    """Items in the order of their scores."""

    #: Positions of the items, scores ascending.
    position: Integers
    #: Level of the score of each of them, from 0.
    level: NDArray[np.int32]


def score_order(score: Floats) -> ScoreOrder:
    """Sort items by their scores, shape (n,)."""
    position = np.argsort(score)
    ordered = score[position]
    level = np.zeros(len(score), dtype=np.int32)
    np.cumsum(ordered[1:] != ordered[:-1], out=level[1:])
    return ScoreOrder(position, level)


class PlacementSums:
    """Sums of twice the placements, and of products of two; `sizes` by group and label, (K, 2)."""

    def __init__(self, sizes: Integers, ties: Ties) -> None:
        self.sizes, self.ties = sizes, ties
        k = len(sizes)
        self._before = np.zeros((k, 2), dtype=np.int64)
        #: By the label and group of the items, and by the groups that they are compared with.
        self._sums = np.zeros((2, k, k), dtype=object)
        self._products = np.zeros((2, k, k, k), dtype=object)

    def add(self, cell: Array, new_level: NDArray[np.bool_], count: Integers | None = None) -> None:
        """Add rows of items whose scores are above all before, scores ascending.

        `cell` is twice the group plus the label; `new_level` tells where the score changes.
        """
        first = np.flatnonzero(new_level)
        first[0] = 0
        first = np.append(first, len(cell))
        end = first[1:] if count is None else np.cumsum(count)[first[1:] - 1]
        start = 0
        while start < len(end):
            before = int(end[start - 1]) if start else 0
            stop = max(int(np.searchsorted(end, before + BLOCK, "right")), start + 1)
            rows = slice(first[start], first[stop])
            row_counts = None if count is None else count[rows]
            if stop == start + 1:
                self._add_level(cell[rows], row_counts)
            else:
                self._add_block(cell[rows], first[start : stop + 1] - first[start], row_counts)
            start = stop

    def _add_level(self, cell: Array, count: Integers | None) -> None:
        """Add items of one score, of any number."""
        k = len(self.sizes)
        n = np.zeros((k, 2), dtype=np.int64)
        np.add.at(n.reshape(-1), cell, 1 if count is None else count)
        tied = n if self.ties == "half" else 0 * n
        for label in (1, 0):
            # a tie is half, or neither of two placements
            other = self._level_placements(label) + (1 if label else -1) * tied[:, 1 - label]
            if not label and self.ties == "wrong":
                other = other - 2 * n[:, 1]
            items, other = n[:, label].astype(object), other.astype(object)
            self._sums[label] += items[:, None] * other
            self._products[label] += items[:, None, None] * (other[:, None] * other)
        self._before += n

    def _level_placements(self, label: int) -> Integers:
        """Return twice the placement, in each group, of an item above all so far."""
        before = self._before[:, 1 - label]
        return 2 * before if label else 2 * (self.sizes[:, 1] - before)

    def _add_block(self, cell: Array, first: Integers, count: Integers | None) -> None:
        """Add rows of several levels, which begin at `first`; all floats are whole numbers."""
        k, rows = len(self.sizes), len(cell)
        inside = [np.flatnonzero(cell == each) for each in range(2 * k)]
        below = []  # items of each cell in the rows before
        for positions in inside:
            added = np.zeros(rows + 1, dtype=np.int32)
            added[positions + 1] = 1 if count is None else count[positions]
            below.append(np.cumsum(added))
        start = end = np.arange(rows)  # items of other cells do not change where none is tied
        if len(first) <= rows:
            level = np.repeat(np.arange(len(first) - 1), np.diff(first))
            start, end = first[level], first[level + 1]
        n = np.array([each[-1] for each in below], dtype=np.int64).reshape(k, 2)
        for label in (1, 0):
            base = self._level_placements(label).astype(object)
            sums = np.zeros((k, k), dtype=object)
            products = np.zeros((k, k, k), dtype=object)
            others = below[1 - label :: 2]
            for group, positions in enumerate(inside[label::2]):
                inner = self._inner(others, start[positions], end[positions], label)
                weighted = inner if count is None else inner * count[positions]
                sums[group] = weighted.sum(axis=1).astype(np.int64).astype(object)
                products[group] = (weighted @ inner.T).astype(np.int64).astype(object)
            items = n[:, label].astype(object)
            crossed = sums[:, :, None] * base
            products += crossed + np.swapaxes(crossed, 1, 2)
            self._products[label] += products + items[:, None, None] * (base[:, None] * base)
            self._sums[label] += sums + items[:, None] * base
        self._before += n

    def _inner(self, others: Sequence[Array], start: Integers, end: Integers, label: int) -> Floats:
        """Return what the rows of a block add to twice the placements of one another."""
        if self.ties == "half":
            inner = np.array([below[start] + below[end] for below in others], dtype=float)
        else:
            bound = start if label else end
            inner = np.array([2 * below[bound] for below in others], dtype=float)
        return inner if label else -inner

    def moments(self, *, with_all: bool = False) -> tuple[Floats, tuple[Floats, ...]]:
        """Return the sizes, and the sums of the shares of items, and of products of two shares.

        Shapes are (K, K) and (K, K, K), of label 1, then 0; NaN where a group has no opponents.
        With `with_all` all items are one more group, the last.
        """
        sizes, sums, products = self.sizes.astype(object), self._sums, self._products
        if with_all:
            sizes = _with_total(sizes, 0)
            sums = _with_total(_with_total(sums, 1), 2)
            products = _with_total(_with_total(_with_total(products, 1), 2), 3)
        ratios = []
        for label in (1, 0):
            twice = 2 * sizes[:, 1 - label]
            ratios += [_ratio(sums[label], twice), _ratio(products[label], twice[:, None] * twice)]
        return sizes.astype(float), tuple(ratios)


def _with_total(numbers: Array, axis: int) -> Array:
    return np.concatenate([numbers, numbers.sum(axis=axis, keepdims=True)], axis=axis)


def _ratio(numerator: Array, denominator: Array) -> Floats:
    """Divide whole numbers of any size, each ratio rounded once; NaN over 0."""
    some = np.where(denominator == 0, 1, denominator)
    ratio = (numerator / some).astype(float)
    return np.where(denominator == 0, np.nan, ratio)


def all_pairs_binary(
    winner: NDArray[np.bool_],
    order: ScoreOrder,
    group: Integers,
    k: int,
    ties: Ties,
    *,
    count: Integers | None = None,
    with_all: bool = False,
) -> PairRates:
    """Estimate TPR(a, b) from all pairs of items with (winner) and without the higher label.

    `count` is how many equal items each one stands for, None for one each. With `with_all` all
    items are one more group, the last; no two groups are then taken alone.
    """
    cell = (2 * group + winner).astype(np.int16)[order.position]
    counts = None if count is None else count[order.position]
    sizes = np.bincount(cell, counts, 2 * k).astype(np.int64).reshape(k, 2)
    sums = PlacementSums(sizes, ties)
    sums.add(cell, np.diff(order.level, prepend=-1) > 0, counts)
    rates = _delong(*sums.moments(with_all=with_all), each_two=not with_all)
    if ties == "half" or order.level[-1] != 1:
        return rates
    high = order.level == 1
    hits = np.bincount(cell[high], None if counts is None else counts[high], 2 * k).reshape(k, 2)
    return replace(rates, hits=hits[:, ::-1].astype(float))


def all_pairs_from_counts(counts: Floats, *, ties: Ties = "wrong") -> PairRates:
    """Estimate TPR(a, b) from all pairs of items with binary labels, counted by score.

    Counts are by group, label and level of the score, levels ascending, shape (..., K, 2, L). The
    result has one class of items for each group and label, label 1 first.
    """
    check_ties(ties)
    counts = np.asarray(counts, dtype=float)
    sizes = counts.sum(axis=-1)
    rates = _delong(sizes, _moments(counts, sizes, np.zeros_like(sizes), ties))
    two_valued = counts.shape[-1] == 2 and ties == "wrong"
    return replace(rates, hits=counts[..., ::-1, 1]) if two_valued else rates


def _moments(counts: Floats, sizes: Floats, before: Floats, ties: Ties) -> tuple[Floats, ...]:
    """Sum placements, and their products, over levels of the score.

    A placement is the share of the losers that an item with label 1 outscores, or of the winners
    that outscore one with label 0. `counts` are (..., K, 2, L); `sizes` and `before`, (..., K, 2),
    of all levels and of those below.
    """
    lower = before[..., None] + np.cumsum(counts, axis=-1) - counts
    share = 0.5 if ties == "half" else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        beaten = (lower[..., 0, :] + share * counts[..., 0, :]) / sizes[..., 0, None]
        rest = sizes[..., None] - lower - (1 - share) * counts
        beating = rest[..., 1, :] / sizes[..., 1, None]
    sums = []
    for items, placement in ((counts[..., 1, :], beaten), (counts[..., 0, :], beating)):
        weighted = items[..., :, None, :] * placement[..., None, :, :]  # (..., group, other, L)
        sums += [weighted.sum(axis=-1), weighted @ np.swapaxes(placement, -1, -2)[..., None, :, :]]
    return tuple(sums)


def _delong(sizes: Floats, moments: tuple[Floats, ...], *, each_two: bool = True) -> PairRates:
    """Put rates and DeLong's covariance together from the sums of `_moments`."""
    k = sizes.shape[-2]
    pairs = group_pairs(k) if each_two else []
    comparable = sizes[..., :, None, 1] * sizes[..., None, :, 0]
    classes = []
    for label in (1, 0):
        total, squares = moments[:2] if label else moments[2:]
        m = sizes[..., label]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / m[..., None]
            spread = squares / m[..., None, None] - mean[..., :, None] * mean[..., None, :]
            variance = _kept(spread) / np.maximum(m - 1, 1)[..., None, None]
        classes.append(variance)  # (..., group, other, other)
    components = np.zeros((*sizes.shape[:-2], 2 * k, k, k, k, k))
    for g in range(k):
        components[..., 2 * g, g, :, g, :] = classes[0][..., g, :, :]
        components[..., 2 * g + 1, :, g, :, g] = classes[1][..., g, :, :]
    shape = sizes.shape[:-2]
    with np.errstate(invalid="ignore", divide="ignore"):
        concordant = moments[0] * sizes[..., None, :, 0]
        explained = [
            _pooled_variance(sizes[..., label], sizes[..., 1 - label], *sums)
            for label, sums in ((1, moments[:2]), (0, moments[2:]))
        ]
        same_winner = np.eye(k)[:, None, :, None] / sizes[..., :, None, None, None, 1]
        same_loser = np.eye(k)[None, :, None, :] / sizes[..., None, :, None, None, 0]
        pooled = (
            explained[0][..., None, None, None, None] * same_winner
            + explained[1][..., None, None, None, None] * same_loser
        )
    return PairRates(
        concordant=np.where(comparable > 0, concordant, 0),
        comparable=comparable,
        pairs=comparable,
        components=components.reshape(*shape, 2 * k, k * k, k * k),
        class_sizes=sizes[..., ::-1].reshape(*shape, 2 * k),
        counted_twice=np.zeros((*shape, k * k, k * k)),
        pooled=pooled.reshape(*shape, k * k, k * k),
        each_two=tuple(_delong(*_two_groups(sizes, moments, two)) for two in pairs) or None,
    )


def _two_groups(
    sizes: Floats, moments: tuple[Floats, ...], two: tuple[int, int]
) -> tuple[Floats, tuple[Floats, ...]]:
    """Return sizes and moments of two of the groups; placements are among items of one group."""
    i = np.array(two)
    sums, squares = (..., i[:, None], i), (..., i[:, None, None], i[:, None], i)
    return sizes[..., i, :], tuple(m[squares if n % 2 else sums] for n, m in enumerate(moments))


def _pooled_variance(sizes: Floats, other: Floats, total: Floats, squares: Floats) -> Floats:
    """Return the variance of the placements of all items of one label among all of the other."""
    share = other / other.sum(axis=-1, keepdims=True)
    n = sizes.sum(axis=-1)
    mean = np.einsum("...ab,...b->...", np.nan_to_num(total), share) / n
    square = np.einsum("...abc,...b,...c->...", np.nan_to_num(squares), share, share) / n
    return np.asarray(_kept(square - mean**2) * n / np.maximum(n - 1, 1))


def _kept(spread: Floats) -> Floats:
    return np.where(np.abs(spread) > NO_SPREAD, spread, 0)
