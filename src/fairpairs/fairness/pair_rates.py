"""TPR(a, b) with the covariance that shared items bring, from all pairs or from given ones.

An item takes part in many pairs, so pairs are no independent trials. Each estimate is therefore
split into what single items add to it (Hájek's projections; DeLong's placements for binary labels,
and clusters of pairs with one item for given pairs), and the variance is summed over items.
Every function works on many data sets at once, along a leading axis, and on any number of groups.

References
----------
E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under two or more
correlated receiver operating characteristic curves; P. M. Aronow, C. Samii and V. A. Assenova
(2015), Cluster-robust variance estimation for dyadic data. The derivations are in
docs/calibration.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness import inputs
from fairpairs.fairness.balance import dense_ranks

#: What a tie of the scores counts: nothing (equation 16 of the paper) or half (concordance).
Ties = Literal["wrong", "half"]

#: A variance of a rate, and of single placements, below these is rounding.
NO_VARIANCE, NO_SPREAD = 1e-20, 1e-15

#: Items that are handled at once when labels are binary, so that the work stays in the cache.
CHUNK = 1 << 17

#: Bins of equal width by which the scores are parted first.
N_BINS = 1 << 12


def check_ties(ties: str) -> None:
    """Raise unless `ties` is a way to count them."""
    inputs.one_of(ties, "ties", get_args(Ties))


@dataclass(frozen=True)
class PairRates:
    """TPR(a, b) of every ordered pair of K groups, and what its covariance is made of.

    Attributes
    ----------
    right, usable
        (Weighted) number of pairs ranked right, and of pairs with different labels, in each cell
        (group of the higher label, group of the lower), shape (..., K, K).
    pairs
        Number of pairs in each cell, whatever their weight, shape (..., K, K).
    components
        Covariance of the K² rates that each class of items brings, shape (..., C, K², K²).
    class_sizes
        Items in each class, shape (..., C); of balanced labels, items of equal weight that a group
        is worth, (Σω)² / Σω².
    counted_twice
        What the sum of the components holds twice, shape (..., K², K²).
    pooled
        The covariance where separation holds, from what an item explains in all groups together,
        shape (..., K², K²). None where pairs have weights, and for all pairs of real labels that
        are not balanced.
    effective
        Number of given or drawn pairs, less what unequal weights cost, (Σw)² / Σw², shape
        (..., K, K). None for all pairs.
    items
        Items that the given or drawn pairs of each cell are worth, (Σ m²)² / Σ m⁴ where an item
        is in m of them: their number if all are in as many, shape (..., K, K). None for all pairs.
    each_two
        The rates of each two groups a < b, from the items of those two alone; None for two groups.
    """

    right: Floats
    usable: Floats
    pairs: Floats
    components: Floats
    class_sizes: Floats
    counted_twice: Floats
    pooled: Floats | None = None
    effective: Floats | None = None
    items: Floats | None = None
    each_two: tuple[PairRates, ...] | None = None

    @property
    def tpr(self) -> Floats:
        """TPR(a, b), shape (..., K, K), NaN where a cell has no pair."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.right / self.usable)

    @property
    def covariance(self) -> Floats:
        """Covariance of the rates in the order (0, 0), (0, 1), …, shape (..., K², K²)."""
        return np.asarray(self.components.sum(axis=-3) - self.counted_twice)


