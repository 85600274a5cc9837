"""AUC, xAUC and TPR(a, b) of items with clusters and weights, with the influence of each item.

The influence of an item is its placement, by weight, minus the rate, times its share of the weight
of its class (docs/explanation/ranking.md).

References: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under
two or more correlated receiver operating characteristic curves; N. A. Obuchowski (1997),
Nonparametric analysis of clustered ROC curve data, section 3.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.balance import (
    ITEMS_PER_STRATUM,
    balancing_weights,
    label_strata,
)
from fairpairs.mathematics.estimates.estimates import ROUNDING
from fairpairs.mathematics.estimates.pairs.all_pairs import projections
from fairpairs.mathematics.estimates.pairs.binary import ScoreOrder, score_order
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, check_ties
from fairpairs.mathematics.inference.sampling.gaps import Gap, PairGap, RateAlone, alone
from fairpairs.mathematics.inference.sampling.linear import Linear, spread

Side = Literal["left", "right"]
#: A rate with, of both of its cells, their number, the positions of their items and what each adds.
Rate = tuple[float, list[tuple[int, Integers, Floats]]]
#: Sides of a level of the score: what is below it, and what is below or at it.
BOTH: tuple[Side, ...] = ("left", "right")


@dataclass(frozen=True)
class RankedItems:
    """Items of a binary label and of K groups, in the order of their scores."""

    #: Labels 0 or 1, and groups 0 to K − 1, shape (n,).
    labels: Integers
    group: Integers
    #: K; as a group, K stands for all items.
    n_groups: int
    order: ScoreOrder
    design: SamplingDesign

    def rate(self, winners: int, losers: int, *, ties: Ties = "half") -> Linear:
        """Return the share, by weight, of the pairs in which the item with label 1 is ahead.

        It is xAUC(a, b) of groups a and b, the AUC of one group, TPR(a, b) of comparative
        separation; NaN where the items of one weigh 0. Classes are group × label, or the label for
        group K, all.
        """
        check_ties(ties)
        key = winners, losers, ties
        if self.n_groups in key or winners == losers:  # of which several pairs of groups have one
            if key not in self._shared:
                self._shared[key] = self._rate(*key)
            theta, parts = self._shared[key]
        else:
            theta, parts = self._rate(*key)
        n = len(self.labels)
        influence: Floats = np.zeros(n)
        classes: Array = np.full(n, -1, dtype=np.int16)
        for cell, position, added in parts:
            influence[position] = added
            classes[position] = cell
        return Linear(theta, influence, classes)

    @cached_property
    def _shared(self) -> dict[tuple[int, int, Ties], Rate]:
        """The rates of one group, and of one with all items."""
        return {}

    def _rate(self, winners: int, losers: int, ties: Ties) -> Rate:
        """Return a rate, and the cells that it rests on: what each of their items adds."""
        cells = [2 * winners + 1, 2 * losers]
        items = [self._items(cell) for cell in cells]
        positions = [self.order.position[ranks] for ranks in items]
        weights = [self.design.weights[position] for position in positions]
        (ahead, behind), (w_ahead, w_behind) = (self.order.level[i] for i in items), weights
        if not (len(w_ahead) and len(w_behind)):
            return np.nan, []
        # an item with label 0 that is tied is outscored half, or not at all
        below, up_to = (BOTH, BOTH) if ties == "half" else (BOTH[:1], BOTH[1:])
        beaten = _weight_below(behind, w_behind, ahead, below)
        not_beating = _weight_below(ahead, w_ahead, behind, up_to)
        placements = [beaten, 1 - not_beating]
        theta = float((w_ahead * beaten).sum() / w_ahead.sum())
        parts = []
        for cell, position, weight, placement in zip(
            cells, positions, weights, placements, strict=True
        ):
            apart = placement - theta
            # a class that does not vary must not seem to, by rounding
            apart[np.abs(apart) < ROUNDING] = 0
            parts.append((cell, position, weight * apart / weight.sum()))
        return theta, parts

    def gap(
        self, first: tuple[int, int], second: tuple[int, int], *, ties: Ties = "half"
    ) -> PairGap:
        """Return the difference of two rates, each of winners and losers (see `rate`)."""
        (a, b), (c, d) = first, second
        roles = (2 * a + 1, 2 * b), (2 * c + 1, 2 * d)
        return PairGap(self.rate(a, b, ties=ties), self.rate(c, d, ties=ties), roles=roles)

    def _items(self, cell: int) -> Integers:
        """Return the ranks, by score, of the items of a group and label that have a weight."""
        group, label = divmod(cell, 2)
        if group == self.n_groups:
            ranks = np.flatnonzero(self.labels[self.order.position] == label)
        else:
            ranks = self._cells[0][self._cells[1][cell] : self._cells[1][cell + 1]]
        weight = self.design.weight
        return ranks if weight is None else ranks[weight[self.order.position[ranks]] > 0]

    @cached_property
    def _cells(self) -> tuple[Integers, Integers]:
        """The ranks of the items cell by cell, and where each cell starts."""
        cell = (2 * self.group + self.labels)[self.order.position].astype(np.int16)
        sizes = np.bincount(cell, minlength=2 * self.n_groups)
        # 16 bits make it a radix sort
        return np.argsort(cell, kind="stable"), np.append(0, np.cumsum(sizes))


def _weight_below(
    level: NDArray[np.int32], weight: Floats, at: NDArray[np.int32], sides: tuple[Side, ...]
) -> Floats:
    """Return the share of the weight below ascending levels ("left"), up to them, or the mean."""
    total = np.append(0, np.cumsum(weight))
    below = np.sum([total[np.searchsorted(level, at, side)] for side in sides], axis=0)
    return np.asarray(below / (len(sides) * total[-1]))


def sampled_ranking_rates(items: RankedItems, ties: Ties, alpha: float) -> tuple[PairRates, Floats]:
    """Return the rates of K groups and all items, without covariance, and errors and limits.

    The second array, (3, K + 1, K + 1), has the standard error and both ends of each rate.
    """
    k, design = items.n_groups, items.design
    total = np.bincount(2 * items.group + items.labels, design.weights, minlength=2 * k)
    group_weight = total.reshape(k, 2)[:, ::-1]  # label 1 first
    weight: Floats = np.vstack([group_weight, group_weight.sum(axis=0)]).astype(np.float64)
    comparable: Floats = weight[:, :1] * weight[:, 1]
    theta, known = np.zeros((k + 1, k + 1)), np.full((3, k + 1, k + 1), np.nan)
    for a, b in zip(*np.nonzero(comparable), strict=True):
        rate = items.rate(int(a), int(b), ties=ties)
        theta[a, b] = rate.estimate
        contrast = alone(rate, design)
        if contrast is not None:
            error = np.sqrt(spread([rate], design).covariance[0, 0])
            known[:, a, b] = error, *contrast.limits(alpha)
    none = np.zeros(((k + 1) ** 2,) * 2)
    rates = PairRates(theta * comparable, comparable, comparable, none[None], weight.ravel(), none)
    return rates, known


#: A smaller share of a cell outside a cluster is rounding: the cluster is alone.
ALONE = 1e-10


def balanced_rates(
    y_true: Floats,
    y_pred: Floats,
    member: Integers,
    k: int,
    design: SamplingDesign,
    *,
    ties: Ties = "wrong",
) -> tuple[list[Linear], Floats, Floats]:
    """Return TPR(a, b) of K groups, labels balanced by overlap weights of the weighted items.

    `member` is −1 for other items. The rates are in the order (0, 0), (0, 1), …, of the group of
    the higher label and that of the lower; NaN where there is no pair. The arrays are the weighted
    pairs that are ranked right, and pairs of different strata, shape (K, K).
    """
    inside = np.flatnonzero((member >= 0) & (design.weights > 0))
    labels, group = y_true[inside], member[inside].astype(np.int64)
    sampled = design.weights[inside]
    if not len(inside) or labels.min() == labels.max():
        none = Linear(np.nan, np.zeros(len(member)), np.full(len(member), -1))
        return [none] * k * k, np.zeros((k, k)), np.zeros((k, k))
    # a stratum has the effective size that it would have without weights
    unequal = len(inside) * float((sampled**2).sum()) / float(sampled.sum()) ** 2
    strata = label_strata(labels, int(np.ceil(unequal * ITEMS_PER_STRATUM - ROUNDING)))
    weights = sampled * balancing_weights(group, strata, k, sampled)
    concordant, comparable, _, added, _ = projections(
        strata[None].astype(float), y_pred[inside][None], group[None], k, ties, weights[None]
    )
    cluster = None if design.cluster is None else design.cluster[inside]
    cell = group * (int(strata.max()) + 1) + strata

    def rate(winners: int, losers: int) -> Linear:
        influence, classes = np.zeros(len(member)), np.full(len(member), -1)
        pairs = float(comparable[0, winners, losers])
        if pairs == 0:
            return Linear(np.nan, influence, classes)
        influence[inside] = _centred(added[0, :, k * winners + losers], sampled, cell, cluster)
        taken = (weights > 0) & ((group == winners) | (group == losers))
        classes[inside] = np.where(taken, group, -1)
        return Linear(float(concordant[0, winners, losers]) / pairs, influence, classes)

    return [rate(a, b) for a in range(k) for b in range(k)], concordant[0], comparable[0]


def balanced_gaps(
    y_true: Floats,
    y_pred: Floats,
    member: Integers,
    design: SamplingDesign,
    *,
    ties: Ties = "wrong",
) -> tuple[PairGap, PairGap]:
    """Return both gaps of balanced labels; `member` is 1, 0, or −1 for other items."""
    (zero, zero_one, one_zero, one), *_ = balanced_rates(
        y_true, y_pred, member, 2, design, ties=ties
    )
    across = PairGap(one_zero, zero_one, roles=((1, 0), (0, 1)))
    return across, PairGap(one, zero, roles=((1,), (0,)))


def _centred(added: Floats, weight: Floats, cell: Integers, cluster: Integers | None) -> Floats:
    """Centre what items add within cells, by weight, and divide it by √(1 − share).

    The share is that of the cluster in the cell; a cluster that is all of it stays.
    """
    total = np.bincount(cell, weight)[cell]
    unit = np.arange(len(cell))
    if cluster is not None:
        unit = np.unique(cell * (int(cluster.max()) + 1) + cluster, return_inverse=True)[1]
    unit_weight = np.bincount(unit, weight)[unit]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, added)[cell] / total
        rest = 1 - unit_weight / total
        centred = (added - weight * mean) / np.sqrt(rest)
    return np.asarray(np.where(rest > ALONE, centred, added))


@dataclass(frozen=True, eq=False)
class LabelledItems:
    """Items with labels, scores and one of the groups 0 to K − 1, and how they were sampled."""

    labels: Floats
    scores: Floats
    group: Integers
    n_groups: int
    design: SamplingDesign
    ties: Ties
    #: Whether labels are balanced; else they are binary.
    balanced: bool

    @cached_property
    def ranked(self) -> RankedItems:
        """The items of a binary label."""
        labels, order = self.labels == self.labels.max(), score_order(self.scores)
        return RankedItems(labels.astype(np.int64), self.group, self.n_groups, order, self.design)

    def gaps(self) -> Iterator[Gap]:
        """Yield the gaps of each two groups as `gap_hypotheses`."""
        for a, b in combinations(range(self.n_groups), 2):
            if self.balanced:
                member = np.where(self.group == b, 1, np.where(self.group == a, 0, -1))
                yield from balanced_gaps(
                    self.labels, self.scores, member, self.design, ties=self.ties
                )
            else:
                yield self.ranked.gap((b, a), (a, b), ties=self.ties)
                yield self.ranked.gap((b, b), (a, a), ties=self.ties)

    def rates(self) -> tuple[list[Linear], Floats, Floats]:
        """Return all rates, and the weights of the pairs ranked right and of all, as (K, K)."""
        k = self.n_groups
        if self.balanced:
            return balanced_rates(
                self.labels, self.scores, self.group, k, self.design, ties=self.ties
            )
        cell = 2 * self.group + self.ranked.labels
        weight = np.bincount(cell, self.design.weights, minlength=2 * k).reshape(k, 2)
        usable: Floats = np.outer(weight[:, 1], weight[:, 0]).astype(np.float64)
        rates = [self.ranked.rate(a, b, ties=self.ties) for a in range(k) for b in range(k)]
        estimates = np.array([rate.estimate for rate in rates]).reshape(k, k)
        return rates, np.where(usable > 0, usable * estimates, 0.0), usable


def sampled_pair_rates(items: LabelledItems, alpha: float) -> Record:
    """Return the fields of a `ComparativeSeparationResult` on rates; labels are balanced over all.

    Pairs count by their weights; a rate without an interval has NaN as its trials.
    """
    (rates, right, usable), k = items.rates(), items.n_groups
    trials, limits = np.full(k * k, np.nan), np.full((2, k * k), np.nan)
    for index, rate in enumerate(rates):
        if np.isfinite(rate.estimate):
            contrast = alone(rate, items.design)
            if isinstance(contrast, RateAlone):
                trials[index], limits[:, index] = contrast.trials, contrast.limits(alpha)
    estimates = np.array([rate.estimate for rate in rates])
    known, covariance = np.isfinite(estimates), np.full((k * k, k * k), np.nan)
    if known.any():
        estimated = spread([rate for rate in rates if np.isfinite(rate.estimate)], items.design)
        covariance[np.ix_(known, known)] = estimated.covariance
    return {
        "usable": usable,
        "right": right,
        "tpr": estimates.reshape(k, k),
        "tpr_covariance": covariance,
        "trials": trials.reshape(k, k),
        "limits": limits.reshape(2, k, k),
    }
