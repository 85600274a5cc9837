"""AUC and xAUC of a score: how the positive items of each group are ranked."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from fairpairs.audits.audit.comparison import Comparison
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.differences import Difference
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.audit.rows import Measure, Row
from fairpairs.mathematics.inference.sampling.gaps import Gap

REAL_LABEL = "the label is a number"
NO_SCORE = "no score is given"

MEASURES = (
    Measure(
        "AUC",
        "AUC({a}) = AUC({b})",
        of="AUC",
        words="Within a group, {score} ranks a row whose {label} is {positive} above another in",
    ),
    Measure(
        "xAUC",
        "xAUC({a},{b}) = xAUC({b},{a})",
        words="Where {label} is {positive} for a row of {group} and not for one of {reference}, "
        "{score} ranks them rightly",
        against="the other way round",
        favours=1,
    ),
    Measure(
        "xAUC_1",
        "xAUC_1({a}) = xAUC_1({b})",
        words="By {score}, a row of {group} whose {label} is {positive} is above any other "
        "whose it is not",
        against="one of {reference}",
        favours=1,
    ),
    Measure(
        "xAUC_0",
        "xAUC_0({a}) = xAUC_0({b})",
        words="By {score}, a row of {group} whose {label} is not {positive} is below any other "
        "whose it is",
        against="one of {reference}",
        favours=-1,
    ),
)


def ranking(comparison: Comparison) -> Iterator[Difference]:
    """Yield the differences of AUC, xAUC and balanced xAUC; the last are with all items."""
    a, b = comparison.code, comparison.other
    everybody = len(comparison.all_items.attribute.names)
    rates = (
        ((a, a), (b, b)),
        ((a, b), (b, a)),
        ((a, everybody), (b, everybody)),
        ((everybody, a), (everybody, b)),
    )
    for index, (measure, (first, second)) in enumerate(zip(MEASURES, rates, strict=True)):
        yield Difference(
            measure,
            partial(_row, comparison, measure, index),
            partial(_gap, comparison, first, second),
        )


def _gap(comparison: Comparison, first: tuple[int, int], second: tuple[int, int]) -> Gap:
    return comparison.all_items.ranked.gap(first, second)


def _row(comparison: Comparison, measure: Measure, index: int) -> Row:
    """Return the row of these two groups, from the ranking of all groups."""
    result = comparison.all_items.ranking
    assert result is not None
    attribute = comparison.all_items.attribute
    k = len(attribute.names)
    i, j = map(attribute.in_order.index, (comparison.code, comparison.other))
    # of the pairs of groups (0, 1), (0, 2), … (1, 2), …, that of groups i and j
    pair = i * (2 * k - i - 1) // 2 + (j - i - 1)
    kept = len(MEASURES) * pair + index
    row = comparison.row_of_test(measure, result.difference.take(kept), "h", result.contrasts[kept])
    both = measure.name in ("AUC", "xAUC")
    return replace(row, n=int(comparison.sizes.sum())) if both else row


def needs_a_score(roles: Roles) -> str:
    """Return why there is nothing to rank; "" if there is."""
    if roles.label == "real":
        return REAL_LABEL
    return NO_SCORE if roles.score is None else ""


RANKING = Criterion(
    "xauc",
    "Ranking (xAUC)",
    "Does the score rank the positive items of one group above the negative ones of the other "
    "as often as the other way round, whatever the threshold?",
    MEASURES,
    ranking,
    why_not=needs_a_score,
)
