"""TPR(a, b) from pairs of items that were given or drawn."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, by_class, group_pairs

#: Pairs that are handled at once, so that the work stays in the cache.
BLOCK = 1 << 16


@dataclass(frozen=True)
class Dyads:
    """Two items that are in two pairs or more.

    Arrays over dyads have two columns: the pairs that the first item wins, and the others.
    """

    #: Positions of the pairs that recur.
    pairs: Integers
    #: Twice the number of the dyad of each such pair, and 1 more where the second item wins.
    side: Integers
    #: First and second item of each dyad, shape (d, 2), data sets one after the other.
    items: Integers
    #: Group of each item, shape (r, n).
    group: Integers
    n_groups: int

    @cached_property
    def row(self) -> Integers:
        """Data set of each dyad, shape (d, 1)."""
        return np.asarray(self.items[:, :1] // self.group.shape[1])

    @cached_property
    def cell(self) -> Integers:
        """Cell of the pairs that the first item wins, and of the others, shape (d, 2)."""
        winner = self.group.ravel()[self.items]
        return np.asarray(winner * self.n_groups + winner[:, ::-1])

    def sums(self, level: Integers, n_levels: int, values: Floats | None) -> Floats:
        """Sum values of pairs, or count pairs, by their level, shape (levels, d, 2)."""
        size = 2 * len(self.items)
        index = level[self.pairs] * size + self.side
        taken = None if values is None else values[self.pairs]
        return _sums(index, taken, n_levels * size).reshape(n_levels, -1, 2)

    def by_cell(self, values: Floats) -> Floats:
        """Sum values of dyads, shape (d, 2), by data set and cell, shape (r, K²)."""
        shape = len(self.group), self.n_groups**2
        index = (self.row * shape[1] + self.cell).ravel()
        return _sums(index, values.ravel(), shape[0] * shape[1]).reshape(shape)

    def by_item(self, values: Floats) -> tuple[Floats, Floats]:
        """Sum values of dyads, shape (d, 2), by the item that wins, and by the one that loses."""
        won, lost = (
            _sums(items.ravel(), values.ravel(), self.group.size)
            for items in (self.items, self.items[:, ::-1])
        )
        return won.reshape(self.group.shape), lost.reshape(self.group.shape)

    def turned(self, sums: Floats) -> Floats:
        """Sum the products of what both items win from each other, by cell, shape (r, K², K²)."""
        r, k2 = len(self.group), self.n_groups**2
        index = (self.row[:, 0] * k2 + self.cell[:, 0]) * k2 + self.cell[:, 1]
        products = _sums(index, sums.prod(axis=1), r * k2 * k2).reshape(r, k2, k2)
        return np.asarray(products + np.swapaxes(products, 1, 2))


def find_dyads(winner: Integers, loser: Integers, group: Integers, n_groups: int) -> Dyads:
    """Find the dyads among pairs of different items, data sets one after the other."""
    n = group.shape[1]
    key = np.minimum(winner, loser) * n + np.maximum(winner, loser) % n
    order = np.argsort(key)
    ordered = key[order]
    as_before = np.zeros(len(key) + 1, dtype=bool)
    np.equal(ordered[1:], ordered[:-1], out=as_before[1:-1])
    recurs = np.flatnonzero(as_before[1:] | as_before[:-1])
    new = ~as_before[recurs]
    pairs, first = order[recurs], ordered[recurs[new]]
    items = np.stack([first // n, first // (n * n) * n + first % n], axis=1)
    side = 2 * (np.cumsum(new) - 1) + (winner[pairs] > loser[pairs])
    return Dyads(pairs, side, items, group, n_groups)


def _sums(index: Integers, values: Floats | None, size: int) -> Floats:
    return np.bincount(index, values, minlength=size).astype(float)  # of nothing, it is of integers


@dataclass(frozen=True)
class JudgedItems:
    """Pairs of each item, or their weights, in r data sets."""

    #: What an item wins, and loses, by the value of the hit and by the group of the other item,
    #: shape (levels, K, r, n).
    won: Floats
    lost: Floats
    #: The values of the hit, shape (levels,).
    value: Floats
    #: Whether each item is in each group, shape (K, r, n).
    member: Floats

    @cached_property
    def numbers(self) -> tuple[Floats, Floats]:
        """What items win, and lose, by the group of the other item, shape (K, r, n)."""
        return self.won.sum(axis=0), self.lost.sum(axis=0)

    @cached_property
    def hits(self) -> tuple[Floats, Floats]:
        """Hits among what items win, and lose, shape (K, r, n)."""
        return np.tensordot(self.value, self.won, 1), np.tensordot(self.value, self.lost, 1)

    def by_cell(self) -> Floats:
        """Sum over items, by the value of the hit, data set and cell, shape (levels, r, K²)."""
        k, r, n = self.member.shape
        by_group = self.won.reshape(-1, r, n).transpose(1, 2, 0)
        cells = (self.member.transpose(1, 0, 2) @ by_group).reshape(r, k, -1, k)
        return cells.transpose(2, 0, 1, 3).reshape(-1, r, k * k)

    def as_winner(self, won: Floats) -> Floats:
        """Return values of items as winners, by the other's group, in the cells, (K², r, n)."""
        return (self.member[:, None] * won).reshape(-1, *won.shape[1:])

    def as_loser(self, lost: Floats) -> Floats:
        """Return values of items as losers, by the other's group, in the cells, (K², r, n)."""
        return (lost[:, None] * self.member).reshape(-1, *lost.shape[1:])

    def in_cells(self, both: tuple[Floats, Floats]) -> Floats:
        """Return values of items as winners plus those as losers in the cells, (K², r, n)."""
        return self.as_winner(both[0]) + self.as_loser(both[1])


