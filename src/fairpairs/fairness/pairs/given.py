"""TPR(a, b) from pairs of items that were given or drawn."""

from __future__ import annotations

import numpy as np

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness.pairs.dyads import Dyads, by_cell, find_dyads, sum_by
from fairpairs.fairness.pairs.rates import PairRates, Ties, by_class, group_pairs


def orient_pairs(
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
    ahead, behind = (take_items(y_score, side) for side in (winner, loser))
    hit = (ahead > behind).astype(float)
    if ties == "half":
        hit += 0.5 * (ahead == behind)
    return winner, loser, hit


def take_items(values: Floats, positions: Integers) -> Floats:
    """Take the values of items, in one data set or in each of many."""
    if values.ndim == 1:
        return np.asarray(values[positions])
    return np.take_along_axis(values, positions, axis=1)


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
        return given_pairs(*one, weights=rows).take(0)
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

    concordant, comparable, pairs = per_cell(weight * success), per_cell(weight), per_cell(None)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = (concordant / comparable).reshape(r, k2)
        effective = comparable**2 / per_cell(weight**2)
    added = weight * (success - rate[row, cell]) / comparable.reshape(r, k2)[row, cell]
    of_item = np.zeros((r * n, k2))
    for item in (i, j):
        of_item += by_cell(item, cell, added, r * n, k2)
    won, lost = (np.bincount(item, minlength=r * n) for item in (i, j))
    classes = np.where(won + lost > 0, 2 * groups + (won < lost), -1).reshape(r, n)
    components, sizes = by_class(of_item.reshape(r, n, k2), classes, 2 * n_groups)
    dyads = find_dyads(i, j, n, row, cell, (r, k2))
    won_in, lost_in = (by_cell(item, cell, None, r * n, k2) for item in (i, j))
    judged_in = np.square(won_in + lost_in).reshape(r, n, k2)
    with np.errstate(invalid="ignore"):
        items = judged_in.sum(axis=1) ** 2 / np.square(judged_in).sum(axis=1)
    pooled = None
    if weights is None:
        share = concordant.sum(axis=(1, 2)) / np.maximum(comparable.sum(axis=(1, 2)), 1)
        pooled = _pooled((won_in, lost_in), (i, j), dyads, success - share[row], share)
    each_two = []
    for two in group_pairs(n_groups):
        other = np.broadcast_to(~np.isin(group, two), (r, n)).astype(float)
        # a pair of an item with itself drops
        outside = take_items(other, winner) + take_items(other, loser) > 0
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
        concordant=concordant,
        comparable=comparable,
        pairs=pairs,
        components=components,
        class_sizes=sizes,
        counted_twice=dyads.squares(added),
        pooled=pooled,
        effective=effective,
        items=np.nan_to_num(items).reshape(r, n_groups, n_groups),
        each_two=tuple(each_two) or None,
    )


def _pooled(
    counts: tuple[Floats, Floats],
    items: tuple[Integers, Integers],
    dyads: Dyads,
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
        Of each pair: 1 if it is ranked right, minus the share of all that are.
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
        # k items underestimate their covariance by 1 / k²: as if all pairs of an item were alike
        missed = np.nan_to_num(np.square(np.square(weights[:2]).sum(axis=-1) / total[:2] ** 2))
        covariances[:2] += missed * (share * (1 - share) - covariances[:2])
        covariance = np.einsum("kr,krxy->rxy", covariances, numbers)
        return np.asarray(covariance / (pairs[:, :, None] * pairs[:, None, :]))


def _shared(values: Floats, items: tuple[Integers, Integers], dyads: Dyads, n: int) -> Floats:
    """Sum, for each item, the products of the values of two pairs that share it, shape (5, n).

    The kinds are those of `_pooled`; the last two are counted for both items of a dyad.
    """
    winner, loser = items
    won, lost = (sum_by(item, values, n) for item in items)
    same_won, same_lost = (dyads.square_sums(values, item, n, oriented=True) for item in items)
    both = sum(
        dyads.square_sums(values, choose(winner, loser), n) for choose in (np.minimum, np.maximum)
    )
    turned = both - same_won - same_lost
    alone = won**2 - same_won, lost**2 - same_lost, 2 * won * lost - turned
    return np.stack([*alone, same_won + same_lost, turned])
