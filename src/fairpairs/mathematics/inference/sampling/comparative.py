"""Comparative separation of items with clusters and weights: the gaps and the rates."""

from collections.abc import Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class BalancedRates:
    """TPR(a, b) of K groups with labels balanced by overlap weights, of the weight of the items.

    The weights depend on shares in strata, so what items add is centred within group and stratum.
    """

    #: Weighted pairs that are ranked right, and pairs of different strata, shape (K, K).
    concordant: Floats
    comparable: Floats
    #: By the group of the higher label and that of the lower; NaN where there is no pair.
    rates: tuple[tuple[Linear, ...], ...]


def balanced_rates(
    y_true: Floats,
    y_pred: Floats,
    member: Integers,
    k: int,
    design: SamplingDesign,
    *,
    ties: Ties = "wrong",
) -> BalancedRates:
    """Return TPR(a, b) of K groups with balanced labels; `member` is −1 for other items."""
    inside = np.flatnonzero((member >= 0) & (design.weights > 0))
    labels, group = y_true[inside], member[inside].astype(np.int64)
    sampled = design.weights[inside]
    if not len(inside) or labels.min() == labels.max():
        none = Linear(np.nan, np.zeros(len(member)), np.full(len(member), -1))
        return BalancedRates(np.zeros((k, k)), np.zeros((k, k)), ((none,) * k,) * k)
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

    rates = tuple(tuple(rate(a, b) for b in range(k)) for a in range(k))
    return BalancedRates(concordant[0], comparable[0], rates)


def balanced_gaps(
    y_true: Floats,
    y_pred: Floats,
    member: Integers,
    design: SamplingDesign,
    *,
    ties: Ties = "wrong",
) -> tuple[PairGap, PairGap]:
    """Return both gaps of balanced labels; `member` is 1, 0, or −1 for other items."""
    rates = balanced_rates(y_true, y_pred, member, 2, design, ties=ties).rates
    return (
        PairGap(rates[1][0], rates[0][1], roles=((1, 0), (0, 1))),
        PairGap(rates[1][1], rates[0][0], roles=((1,), (0,))),
    )


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


def comparative_gaps(items: LabelledItems, *, balanced: bool) -> Iterator[Gap]:
    """Yield the gaps of each two groups as `gap_hypotheses`; labels are binary, or `balanced`."""
    ranked = None if balanced else _ranked(items)
    for a, b in combinations(range(items.n_groups), 2):
        if ranked is not None:
            yield ranked.gap((b, a), (a, b), ties=items.ties)
            yield ranked.gap((b, b), (a, a), ties=items.ties)
        else:
            member = np.where(items.group == b, 1, np.where(items.group == a, 0, -1))
            yield from balanced_gaps(
                items.labels, items.scores, member, items.design, ties=items.ties
            )


def sampled_pair_rates(items: LabelledItems, *, balanced: bool, alpha: float) -> Record:
    """Return the fields of a `ComparativeSeparationResult` on rates; labels are balanced over all.

    Pairs count by their weights; a rate without an interval has NaN as its trials.
    """
    rates, usable, right = _balanced(items) if balanced else _unbalanced(items)
    k = items.n_groups
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


def _ranked(items: LabelledItems) -> RankedItems:
    labels = (items.labels == items.labels.max()).astype(np.int64)
    return RankedItems(labels, items.group, items.n_groups, score_order(items.scores), items.design)


def _unbalanced(items: LabelledItems) -> tuple[list[Linear], Floats, Floats]:
    ranked, k = _ranked(items), items.n_groups
    cell = 2 * items.group + ranked.labels
    weight = np.bincount(cell, items.design.weights, minlength=2 * k).reshape(k, 2)
    usable: Floats = np.outer(weight[:, 1], weight[:, 0]).astype(np.float64)
    rates = [ranked.rate(a, b, ties=items.ties) for a in range(k) for b in range(k)]
    estimates = np.array([rate.estimate for rate in rates]).reshape(k, k)
    return rates, usable, np.where(usable > 0, usable * estimates, 0.0)


def _balanced(items: LabelledItems) -> tuple[list[Linear], Floats, Floats]:
    table = balanced_rates(
        items.labels, items.scores, items.group, items.n_groups, items.design, ties=items.ties
    )
    return [rate for row in table.rates for rate in row], table.comparable, table.concordant
