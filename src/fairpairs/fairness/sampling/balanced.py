"""TPR(a, b) of two groups with real labels that are balanced, for items with clusters and weights.

Overlap weights give both groups one distribution of labels (see `pairs/balanced.py`); here the
groups' shares in a stratum are of the weight of their items. The weights depend on these shares, so
what an item adds is centred within its group and stratum.
"""

from __future__ import annotations

import numpy as np

from fairpairs.arrays import Floats, Integers
from fairpairs.errors import InputError
from fairpairs.fairness.balance import ITEMS_PER_STRATUM, balancing_weights, label_strata
from fairpairs.fairness.estimates import ROUNDING
from fairpairs.fairness.items import ONE_LABEL
from fairpairs.fairness.pairs.rates import Ties
from fairpairs.fairness.pairs.real import projections
from fairpairs.fairness.sampling.design import SamplingDesign
from fairpairs.fairness.sampling.linear import Linear
from fairpairs.fairness.sampling.pair_gaps import PairGap

#: What rounding leaves of the rest of a cell beside its only cluster.
ALONE = 1e-10


def balanced_gaps(
    y_true: Floats,
    y_pred: Floats,
    member: Integers,
    design: SamplingDesign,
    *,
    ties: Ties = "wrong",
) -> tuple[PairGap, PairGap]:
    """Return TPR(1, 0) − TPR(0, 1) and TPR(1, 1) − TPR(0, 0) of balanced labels.

    Parameters
    ----------
    y_true, y_pred
        Real labels and predictions, shape (n,).
    member
        1 and 0 for the items of the two groups, −1 for others, shape (n,).
    design
        Clusters and weights of the items.
    ties
        What a tie of two predictions counts.

    Raises
    ------
    InputError
        When all items of both groups have one label.
    """
    inside = np.flatnonzero((member >= 0) & (design.weights > 0))
    labels, group = y_true[inside], member[inside].astype(np.int64)
    sampled = design.weights[inside]
    if not len(inside) or labels.min() == labels.max():
        raise InputError(ONE_LABEL)
    # as many items of equal weight in a stratum as there are without weights
    unequal = len(inside) * float((sampled**2).sum()) / float(sampled.sum()) ** 2
    strata = label_strata(labels, int(np.ceil(unequal * ITEMS_PER_STRATUM - ROUNDING)))
    weights = sampled * balancing_weights(group, strata, 2, sampled)
    concordant, comparable, _, added = projections(
        strata[None].astype(float), y_pred[inside][None], group[None], 2, ties, weights[None]
    )
    cluster = None if design.cluster is None else design.cluster[inside]
    cell = group * (int(strata.max()) + 1) + strata

    def rate(winners: int, losers: int) -> Linear:
        influence, classes = np.zeros(len(member)), np.full(len(member), -1)
        pairs = float(comparable[0, winners, losers])
        if pairs == 0:
            return Linear(np.nan, influence, classes)
        influence[inside] = _centred(added[0, :, 2 * winners + losers], sampled, cell, cluster)
        taken = (weights > 0) & ((group == winners) | (group == losers))
        classes[inside] = np.where(taken, group, -1)
        return Linear(float(concordant[0, winners, losers]) / pairs, influence, classes)

    return (
        PairGap(rate(1, 0), rate(0, 1), roles=((1, 0), (0, 1))),
        PairGap(rate(1, 1), rate(0, 0), roles=((1,), (0,))),
    )


def _centred(added: Floats, weight: Floats, cell: Integers, cluster: Integers | None) -> Floats:
    """Centre what items add within cells, by weight, divided by √(1 − share).

    The share is that of the cluster in the weight of the cell; one that is all of it stays. For m
    clusters of equal weight this is the factor √(m / (m − 1)).
    """
    total = np.bincount(cell, weight)[cell]
    place = np.arange(len(cell))
    if cluster is not None:
        place = np.unique(cell * (int(cluster.max()) + 1) + cluster, return_inverse=True)[1]
    own = np.bincount(place, weight)[place]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, added)[cell] / total
        rest = 1 - own / total
        centred = (added - weight * mean) / np.sqrt(rest)
    return np.asarray(np.where(rest > ALONE, centred, added))