def all_pairs_from_counts(counts: Floats, *, ties: Ties = "wrong") -> PairRates:
    """Estimate TPR(a, b) from all pairs of items with binary labels, counted by score.

    Parameters
    ----------
    counts
        Items in each cell (group, label, level of the score), levels ascending, shape
        (..., K, 2, L).
    ties
        "wrong" or "half".

    Returns
    -------
    PairRates
        With one class of items for each group and label, label 1 first.
    """
    check_ties(ties)
    counts = np.asarray(counts, dtype=float)
    sizes = counts.sum(axis=-1)
    return _delong(sizes, _moments(counts, sizes, np.zeros_like(sizes), ties))


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

    Parameters
    ----------
    y_true, y_score
        Labels and scores, real, shape (n,), or (r, n) for r data sets. (For many data sets with
        binary labels there is `all_pairs_from_counts`, which has a pooled covariance, too.)
    group
        Group of each item, 0 to n_groups − 1, of the same shape.
    n_groups
        Number of groups, K.
    ties
        "wrong" or "half".
    weights
        Weight of each item, of the same shape; a pair weighs the product of its two.
    strata
        Where the weights were estimated by strata of the label: the stratum of each item. What an
        item adds is then centred within its group and stratum.

    Returns
    -------
    PairRates
        The classes of items are group × label for one data set of binary labels without weights,
        else the groups.

    Raises
    ------
    InputError
        When `ties` is neither.
    """
    check_ties(ties)
    if y_true.ndim == 1 and weights is None:
        low, high = y_true.min(), y_true.max()
        if low < high and ((y_true == low) | (y_true == high)).all():
            return all_pairs_binary(y_true == high, y_score, group, n_groups, ties)
    if y_true.ndim == 1:
        one = None if weights is None else weights[None]
        within = None if strata is None else strata[None]
        return _first(
            _all_pairs_real(y_true[None], y_score[None], group[None], n_groups, ties, one, within)
        )
    return _all_pairs_real(y_true, y_score, group, n_groups, ties, weights, strata)


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

    Parameters
    ----------
    winner, loser
        Positions of the item with the higher and with the lower label, shape (m,), or (r, m) for r
        data sets. A pair with winner = loser is no judgment and drops.
    hit
        1 where the winner has the higher score, 0 where not; ½ for a tie that counts half.
    group
        Group of each item, 0 to n_groups − 1, shape (n,) or (r, n).
    n_groups
        Number of groups, K.
    weights
        Weight of each pair, of the shape of `winner`; 0 leaves it out.

    Returns
    -------
    PairRates
        The classes of items are group × (more often the winner, or not), which for binary labels
        is group × label. Pairs of the same two items are summed before they are squared.
    """
    if winner.ndim == 1:
        rows = None if weights is None else weights[None]
        one = (winner[None], loser[None], hit[None], np.atleast_2d(group), n_groups)
        return _first(given_pairs(*one, weights=rows))
    r, n = len(winner), group.shape[-1]
    used = winner != loser
    if weights is not None:
        used &= weights > 0
    row = np.nonzero(used)[0]
    i, j, success = row * n + winner[used], row * n + loser[used], hit[used]
    weight = np.ones(len(i)) if weights is None else weights[used]
    groups = np.broadcast_to(group, (r, n)).ravel()
    k2 = n_groups**2
    cell = groups[i] * n_groups + groups[j]

    def per_cell(values: Floats | None) -> Floats:
        counted = np.bincount(row * k2 + cell, values, minlength=r * k2)
        return counted.reshape(r, n_groups, n_groups).astype(float)

    right, usable, pairs = per_cell(weight * success), per_cell(weight), per_cell(None)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = (right / usable).reshape(r, k2)
        effective = usable**2 / per_cell(weight**2)
    added = weight * (success - rate[row, cell]) / usable.reshape(r, k2)[row, cell]
    of_item = np.zeros((r * n, k2))
    for item in (i, j):
        of_item += _by_cell(item, cell, added, r * n, k2)
    won, lost = (np.bincount(item, minlength=r * n) for item in (i, j))
    classes = np.where(won + lost > 0, 2 * groups + (won < lost), -1).reshape(r, n)
    components, sizes = _by_class(of_item.reshape(r, n, k2), classes, 2 * n_groups)
    dyads = _dyads(i, j, n, row, cell, (r, k2))
    won_in, lost_in = (_by_cell(item, cell, None, r * n, k2) for item in (i, j))
    judged_in = np.square(won_in + lost_in).reshape(r, n, k2)
    with np.errstate(invalid="ignore"):
        items = judged_in.sum(axis=1) ** 2 / np.square(judged_in).sum(axis=1)
    pooled = None
    if weights is None:
        share = right.sum(axis=(1, 2)) / np.maximum(usable.sum(axis=(1, 2)), 1)
        pooled = _pooled((won_in, lost_in), (i, j), dyads, success - share[row], share)
    each_two = []
    for two in _twos(n_groups):
        other = np.broadcast_to(~np.isin(group, two), (r, n)).astype(float)
        # a pair of an item with itself drops
        outside = of_items(other, winner) + of_items(other, loser) > 0
        each_two.append(
            given_pairs(
                winner,
                np.where(outside, winner, loser),
                hit,
                (group == two[1]).astype(np.int64),
                2,
                weights=weights,
            )
        )
    return PairRates(
        right=right,
        usable=usable,
        pairs=pairs,
        components=components,
        class_sizes=sizes,
        counted_twice=dyads.squares(added),
        pooled=pooled,
        effective=effective,
        items=np.nan_to_num(items).reshape(r, n_groups, n_groups),
        each_two=tuple(each_two) or None,
    )


def _by_cell(
    unit: Integers, cell: Integers, values: Floats | None, n_units: int, n_cells: int
) -> Floats:
    counted = np.bincount(unit * n_cells + cell, values, minlength=n_units * n_cells)
    return counted.reshape(n_units, n_cells).astype(float)


