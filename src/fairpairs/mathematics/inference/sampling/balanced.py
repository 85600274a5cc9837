"""TPR(a, b) of groups with real labels that are balanced, for items with clusters and weights.

Overlap weights give all groups one distribution of labels (see `pairs/balanced.py`); here the
share of a group in a stratum is that of the weight of its items. The weights depend on these
shares, so what an item adds is centred within its group and stratum.
"""

from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.balance import (
    ITEMS_PER_STRATUM,
    balancing_weights,
    label_strata,
)
from fairpairs.mathematics.estimates.estimates import ROUNDING
from fairpairs.mathematics.estimates.pairs.all_pairs import projections
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.inference.sampling.linear import Linear
from fairpairs.mathematics.inference.sampling.pair_gaps import PairGap

#: A smaller share of a cell outside a cluster is rounding: the cluster is alone.
ALONE = 1e-10


@dataclass(frozen=True, eq=False)
class BalancedRates:
    """TPR(a, b) of K groups with balanced labels."""

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
