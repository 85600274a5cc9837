"""TPR(a, b) from all pairs of items with binary labels: placements, level by level of the score."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.pairs.placement_sums import PlacementSums
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, check_ties, group_pairs

#: A variance of single placements below this is rounding.
NO_SPREAD = 1e-15


def all_pairs_from_counts(counts: Floats, *, ties: Ties = "wrong") -> PairRates:
    """Estimate TPR(a, b) from all pairs of items with binary labels, counted by score.

    Counts are by group, label and level of the score, levels ascending, shape (..., K, 2, L). The
    result has one class of items for each group and label, label 1 first.
    """
    check_ties(ties)
    counts = np.asarray(counts, dtype=float)
    sizes = counts.sum(axis=-1)
    return _delong(sizes, _moments(counts, sizes, np.zeros_like(sizes), ties))


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


def all_pairs_binary(
    winner: NDArray[np.bool_],
    order: ScoreOrder,
    group: Integers,
    k: int,
    ties: Ties,
    *,
    with_all: bool = False,
) -> PairRates:
    """Estimate TPR(a, b) from all pairs of items with (winner) and without the higher label.

    With `with_all` all items are one more group, the last; no two groups are then taken alone.
    """
    cell = (2 * group + winner).astype(np.int16)[order.position]
    sizes = np.bincount(cell, minlength=2 * k).reshape(k, 2)
    sums = PlacementSums(sizes, ties)
    sums.add(cell, np.diff(order.level, prepend=-1) > 0)
    return rates_of_placements(sums, with_all=with_all)


def rates_of_placements(sums: PlacementSums, *, with_all: bool = False) -> PairRates:
    """Return the rates and DeLong's covariance from sums over all items."""
    return _delong(*sums.moments(with_all=with_all), each_two=not with_all)


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
