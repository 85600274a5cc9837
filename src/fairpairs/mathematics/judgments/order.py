"""The order of presentation: whether the item shown first is preferred, in all groups alike."""

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
    within = [judged.within(group) for group in range(len(names))]
    comparisons, every = [], [(rows, float(rows.sum())) for rows in within]
    parts: list[tuple[str, Parts]] = [
        (f"within {name}", ((rows, 1.0),)) for name, rows in zip(names, within, strict=True)
    ]
    for one, two in combinations(range(len(names)), 2):
        a, b = names[one], names[two]
        orders = judged.ordered(one, two), judged.ordered(two, one)
        across: Parts = ((orders[0], 0.5), (orders[1], 0.5))
        if all(rows.any() for rows in orders):
            every += [(rows, 0.5 * sum(order.sum() for order in orders)) for rows in orders]
        parts.append((f"{a} and {b}", across))
        both = (within[two], 1.0), (within[one], -1.0)
        comparisons.append(Comparison(f"P(first | {b},{b}) = P(first | {a},{a})", value, both))
        mean = f"mean of P(first | {a},{a}), P(first | {b},{b})"
        mixed = *across, (within[one], -0.5), (within[two], -0.5)
        comparisons.append(Comparison(f"P(first | {a},{b}) = {mean}", value, mixed))
    total = sum(number for _, number in every)
    overall: Parts = tuple((rows, number / total) for rows, number in every if number)
    comparisons.insert(0, Comparison("P(first) = 1/2", value, overall))
    parts.insert(0, ("all", overall))
    hypotheses, tested = compare(comparisons, judged.relations, alpha=alpha)
    table = share_table(value, parts, judged.relations, alpha)
    return FirstPlaceResult(hypotheses, tested, alpha, correction, judged.names, table)
