"""Calibration of a score from 0 to 1: in the large, and its slope."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from fairpairs.audits.audit.comparison import Comparison
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.criteria.parity import difference_of_means
from fairpairs.audits.audit.criteria.ranking import needs_a_score
from fairpairs.audits.audit.differences import Difference
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.audit.rows import Measure, Row
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.calibration import calibration_slope, inner_log_odds
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL
from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import Linear

SAME_AS_MEAN_ERROR = "the prediction is the score, so that it is the mean error with another sign"

IN_THE_LARGE = Measure(
    "label less score",
    "mean of label less score of {a} = that of {b}",
    drawn=False,
    words="On average, {label} less {score} of {group} is",
    against="that of {reference}",
    share=False,
    favours=-1,
)
SLOPE = Measure("calibration slope", "calibration slope of {a} = that of {b}", drawn=False)


def needs_a_probability(roles: Roles) -> str:
    """Return why there is no probability to calibrate; "" if there is."""
    if roles.score is None or roles.label == "real":
        return needs_a_score(roles)
    if roles.probability is None:
        return _no_probability(*roles.score_range)
    return ""


def needs_another_score(roles: Roles) -> str:
    """Return why calibration in the large has no separate line; "" if it has."""
    return needs_a_probability(roles) or (SAME_AS_MEAN_ERROR if roles.y_score is None else "")


def calibration(comparison: Comparison) -> Iterator[Difference]:
    """Yield the difference of the means of label minus score."""
    yield difference_of_means(comparison, IN_THE_LARGE, "label less score", of_score=True)


def slope(comparison: Comparison) -> Iterator[Difference]:
    """Yield the difference of the calibration slopes."""
    yield Difference(SLOPE, partial(_row, comparison), partial(_gap, comparison))


def _row(comparison: Comparison) -> Row:
    comparison.check_drawn()
    log_odds, outside = inner_log_odds(comparison.score)
    labels, member = comparison.roles.y_true, comparison.member
    reference, group = (
        calibration_slope(labels[member == code], log_odds[member == code]) for code in (0, 1)
    )
    contrast = StudentContrast(
        group.slope - reference.slope,
        float(np.sqrt(group.variance + reference.variance)),
    )
    low, high = contrast.limits(comparison.alpha)
    z = contrast.estimate / contrast.error
    smallest = int(np.bincount(2 * member + labels.astype(np.int64), minlength=4).min())
    row = comparison.row(
        SLOPE,
        estimate=contrast.estimate,
        ci_low=low,
        ci_high=high,
        statistic=z,
        pvalue=float(contrast.pvalue()),
        smallest_cell=smallest,
        note=_notes(outside, smallest),
        contrast=contrast,
    )
    return comparison.drawn(row)


def _gap(comparison: Comparison) -> Gap:
    roles, members = comparison.all_items.roles, comparison.places
    assert roles.score is not None
    inside = members >= 0
    log_odds = np.zeros(len(inside))
    log_odds[inside], _ = inner_log_odds(roles.score[inside])
    classes = np.where(inside, 2 * members + roles.y_true.astype(np.int64), -1)
    weights = comparison.items_design.weights

    def of(code: int) -> Linear:
        member = members == code
        fit = calibration_slope(roles.y_true[member], log_odds[member], weights[member])
        influence: Floats = np.zeros(len(inside))
        influence[member] = fit.influence
        return Linear(fit.slope, influence, np.where(member & (weights > 0), classes, -1))

    return Gap(of(1), of(0), rates=False)


def _notes(outside: int, smallest: int) -> str:
    """Return the notes of a slope: of scores that have no log odds, of a small cell."""
    noted = [(f"{outside:,} score(s) of 0 or 1 taken for the nearest other one")] if outside else []
    return "; ".join(noted + ([SMALL] if smallest < SMALL_CELL else []))


CALIBRATION = Criterion(
    "calibration",
    "Calibration in the large",
    "Do labels exceed the score by as much in both groups, on average? Positive: the score is "
    "lower for the group than its labels are.",
    (IN_THE_LARGE,),
    calibration,
    why_not=needs_another_score,
    controlled=True,
)
CALIBRATION_SLOPE = Criterion(
    "calibration_slope",
    "Calibration slope",
    "Do the log odds of a positive label rise as fast with those of the score in both groups? 0 "
    "if so; a group with a lower slope has scores that are more extreme than its labels.",
    (SLOPE,),
    slope,
    why_not=needs_a_probability,
    rates=lambda roles: False,
)


def _no_probability(low: float, high: float) -> str:
    """Return why a score cannot be calibrated."""
    return f"scores from {low + 0.0:g} to {high:g} are no probabilities, which lie from 0 to 1"
