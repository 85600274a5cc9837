"""The order of presentation: whether the item shown first is preferred, in all groups alike."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.fairness import inputs
from fairpairs.fairness.judgments.shares import (
    Comparison,
    SharesResult,
    compare,
    read_groups,
    share_table,
)
from fairpairs.fairness.results import Correction


@dataclass(frozen=True)
class FirstPlaceResult(SharesResult):
    """The result of `first_place_test`; `shares()` are the shares that prefer the first item."""

    name: ClassVar[str] = "test of the first place"


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

    The order must have been drawn at random. Give the verdicts of an audited judge as `outcome` to
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
        against within a, and across the two (the mean of both orders, in which a preference for a
        group cancels) against within either.

    Raises
    ------
    InputError
        As `comparative_separation_from_judgments` does.

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
        left, right, outcome, sensitive_features, judges, clusters, item_clusters, ties=False
    )
    value = (judged.given.outcome > 0).astype(float)
    names = [inputs.group_name(name) for name in judged.names]
    every = np.ones(len(value), dtype=bool)
    comparisons = [Comparison("P(first) = 1/2", value, ((every, 1.0),))]
    parts = [("all", every), *((f"within {n}", judged.within(g)) for g, n in enumerate(names))]
    for one, two in combinations(range(len(names)), 2):
        a, b = names[one], names[two]
        within = judged.within(one), judged.within(two)
        parts.append((f"{a} and {b}", judged.across(one, two)))
        orders = judged.ordered(one, two), judged.ordered(two, one)
        comparisons += [
            Comparison(f"P(first | {b},{b}) = P(first | {a},{a})", value,
                       ((within[1], 1.0), (within[0], -1.0))),
            Comparison(f"P(first | {a},{b}) = P(first | {a},{a} or {b},{b})", value,
                       ((orders[0], 0.5), (orders[1], 0.5), (within[0] | within[1], -1.0))),
        ]  # fmt: skip
    hypotheses, tested = compare(comparisons, judged.relations, alpha=alpha)
    table = share_table(value, parts, judged.relations, alpha)
    return FirstPlaceResult(hypotheses, tested, alpha, correction, judged.names, table)
