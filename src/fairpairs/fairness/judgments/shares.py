"""Shares of judgments, such as that of ties, compared between parts of the judgments.

The variance is robust to what judgments share: items, judges, clusters. It is put as independent
trials, so that Wilson's limits and MOVER hold for shares near 0 or 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness import inputs
from fairpairs.fairness.effect_sizes import cohens_h
from fairpairs.fairness.estimates import UNVARYING, Estimates, two_sided
from fairpairs.fairness.judgments.given import (
    GivenJudgments,
    read_item_clusters,
    read_judgments,
)
from fairpairs.fairness.judgments.related import Relations
from fairpairs.fairness.mover import difference_limits, difference_statistic, wilson_limits
from fairpairs.fairness.results import FairnessTestResult

#: The smallest share of the variance of independent judgments that related ones may have.
LEAST_EFFECT = 0.1
#: With fewer judges, clusters or items in effect behind a share, its p-value is rough.
FEW_UNITS = 20
#: The note in that case.
FEW = f"fewer than {FEW_UNITS} judges, clusters or items in effect"


@dataclass(frozen=True)
class JudgedGroups:
    """Judgments, ties among them, with the groups of their items and what they share.

    Attributes
    ----------
    given
        The judgments, those of an item with itself left out.
    names
        The K groups.
    left, right
        Group of the left and of the right item, shape (m,).
    relations
        What the judgments share.
    """

    given: GivenJudgments
    names: tuple[Any, ...]
    left: Integers
    right: Integers
    relations: Relations

    def within(self, group: int) -> NDArray[np.bool_]:
        """Return which judgments are of two items of a group."""
        return np.asarray((self.left == group) & (self.right == group))

    def across(self, one: int, two: int) -> NDArray[np.bool_]:
        """Return which judgments are of an item of one group and one of the other."""
        return self.ordered(one, two) | self.ordered(two, one)

    def ordered(self, left: int, right: int) -> NDArray[np.bool_]:
        """Return which judgments have an item of one group left and one of the other right."""
        return np.asarray((self.left == left) & (self.right == right))


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
    of_items = read_item_clusters(item_clusters, sensitive_features)
    given = read_judgments(
        left, right, outcome, len(group), judges=judges, clusters=clusters,
        ties_in_outcome="keep" if ties else "drop",
    )  # fmt: skip
    used = given.left != given.right
    if not ties:
        used &= given.outcome != 0
    given = given.take(np.flatnonzero(used))
    units = np.arange(len(group)) if of_items is None else of_items
    relations = Relations(units[given.left], units[given.right], given.shared)
    return JudgedGroups(given, names, group[given.left], group[given.right], relations)


@dataclass(frozen=True)
class Comparison:
    """A sum of shares that a hypothesis says to be 0.

    Attributes
    ----------
    hypothesis
        It in words.
    value
        0 or 1 of each judgment, shape (m,).
    parts
        Judgments of each share and its coefficient: 1 alone for a share that is compared with 1/2,
        1 and −1 for the difference of two, or others.
    """

    hypothesis: str
    value: Floats
    parts: tuple[tuple[NDArray[np.bool_], float], ...]


def compare(
    comparisons: Sequence[Comparison], relations: Relations, *, alpha: float
) -> tuple[tuple[str, ...], Estimates]:
    """Return the hypotheses and their tests."""
    tested = [_compare(each, relations, alpha) for each in comparisons]
    fields = Estimates(*(np.array(column) for column in zip(*tested, strict=True)))
    return tuple(each.hypothesis for each in comparisons), fields


def share_of(
    value: Floats, rows: NDArray[np.bool_], relations: Relations, alpha: float
) -> tuple[float, float, float, int]:
    """Return a share of the judgments in rows, its interval, and their number."""
    estimate, low, high, *_ = _compare(Comparison("", value, ((rows, 1.0),)), relations, alpha)
    n = int(rows.sum())
    return (estimate + 0.5, low + 0.5, high + 0.5, n) if n else (np.nan, np.nan, np.nan, 0)


def kish(weights: Floats, units: Integers) -> float:
    """Return how many units of equal weight the weights are worth.

    Examples
    --------
    >>> kish(np.array([1.0, 1.0, 2.0]), np.array([0, 0, 1]))
    2.0
    """
    sums = np.bincount(units, weights)
    return float(sums.sum() ** 2 / (sums @ sums))


def effective_units(relations: Relations, weights: Floats) -> float:
    """Return the fewest units, of any kind that judgments share, that they are worth."""
    ends = np.concatenate([relations.one, relations.two])
    kinds = [kish(np.tile(weights, 2), ends), *(kish(weights, code) for code in relations.shared)]
    return min(kinds)


def related_variance(
    influence: Floats, weights: Floats, relations: Relations
) -> tuple[float, float]:
    """Return the variance of a sum of influences, corrected for few units, and its units."""
    units = max(effective_units(relations, weights), 1.0)
    factor = units / (units - 1) if units > 1 else 1.0
    return factor * relations.variance(influence), units


def _compare(each: Comparison, relations: Relations, alpha: float) -> tuple[Any, ...]:
    """Return the fields of `Estimates` for one comparison."""
    sizes = [int(rows.sum()) for rows, _ in each.parts]
    nothing = np.nan, np.nan, np.nan, np.nan, np.nan, sum(sizes), min(sizes)
    if min(sizes) == 0:
        return (*nothing, "empty cell", np.nan)
    rates = np.array([each.value[rows].mean() for rows, _ in each.parts])
    coefficients = np.array([coefficient for _, coefficient in each.parts])
    estimate = float(coefficients @ rates) - 0.5 * (len(rates) == 1)
    influence, weights = np.zeros((2, len(each.value)))
    for (rows, coefficient), rate, n in zip(each.parts, rates, sizes, strict=True):
        influence[rows] += coefficient * (each.value[rows] - rate) / n
        weights[rows] += abs(coefficient) / n
    kept = np.flatnonzero(weights)
    variance, units = related_variance(influence[kept], weights[kept], relations.take(kept))
    own = float((coefficients**2 * rates * (1 - rates) / sizes).sum())
    effect_size = _effect_size(rates, len(each.parts))
    if own <= 0:  # every share is 0 or 1
        return estimate, *nothing[1:], UNVARYING, effect_size
    effect = max(variance / own, LEAST_EFFECT)
    trials, df = np.array(sizes) / effect, max(units - 1, 1.0)
    quantile = float(stdtrit(df, 1 - alpha / 2)) if np.isfinite(df) else float(ndtri(1 - alpha / 2))
    if len(rates) == 1:
        low, high = (limit - 0.5 for limit in wilson_limits(rates, trials, quantile))
        statistic = estimate / np.sqrt(0.25 / trials)
    elif len(rates) == 2:
        pair = rates[:1], rates[1:], trials[:1], trials[1:]
        (low, high), statistic = difference_limits(*pair, quantile), difference_statistic(*pair)
    else:
        error = np.sqrt(own * effect)
        low, high = (np.array([estimate + sign * quantile * error]) for sign in (-1, 1))
        statistic = np.array([estimate / error])
    note = FEW if units < FEW_UNITS else ""
    pvalue = float(two_sided(statistic, df)[0])
    return (
        estimate, float(low[0]), float(high[0]), float(statistic[0]), pvalue, sum(sizes),
        min(sizes), note, effect_size,
    )  # fmt: skip


def _effect_size(rates: Floats, parts: int) -> float:
    if parts > 2:
        return np.nan
    second = rates[1] if parts == 2 else 0.5
    return float(cohens_h(rates[:1], np.array([second]))[0])


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

    def shares(self) -> pd.DataFrame:
        """Return one row per share: `judgments`, `share`, `ci_low`, `ci_high`, `n`."""
        return self.table.copy()


def share_table(
    value: Floats,
    parts: Sequence[tuple[str, NDArray[np.bool_]]],
    relations: Relations,
    alpha: float,
) -> pd.DataFrame:
    """Return one row per part of the judgments: its name, share, interval and number."""
    rows = [(name, *share_of(value, rows, relations, alpha)) for name, rows in parts]
    return pd.DataFrame(rows, columns=["judgments", "share", "ci_low", "ci_high", "n"])
