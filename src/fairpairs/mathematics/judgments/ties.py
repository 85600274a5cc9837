"""Ties in the outcome of judgments: whether they are equally frequent in all groups."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.shares import (
    Comparison,
    Parts,
    SharesResult,
    compare,
    read_groups,
    share_table,
)


@dataclass(frozen=True)
class OutcomeTiesResult(SharesResult):
    """The result of `outcome_ties_test`; `shares()` are the shares of ties."""

    name: ClassVar[str] = "test of ties in the outcome"


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

    Raises
    ------
    InputError
        As `comparative_separation_from_judgments` does.

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
        left, right, outcome, sensitive_features, judges, clusters, item_clusters, ties=True
    )
    value = (judged.given.outcome == 0).astype(float)
    names = [inputs.group_name(name) for name in judged.names]
    comparisons = []
    parts: list[tuple[str, Parts]] = [
        (f"within {name}", ((judged.within(g), 1.0),)) for g, name in enumerate(names)
    ]
    for one, two in combinations(range(len(names)), 2):
        a, b = names[one], names[two]
        within = judged.within(one), judged.within(two)
        across = judged.across(one, two)
        parts.append((f"{a} and {b}", ((across, 1.0),)))
        both = (within[1], 1.0), (within[0], -1.0)
        comparisons.append(Comparison(f"P(tie | {b},{b}) = P(tie | {a},{a})", value, both))
        mean = f"mean of P(tie | {a},{a}), P(tie | {b},{b})"
        mixed = (across, 1.0), (within[0], -0.5), (within[1], -0.5)
        comparisons.append(Comparison(f"P(tie | {a},{b}) = {mean}", value, mixed))
    hypotheses, tested = compare(comparisons, judged.relations, alpha=alpha)
    table = share_table(value, parts, judged.relations, alpha)
    return OutcomeTiesResult(hypotheses, tested, alpha, correction, judged.names, table)
