"""Shares of judgments, such as that of ties, compared between parts of the judgments.

The variance is robust to what judgments share: items, judges, clusters. It is put as independent
trials, so that Wilson's limits and MOVER hold for shares near 0 or 1. A mean of shares counts as
one share, of as many trials as it has if all its shares are equal.

The gaps of comparative separation within strata, such as categories of prompts, are combined by
Student's t. References: S. Greenland and J. M. Robins (1985), Estimation of a common effect
parameter from sparse follow-up data, equation (1): the weights of Mantel and Haenszel for a
difference of two rates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, stdtrit

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.estimates import (
    SMALL_CELL,
    UNVARYING,
    Estimates,
    cohens_h,
    two_sided,
)
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE
from fairpairs.mathematics.inference.gaps import gap_cells
from fairpairs.mathematics.inference.rates import (
    difference_limits,
    difference_statistic,
    wilson_limits,
)
from fairpairs.mathematics.inference.results import Correction, FairnessTestResult
from fairpairs.mathematics.judgments.given import GivenJudgments, read_item_clusters, read_judgments
from fairpairs.mathematics.judgments.related import Relations, added_covariances

#: The smallest share of the variance of independent judgments that related ones may have.
LEAST_EFFECT = 0.1
#: Lower bound of 1 − h, by which a residual is divided (see `related_variance`).
LEAST_LEFT = 0.1
#: With fewer judges, clusters or items in effect behind a share, its p-value is rough.
FEW_UNITS = 20
#: The note in that case.
FEW = f"fewer than {FEW_UNITS} judges, clusters or items in effect"
#: With fewer judgments of a rate, a stratum does not count for the test of heterogeneity.
LEAST_IN_STRATUM = 5
#: The note where the strata with both rates hold few judgments.
FEW_IN_STRATA = f"fewer than {SMALL_CELL} judgments in strata with both rates"


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
    ties: Literal["keep", "drop"],
) -> JudgedGroups:
    """Check judgments as `comparative_separation_from_judgments` does; keep ties or drop them."""
    group, names = inputs.groups(sensitive_features)
    cluster = read_item_clusters(item_clusters, sensitive_features)
    given = read_judgments(
        left, right, outcome, len(group), judges=judges, clusters=clusters, ties_in_outcome=ties
    )
    used = given.left != given.right
    if ties == "drop":
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
    table
        One row per share: which judgments, the share, its interval, their number.
    """

    table: pd.DataFrame

    def shares(self) -> pd.DataFrame:
        """Return one row per share: `judgments`, `share`, `ci_low`, `ci_high`, `n`."""
        return self.table.copy()


Result = TypeVar("Result", bound=SharesResult)


def shares_result(
    kind: type[Result],
    comparisons: Sequence[Comparison],
    shares: Sequence[Comparison],
    groups: JudgedGroups,
    alpha: float,
    correction: Correction,
    **more: Any,
) -> Result:
    """Test comparisons, and tabulate shares; `more` are further fields of the kind of result."""
    tested = [_compare(comparison, groups.relations, alpha) for comparison in comparisons]
    fields = Estimates(*(np.array(column) for column in zip(*tested, strict=True)))
    rows = []
    for share in shares:
        estimate, low, high, _, _, n, *_ = _compare(share, groups.relations, alpha)
        rows.append((share.name, estimate + 0.5, low + 0.5, high + 0.5, n))
    table = pd.DataFrame(rows, columns=["judgments", "share", "ci_low", "ci_high", "n"])
    hypotheses = tuple(comparison.name for comparison in comparisons)
    return kind(hypotheses, fields, alpha, correction, table, groups=groups.names, **more)


def stratified_gaps(
    winner: Integers,
    loser: Integers,
    hit: Floats,
    group: Integers,
    n_groups: int,
    strata: Integers,
    relations: Relations,
    *,
    weights: Floats | None = None,
    alpha: float = 0.05,
) -> tuple[Estimates, Floats]:
    """Return the gaps within strata, each by n1 n0 / (n1 + n0), and p of the same gap in all.

    In the order of `gap_hypotheses`. A judgment adds its residual from the rates of its stratum
    under the common gap, so that one of each rate is enough. The reference is Student's t by the
    units. p is NaN where fewer than two strata have 5 judgments or more of both rates.
    """
    cell = group[winner] * n_groups + group[loser]
    weight = np.ones(len(hit)) if weights is None else weights
    tested, heterogeneity = [], []
    for first, second in zip(*gap_cells(n_groups), strict=True):
        rows = np.flatnonzero((cell == first) | (cell == second))
        columns = hit[rows], cell[rows] == first, strata[rows], weight[rows]
        gap = _Gap(*columns, relations.take(rows))
        tested.append(gap.estimates(alpha))
        heterogeneity.append(gap.heterogeneity())
    fields = Estimates(*(np.array(column) for column in zip(*tested, strict=True)))
    return fields, np.array(heterogeneity)


