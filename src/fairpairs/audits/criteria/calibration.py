"""Criteria of a score: AUC and xAUC, how positive items are ranked, and its calibration."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.criterion import Criterion
from fairpairs.audits.criteria.parity import row_of_means
from fairpairs.audits.criteria.rows import Measure, Row
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.calibration import calibration_slope, inner_log_odds
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL
from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import Linear

IN_THE_LARGE = Measure(
    "label less score",
    "mean of label less score of {a} = that of {b}",
    drawn=False,
    plain="Calibration",
    words="{label} minus {score} is on average {gap} for {group} than for {reference}",
    share=False,
    favours=-1,
)
SLOPE = Measure(
    "calibration slope", "calibration slope of {a} = that of {b}", drawn=False, share=False
)

MEASURES = (
    Measure(
        "AUC",
        "AUC({a}) = AUC({b})",
        of="AUC",
        plain="Ranking within groups (AUC)",
        words="{score} ranks a row with {label} {positive} above one without it in {values}",
    ),
    Measure(
        "xAUC",
        "xAUC({a},{b}) = xAUC({b},{a})",
        plain="Ranking across groups (xAUC)",
        words="by {score}, a row of {group} with {label} {positive} outranks a row of {reference} "
        "without it {gap} often than the reverse",
        favours=1,
    ),
    Measure(
        "xAUC_1",
        "xAUC_1({a}) = xAUC_1({b})",
        plain="Ranking of positives (xAUC_1)",
        words="by {score}, a row of {group} with {label} {positive} outranks any row without it "
        "{gap} often than one of {reference} does",
        favours=1,
    ),
    Measure(
        "xAUC_0",
        "xAUC_0({a}) = xAUC_0({b})",
        plain="Ranking of negatives (xAUC_0)",
        words="by {score}, a row of {group} without {label} {positive} is outranked by any row "
        "with it {gap} often than one of {reference} is",
        favours=-1,
    ),
)


def ranking(comparison: Comparison) -> Iterator[Row]:
    """Yield the rows of AUC, xAUC and balanced xAUC, from the ranking of all groups."""
    result = comparison.all_items.ranking
    attribute = comparison.all_items.attribute
    k = len(attribute.names)
    i, j = map(attribute.in_order.index, (comparison.code, comparison.other))
    # of the pairs of groups (0, 1), (0, 2), … (1, 2), …, that of groups i and j
    pair = i * (2 * k - i - 1) // 2 + (j - i - 1)
    for kept, measure in enumerate(MEASURES, len(MEASURES) * pair):
        test, contrast = result.difference.take(kept), result.contrasts[kept]
        row = comparison.row_of_test(measure, test, "h", contrast)
        both = measure.name in ("AUC", "xAUC")
        yield replace(row, n=int(comparison.sizes.sum())) if both else row


def ranking_gaps(comparison: Comparison) -> Iterator[Gap]:
    """Yield the same with the influence of items; balanced xAUCs are with the items of all."""
    a, b = comparison.code, comparison.other
    everybody = len(comparison.all_items.attribute.names)
    for first, second in (
        ((a, a), (b, b)),
        ((a, b), (b, a)),
        ((a, everybody), (b, everybody)),
        ((everybody, a), (everybody, b)),
    ):
        yield comparison.all_items.ranked.gap(first, second)


RANKING = Criterion(
    "xauc",
    "Ranking (xAUC)",
    "Does the score rank the positive rows of one group above the negative ones of the other "
    "as often as the other way round, whatever the threshold?",
    MEASURES,
    ranking,
    ranking_gaps,
    needs="score",
)


def slope(comparison: Comparison) -> Row:
    """Return the row of the calibration slopes."""
    score = comparison.all_items.roles.score
    assert score is not None
    log_odds, outside = inner_log_odds(comparison.kept(score))
    labels, member, count = comparison.roles.y_true, comparison.member, comparison.count
    reference, group = (
        calibration_slope(*(x[member == code] for x in (labels, log_odds, count)), equal=True)
        for code in (0, 1)
    )
    contrast = StudentContrast(
        group.slope - reference.slope,
        float(np.sqrt(group.variance + reference.variance)),
    )
    low, high = contrast.limits(comparison.alpha)
    z = contrast.estimate / contrast.error
    smallest = int(np.bincount(2 * member + labels.astype(np.int64), count, 4).min())
    notes = [SMALL] * (smallest < SMALL_CELL)
    if taken := int(count[outside].sum()):
        notes.insert(0, f"{taken:,} score(s) of 0 or 1 taken for the nearest other one")
    return comparison.row(
        SLOPE,
        estimate=contrast.estimate,
        ci_low=low,
        ci_high=high,
        statistic=z,
        pvalue=float(contrast.pvalue()),
        smallest_cell=smallest,
        note="; ".join(notes),
        contrast=contrast,
    )


def _slope_gap(comparison: Comparison) -> Gap:
    roles, members = comparison.all_items.roles, comparison.places
    assert roles.score is not None
    inside = members >= 0
    log_odds = np.zeros(len(inside))
    log_odds[inside], _ = inner_log_odds(roles.score[inside])
    classes = np.where(inside, 2 * members + roles.y_true.astype(np.int64), -1)
    weights = comparison.all_items.design.weights

    def of(code: int) -> Linear:
        member = members == code
        fit = calibration_slope(roles.y_true[member], log_odds[member], weights[member])
        influence: Floats = np.zeros(len(inside))
        influence[member] = fit.influence
        return Linear(fit.slope, influence, np.where(member & (weights > 0), classes, -1))

    return Gap(of(1), of(0), rates=False)


CALIBRATION = Criterion(
    "calibration",
    "Calibration in the large",
    "Do labels exceed the score by as much in both groups, on average? Positive: the score is "
    "lower for the group than its labels are.",
    (IN_THE_LARGE,),
    lambda comparison: [row_of_means(comparison, IN_THE_LARGE, "label less score", of_score=True)],
    lambda comparison: [comparison.gap_of_means("label less score")],
    needs="own score",
    controlled=True,
)
CALIBRATION_SLOPE = Criterion(
    "calibration_slope",
    "Calibration slope",
    "Do the log odds of a positive label rise as fast with those of the score in both groups? 0 "
    "if so; a group with a lower slope has scores that are more extreme than its labels.",
    (SLOPE,),
    lambda comparison: [slope(comparison)],
    lambda comparison: [_slope_gap(comparison)],
    needs="probability",
    rates=lambda roles: False,
)