def _sum_by(unit: Integers, values: Floats, n_units: int) -> Floats:
    return np.bincount(unit, values, minlength=n_units).astype(float)


def judged(
    outcome: Floats, y_score: Floats, left: Integers, right: Integers, *, ties: Ties = "wrong"
) -> tuple[Integers, Integers, Floats]:
    """Turn judged pairs of items into winner, loser and hit, as `given_pairs` takes them.

    Parameters
    ----------
    outcome
        Positive where the left item has the higher label, negative where the right one has; 0 makes
        a pair of an item with itself, which drops. Shape (m,), or (r, m) for r data sets.
    y_score
        Scores, shape (n,) or (r, n).
    left, right
        Positions of the two items, of the shape of `outcome`.
    ties
        "wrong" or "half".
    """
    winner = np.where(outcome >= 0, left, right)
    loser = np.where(outcome > 0, right, np.where(outcome < 0, left, winner))
    ahead, behind = (of_items(y_score, side) for side in (winner, loser))
    hit = (ahead > behind).astype(float)
    if ties == "half":
        hit += 0.5 * (ahead == behind)
    return winner, loser, hit


def of_items(values: Floats, positions: Integers) -> Floats:
    """Take the values of items, in one data set or in each of many."""
    if values.ndim == 1:
        return np.asarray(values[positions])
    return np.take_along_axis(values, positions, axis=1)


@dataclass(frozen=True)
class _Dyads:
    """Which pairs are of the same two items.

    Attributes
    ----------
    row, cell
        Data set and cell of each pair.
    recurs
        Whether another pair has the same two items.
    dyad, dyad_row
        The dyad of each pair that recurs, and the data set of each such dyad.
    forward
        Whether the winner of each pair that recurs stands before its loser.
    shape
        Number of data sets, and of cells.
    """

    row: Integers
    cell: Integers
    recurs: NDArray[np.bool_]
    dyad: Integers
    dyad_row: Integers
    forward: NDArray[np.bool_]
    shape: tuple[int, int]

    def _units(self, *, oriented: bool) -> tuple[Integers, Integers]:
        if not oriented:
            return self.dyad, self.dyad_row
        return 2 * self.dyad + self.forward, np.repeat(self.dyad_row, 2)

    def squares(self, values: Floats, *, oriented: bool = False) -> Floats:
        """Sum the outer products of the sums over dyads, by cell, shape (r, K², K²).

        Oriented: pairs of the same two items count together only where the same one wins.
        """
        r, k2 = self.shape
        dyad, dyad_row = self._units(oriented=oriented)
        alone, again = ~self.recurs, self.recurs
        total = np.zeros((r, k2, k2))
        single = _by_cell(self.row[alone], self.cell[alone], values[alone] ** 2, r, k2)
        total[:, np.arange(k2), np.arange(k2)] = single
        sums = _by_cell(dyad, self.cell[again], values[again], len(dyad_row), k2)
        for x in range(k2):
            for y in range(k2):
                total[:, x, y] += _sum_by(dyad_row, sums[:, x] * sums[:, y], r)
        return total

    def square_sums(
        self, values: Floats, item: Integers, n: int, *, oriented: bool = False
    ) -> Floats:
        """Sum the squares of the sums over the dyads of each item, whatever the cell, shape (n,).

        Of each pair, `item` is the one that counts; it must be the same one in all of a dyad.
        """
        dyad, dyad_row = self._units(oriented=oriented)
        alone = _sum_by(item[~self.recurs], values[~self.recurs] ** 2, n)
        sums = _sum_by(dyad, values[self.recurs], len(dyad_row))
        counts = np.zeros(len(dyad_row), dtype=np.int64)
        counts[dyad] = item[self.recurs]
        return alone + _sum_by(counts, sums**2, n)


def _dyads(
    winner: Integers, loser: Integers, n: int, row: Integers, cell: Integers, shape: tuple[int, int]
) -> _Dyads:
    key = np.minimum(winner, loser) * n + np.maximum(winner, loser) % n
    ordered = np.sort(key)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    place = np.minimum(np.searchsorted(twice, key), max(len(twice) - 1, 0))
    recurs = twice[place] == key if len(twice) else np.zeros(len(key), dtype=bool)
    dyad_row = np.zeros(len(twice), dtype=np.int64)
    dyad_row[place[recurs]] = row[recurs]
    return _Dyads(row, cell, recurs, place[recurs], dyad_row, (winner < loser)[recurs], shape)


