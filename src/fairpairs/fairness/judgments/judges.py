"""Judges: how far they agree, whether they lean to a group, and whether they differ in it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtri

from fairpairs.arrays import Floats, Integers
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.judgments.given import read_judgments
from fairpairs.fairness.judgments.shares import (
    Comparison,
    SharesResult,
    compare,
    read_groups,
    share_table,
)
from fairpairs.fairness.mover import wilson_limits
from fairpairs.fairness.results import Correction

#: With more judges, the agreement of each two is left out.
MAX_JUDGES = 100


@dataclass(frozen=True)
class JudgeAgreement:
    """How far judges agree on the pairs of items that several of them judged.

    Attributes
    ----------
    kappa
        Fleiss' kappa: agreement beyond chance, 1 where all agree and 0 where as if by chance.
    ci_low, ci_high
        Its interval, by the jackknife over pairs of items.
    agreement
        The chance that two judges of a pair agree.
    pairs
        Pairs of items with two judges or more.
    judgments
        Their judgments; several of one judge on one pair are one.
    """

    kappa: float
    ci_low: float
    ci_high: float
    agreement: float
    pairs: int
    judgments: int
    table: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return one row per two judges with common pairs: `judge`, `other`, `n`, `agreement`.

        Also Cohen's `kappa`. It is empty with more than 100 judges.
        """
        return self.table.copy()


def judge_agreement(
    left: ArrayLike, right: ArrayLike, outcome: ArrayLike, *, judges: ArrayLike, alpha: float = 0.05
) -> JudgeAgreement:
    """Return the agreement of judges, as kappas.

    Which of two items is called the first is arbitrary, so by chance it wins as often as the other;
    the share of ties is that of the judgments.

    Parameters
    ----------
    left, right, outcome
        As in `comparative_separation_from_judgments`; a tie is a verdict of its own.
    judges
        Judge of each judgment, shape (m,).
    alpha
        The interval covers 1 − alpha.

    Returns
    -------
    JudgeAgreement
        NaN where no pair has two judges.

    Raises
    ------
    InputError
        When the arrays do not go together, or there is one judge only.

    References
    ----------
    J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, equations (2) to (7),
    with as many raters of a pair as there are; J. Cohen (1960), A coefficient of agreement for
    nominal scales.

    Examples
    --------
    >>> agreed = judge_agreement(
    ...     [0, 0, 1, 2], [1, 1, 2, 1], [1, 1, 1, 1], judges=["x", "y", "x", "y"]
    ... )
    >>> agreed.agreement, agreed.kappa, agreed.pairs
    (0.5, 0.0, 2)
    """
    inputs.level(alpha)
    sides = [
        inputs.one_dimensional(side, name) for side, name in ((left, "left"), (right, "right"))
    ]
    n = int(max((int(side.max()) for side in sides if side.size and side.dtype.kind in "iu"),
                default=0)) + 1  # fmt: skip
    given = read_judgments(left, right, outcome, n, judges=judges, ties_in_outcome="keep")
    names = np.asarray(pd.unique(inputs.one_dimensional(judges, "judges")))
    votes = _votes(given.left, given.right, given.outcome, given.shared[0])
    counts = (
        votes.assign(verdict=votes["sign"].map({1: "first", -1: "second", 0: "tie"}))
        .groupby(["pair", "verdict"])["judge"].size().unstack(fill_value=0)
        .reindex(columns=["first", "second", "tie"], fill_value=0)
    ).to_numpy(dtype=float)  # fmt: skip
    counts = counts[counts.sum(axis=1) >= 2]
    table = _each_two(votes, names)
    if not len(counts):
        return JudgeAgreement(np.nan, np.nan, np.nan, np.nan, 0, 0, table)
    kappa, agreement = _fleiss(counts.sum(axis=1), _agreeing(counts), counts[:, 2])
    low, high = _jackknife(counts, float(kappa), alpha)
    return JudgeAgreement(
        float(kappa), low, high, float(agreement), len(counts), int(counts.sum()), table
    )


