"""Comparative separation of items with clusters and weights: the gaps and the rates."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.balance import (
    ITEMS_PER_STRATUM,
    balancing_weights,
    label_strata,
)
from fairpairs.mathematics.estimates.estimates import ROUNDING
from fairpairs.mathematics.estimates.pairs.all_pairs import projections
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.inference.sampling.gaps import Gap, PairGap, RateAlone, alone
from fairpairs.mathematics.inference.sampling.linear import Linear, spread
from fairpairs.mathematics.inference.sampling.placements import RankedItems

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
    pairs that are ranked right, and pairs of different strata, shape (K, K). The weights depend on
    shares in strata, so what items add is centred within group and stratum.
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