def _pooled(
    counts: tuple[Floats, Floats],
    items: tuple[Integers, Integers],
    dyads: _Dyads,
    residual: Floats,
    share: Floats,
) -> Floats:
    """Return the covariance of the rates where every pair is ranked right with one probability.

    Two pairs covary when they share a winner, a loser, an item that wins one and loses the other,
    both items, or both with the other winner (judgments that contradict each other). Each of the
    five covariances is a mean: of the first three over the items, each by its number of pairs, so
    that a few items in many pairs do not decide alone.

    Parameters
    ----------
    counts
        Pairs of each item in each cell where it is the winner, and where it is the loser, shape
        (r n, K²); items of all data sets in a row.
    items
        Winner and loser of each pair.
    dyads
        Pairs of the same two items.
    residual
        Of each pair: 1 if it is ranked right, less the share of all that are.
    share
        That share, shape (r,).
    """
    r, k2 = dyads.shape
    n = len(counts[0])
    won, lost = (c.reshape(r, -1, k2) for c in counts)
    pairs = won.sum(axis=1)
    ones = np.ones(len(residual))
    n_same = dyads.squares(ones, oriented=True)
    n_turned = dyads.squares(ones) - n_same
    mixed = np.swapaxes(won, 1, 2) @ lost
    mixed = mixed + np.swapaxes(mixed, 1, 2)
    numbers = np.stack([
        np.swapaxes(won, 1, 2) @ won - n_same,
        np.swapaxes(lost, 1, 2) @ lost - n_same,
        mixed - 2 * n_turned,
        n_same,
        n_turned,
    ])  # fmt: skip
    of_items = [_shared(values, items, dyads, n) for values in (residual, ones)]
    each = (won + lost).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        products, weights = (
            np.concatenate(
                [
                    np.where(each > 0, kinds[:3].reshape(3, r, -1) / each, 0),
                    kinds[3:].reshape(2, r, -1) / 2,  # a dyad has two items
                ]
            )
            for kinds in of_items
        )
        total = weights.sum(axis=-1)
        covariances = np.where(total > 0, products.sum(axis=-1) / total, 0)
        # residuals of an estimated rate covary less than those of the true one, by its variance
        of_rate = (covariances * numbers.sum(axis=(2, 3))).sum(axis=0) / pairs.sum(axis=1) ** 2
        covariances += np.maximum(np.nan_to_num(of_rate), 0)
        # k items miss about 1 / k² of their covariance: as if all pairs of an item were alike
        missed = np.nan_to_num(np.square(np.square(weights[:2]).sum(axis=-1) / total[:2] ** 2))
        covariances[:2] += missed * (share * (1 - share) - covariances[:2])
        covariance = np.einsum("kr,krxy->rxy", covariances, numbers)
        return np.asarray(covariance / (pairs[:, :, None] * pairs[:, None, :]))


def _shared(values: Floats, items: tuple[Integers, Integers], dyads: _Dyads, n: int) -> Floats:
    """Sum, for each item, the products of the values of two pairs that share it, shape (5, n).

    The kinds are those of `_pooled`; the last two are counted for both items of a dyad.
    """
    winner, loser = items
    won, lost = (_sum_by(item, values, n) for item in items)
    same_won, same_lost = (dyads.square_sums(values, item, n, oriented=True) for item in items)
    both = sum(
        dyads.square_sums(values, choose(winner, loser), n) for choose in (np.minimum, np.maximum)
    )
    turned = both - same_won - same_lost
    alone = won**2 - same_won, lost**2 - same_lost, 2 * won * lost - turned
    return np.stack([*alone, same_won + same_lost, turned])


def _first(rates: PairRates) -> PairRates:
    fields = {
        name: None if field is None else field[0]
        for name, field in vars(rates).items()
        if name != "each_two"
    }
    each_two = None if rates.each_two is None else tuple(map(_first, rates.each_two))
    return PairRates(**fields, each_two=each_two)  # type: ignore[arg-type]  # None stays None


def _twos(n_groups: int) -> list[tuple[int, int]]:
    """Return each two groups a < b, in the order of the hypotheses; nothing for two groups."""
    return list(combinations(range(n_groups), 2)) if n_groups > 2 else []


def _by_class(of_item: Floats, classes: Integers, n_classes: int) -> tuple[Floats, Floats]:
    """Sum the squares of what items add, in each class, with the factor m / (m − 1)."""
    components, sizes = [], []
    for number in range(n_classes):
        own = (classes == number)[..., None] * of_item
        m = (classes == number).sum(axis=-1)
        factor = np.where(m > 1, m / np.maximum(m - 1, 1), 1.0)
        components.append(factor[..., None, None] * (np.swapaxes(own, -1, -2) @ own))
        sizes.append(m)
    return np.stack(components, axis=-3), np.stack(sizes, axis=-1).astype(float)


