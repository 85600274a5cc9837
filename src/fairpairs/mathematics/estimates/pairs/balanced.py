"""TPR(a, b) of items that are weighed so that all groups have one distribution of labels.

The table of K groups takes overlap weights of all groups. A gap takes those of its two groups,
whose labels overlap more than those of all do. Pairs of one stratum of the label do not count: an
item has no pair with itself, so a small group has fewer such pairs than its weight implies.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.balance import balancing_weights, label_strata
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.given import given_pairs, take_items
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, group_pairs


def balanced_pairs(
    y_true: Floats, y_score: Floats, group: Integers, n_groups: int, *, ties: Ties = "wrong"
) -> PairRates:
    """Estimate TPR(a, b) of balanced labels as `all_pairs`; InputError for many sets of K > 2."""
    strata = label_strata(y_true)
    weights = balancing_weights(group, strata, n_groups)
    levels = strata.astype(float)
    rates = all_pairs(levels, y_score, group, n_groups, ties=ties, weights=weights, strata=strata)
    each_two = []
    for a, b in _twos(y_true, n_groups):
        member = (group == a) | (group == b)
        code = (group[member] == b).astype(np.int64)
        each_two.append(balanced_pairs(y_true[member], y_score[member], code, 2, ties=ties))
    return replace(rates, each_two=tuple(each_two) or None)


def balanced_given_pairs(
    y_true: Floats, winner: Integers, loser: Integers, hit: Floats, group: Integers, n_groups: int
) -> PairRates:
    """Estimate TPR(a, b) of balanced labels as `given_pairs`; InputError for many sets of K > 2."""

    def rates_among(member: NDArray[np.bool_], code: Integers, k: int) -> PairRates:
        weights, strata = np.zeros(group.shape), np.zeros(group.shape)
        strata[..., member] = own = label_strata(y_true[..., member])
        weights[..., member] = balancing_weights(code[..., member], own, k)
        apart = take_items(strata, winner) != take_items(strata, loser)
        pair_weights = take_items(weights, winner) * take_items(weights, loser) * apart
        return given_pairs(winner, loser, hit, code, k, weights=pair_weights)

    each_two = [
        rates_among((group == a) | (group == b), (group == b).astype(np.int64), 2)
        for a, b in _twos(y_true, n_groups)
    ]
    every = np.ones(y_true.shape[-1], dtype=bool)
    return replace(rates_among(every, group, n_groups), each_two=tuple(each_two) or None)


def _twos(y_true: Floats, n_groups: int) -> list[tuple[int, int]]:
    twos = group_pairs(n_groups)
    if twos and y_true.ndim > 1:
        raise InputError("Balance the labels of more than two groups in one data set at a time.")
    return twos
