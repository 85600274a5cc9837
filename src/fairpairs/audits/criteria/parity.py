"""Demographic parity of predictions; differential parity, and the size of errors."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.criterion import Criterion
from fairpairs.audits.criteria.rows import SELECTION_RATE, Difference, Measure, Row
from fairpairs.audits.items.roles import Roles, ValueName
from fairpairs.base.errors import InputError
from fairpairs.mathematics.fairness.differential_parity import (
    DifferentialParityResult,
    compare_means,
    differential_parity_test,
)
from fairpairs.mathematics.inference.contrasts.anchored import anchored
from fairpairs.mathematics.inference.proportions import FEW
from fairpairs.mathematics.inference.sampling.gaps import Gap, summed
from fairpairs.mathematics.inference.shuffled_means import few_vary, shuffled_pair

NO_NUMBERS = "it is of labels that are numbers"
FEW_LABELS = f"{FEW} or fewer positive or negative labels in a group"

SELECTION = Measure(
    "selection rate",
    "selection rate of {a} = that of {b}",
    rate=SELECTION_RATE,
    of="selection rate",
    favours=1,
)
MEAN = Measure(
    "mean prediction",
    "mean prediction of {a} = that of {b}",
    drawn=False,
    of="mean prediction",
    words="The mean of {prediction} is",
    share=False,
    favours=1,
)
ERROR = Measure(
    "mean error",
    "mean of prediction less label of {a} = that of {b}",
    drawn=False,
    of="mean error",
    words="On average, {prediction} less {label} is",
    share=False,
    favours=1,
)
ABSOLUTE_ERROR = Measure(
    "mean absolute error",
    "mean absolute error of {a} = that of {b}",
    drawn=False,
    of="mean absolute error",
    words="On average, {prediction} is off {label} by",
    share=False,
)


def on_scale_of_labels(roles: Roles) -> bool:
    """Return whether predictions lie from 0 to 1, as binary labels do."""
    low, high = roles.range_of("y_pred")
    return roles.label == "binary" and 0 <= low <= high <= 1


def demographic_parity(comparison: Comparison) -> Iterator[Difference]:
    """Yield the difference of selection rates, or of mean predictions where these are real.

    Means are no rates, even between 0 and 1: of probabilities near each other, a
    mean varies far less than a rate.
    """
    if comparison.roles.prediction == "real":
        yield difference_of_means(comparison, MEAN, "prediction")
    else:
        yield from comparison.differences_of_rates((SELECTION,))


def differential_parity(comparison: Comparison) -> Iterator[Difference]:
    """Yield the difference of the means of prediction minus label."""
    roles = comparison.all_items.roles
    if roles.label == "binary" and not on_scale_of_labels(roles):
        low, high = roles.range_of("y_pred")
        raise InputError(
            f"predictions from {low:g} to {high:g} are on another scale than labels of 0 and 1"
        )
    scores = roles.label == "binary" and roles.prediction == "real"
    difference = difference_of_means(comparison, ERROR, "error", of_score=scores)
    if roles.prediction == "binary":
        difference = replace(difference, gap=partial(_error_gap, comparison))
    yield difference


def mean_absolute_error(comparison: Comparison) -> Iterator[Difference]:
    """Yield the difference of the mean distances of predictions from labels."""
    yield difference_of_means(comparison, ABSOLUTE_ERROR, "absolute error")


def difference_of_means(
    comparison: Comparison, measure: Measure, name: ValueName, *, of_score: bool = False
) -> Difference:
    """Return the difference of the means of some values, such as errors of a score."""

    def row() -> Row:
        row = _row(comparison, measure, name)
        few = of_score and comparison.few_labels
        return _with_few_labels(row, comparison, name) if few else row

    def gap() -> Gap:
        return comparison.gap_of_means(comparison.all_items.roles.values(name))

    return Difference(measure, row, gap)


def _with_few_labels(row: Row, comparison: Comparison, name: ValueName) -> Row:
    """Return the row of mean errors by shuffles, as a group has few items of a label."""
    alone = comparison.single
    shuffled = shuffled_pair(alone.values(name), alone.member, alone.alpha, doubt=FEW_LABELS)
    assert shuffled is not None
    row = replace(
        row,
        ci_low=np.nan,
        ci_high=np.nan,
        pvalue=shuffled.pvalue,
        contrast=None,
        note=comparison.with_small_group(shuffled.note),
    )
    return comparison.drawn(row)


def _row(comparison: Comparison, measure: Measure, name: ValueName) -> Row:
    """Test the means of values of the items of both groups.

    Of very many items, or such that stand for several, the values themselves are used only if
    their moments are not enough.
    """
    full_result = None
    if comparison.single is not comparison:
        full_result = _test_of_moments(comparison, name)
    result = full_result
    if result is None:
        comparison = comparison.single
        roles = comparison.all_items.roles
        parts = [comparison.kept(getattr(roles, part)) for part in roles.parts(name)]
        if name == "absolute error":
            parts = [comparison.values(name)]
        result = differential_parity_test(
            parts[0],
            parts[1] if len(parts) > 1 else np.zeros(len(parts[0])),
            sensitive_features=comparison.member,
            alpha=comparison.alpha,
        )
    difference, (contrast,) = anchored(result.difference, result.contrasts, alpha=result.alpha)
    row = comparison.row_of_test(measure, difference.take(0), "d", contrast)
    row = replace(
        row,
        statistic=row.statistic if np.isfinite(row.statistic) else np.nan,
        effect_size=row.effect_size if np.isfinite(row.effect_size) else np.nan,
    )
    return comparison.drawn(row) if full_result is None else row


def _test_of_moments(comparison: Comparison, name: ValueName) -> DifferentialParityResult | None:
    """Test means by the moments of all items; None if the test needs the values."""
    alone, roles = comparison.single, comparison.all_items.roles
    values, member = alone.values(name), alone.member
    if any(few_vary(values[member == code]) for code in (0, 1) if (member == code).any()):
        return None
    ranges = [roles.range_of(part) for part in roles.parts(name)]
    scale = float(np.abs(ranges).max()) or 1.0
    return compare_means(comparison.moments(name), alpha=comparison.alpha, scale=scale)


def _error_gap(comparison: Comparison) -> Gap:
    """Return the difference of mean errors of decisions: of rates of false positives and negatives.

    So an item without an error has a variance too.
    """
    roles = comparison.all_items.roles
    errors = roles.y_pred - roles.y_true
    positive, negative = (comparison.gap((errors == error).astype(float)) for error in (1, -1))
    parts = (
        (1.0, positive.first),
        (-1.0, negative.first),
        (-1.0, positive.second),
        (1.0, negative.second),
    )
    strata = summed((1.0, positive.strata), (-1.0, negative.strata))
    return replace(comparison.gap_of_means(errors), rates=True, parts=parts, strata=strata)


DEMOGRAPHIC_PARITY = Criterion(
    "demographic_parity",
    "Demographic parity",
    "Are both groups predicted positive as often, whatever their labels? Groups that differ in "
    "labels of two values satisfy both this and separation only by a model whose predictions do "
    "not depend on the label.",
    (SELECTION,),
    demographic_parity,
    needs_label=False,
    controlled=True,
    of_numbers=(MEAN,),
    rates=on_scale_of_labels,
)
DIFFERENTIAL_PARITY = Criterion(
    "differential_parity",
    "Differential parity",
    "Does the prediction exceed the label by as much in both groups, on average? Positive: it "
    "favours the group more than the labels do.",
    (ERROR,),
    differential_parity,
    controlled=True,
    rates=on_scale_of_labels,
)
MEAN_ABSOLUTE_ERROR = Criterion(
    "mean_absolute_error",
    "Mean absolute error",
    "Is the prediction as far from the label in both groups, on average?",
    (ABSOLUTE_ERROR,),
    mean_absolute_error,
    lambda roles: "" if roles.label == "real" else NO_NUMBERS,
    rates=lambda roles: False,
    controlled=True,
)