# Binary labels: placements, level by level of the score


def _moments(counts: Floats, sizes: Floats, before: Floats, ties: Ties) -> tuple[Floats, ...]:
    """Sum placements, and their products, over levels of the score.

    A placement of an item with label 1 is the share of the losers of a group that it outscores; of
    an item with label 0, the share of the winners of a group that outscore it.

    Parameters
    ----------
    counts, sizes, before
        Items of each cell in these levels, in all, and below these levels: (..., K, 2, L) and
        (..., K, 2).
    """
    lower = before[..., None] + np.cumsum(counts, axis=-1) - counts
    share = 0.5 if ties == "half" else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        beaten = (lower[..., 0, :] + share * counts[..., 0, :]) / sizes[..., 0, None]
        rest = sizes[..., None] - lower - (1 - share) * counts
        beating = rest[..., 1, :] / sizes[..., 1, None]
    sums = []
    for own, placement in ((counts[..., 1, :], beaten), (counts[..., 0, :], beating)):
        weighted = own[..., :, None, :] * placement[..., None, :, :]  # (..., own, other, L)
        sums += [weighted.sum(axis=-1), weighted @ np.swapaxes(placement, -1, -2)[..., None, :, :]]
    return tuple(sums)


def _delong(sizes: Floats, moments: tuple[Floats, ...]) -> PairRates:
    """Put rates and DeLong's covariance together from the sums of `_moments`."""
    k = sizes.shape[-2]
    usable = sizes[..., :, None, 1] * sizes[..., None, :, 0]
    classes = []
    for label in (1, 0):
        total, squares = moments[:2] if label else moments[2:]
        m = sizes[..., label]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / m[..., None]
            spread = squares / m[..., None, None] - mean[..., :, None] * mean[..., None, :]
            own = _kept(spread) / np.maximum(m - 1, 1)[..., None, None]
        classes.append(own)  # (..., own group, other group, other group)
    components = np.zeros((*sizes.shape[:-2], 2 * k, k, k, k, k))
    for g in range(k):
        components[..., 2 * g, g, :, g, :] = classes[0][..., g, :, :]
        components[..., 2 * g + 1, :, g, :, g] = classes[1][..., g, :, :]
    shape = sizes.shape[:-2]
    with np.errstate(invalid="ignore", divide="ignore"):
        right = moments[0] * sizes[..., None, :, 0]
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
        right=np.where(usable > 0, right, 0),
        usable=usable,
        pairs=usable,
        components=components.reshape(*shape, 2 * k, k * k, k * k),
        class_sizes=sizes[..., ::-1].reshape(*shape, 2 * k),
        counted_twice=np.zeros((*shape, k * k, k * k)),
        pooled=pooled.reshape(*shape, k * k, k * k),
        each_two=tuple(_delong(*_of_two(sizes, moments, two)) for two in _twos(k)) or None,
    )


def _of_two(
    sizes: Floats, moments: tuple[Floats, ...], two: tuple[int, int]
) -> tuple[Floats, tuple[Floats, ...]]:
    """Return sizes and moments of two of the groups; placements are among items of one group."""
    i = np.array(two)
    sums, squares = (..., i[:, None], i), (..., i[:, None, None], i[:, None], i)
    return sizes[..., i, :], tuple(m[squares if n % 2 else sums] for n, m in enumerate(moments))


def _pooled_variance(own: Floats, other: Floats, total: Floats, squares: Floats) -> Floats:
    """Return the variance of the placements of all items of one label among all of the other."""
    share = other / other.sum(axis=-1, keepdims=True)
    n = own.sum(axis=-1)
    mean = np.einsum("...ab,...b->...", np.nan_to_num(total), share) / n
    square = np.einsum("...abc,...b,...c->...", np.nan_to_num(squares), share, share) / n
    return np.asarray(_kept(square - mean**2) * n / np.maximum(n - 1, 1))


def _kept(spread: Floats) -> Floats:
    return np.where(np.abs(spread) > NO_SPREAD, spread, 0)


