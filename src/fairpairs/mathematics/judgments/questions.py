"""Three questions to judgments, each of shares: ties, the first place, the lean of the judges."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.mathematics.inference.rates import rate_limits
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.given import JudgesAs, question_to_judges
from fairpairs.mathematics.judgments.related import Relations, added_covariances
from fairpairs.mathematics.judgments.shares import (
    LEAST_EFFECT,
    Comparison,
    JudgedGroups,
    Parts,
    SharesResult,
    read_groups,
    shares_result,
)


@dataclass(frozen=True)
class OutcomeTiesResult(SharesResult):
    """The result of `outcome_ties_test`; `shares()` are the shares of ties."""

    name: ClassVar[str] = "test of ties in the outcome"


@understood
def outcome_ties_test(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    judges: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    item_clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> OutcomeTiesResult:
    """Test whether judgments end in ties equally often, whatever the groups of the two items.

    Where they do not, a test of the other judgments leaves out more of one group: see
    `ties_in_outcome` of `comparative_separation_from_judgments`.

    Parameters
    ----------
    left, right, outcome, sensitive_features, judges, clusters, item_clusters
        As in `comparative_separation_from_judgments`; an outcome of 0 is a tie.
    alpha, correction
        Level, and adjustment of p over the hypotheses.

    Returns
    -------
    OutcomeTiesResult
        For each two groups a and b: judgments within b against within a, and judgments across the
        two against the mean of those within either.

    Examples
    --------
    >>> result = outcome_ties_test(
    ...     [0, 1, 2, 3, 0, 1], [1, 0, 3, 2, 2, 3], [0, 0, 1, 0, 1, -1],
    ...     sensitive_features=["a", "a", "b", "b"],
    ... )
    >>> result.shares()[["judgments", "share", "n"]]
      judgments  share  n
    0  within a    1.0  2
    1  within b    0.5  2
    2   a and b    0.0  2
    """
    inputs.level(alpha)
    judged = read_groups(
        left, right, outcome, sensitive_features, judges, clusters, item_clusters, ties="keep"
    )
    tied = (judged.given.outcome == 0).astype(float)
    comparisons, shares = _against_within(judged, "tie", tied)
    return shares_result(OutcomeTiesResult, comparisons, shares, judged, alpha, correction)


@dataclass(frozen=True)
class FirstPlaceResult(SharesResult):
    """The result of `first_place_test`; `shares()` are the shares that prefer the first item."""

    name: ClassVar[str] = "test of the first place"


@understood
def first_place_test(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    judges: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    item_clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> FirstPlaceResult:
    """Test whether the item shown first is preferred, and whether that differs between groups.

    Judgments of items of two groups count by the mean of both orders, in which a preference for a
    group cancels; of two groups that are shown in one order only, none counts. Within a group the
    order must have been drawn at random. Give the verdicts of an audited judge as `outcome` to
    test the judge, or the judgments that it is compared with to test these.

    Parameters
    ----------
    left, right
        Positions of the item shown first and of the other, shape (m,).
    outcome, sensitive_features, judges, clusters, item_clusters
        As in `comparative_separation_from_judgments`; ties are left out.
    alpha, correction
        Level, and adjustment of p over the hypotheses.

    Returns
    -------
    FirstPlaceResult
        P(first) = 1/2 over all judgments; then for each two groups a and b, judgments within b
        against within a, and judgments across the two against the mean of those within either.

    Examples
    --------
    >>> result = first_place_test(
    ...     [0, 1, 2, 3, 0, 3], [1, 0, 3, 2, 2, 1], [1, 1, 1, -1, 1, 1],
    ...     sensitive_features=["a", "a", "b", "b"],
    ... )
    >>> result.shares()[["judgments", "share", "n"]].round(2)
      judgments  share  n
    0       all   0.83  6
    1  within a   1.00  2
    2  within b   0.50  2
    3   a and b   1.00  2
    """
    inputs.level(alpha)
    judged = read_groups(
        left, right, outcome, sensitive_features, judges, clusters, item_clusters, ties="drop"
    )
    value = (judged.given.outcome > 0).astype(float)
    comparisons, shares = _against_within(judged, "first", value)
    groups = range(len(judged.names))
    every = [(rows, float(rows.sum())) for rows in map(judged.ordered, groups, groups)]
    for one, two in combinations(groups, 2):
        orders = judged.ordered(one, two), judged.ordered(two, one)
        if all(rows.any() for rows in orders):
            every += [(rows, 0.5 * sum(order.sum() for order in orders)) for rows in orders]
    total = sum(number for _, number in every)
    overall: Parts = tuple((rows, number / total) for rows, number in every if number)
    comparisons.insert(0, Comparison("P(first) = 1/2", value, overall))
    shares.insert(0, Comparison("all", value, overall))
    return shares_result(FirstPlaceResult, comparisons, shares, judged, alpha, correction)


def _against_within(
    judged: JudgedGroups, event: str, value: Floats
) -> tuple[list[Comparison], list[Comparison]]:
    """Return comparisons of shares of an event, by two groups, and the shares within and across.

    Across counts by the mean of both orders if the event is "first".
    """
    names = [inputs.group_name(name) for name in judged.names]
    within = [judged.ordered(group, group) for group in range(len(names))]
    comparisons = []
    named = zip(names, within, strict=True)
    shares = [Comparison(f"within {name}", value, ((rows, 1.0),)) for name, rows in named]
    for one, two in combinations(range(len(names)), 2):
        a, b = names[one], names[two]
        across: Parts = ((judged.across(one, two), 1.0),)
        if event == "first":
            across = (judged.ordered(one, two), 0.5), (judged.ordered(two, one), 0.5)
        shares.append(Comparison(f"{a} and {b}", value, across))
        both = (within[two], 1.0), (within[one], -1.0)
        comparisons.append(Comparison(f"P({event} | {b},{b}) = P({event} | {a},{a})", value, both))
        mean = f"mean of P({event} | {a},{a}), P({event} | {b},{b})"
        mixed = *across, (within[one], -0.5), (within[two], -0.5)
        comparisons.append(Comparison(f"P({event} | {a},{b}) = {mean}", value, mixed))
    return comparisons, shares


@dataclass(frozen=True)
class JudgeLeanResult(SharesResult):
    """The result of `judge_lean_test`; `shares()` are the shares that prefer the second group.

    Attributes
    ----------
    judged
        One row per judge and two groups: `judge`, `groups`, `share` with Wilson's interval,
        `ci_low` and `ci_high`, and `n`.
    differ
        One row per two groups: `groups`, `statistic`, `df` and `pvalue` of the hypothesis that all
        judges prefer one group equally often.
    """

    name: ClassVar[str] = "test of the judges' lean"
    judged: pd.DataFrame
    differ: pd.DataFrame


@understood
def judge_lean_test(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    judges: ArrayLike,
    judges_as: JudgesAs | None = None,
    clusters: ArrayLike | None = None,
    item_clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> JudgeLeanResult:
    """Test whether judges prefer the items of one group, and whether they differ in it.

    A preference may be right: the items of one group may be better. That judges differ in it, on
    items that they were given at random, is due to the judges.

    Parameters
    ----------
    left, right, outcome, sensitive_features, judges, judges_as, clusters, item_clusters
        As in `comparative_separation_from_judgments`; ties are left out.
    alpha, correction
        Level, and adjustment of p over the hypotheses.

    Returns
    -------
    JudgeLeanResult
        For each two groups a and b, of the judgments across the two: the share that prefers b.

    Raises
    ------
    InputError
        As `comparative_separation_from_judgments` does, or when no judgment is across two groups.

    References
    ----------
    Whether judges differ: Pearson's chi-square of a table of two columns, times (n − 1) / n
    (I. Campbell 2007, Chi-squared and Fisher-Irwin tests of two-by-two tables), divided by its mean
    where judgments of one item or cluster are alike (J. N. K. Rao and A. J. Scott 1984, On
    chi-squared tests for multiway contingency tables with cell proportions estimated from survey
    data, the first-order correction).

    Examples
    --------
    >>> result = judge_lean_test(
    ...     [0, 1, 2, 3], [2, 3, 0, 1], [-1, -1, 1, -1],
    ...     sensitive_features=["a", "a", "b", "b"], judges=["x", "y", "x", "y"],
    ... )
    >>> result.shares()[["judgments", "share", "n"]]
      judgments  share  n
    0  b over a   0.75  4
    """
    inputs.level(alpha)
    if judges_as is not None:
        inputs.one_of(judges_as, "judges_as", get_args(JudgesAs))
    judged = read_groups(
        left, right, outcome, sensitive_features, judges, clusters, item_clusters, ties="drop"
    )
    judge = judged.given.shared[0]
    codes = np.asarray(pd.unique(one_dimensional(judges, "judges")))
    relations = judged.relations
    if question_to_judges(int(judge.max()) + 1, judges_as) == "fixed":
        relations = replace(relations, shared=relations.shared[1:])
    names = [inputs.group_name(name) for name in judged.names]
    winner = np.where(judged.given.outcome > 0, judged.left, judged.right)
    comparisons, shares, by_judge, differ = [], [], [], []
    for one, two in combinations(range(len(names)), 2):
        across = judged.across(one, two)
        if not across.any():
            continue
        name, value = f"{names[two]} over {names[one]}", (winner == two).astype(float)
        comparisons.append(Comparison(f"P({name}) = 1/2", value, ((across, 1.0),)))
        shares.append(Comparison(name, value, ((across, 1.0),)))
        by_judge.append(_by_judge(value[across], judge[across], codes, alpha).assign(groups=name))
        differ.append(
            (name, *_differ(value[across], judged.relations.take(np.flatnonzero(across))))
        )
    if not comparisons:
        raise InputError(
            "No judgment is of items of two groups: a lean shows only there, so add some."
        )
    every_judge = pd.concat(by_judge, ignore_index=True)
    differences = pd.DataFrame(differ, columns=["groups", "statistic", "df", "pvalue"])
    tested = comparisons, shares, replace(judged, relations=relations), alpha, correction
    return shares_result(JudgeLeanResult, *tested, judged=every_judge, differ=differences)


def _by_judge(value: Floats, judge: Integers, names: Array, alpha: float) -> pd.DataFrame:
    n, won = np.bincount(judge), np.bincount(judge, value)
    kept = np.flatnonzero(n)
    share = won[kept] / n[kept]
    low, high = rate_limits(share, n[kept].astype(float), alpha=alpha)
    columns = {"judge": names[kept], "share": share, "ci_low": low, "ci_high": high, "n": n[kept]}
    table = pd.DataFrame(columns)
    return table.sort_values("judge", key=lambda names: names.astype(str), ignore_index=True)


def _differ(value: Floats, relations: Relations) -> tuple[float, int, float]:
    """Return chi-square, df and p of equal shares of all judges, the first of the relations."""
    judge = np.unique(relations.shared[0], return_inverse=True)[1]
    n, won = np.bincount(judge), np.bincount(judge, value)
    total, share, df = len(value), value.mean(), len(n) - 1
    if not 0 < share < 1 or df == 0:
        return np.nan, df, np.nan
    one = share * (1 - share)
    statistic = float((np.square(won - n * share) / (n * one)).sum()) * (total - 1) / total
    scale = np.ones(total), np.ones(total)
    relations = replace(relations, shared=(judge, *relations.shared[1:]))
    alike = added_covariances(value - share, judge, len(n), scale, relations, without=0)
    within, with_any = (n * one + extra for extra in alike)
    mean = (within - 2 * n / total * with_any + (n / total) ** 2 * with_any.sum()) / (n * one)
    statistic /= max(float(mean.sum()) / df, LEAST_EFFECT)
    return statistic, df, float(chdtrc(df, statistic))
