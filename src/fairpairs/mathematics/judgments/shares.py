"""Shares of judgments, such as that of ties, compared between parts of the judgments.

The variance is robust to what judgments share: items, judges, clusters. It is put as independent
trials, so that Wilson's limits and MOVER hold for shares near 0 or 1. A mean of shares counts as
one share, of as many trials as it has if all its shares are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.effect_sizes import cohens_h
from fairpairs.mathematics.estimates.estimates import UNVARYING, Estimates, two_sided
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE
from fairpairs.mathematics.inference.mover import (
    difference_limits,
    difference_statistic,
    wilson_limits,
)
from fairpairs.mathematics.inference.results import Correction, FairnessTestResult
from fairpairs.mathematics.judgments.given import GivenJudgments, read_item_clusters, read_judgments
from fairpairs.mathematics.judgments.related import Relations

#: The smallest share of the variance of independent judgments that related ones may have.
LEAST_EFFECT = 0.1
#: Lower bound of 1 − h, by which a residual is divided (see `related_variance`).
LEAST_LEFT = 0.1
#: With fewer judges, clusters or items in effect behind a share, its p-value is rough.
FEW_UNITS = 20
#: The note in that case.
FEW = f"fewer than {FEW_UNITS} judges, clusters or items in effect"


@dataclass(frozen=True)
class JudgedGroups:
    """Judgments, ties among them, with the groups of their items and what they share."""

    #: Without those of an item with itself.
    given: GivenJudgments
    names: tuple[Any, ...]
    #: Group of the left and of the right item of each judgment.
    left: Integers
    right: Integers
    relations: Relations

    def ordered(self, left: int, right: int) -> NDArray[np.bool_]:
        """Return which judgments have an item of one group left and one of the other right."""
        return np.asarray((self.left == left) & (self.right == right))

    def across(self, one: int, two: int) -> NDArray[np.bool_]:
        """Return which judgments are of an item of one group and one of the other."""
        return self.ordered(one, two) | self.ordered(two, one)


def read_groups(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    sensitive_features: ArrayLike,
    judges: ArrayLike | None,
    clusters: ArrayLike | None,
    item_clusters: ArrayLike | None,
    *,
    ties: bool,
) -> JudgedGroups:
    """Check judgments as `comparative_separation_from_judgments` does; keep ties or drop them."""
    group, names = inputs.groups(sensitive_features)
    cluster = read_item_clusters(item_clusters, sensitive_features)
    given = read_judgments(
        left,
        right,
        outcome,
        len(group),
        judges=judges,
        clusters=clusters,
        ties_in_outcome="keep" if ties else "drop",
    )
    used = given.left != given.right
    if not ties:
        used &= given.outcome != 0
    given = given.take(np.flatnonzero(used))
    units = np.arange(len(group)) if cluster is None else cluster
    relations = Relations(units[given.left], units[given.right], given.shared)
    return JudgedGroups(given, names, group[given.left], group[given.right], relations)


#: Judgments of each share, and its coefficient.
Parts = tuple[tuple[NDArray[np.bool_], float], ...]


@dataclass(frozen=True)
class Comparison:
    """A mean of shares, compared with 1/2 or with another mean of shares."""

    #: The hypothesis that both are equal; of a mean alone, which judgments.
    name: str
    #: 0 or 1 of each judgment.
    value: Floats
    #: Coefficients above 0 sum up to 1. Those below 0 sum up to −1; without any, the mean is
    #: compared with 1/2.
    parts: Parts


def related_variance(
    influence: Floats, sides: Sequence[Floats], relations: Relations
) -> tuple[float, float]:
    """Return the variance of an estimate from related judgments, and the units that it is worth.

    A unit (an item, a judge, a cluster) with the share h of a mean pulls it, so residuals are
    divided by 1 − h (CR3 of R. M. Bell and D. F. McCaffrey 2002). Units are the fewest of any kind
    behind either mean, by Kish. `sides` are the weights in each mean, which sum up to 1.
    """
    once = np.arange(len(influence))
    kinds = [relations.ends, *((code, once) for code in relations.shared)]
    units, wider = np.inf, np.ones(len(influence))
    for weight in sides:
        largest = weight.copy()
        for unit, judgment in kinds:
            shares = np.bincount(unit, weight[judgment])
            units = min(units, float(shares.sum() ** 2 / (shares @ shares)))
            np.maximum.at(largest, judgment, np.where(weight[judgment] > 0, shares[unit], 0.0))
        left = np.maximum(1 - largest, LEAST_LEFT)
        # a judgment that shares nothing keeps its residual
        wider *= np.where(largest > weight, (1 - weight) / left, 1.0)
    return relations.variance(influence * wider), max(units, 1.0)


def _sides(comparison: Comparison) -> tuple[Floats, Floats, Floats, Floats]:
    """Return one mean of shares, or two, none of whose parts is empty: what is compared.

    They are the means and their trials if judgments were independent, (1,) or (2,), the weights of
    the judgments in each, (1 or 2, m), and what each judgment adds to the estimate.
    """
    sign = np.sign([coefficient for _, coefficient in comparison.parts])
    sides = [sign > 0, sign < 0] if (sign < 0).any() else [sign > 0]
    rates, variance = np.zeros((2, len(sides)))
    value = comparison.value
    weights, residual = np.zeros((len(sides), len(value))), np.zeros(len(value))
    for part, (rows, coefficient) in enumerate(comparison.parts):
        side, n, rate = int(sign[part] < 0), rows.sum(), value[rows].mean()
        rates[side] += abs(coefficient) * rate
        variance[side] += coefficient**2 / n
        weights[side, rows] += abs(coefficient) / n
        residual[rows] += coefficient * (value[rows] - rate) / n
    return rates, 1 / variance, weights, residual


def _compare(comparison: Comparison, relations: Relations, alpha: float) -> tuple[Any, ...]:
    """Return the fields of `Estimates`."""
    sizes = [int(rows.sum()) for rows, _ in comparison.parts]
    nothing = np.nan, np.nan, np.nan, np.nan, sum(sizes)
    if not sizes or min(sizes) == 0:
        return np.nan, *nothing, 0, "empty cell", np.nan
    rates, trials, weights, residual = _sides(comparison)
    alone = len(rates) == 1
    smallest = int(trials[0]) if alone else min(sizes)
    second = 0.5 if alone else rates[1]
    estimate = float(rates[0] - second)
    effect_size = float(cohens_h(rates[:1], np.array([second]))[0])
    independent = float((rates * (1 - rates) / trials).sum())
    if independent <= NO_VARIANCE:
        # where every share is 0 or 1, only the hypothesis tells how far judgments may vary
        common = 0.5 if alone else rates @ trials / trials.sum()
        residual = (weights[0] - weights[1:].sum(axis=0)) * (comparison.value - common)
        independent = float((common * (1 - common) / trials).sum())
    if independent <= NO_VARIANCE:
        return estimate, *nothing, smallest, UNVARYING, effect_size
    kept = np.flatnonzero(weights.any(axis=0))
    variance, units = related_variance(residual[kept], [*weights[:, kept]], relations.take(kept))
    trials = trials / max(variance / independent, LEAST_EFFECT)
    df = max(units - 1, 1.0)
    quantile = float(stdtrit(df, 1 - alpha / 2))
    if alone:
        low, high = (limit - 0.5 for limit in wilson_limits(rates, trials, quantile))
        statistic = estimate / np.sqrt(0.25 / trials)
    else:
        pair = rates[:1], rates[1:], trials[:1], trials[1:]
        (low, high), statistic = difference_limits(*pair, quantile), difference_statistic(*pair)
    note = FEW if units < FEW_UNITS else ""
    pvalue = float(two_sided(statistic, df)[0])
    numbers = estimate, float(low[0]), float(high[0]), float(statistic[0]), pvalue
    return *numbers, sum(sizes), smallest, note, effect_size


@dataclass(frozen=True)
class SharesResult(FairnessTestResult):
    """A test of shares of judgments.

    Attributes
    ----------
    groups
        The K values of the sensitive attribute, sorted.
    table
        One row per share: which judgments, the share, its interval, their number.
    """

    groups: tuple[Any, ...]
    table: pd.DataFrame

    @classmethod
    def of(
        cls,
        comparisons: Sequence[Comparison],
        shares: Sequence[Comparison],
        groups: JudgedGroups,
        alpha: float,
        correction: Correction,
        **more: Any,
    ) -> Self:
        """Test comparisons, and tabulate shares."""
        tested = [_compare(comparison, groups.relations, alpha) for comparison in comparisons]
        fields = Estimates(*(np.array(column) for column in zip(*tested, strict=True)))
        rows = []
        for share in shares:
            estimate, low, high, _, _, n, *_ = _compare(share, groups.relations, alpha)
            rows.append((share.name, estimate + 0.5, low + 0.5, high + 0.5, n))
        table = pd.DataFrame(rows, columns=["judgments", "share", "ci_low", "ci_high", "n"])
        hypotheses = tuple(comparison.name for comparison in comparisons)
        return cls(hypotheses, fields, alpha, correction, groups.names, table, **more)

    def shares(self) -> pd.DataFrame:
        """Return one row per share: `judgments`, `share`, `ci_low`, `ci_high`, `n`."""
        return self.table.copy()