def judged_items(
    items: tuple[Integers, Integers],
    level: Integers,
    value: Floats,
    group: Integers,
    n_groups: int,
    values: Floats | None = None,
) -> JudgedItems:
    """Count the pairs of each item, or sum values of them, shape (m,).

    `items` are winners and losers; `level` tells which `value` of the hit a pair has.
    """
    shape = len(value), n_groups, *group.shape
    size = int(np.prod(shape))
    won, lost = (
        np.bincount((n_groups * level + group.take(other)) * group.size + item, values, size)
        for item, other in (items, items[::-1])
    )
    member = (group == np.arange(n_groups)[:, None, None]).astype(float)
    return JudgedItems(
        won.reshape(shape).astype(float), lost.reshape(shape).astype(float), value, member
    )


def verdicts(y_score: Floats, left: Integers, right: Integers) -> Floats:
    """Return the verdict of the scores on pairs: 1 for left, −1 for right, 0 for a tie."""
    one, two = (take_items(y_score, side) for side in (left, right))
    return (one > two).astype(float) - (one < two)


def orient_pairs(
    outcome: Floats, predicted: Floats, left: Integers, right: Integers, *, ties: Ties = "wrong"
) -> tuple[Integers, Integers, Floats]:
    """Return winner, loser and hit of pairs from two verdicts on them; those with outcome 0 drop.

    Verdicts, the outcome and what is predicted, are above 0 for left and 0 for a tie.
    """
    # sums of positions: to choose one by one costs more
    winner = left + (outcome < 0) * (right - left)
    loser = winner + (outcome != 0) * (left + right - 2 * winner)
    hit = (outcome * predicted > 0).astype(float)
    if ties == "half":
        hit += 0.5 * (predicted == 0)
    return winner, loser, hit


def take_items(values: Array, positions: Integers) -> Array:
    """Take the values of items, in one data set or in each of many."""
    if values.ndim == 1:
        return np.asarray(values[positions])
    start = values.shape[1] * np.arange(len(values))[:, None]
    return np.asarray(values.ravel().take(positions + start))