def all_pairs_binary(
    winner: NDArray[np.bool_], score: Floats, group: Integers, k: int, ties: Ties
) -> PairRates:
    """Estimate TPR(a, b) from all pairs of items with and without the higher label.

    Parameters
    ----------
    winner
        Whether an item has the higher label, shape (n,).
    score, group, k, ties
        As for `all_pairs`: scores, groups, their number, "wrong" or "half".
    """
    cell = (2 * group + winner).astype(np.int16)
    sizes = np.bincount(cell, minlength=2 * k).reshape(k, 2).astype(float)
    before = np.zeros_like(sizes)
    sums: tuple[Floats, ...] = ()
    for chunk in _by_score(score, max(1, CHUNK // k**2)):
        values = score[chunk]
        inner = np.argsort(values)
        values = values[inner]
        level = np.concatenate([[0], np.cumsum(values[1:] != values[:-1])])
        n_levels = int(level[-1]) + 1
        place = cell[chunk[inner]].astype(np.int64) * n_levels + level
        counts = np.bincount(place, minlength=2 * k * n_levels).reshape(k, 2, n_levels)
        own = _moments(counts.astype(float), sizes, before, ties)
        sums = tuple(x + y for x, y in zip(sums, own, strict=True)) if sums else own
        before = before + counts.sum(axis=-1)
    return _delong(sizes, sums)


def _by_score(score: Floats, size: int) -> Iterator[Integers]:
    """Yield the positions of items in chunks of about so many, in the order of the scores.

    Items with one score are in one chunk. Parting the items first, by bins of equal width that are
    put together to chunks, and sorting each chunk later keeps the work in the cache.
    """
    low = score.min()
    with np.errstate(over="ignore", divide="ignore"):
        scale = (N_BINS - 1) / (score.max() - low)
    if len(score) <= size or not 0 < scale < np.inf:
        yield np.arange(len(score))
        return
    size = max(size, len(score) // (1 << 14))  # so that 16 bits number the chunks
    bins = ((score - low) * scale).astype(np.int16)
    sizes = np.bincount(bins, minlength=N_BINS)
    chunk_of_bin = ((np.cumsum(sizes) - sizes) // size).astype(np.int16)
    chunk = chunk_of_bin[bins]
    order = np.argsort(chunk, kind="stable")  # of 16 bits, a radix sort
    ends = np.cumsum(np.bincount(chunk))
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        if end > start:
            yield order[start:end]


# Real labels: sums over the items with a lower label and a lower score, bit by bit of the rank


def _all_pairs_real(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    k: int,
    ties: Ties,
    weights: Floats | None,
    strata: Integers | None,
) -> PairRates:
    table, added, kernels = _projected(y_true, y_score, group, k, ties, weights, strata)
    right, usable, pairs = table
    components, sizes = _by_class(added, group, k)
    pooled = None
    if weights is not None and strata is not None:
        sizes = effective_items(weights, group, k)
        pooled = _pooled_in_strata(kernels, (right, usable), sizes, (weights, group, strata))

    def of_groups(i: Integers, cells: Integers) -> PairRates:
        # without weights of their own, the rates of some groups rest on no item of another
        table, square = (..., i[:, None], i), (..., i[:, None, None], cells[:, None], cells)
        parts = components[square]
        return PairRates(
            right[table],
            usable[table],
            pairs[table],
            parts,
            sizes[..., i],
            np.zeros(parts[:, 0].shape),
        )

    groups = np.arange(k)
    each_two = tuple(
        of_groups(np.array(two), np.add.outer(k * np.array(two), two).ravel()) for two in _twos(k)
    )
    return replace(of_groups(groups, np.arange(k * k)), pooled=pooled, each_two=each_two or None)


def effective_items(weights: Floats, group: Integers, n_groups: int) -> Floats:
    """Return how many items of equal weight each group is worth, (Σω)² / Σω², shape (r, K)."""
    member = np.arange(n_groups)[:, None] == group[..., None, :]
    total, square = (np.where(member, w[..., None, :], 0).sum(-1) for w in (weights, weights**2))
    return np.asarray(total**2 / np.where(square > 0, square, 1))


def _pooled_in_strata(
    kernels: Floats,
    counts: tuple[Floats, Floats],
    sizes: Floats,
    items: tuple[Floats, Integers, Integers],
) -> Floats:
    """Return the covariance of balanced rates where separation holds.

    What an item adds to a rate as a winner, and as a loser, then depends on its label alone; its
    variance is estimated from the items of all groups in a stratum of the label. The variance of
    single pairs comes on top: it counts where few pairs of near labels decide.

    Parameters
    ----------
    kernels
        Sums over all pairs of an item that it wins, and that it loses, less what is expected, shape
        (2, r, n).
    counts
        Weighted pairs that are right, and that are usable, in each cell, shape (r, K, K).
    sizes
        Items of equal weight that each group is worth, shape (r, K).
    items
        Weight, group and stratum of each, shape (r, n).
    """
    right, usable = counts
    weights, group, strata = items
    r, k = usable.shape[:2]
    n_strata = int(strata.max()) + 1
    place = np.arange(r)[:, None] * n_strata + strata

    def in_strata(values: Floats) -> Floats:
        return np.bincount(place.ravel(), values.ravel(), minlength=r * n_strata).astype(float)

    weighs = (weights > 0).astype(float)
    m = in_strata(weighs)
    sums = [in_strata(weighs * x) for x in kernels]
    member = (np.arange(k)[:, None, None] == group) * weights
    total = member.sum(axis=-1)  # (K, r)
    squares = np.stack([in_strata(own**2) for own in member]).reshape(k, r, n_strata)
    parts = np.empty((r, k, 2, 2))  # of each group: winner and loser
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = usable.sum(axis=(1, 2)) / total.sum(axis=0) ** 2
        everyone = total.sum(axis=0) * chance * total  # what a kernel is divided by
        for x in range(2):
            for y in range(2):
                product = in_strata(weighs * kernels[x] * kernels[y]) - sums[x] * sums[y] / m
                spread = np.nan_to_num(product / np.maximum(m - 1, 1)).reshape(r, n_strata)
                parts[:, :, x, y] = ((squares * spread).sum(axis=-1) / everyone**2).T
    role = np.zeros((2, k, k, k))  # role, group, cell
    for g in range(k):
        role[0, g, g, :] = role[1, g, :, g] = 1
    covariance = np.einsum("xgab,rgxy,ygcd->rabcd", role, parts, role).reshape(r, k * k, k * k)
    with np.errstate(invalid="ignore", divide="ignore"):
        common = right.sum(axis=(1, 2)) / usable.sum(axis=(1, 2))
        pairs = chance[:, None, None] * sizes[:, :, None] * sizes[:, None, :]
        alone = (common * (1 - common))[:, None, None] / pairs
    place = np.arange(k * k)
    varies = covariance[:, place, place] > NO_VARIANCE  # not if all scores are equal
    covariance[:, place, place] += np.where(varies, alone.reshape(r, k * k), 0)
    return np.asarray(covariance)


def projections(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    k: int,
    ties: Ties,
    weights: Floats | None = None,
    strata: Integers | None = None,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return what each item adds to TPR(a, b) over all pairs (Hájek's projections).

    Returns
    -------
    right, usable, pairs
        As in `PairRates`, shape (r, K, K).
    added
        Shape (r, n, K²); centred within group and stratum where `strata` are given.
    """
    table, added, _ = _projected(y_true, y_score, group, k, ties, weights, strata)
    return *table, added


def _projected(
    y_true: Floats,
    y_score: Floats,
    group: Integers,
    k: int,
    ties: Ties,
    weights: Floats | None = None,
    strata: Integers | None = None,
) -> tuple[tuple[Floats, Floats, Floats], Floats, Floats]:
    """Return tables of pairs, what items add, and what they add whatever the group of the other."""
    member = (np.arange(k)[:, None, None] == group).astype(float)  # (K, r, n)
    columns = member if weights is None else member * weights
    beaten, beating = sums_over_pairs(y_true, y_score, columns, ties=ties)
    counted = [columns] if weights is None else [columns, member * (weights > 0)]
    lower, higher = sums_over_labels(y_true, np.concatenate(counted))
    right = np.einsum("arn,brn->rab", columns, beaten)
    sums = [
        np.einsum("arn,brn->rab", own, lower[place * k : (place + 1) * k])
        for place, own in enumerate(counted)
    ]
    usable, pairs = sums[0], sums[-1]
    right = np.where(np.isclose(right, usable, rtol=1e-12, atol=0), usable, right)  # not 1 − 1e-16
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = right / usable
        added = np.zeros((*y_true.shape, k, k))
        for a in range(k):
            for b in range(k):
                theta, total = rate[:, a, b, None], usable[:, a, b, None]
                added[..., a, b] += columns[a] * (beaten[b] - theta * lower[b]) / total
                added[..., a, b] += columns[b] * (beating[a] - theta * higher[a]) / total
    added = added.reshape(*y_true.shape, k * k)
    if strata is not None:
        added = _centred(added, group * (strata.max() + 1) + strata)
    with np.errstate(invalid="ignore", divide="ignore"):
        common = (right.sum(axis=(1, 2)) / usable.sum(axis=(1, 2)))[:, None]
    kernels = np.stack([of.sum(axis=0) for of in (beaten, beating)])
    kernels -= common * np.stack([of[:k].sum(axis=0) for of in (lower, higher)])
    return (right, usable, pairs), added, kernels


def _centred(added: Floats, classes: Integers) -> Floats:
    """Centre what items add within classes, times the root of m / (m − 1); a class of one stays."""
    r, n, width = added.shape
    place = (np.arange(r)[:, None] * (classes.max() + 1) + classes).ravel()
    flat = added.reshape(r * n, width)
    m = np.bincount(place)[place]
    total = np.stack([np.bincount(place, column)[place] for column in flat.T], axis=-1)
    factor = np.sqrt(m / np.maximum(m - 1, 1))[:, None]
    centred = np.where(m[:, None] > 1, factor * (flat - total / m[:, None]), flat)
    return np.asarray(centred.reshape(added.shape))


def sums_over_labels(y_true: Floats, columns: Floats) -> tuple[Floats, Floats]:
    """Sum columns over the items with a lower label, and over those with a higher one.

    Parameters
    ----------
    y_true
        Labels, shape (r, n).
    columns
        What is summed, shape (c, r, n).
    """
    order = np.argsort(y_true, axis=1)
    ordered = np.take_along_axis(y_true, order, axis=1)
    position = np.arange(y_true.shape[1])
    new = np.ones(y_true.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, position, 0), axis=1)
    ends = np.ones(y_true.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    last = np.where(ends, position, len(position) - 1)[:, ::-1]
    last = np.minimum.accumulate(last, axis=1)[:, ::-1]
    lower, higher = np.empty_like(columns), np.empty_like(columns)
    for own, below, above in zip(columns, lower, higher, strict=True):
        values = np.take_along_axis(own, order, axis=1)
        total = np.cumsum(values, axis=1)
        at_first = np.take_along_axis(total - values, first, axis=1)
        np.put_along_axis(below, order, at_first, axis=1)
        at_last = total[:, -1:] - np.take_along_axis(total, last, axis=1)
        np.put_along_axis(above, order, at_last, axis=1)
    return lower, higher


def sums_over_pairs(
    y_true: Floats, y_score: Floats, columns: Floats, *, ties: Ties = "wrong"
) -> tuple[Floats, Floats]:
    """Sum columns over the items that an item beats, and over those that beat it.

    An item beats another when its label and its score are higher. The items are put in the order
    of the scores and parted by the bits of the rank of the label, highest first: where two are
    parted, the running sum over those with bit 0 says what one with bit 1 beats.

    Parameters
    ----------
    y_true, y_score
        Labels and scores, shape (r, n).
    columns
        What is summed, shape (c, r, n).
    ties
        "wrong" or "half".

    Returns
    -------
    beaten, beating
        Shape (c, r, n).
    """
    check_ties(ties)
    r, n = y_true.shape
    place = (np.arange(r)[:, None] * n + np.argsort(y_score, axis=1)).ravel()
    rank = dense_ranks(y_true)[0].ravel()[place]
    scores = y_score.ravel()[place]
    level = np.cumsum(np.append(0, scores[1:] != scores[:-1]))
    tied = bool(level[-1] + 1 < len(level))
    values = columns.reshape(len(columns), -1)[:, place]
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
        up_to_one = [place - ones_before[place] for place in up_to_one]
        from_zero = [ones_before[place] for place in from_zero]
        total = _running(values.take(zeros, axis=1))
        beaten[:, ones] += _mean(total, up_to_one) - total.take(begin, axis=1)
        total = _running(values.take(ones, axis=1))
        beating[:, zeros] += total.take(end, axis=1) - _mean(total, from_zero)
        order = np.empty_like(place)
        order[zeros - ones_before[zeros] + np.repeat(ones_before[first], n_zeros)] = zeros
        begin_ones = first + n_zeros - ones_before[first]
        order[ones_before[ones] + np.repeat(begin_ones, n_ones)] = ones
        rank, place = rank[order], place[order]
        values, beaten, beating = (array.take(order, axis=1) for array in (values, beaten, beating))
        level = level[order] if tied else level
        first = np.stack([first, first + n_zeros], axis=1).ravel()
        sizes = np.stack([n_zeros, n_ones], axis=1).ravel()
        first, sizes = first[sizes > 0], sizes[sizes > 0]
    results = np.empty_like(beaten), np.empty_like(beating)
    results[0][:, place], results[1][:, place] = beaten, beating
    return results[0].reshape(columns.shape), results[1].reshape(columns.shape)


def _running(values: NDArray[Any], dtype: type = np.float64) -> NDArray[Any]:
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
