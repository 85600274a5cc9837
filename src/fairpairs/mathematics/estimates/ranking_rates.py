"""Rates of a ranking, AUC, xAUC and balanced xAUC, with their covariance.

All rates are those of comparative separation on all pairs of items with binary labels. The balanced
xAUCs compare a group with all items, which enter once more, as a further group.

References: Kallus and Zhou (2019), *The Fairness of Risk Scores Beyond Classification: Bipartite
Ranking and the xAUC Metric*. The derivations are in docs/explanation/ranking.md.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.read import group_pair_hypotheses
from fairpairs.mathematics.estimates.pairs.binary import ScoreOrder, all_pairs_binary, score_order
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties

#: What is compared between two groups: within-group AUC, xAUC, and the balanced xAUCs.
MEASURES = ("AUC", "xAUC", "xAUC_1", "xAUC_0")

#: The hypotheses on them.
HYPOTHESES = (
    "AUC({a}) = AUC({b})",
    "xAUC({a},{b}) = xAUC({b},{a})",
    "xAUC_1({a}) = xAUC_1({b})",
    "xAUC_0({a}) = xAUC_0({b})",
)


def ranking_rates(
    y_true: Integers,
    y_score: Floats,
    group: Integers,
    n_groups: int,
    *,
    ties: Ties = "half",
    order: ScoreOrder | None = None,
    count: Integers | None = None,
) -> PairRates:
    """Return xAUC(a, b) of all pairs of groups, with all items as group K, and its covariance.

    That of a rate of a group and one of all items leaves out a part. `order` is of `y_score`, if
    known; `count` is how many equal items each one stands for.
    """
    items = y_true == 1, order or score_order(y_score), group, n_groups
    return all_pairs_binary(*items, ties, count=count, with_all=True)


def ranking_hypotheses(groups: Sequence[Any]) -> tuple[str, ...]:
    """Name the four hypotheses of each two groups, in the order of `MEASURES`."""
    return group_pair_hypotheses(groups, HYPOTHESES)


def ranking_cells(k: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the groups of both rates of each hypothesis, positive and negative; K is all items."""
    return [
        cells
        for a, b in combinations(range(k), 2)
        for cells in (((a, a), (b, b)), ((a, b), (b, a)), ((a, k), (b, k)), ((k, a), (k, b)))
    ]


def names_with_all(groups: Sequence[Any]) -> list[str]:
    """Return the names of the groups, then "all" ("all groups" if a group is called "all")."""
    names = [inputs.group_name(group) for group in groups]
    return [*names, "all" if "all" not in names else "all groups"]


def decomposition(rates: PairRates) -> dict[str, Floats]:
    """Return the AUC and its decompositions by Proposition 1, each of shape (...).

    Sums weigh by the groups' shares of positive and negative items, none of which weigh 0.
    """
    theta = np.nan_to_num(rates.tpr)
    sizes = rates.class_sizes.reshape(*rates.concordant.shape[:-1], 2)[..., :-1, :]
    with np.errstate(invalid="ignore"):
        shares = np.nan_to_num(sizes / sizes.sum(axis=-2, keepdims=True))
    positive, negative = shares[..., 0], shares[..., 1]
    return {
        "AUC": theta[..., -1, -1],
        "sum of xAUC": np.einsum("...a,...b,...ab->...", positive, negative, theta[..., :-1, :-1]),
        "sum of xAUC_1": np.einsum("...a,...a->...", positive, theta[..., :-1, -1]),
        "sum of xAUC_0": np.einsum("...b,...b->...", negative, theta[..., -1, :-1]),
    }
