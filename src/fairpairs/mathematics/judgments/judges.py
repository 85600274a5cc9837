"""Tests whether judges prefer one group, and whether judges differ in that preference."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtri

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.mathematics.inference.mover import wilson_limits
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.alike import added_covariances
from fairpairs.mathematics.judgments.related import Relations
from fairpairs.mathematics.judgments.shares import (
    LEAST_EFFECT,
    Comparison,
    SharesResult,
    compare,
    read_groups,
    share_table,
)


@dataclass(frozen=True)
class JudgeLeanResult(SharesResult):
    """The result of `judge_lean_test`; `shares()` are the shares that prefer the second group.

    Attributes
    ----------
    judged
        One row per judge and two groups: `judge`, `groups`, `share`, `ci_low`, `ci_high`, `n`.
    differ
        One row per two groups: `groups`, `statistic`, `df` and `pvalue` of the hypothesis that all
        judges prefer one group equally often.
    """

    name: ClassVar[str] = "test of the judges' lean"
    judged: pd.DataFrame
    differ: pd.DataFrame

    def by_judge(self) -> pd.DataFrame:
        """Return one row per judge and two groups, with Wilson's interval of the share."""
        return self.judged.copy()


def judge_lean_test(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    judges: ArrayLike,
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
    left, right, outcome, sensitive_features, judges, clusters, item_clusters
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
    judged = read_groups(
        left, right, outcome, sensitive_features, judges, clusters, item_clusters, ties=False
    )
    judge, codes = judged.given.shared[0], pd.unique(one_dimensional(judges, "judges"))
    names = [inputs.group_name(name) for name in judged.names]
    winner = np.where(judged.given.outcome > 0, judged.left, judged.right)
    comparisons, tables, by_judge, differ = [], [], [], []
    for one, two in combinations(range(len(names)), 2):
        across = judged.across(one, two)
        if not across.any():
            continue
        name, value = f"{names[two]} over {names[one]}", (winner == two).astype(float)
        comparisons.append(Comparison(f"P({name}) = 1/2", value, ((across, 1.0),)))
        tables.append(share_table(value, [(name, ((across, 1.0),))], judged.relations, alpha))
        by_judge.append(_by_judge(value[across], judge[across], codes, alpha).assign(groups=name))
        differ.append(
            (name, *_differ(value[across], judged.relations.take(np.flatnonzero(across))))
        )
    if not comparisons:
        raise InputError(
            "No judgment is of items of two groups: a lean shows only there, so add some."
        )
    hypotheses, tested = compare(comparisons, judged.relations, alpha=alpha)
    frames = (
        pd.concat(tables, ignore_index=True),
        pd.concat(by_judge, ignore_index=True),
        pd.DataFrame(differ, columns=["groups", "statistic", "df", "pvalue"]),
    )
    return JudgeLeanResult(hypotheses, tested, alpha, correction, judged.names, *frames)


def _by_judge(value: Floats, judge: Integers, names: Any, alpha: float) -> pd.DataFrame:
    n, won = np.bincount(judge), np.bincount(judge, value)
    kept = np.flatnonzero(n)
    share = won[kept] / n[kept]
    low, high = wilson_limits(share, n[kept].astype(float), float(ndtri(1 - alpha / 2)))
    table = pd.DataFrame(
        {
            "judge": np.asarray(names)[kept],
            "share": share,
            "ci_low": low,
            "ci_high": high,
            "n": n[kept],
        }
    )
    return table.sort_values("judge", key=lambda names: names.astype(str), ignore_index=True)


def _differ(value: Floats, relations: Relations) -> tuple[float, int, float]:
    """Return chi-square, degrees of freedom and p of equal shares of all judges.

    The first relation beside items is the judge. The statistic is divided by its mean per degree of
    freedom, where judgments of one item or cluster resemble each other, whoever makes them.
    """
    judge = np.unique(relations.shared[0], return_inverse=True)[1]
    n, won = np.bincount(judge), np.bincount(judge, value)
    total, share, df = len(value), value.mean(), len(n) - 1
    if not 0 < share < 1 or df == 0:
        return np.nan, df, np.nan
    one = share * (1 - share)
    statistic = float((np.square(won - n * share) / (n * one)).sum()) * (total - 1) / total
    clusters = {f"cluster {i}": code for i, code in enumerate(relations.shared[1:])}
    ones = np.ones(total)
    items, kinds = (relations.one, relations.two), {"judge": judge, **clusters}
    alike = added_covariances(
        value - share, judge, len(n), (ones, ones), items, kinds, without="judge"
    )
    within, with_any = (n * one + extra for extra in alike)
    mean = (within - 2 * n / total * with_any + (n / total) ** 2 * with_any.sum()) / (n * one)
    statistic /= max(float(mean.sum()) / df, LEAST_EFFECT)
    return statistic, df, float(chdtrc(df, statistic))
