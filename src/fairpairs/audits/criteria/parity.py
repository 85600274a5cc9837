"""Demographic parity of predictions; differential parity, and the sizes of errors."""

from dataclasses import replace

import numpy as np

from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.criterion import Criterion
from fairpairs.audits.criteria.rows import SELECTION_RATE, Measure, Row
from fairpairs.audits.items.roles import SIZES, Roles, ValueName
from fairpairs.base.errors import InputError
from fairpairs.mathematics.fairness.differential_parity import (
    DifferentialParityResult,
    compare_means,
    differential_parity_test,
)
from fairpairs.mathematics.inference.contrasts.score import anchored
from fairpairs.mathematics.inference.rates import FEW
from fairpairs.mathematics.inference.sampling.gaps import Gap, summed
from fairpairs.mathematics.inference.shuffled_means import few_vary, shuffled_pair

FEW_LABELS = f"{FEW} or fewer positive or negative labels in a group"

SELECTION = Measure(
    "selection rate",
    "selection rate of {a} = that of {b}",
    rate=SELECTION_RATE,
    of="selection rate",
    favours=1,
    plain="Selection rate",
)
MEAN = Measure(
    "mean prediction",
    "mean prediction of {a} = that of {b}",
    drawn=False,
    of="mean prediction",
    plain="Mean prediction",
    words="{prediction} is {values} on average",
    share=False,
    favours=1,
)
ERROR = Measure(
    "mean error",
    "mean of prediction less label of {a} = that of {b}",
    drawn=False,
    of="mean error",
    plain="Mean error",
    words="{label} is predicted {values} on average",
    signs=("too high", "too low"),
    share=False,
    favours=1,
)


def on_scale_of_labels(roles: Roles) -> bool:
    """Return whether predictions lie from 0 to 1, as binary labels do."""
    low, high = roles.range_of("y_pred")
    return roles.label == "binary" and 0 <= low <= high <= 1


def demographic_parity(comparison: Comparison) -> Row:
    """Return the row of selection rates, or of mean predictions where these are real.

    Means are no rates, even between 0 and 1: of probabilities near each other, a
    mean varies far less than a rate.
    """
    if comparison.roles.prediction == "real":
        return row_of_means(comparison, MEAN, "prediction")
    return comparison.row_of_rate(SELECTION)


def differential_parity(comparison: Comparison) -> Row:
    """Return the row of the means of prediction minus label."""
    roles = _on_one_scale(comparison)
    of_score = roles.label == "binary" and roles.prediction == "real"
    return row_of_means(comparison, ERROR, "error", of_score=of_score)


def _on_one_scale(comparison: Comparison) -> Roles:
    """Return label and prediction, which must be on one scale."""
    roles = comparison.all_items.roles
    if roles.label == "binary" and not on_scale_of_labels(roles):
        low, high = roles.range_of("y_pred")
        raise InputError(
            f"predictions from {low:g} to {high:g} are on another scale than labels of 0 and 1"
        )
    return roles


def row_of_means(
    comparison: Comparison, measure: Measure, name: ValueName, *, of_score: bool = False
) -> Row:
    """Return the row of the means of some values, such as errors of a score.

    Of very many items some are drawn if their moments are not enough.
    """
    result = _test_of_moments(comparison, name) if comparison.all_items.many else None
    if of_values := result is None:
        alone = comparison.single
        roles = alone.all_items.roles
        parts = [alone.kept(getattr(roles, part)) for part in roles.parts(name)]
        if name in SIZES:
            parts = [alone.values(name)]
        result = differential_parity_test(
            parts[0],
            parts[1] if len(parts) > 1 else np.zeros(len(parts[0])),
            sensitive_features=alone.member,
            alpha=comparison.alpha,
        )
    difference, (contrast,) = anchored(result.difference, result.contrasts, alpha=result.alpha)
    row = comparison.row_of_test(measure, difference.take(0), "d", contrast)
    row = replace(
        row,
        statistic=row.statistic if np.isfinite(row.statistic) else np.nan,
        effect_size=row.effect_size if np.isfinite(row.effect_size) else np.nan,
    )
    row = comparison.drawn(row) if of_values else row
    labels = comparison.all_items.labels[[comparison.other, comparison.code]] if of_score else None
    if labels is not None and labels.min() <= FEW and labels.sum(axis=1).min() > 1:
        return _with_few_labels(row, comparison, name)
    return row


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


def _test_of_moments(comparison: Comparison, name: ValueName) -> DifferentialParityResult | None:
    """Test means by the moments of all items; None if the test needs the values."""
    alone, roles = comparison.single, comparison.all_items.roles
    values, member = alone.values(name), alone.member
    if any(few_vary(values[member == code]) for code in (0, 1) if (member == code).any()):
        return None
    ranges = values if name in SIZES else [roles.range_of(part) for part in roles.parts(name)]
    scale = float(np.abs(ranges).max()) or 1.0
    moments = comparison.all_items.moments(name)[comparison.both]
    return compare_means(moments, alpha=comparison.alpha, scale=scale)


def _error_gap(comparison: Comparison) -> Gap:
    """Return the difference of mean errors; of decisions, of false positives and negatives.

    So an item without an error has a variance too.
    """
    roles = _on_one_scale(comparison)
    whole = comparison.gap_of_means("error")
    if roles.prediction == "real":
        return whole
    errors = roles.values("error")
    positive, negative = (comparison.gap((errors == error).astype(float)) for error in (1, -1))
    parts = (
        (1.0, positive.first),
        (-1.0, negative.first),
        (-1.0, positive.second),
        (1.0, negative.second),
    )
    strata = summed((1.0, positive.strata), (-1.0, negative.strata))
    return replace(whole, rates=True, parts=parts, strata=strata)


DEMOGRAPHIC_PARITY = Criterion(
    "demographic_parity",
    "Demographic parity",
    "Are both groups predicted positive as often, whatever their labels? Groups that differ in "
    "labels of two values satisfy both this and separation only by a model whose predictions do "
    "not depend on the label.",
    (SELECTION,),
    lambda comparison: [demographic_parity(comparison)],
    lambda comparison: [
        comparison.gap_of_means("prediction")
        if comparison.roles.prediction == "real"
        else comparison.rate_gap(SELECTION)
    ],
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
    lambda comparison: [differential_parity(comparison)],
    lambda comparison: [_error_gap(comparison)],
    controlled=True,
    rates=on_scale_of_labels,
)


def of_errors(name: str, question: str, words: str, size: ValueName) -> Criterion:
    """Return a criterion that compares the means of a size of errors."""
    mean = f"mean {size}"
    measure = Measure(
        mean,
        f"{mean} of {{a}} = that of {{b}}",
        drawn=False,
        of=mean,
        plain=mean.capitalize(),
        words=words,
        share=False,
        size=size,
    )
    return Criterion(
        name,
        mean.capitalize(),
        question,
        (measure,),
        lambda comparison: [row_of_means(comparison, measure, size)],
        lambda comparison: [comparison.gap_of_means(size)],
        "numbers",
        rates=lambda roles: False,
        controlled=True,
    )


MEAN_ABSOLUTE_ERROR = of_errors(
    "mean_absolute_error",
    "Is the prediction as far from the label in both groups, on average?",
    "{prediction} is off {label} by {values} on average",
    "absolute error",
)
MEAN_SQUARED_ERROR = of_errors(
    "mean_squared_error",
    "Are the squares of the errors as large in both groups, on average? Large errors weigh more.",
    "the squared error of {prediction} is {values} on average",
    "squared error",
)
