"""Comparative separation of items with clusters and weights: the gaps and the rates."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.inference.sampling.balanced import balanced_gaps, balanced_rates
from fairpairs.mathematics.inference.sampling.gaps import Gap, RateAlone, alone
from fairpairs.mathematics.inference.sampling.linear import Linear, spread
from fairpairs.mathematics.inference.sampling.placements import RankedItems


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