def _votes(left: Integers, right: Integers, outcome: Floats, judge: Integers) -> pd.DataFrame:
    """Return one vote per judge and pair of items: for its first item, its second, or a tie."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    pair = pd.factorize(low * (int(high.max()) + 1) + high, sort=True)[0]
    first = np.where(left <= right, outcome, -outcome)
    votes = pd.DataFrame({"pair": pair, "judge": judge, "first": first})
    sums: pd.DataFrame = votes.groupby(["pair", "judge"])["first"].sum().reset_index()
    return sums.assign(sign=np.sign(sums["first"].to_numpy()).astype(int))


def _agreeing(counts: Floats) -> Floats:
    """Return the share of the ordered pairs of raters of each pair of items that agree."""
    n = counts.sum(axis=1)
    return np.asarray((counts * (counts - 1)).sum(axis=1) / (n * (n - 1)))


def _fleiss(n: Floats, agreeing: Floats, ties: Floats) -> tuple[Any, Any]:
    """Return kappa and the mean agreement; sums over the first axis."""
    agreement, tied = agreeing.mean(axis=0), ties.sum(axis=0) / n.sum(axis=0)
    chance = tied**2 + (1 - tied) ** 2 / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return (agreement - chance) / (1 - chance), agreement


def _jackknife(counts: Floats, kappa: float, alpha: float) -> tuple[float, float]:
    """Return an interval of kappa from its values without each pair of items."""
    m = len(counts)
    if m < 2:
        return np.nan, np.nan
    n, agreeing, ties = counts.sum(axis=1), _agreeing(counts), counts[:, 2]
    agreement = (agreeing.sum() - agreeing) / (m - 1)
    tied = (ties.sum() - ties) / (n.sum() - n)
    chance = tied**2 + (1 - tied) ** 2 / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (agreement - chance) / (1 - chance)
    error = np.sqrt((m - 1) / m * np.square(without - without.mean()).sum())
    margin = ndtri(1 - alpha / 2) * error
    return float(max(kappa - margin, -1)), float(min(kappa + margin, 1))


def _each_two(votes: pd.DataFrame, names: Any) -> pd.DataFrame:
    """Return agreement and Cohen's kappa of each two judges with common pairs."""
    columns = ["judge", "other", "n", "agreement", "kappa"]
    if len(names) > MAX_JUDGES:
        return pd.DataFrame(columns=columns)
    wide = votes.pivot(index="pair", columns="judge", values="sign")
    rows = []
    for i, j in combinations(wide.columns, 2):
        both = wide[[i, j]].dropna().to_numpy()
        if not len(both):
            continue
        agreement = float((both[:, 0] == both[:, 1]).mean())
        one, other = (both == 0).mean(axis=0)
        chance = one * other + (1 - one) * (1 - other) / 2
        kappa = (agreement - chance) / (1 - chance) if chance < 1 else np.nan
        rows.append((names[i], names[j], len(both), agreement, kappa))
    return pd.DataFrame(rows, columns=columns)


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
    (I. Campbell 2007, Chi-squared and Fisher-Irwin tests of two-by-two tables).

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
    judge, codes = judged.given.shared[0], pd.unique(inputs.one_dimensional(judges, "judges"))
    names = [inputs.group_name(name) for name in judged.names]
    winner = np.where(judged.given.outcome > 0, judged.left, judged.right)
    comparisons, tables, each, differ = [], [], [], []
    for one, two in combinations(range(len(names)), 2):
        across = judged.across(one, two)
        if not across.any():
            continue
        name, value = f"{names[two]} over {names[one]}", (winner == two).astype(float)
        comparisons.append(Comparison(f"P({name}) = 1/2", value, ((across, 1.0),)))
        tables.append(share_table(value, [(name, across)], judged.relations, alpha))
        each.append(_by_judge(value[across], judge[across], codes, alpha).assign(groups=name))
        differ.append((name, *_differ(value[across], judge[across])))
    if not comparisons:
        raise InputError(
            "No judgment is of items of two groups: a lean shows only there, so add some."
        )
    hypotheses, tested = compare(comparisons, judged.relations, alpha=alpha)
    return JudgeLeanResult(
        hypotheses, tested, alpha, correction, judged.names, pd.concat(tables, ignore_index=True),
        pd.concat(each, ignore_index=True),
        pd.DataFrame(differ, columns=["groups", "statistic", "df", "pvalue"]),
    )  # fmt: skip


def _by_judge(value: Floats, judge: Integers, names: Any, alpha: float) -> pd.DataFrame:
    n, won = np.bincount(judge), np.bincount(judge, value)
    kept = np.flatnonzero(n)
    share = won[kept] / n[kept]
    low, high = wilson_limits(share, n[kept].astype(float), float(ndtri(1 - alpha / 2)))
    table = pd.DataFrame(
        {
            "judge": np.asarray(names)[kept], "share": share, "ci_low": low, "ci_high": high,
            "n": n[kept],
        }
    )  # fmt: skip
    return table.sort_values("judge", key=lambda names: names.astype(str), ignore_index=True)


def _differ(value: Floats, judge: Integers) -> tuple[float, int, float]:
    """Return chi-square, degrees of freedom and p of equal shares of all judges."""
    n, won = np.bincount(judge), np.bincount(judge, value)
    n, won = n[n > 0], won[n > 0]
    total, share = n.sum(), value.mean()
    df = len(n) - 1
    if not 0 < share < 1 or df == 0:
        return np.nan, df, np.nan
    statistic = float((np.square(won - n * share) / (n * share * (1 - share))).sum())
    statistic *= (total - 1) / total
    return statistic, df, float(chdtrc(df, statistic))