def given_pairs(
    winner: Integers,
    loser: Integers,
    hit: Floats,
    group: Integers,
    n_groups: int,
    *,
    weights: Floats | None = None,
) -> PairRates:
    """Estimate TPR(a, b) from pairs that were given or drawn; pairs may share items, or recur.

    Pairs have the shape (m,), or (r, m) for r data sets; those with winner = loser drop. `hit` is
    1, ½ for a tie that counts half, or 0. Classes of items are group × (more often the winner, or
    not). Pairs of the same two items are summed before they are squared.
    """
    if winner.ndim == 1:
        rows = None if weights is None else weights[None]
        one = (winner[None], loser[None], hit[None], np.atleast_2d(group), n_groups)
        return given_pairs(*one, weights=rows).take(0)
    groups = np.broadcast_to(group, (len(winner), group.shape[-1]))
    step = max(1, BLOCK // max(winner.shape[1], groups.shape[1] * n_groups**2))
    blocks = [slice(first, first + step) for first in range(0, len(winner), step)]
    tables = [
        _in_cells(
            *(winner[rows], loser[rows], hit[rows], groups[rows], n_groups),
            None if weights is None else weights[rows],
        )
        for rows in blocks
    ]
    rates = PairRates.joined(tables)
    each_two = []
    for two in group_pairs(n_groups):
        other = ~np.isin(groups, two)
        # a pair of an item with itself drops
        outside = take_items(other, winner) | take_items(other, loser)
        within = (winner, np.where(outside, winner, loser), hit)
        second = (groups == two[1]).astype(np.int64)
        each_two.append(given_pairs(*within, second, 2, weights=weights))
    return replace(rates, each_two=tuple(each_two) or None)


def _in_cells(
    winner: Integers, loser: Integers, hit: Floats, group: Integers, k: int, weights: Floats | None
) -> PairRates:
    """Estimate TPR(a, b) from counts of pairs; only those that recur are handled one by one."""
    (r, n), k2 = group.shape, k * k
    used = winner != loser
    if weights is not None:
        used &= weights > 0
    kept, start = np.flatnonzero(used), n * np.arange(r)[:, None]
    i, j = ((side + start).ravel().take(kept) for side in (winner, loser))
    weight = None if weights is None else weights.ravel().take(kept)
    level = (2 * hit).ravel().take(kept).astype(np.int64)
    value = np.array([0, 0.5, 1])
    if not (level & 1).any():  # no tie counts half
        level, value = level >> 1, value[::2]
    dyads = find_dyads(i, j, group, k)
    counted = judged_items((i, j), level, value, group, k)
    again = dyads.sums(level, len(value), None)
    weighed, in_dyads, squares, squared = counted, again, counted.by_cell(), again
    if weight is not None:
        weighed = judged_items((i, j), level, value, group, k, weight)
        in_dyads = dyads.sums(level, len(value), weight)
        squares = judged_items((i, j), level, value, group, k, weight**2).by_cell()
        squared = dyads.sums(level, len(value), weight**2)
    summed, pairs = weighed.by_cell(), counted.by_cell().sum(axis=0)
    concordant, comparable = np.tensordot(value, summed, 1), summed.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = np.nan_to_num(concordant / comparable)
        scale = np.where(comparable > 0, 1 / comparable, 0)
        effective = comparable**2 / squares.sum(axis=0)
    added = weighed.in_cells(weighed.hits)
    added -= rate.T[..., None] * weighed.in_cells(weighed.numbers)
    added *= scale.T[..., None]
    wins, losses = (number.sum(axis=0) for number in counted.numbers)
    classes = np.where(wins + losses > 0, 2 * group + (wins < losses), -1)
    components, sizes = by_class(added, classes, 2 * k)
    judged = np.square(counted.in_cells(counted.numbers))
    with np.errstate(invalid="ignore"):
        items = (judged.sum(axis=-1) ** 2 / np.square(judged).sum(axis=-1)).T
    index = dyads.row, dyads.cell
    sums = np.tensordot(value, in_dyads, 1) - rate[index] * in_dyads.sum(axis=0)
    sums *= scale[index]
    within = dyads.by_cell(sums**2)
    for v, all_pairs, recurring in zip(value, squares, squared, strict=True):
        alone = all_pairs - dyads.by_cell(recurring)
        within += alone * ((v - rate) * scale) ** 2
    shape = (r, k, k)
    return PairRates(
        concordant=concordant.reshape(shape),
        comparable=comparable.reshape(shape),
        pairs=pairs.reshape(shape),
        components=components,
        class_sizes=sizes,
        counted_twice=dyads.turned(sums) + within[..., None] * np.eye(k2),
        pooled=_pooled(counted, dyads, again) if weights is None else None,
        effective=effective.reshape(shape),
        items=np.nan_to_num(items).reshape(shape),
    )


def _pooled(counted: JudgedItems, dyads: Dyads, again: Floats) -> Floats:
    """Return the covariance of the rates where every pair is ranked right with one probability.

    Two pairs covary when they share a winner, a loser, an item that wins one and loses the other,
    both items, or both the other way round. The first three covariances are means over items, each
    by its number of pairs, so that a few do not decide. `again` are the pairs of each dyad, by hit.
    """
    summed = counted.by_cell()
    pairs = summed.sum(axis=0)
    share = np.tensordot(counted.value, summed, 1).sum(axis=1) / np.maximum(pairs.sum(axis=1), 1)
    number = again.sum(axis=0)
    n_same = pairs + dyads.by_cell(number**2 - number)
    n_same, n_turned = n_same[..., None] * np.eye(n_same.shape[1]), dyads.turned(number)
    won, lost = counted.as_winner(counted.numbers[0]), counted.as_loser(counted.numbers[1])
    mixed = _products(won, lost)
    mixed = mixed + np.swapaxes(mixed, 1, 2)
    same_winner, same_loser = _products(won, won) - n_same, _products(lost, lost) - n_same
    numbers = np.stack([same_winner, same_loser, mixed - 2 * n_turned, n_same, n_turned])
    residual = counted.value[:, None, None] - share[:, None]
    by_item = [_shared(counted, dyads, again, x) for x in (residual, np.ones_like(residual))]
    judged = sum(number.sum(axis=0) for number in counted.numbers)
    with np.errstate(invalid="ignore", divide="ignore"):
        per_pair = np.where(judged > 0, 1 / judged, 0)
        products, weights = (
            np.concatenate([kinds[:3] * per_pair, kinds[3:] / 2])  # a dyad has two items
            for kinds in by_item
        )
        total = weights.sum(axis=-1)
        covariances = np.where(total > 0, products.sum(axis=-1) / total, 0)
        # residuals of an estimated rate covary less than those of the true one, by its variance
        spread = (covariances * numbers.sum(axis=(2, 3))).sum(axis=0) / pairs.sum(axis=1) ** 2
        covariances += np.maximum(np.nan_to_num(spread), 0)
        # k items underestimate their covariance by 1 / k²: as if all pairs of an item were alike
        missed = np.nan_to_num(np.square(np.square(weights[:2]).sum(axis=-1) / total[:2] ** 2))
        covariances[:2] += missed * (share * (1 - share) - covariances[:2])
        covariance = np.einsum("kr,krxy->rxy", covariances, numbers)
        return np.asarray(covariance / (pairs[:, :, None] * pairs[:, None, :]))


def _products(one: Floats, two: Floats) -> Floats:
    """Sum the products of what items have in each two cells, shape (r, K², K²)."""
    return np.asarray(one.transpose(1, 0, 2) @ two.transpose(1, 2, 0))


def _shared(counted: JudgedItems, dyads: Dyads, again: Floats, values: Floats) -> Floats:
    """Sum, for each item, the products of the values of two pairs that share it, shape (5, r, n).

    The kinds are those of `_pooled`; a dyad counts for both items. `values` are (levels, r, 1).
    """
    by_hit = counted.won.sum(axis=1), counted.lost.sum(axis=1)
    won, lost = ((values * number).sum(axis=0) for number in by_hit)
    sums = (values[:, dyads.row[:, 0]] * again).sum(axis=0)
    # what recurs is squared together, all else alone
    apart = (values[:, dyads.row[:, 0]] ** 2 * again).sum(axis=0)
    same_won, same_lost = (
        (values**2 * number).sum(axis=0) + more
        for number, more in zip(by_hit, dyads.by_item(sums**2 - apart), strict=True)
    )
    turned = dyads.by_item(np.repeat(2 * sums.prod(axis=1, keepdims=True), 2, axis=1))[0]
    alone = won**2 - same_won, lost**2 - same_lost, 2 * won * lost - turned
    return np.stack([*alone, same_won + same_lost, turned])
