"""Comparative separation from judgments of which all have a cheap outcome, and some a human one.

Cells are the two groups, the order by the model, and the cheap outcome. In each the judgments with
a human outcome stand for all; what judgments share enters the variance as everywhere: see
docs/explanation/few-labels.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign, label_cells, two_phase_design
from fairpairs.mathematics.estimates.pairs.given import orient_pairs
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.fairness.comparative_result import ComparativeSeparationResult
from fairpairs.mathematics.inference.gaps import gap_cells, gap_hypotheses
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.inference.sampling.estimates import gap_tests
from fairpairs.mathematics.inference.sampling.gaps import Gap, alone
from fairpairs.mathematics.inference.sampling.linear import Linear, mean
from fairpairs.mathematics.inference.sampling.two_phases import labels_worth, spread_of
from fairpairs.mathematics.judgments.related import Relations


@dataclass(frozen=True, eq=False)
class JudgedInPart:
    """The m judgments, of which n have a human outcome."""

    #: Positions of the items.
    left: Integers
    right: Integers
    #: 1 (left), −1 (right), 0 (a tie, or no human outcome), and the cheap outcome, shape (m,).
    outcome: Integers
    cheap: Integers
    #: Positions of the judgments with a human outcome, and their chances to get one, shape (n,).
    labelled: Integers
    chance: Floats
    #: What all judgments share.
    relations: Relations


@dataclass(frozen=True, eq=False)
class JudgedInPartResult:
    """Comparative separation, and what tells of the cheap outcomes."""

    result: ComparativeSeparationResult
    #: Human outcomes alone that would tell as much, of each hypothesis; NaN without a test.
    worth: Floats
    #: How often the cheap outcome is the human one, by the human one: groups of winner and loser,
    #: share, limits, and human outcomes.
    errors: list[tuple[Any, Any, float, float, float, int]]


@dataclass(frozen=True, eq=False)
class RelatedJudgments:
    """Sums over related judgments (see `Related`)."""

    relations: Relations
    #: Cell of each judgment, shape (m,).
    cell: Integers
    labelled: Integers

    def covariance(self, mean: Floats, rest: Floats) -> Floats:
        """Sum products by the kinds that give the difference most variance, at least by none."""
        added = mean[:, self.cell]
        added[:, self.labelled] += rest
        relations = self.relations
        ways = [relations, *(Relations(code, code) for code in relations.shared)]
        if relations.shared and not relations.items_within:
            ways.append(Relations(relations.one, relations.two))
        sums = [_products(way, added) for way in ways]
        sign = (-1.0) ** np.arange(len(added))
        total = max(sums, key=lambda one: float(sign @ one @ sign))
        least, here = np.square(added).sum(axis=1), np.diagonal(total)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(here > 0, np.sqrt(np.fmax(least / here, 1)), 0.0)
        wider = total * np.outer(ratio, ratio)
        np.fill_diagonal(wider, np.maximum(here, least))
        return np.asarray(wider)

    def together(self, shares: Floats) -> Floats:
        """Sum the products of shares of related judgments."""
        return _products(self.relations.take(self.labelled), shares)


def _products(relations: Relations, values: Floats) -> Floats:
    """Sum the products of the values of related judgments, (L, m), in shape (L, L)."""
    n, m = values.shape
    repeated = relations.take(np.tile(np.arange(m), n))
    return repeated.covariance(values.ravel(), np.repeat(np.arange(n), m), n)


def separation_in_part(
    judged: JudgedInPart,
    predicted: Integers,
    group: Integers,
    names: Sequence[Any],
    *,
    ties: Ties = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> JudgedInPartResult:
    """Test comparative separation from human and cheap outcomes; `predicted` is ±1, (m,)."""
    k = len(names)
    design = _design(judged, predicted, group, k)
    labelled = judged.labelled
    columns = (judged.outcome, judged.cheap, predicted)
    human, cheap, preferred = (column[labelled].astype(float) for column in columns)
    sides = judged.left[labelled], judged.right[labelled]
    winner, loser, hit = orient_pairs(human, preferred, *sides, ties=ties)
    cell = np.where(winner != loser, k * group[winner] + group[loser], -1)
    rates = [mean(hit, cell == code, cell, design) for code in range(k * k)]
    gaps = [Gap(rates[i], rates[j]) for i, j in zip(*gap_cells(k), strict=True)]
    difference, contrasts = gap_tests(gaps, design, alpha=alpha)
    weight = np.array([design.weights[cell == code].sum() for code in range(k * k)])
    estimates = np.array([rate.estimate for rate in rates])
    square = (k, k)
    result = ComparativeSeparationResult(
        hypotheses=gap_hypotheses(names),
        difference=difference,
        alpha=alpha,
        correction=correction,
        groups=tuple(names),
        usable=weight.reshape(square),
        right=np.where(weight > 0, weight * estimates, 0.0).reshape(square),
        tpr=estimates.reshape(square),
        tpr_covariance=spread_of(rates, design).covariance,
        trials=np.full(square, np.nan),
        joint=None,
        variance="dyadic",
        balanced=False,
        limits=np.array([_limits(rate, design, alpha) for rate in rates]).T.reshape(2, k, k),
        contrasts=contrasts,
    )
    errors = []
    for code in range(k * k):
        agrees = mean((human == cheap).astype(float), cell == code, cell, design)
        ends = _limits(agrees, design, alpha)
        n = int((cell == code).sum())
        errors.append((names[code // k], names[code % k], agrees.estimate, *ends, n))
    worth = [
        np.nan if contrast is None else labels_worth(gap.difference, design)
        for gap, contrast in zip(gaps, contrasts, strict=True)
    ]
    return JudgedInPartResult(result, np.array(worth), errors)


def _design(judged: JudgedInPart, predicted: Integers, group: Integers, k: int) -> SamplingDesign:
    """Return how judgments with a human outcome stand for all."""
    one, two = group[judged.left], group[judged.right]
    pair = k * np.maximum(one, two) + np.minimum(one, two)
    # the side of the later group; within a group, of the item that is ahead
    sign = np.where(np.where(one == two, predicted >= 0, one > two), 1, -1)
    order, cheap, human = (sign * x for x in (predicted, judged.cheap, judged.outcome))
    splits = [(part == value).astype(np.int64) for value in (1, 0) for part in (order, cheap)]
    labelled = judged.labelled
    cell = label_cells(pair, labelled, splits)
    chosen = (human[labelled] > 0).astype(np.int64)
    design = two_phase_design(cell, 3 * pair + order + 1, labelled, judged.chance, label=chosen)
    assert design.phases is not None
    related = RelatedJudgments(judged.relations.coarsest, cell, labelled)
    every = RelatedJudgments(judged.relations, cell, np.arange(len(cell)))
    units = int(1 / every.together(np.full((1, len(cell)), 1 / len(cell)))[0, 0])
    return replace(design, phases=replace(design.phases, related=related, units=max(units, 1)))


def _limits(rate: Linear, design: SamplingDesign, alpha: float) -> tuple[float, float]:
    contrast = alone(rate, design) if np.isfinite(rate.estimate) else None
    return (np.nan, np.nan) if contrast is None else contrast.limits(alpha)