@dataclass(frozen=True)
class _Gap:
    """The judgments of two rates: hits, which are of the first, strata, weights, relations."""

    hit: Floats
    first: NDArray[np.bool_]
    stratum: Integers
    weight: Floats
    relations: Relations

    @cached_property
    def _strata(self) -> tuple[Floats, Floats, NDArray[np.bool_], Floats]:
        """Rates and (weighted) numbers, (2, strata), and of strata with both the shares."""
        n = int(self.stratum.max(initial=-1)) + 1
        sides = self.first, ~self.first
        numbers, hits = (
            np.stack([np.bincount(self.stratum[side], value[side], minlength=n) for side in sides])
            for value in (self.weight, self.weight * self.hit)
        )
        both = np.asarray((numbers > 0).all(axis=0))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(both, numbers.prod(axis=0) / numbers.sum(axis=0), 0)
            return hits / numbers, numbers.astype(float), both, share / share.sum()

    def _influence(self) -> tuple[Floats, Floats, float]:
        """Return influence and weight of each judgment, and the combined gap."""
        rates, numbers, both, share = self._strata
        total = numbers.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            estimate = float(np.where(both, share * (rates[0] - rates[1]), 0).sum())
            mean = np.where(both, (rates * numbers).sum(axis=0) / total, 0)
            fitted = mean + estimate * np.stack([numbers[1], -numbers[0]]) / total
            scale = share * np.sqrt(total / np.maximum(total - 1, 0.5)) / numbers
        index = np.where(self.first, 0, 1), self.stratum
        inside = both[self.stratum]
        residual = np.where(self.first, 1.0, -1.0) * self.weight * (self.hit - fitted[index])
        influence = np.where(inside, residual * scale[index], 0.0)
        weight = np.where(inside, self.weight * share[self.stratum] / numbers[index], 0.0)
        return influence, weight, estimate

    def estimates(self, alpha: float) -> tuple[float | int | str, ...]:
        """Return the fields of `Estimates`."""
        rates, _, both, share = self._strata
        inside = np.append(both, False)[self.stratum]
        sizes = [int((inside & side).sum()) for side in (self.first, ~self.first)]
        nothing = np.nan, np.nan, np.nan, np.nan, sum(sizes), min(sizes)
        if not both.any():
            return np.nan, *nothing, "no stratum has both rates", np.nan
        influence, weight, estimate = self._influence()
        common = np.where(both, rates * share, 0).sum(axis=1)
        effect_size = float(cohens_h(common[:1], common[1:])[0])
        sides = [np.where(side, weight, 0.0) for side in (self.first, ~self.first)]
        variance, units = related_variance(
            influence, [side / side.sum() for side in sides], self.relations
        )
        if variance <= NO_VARIANCE:
            return estimate, *nothing, UNVARYING, effect_size
        error, df = float(np.sqrt(variance)), max(units - 1, 1.0)
        margin = float(stdtrit(df, 1 - alpha / 2)) * error
        statistic = estimate / error
        pvalue = float(two_sided(np.array(statistic), df))
        note = FEW_IN_STRATA if min(sizes) < SMALL_CELL else ""
        low, high = max(estimate - margin, -1.0), min(estimate + margin, 1.0)
        fields = estimate, low, high, statistic, pvalue
        return *fields, sum(sizes), min(sizes), note, effect_size

    def heterogeneity(self) -> float:
        """Return p of a score test of one gap in all strata, under that gap (Zelen 1971)."""
        rates, numbers, both, share = self._strata
        large = (numbers >= LEAST_IN_STRATUM).all(axis=0)
        if large.sum() < 2:
            return np.nan
        _, weight, common = self._influence()
        total = numbers.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (rates * numbers).sum(axis=0) / total
            fitted = np.clip(mean + common * np.stack([numbers[1], -numbers[0]]) / total, 0, 1)
            variance = (fitted * (1 - fitted) / numbers).sum(axis=0) * total / (total - 1)
        varies = large & (variance > NO_VARIANCE)
        if varies.sum() < 2:
            return np.nan
        q = float((np.square(rates[0] - rates[1] - common)[varies] / variance[varies]).sum())
        kept = np.flatnonzero(weight)
        index = np.where(self.first, 0, 1)[kept], self.stratum[kept]
        residual = np.where(self.first, 1.0, -1.0)[kept] * (self.hit[kept] - fitted[index])
        scale = self.weight[kept] / numbers[index], weight[kept]
        within, with_all = added_covariances(
            residual, self.stratum[kept], len(total), scale, self.relations.take(kept)
        )
        within, with_all = np.where(both, [within + variance, with_all + share * variance], 0)
        mean_of_q = ((within - 2 * with_all + share @ with_all)[varies] / variance[varies]).sum()
        df = int(varies.sum()) - 1
        return float(chdtrc(df, q / max(float(mean_of_q) / df, 1.0)))
