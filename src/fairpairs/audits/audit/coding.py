"""How columns are coded as label, prediction and score: their kinds, and the positive value."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.audits.audit.messages import Wording, constant, example, quotes, short, written
from fairpairs.audits.audit.roles import LabelKind, Roles, as_number
from fairpairs.audits.audit.values import Values
from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats
from fairpairs.base.columns import Column, column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import listed

#: Pairs of values, of which the first is positive by default.
TRUE_FALSE = ("true", "false")
#: Up to this many whole numbers may be numbers or classes.
MAX_CLASSES = 10


def read_roles(
    y_true: ArrayLike | Column,
    y_pred: ArrayLike | Column,
    y_score: ArrayLike | Column | None,
    *,
    positive: object = None,
    label_kind: str = "auto",
    threshold: float | None = None,
    wording: Wording,
) -> Roles:
    """Infer the kinds of label and prediction ("auto"), and code them.

    `positive` is the value of the label that is 1; None for 1 and true. With more than two values,
    the others are 0. With a threshold, the predictions are whether the score reaches it. Raises
    InputError for missing or infinite values, for one value only, and if the coding is unclear or
    differs between label and prediction.
    """
    label = Values(column(y_true, wording.label))
    prediction = Values(column(y_pred, wording.prediction))
    inputs.one_of(label_kind, "label_kind", get_args(LabelKind))
    inputs.same_items(**{wording.label: y_true, wording.prediction: y_pred})
    for values, role in ((label, wording.label), (prediction, wording.prediction)):
        if len(values.kinds) == 1:
            raise InputError(constant(role, values.kinds[0]))
    number, two = label_kind == "number", len(label.kinds) == 2
    few_predictions = len(prediction.kinds) == 2
    words = label.numbers is None
    classes = words or bool((label.kinds == np.round(label.kinds)).all())
    named = positive is not None and classes and label_kind == "auto"
    binary = words or positive is not None or few_predictions or label_kind == "binary"
    if not two and not named and binary and not number:
        example = label.kinds if classes and label_kind == "auto" else None
        raise InputError(
            _third_value(label.of_items, not words, label.kinds, few_predictions, example, wording)
        )
    if number and positive is not None:
        raise InputError(_number_has_no_positive(wording))
    if number or not (two or named):
        return _numbers(label, prediction, label_kind, y_score is not None, wording)
    one = _positive(label.kinds, positive, wording)
    if label.numbers is not None:
        inputs.moderate(label.numbers, wording.label)
    coded = label.equal_to(one)
    rest: tuple[str, ...] = ()
    only_predicted: tuple[str, ...] = ()
    negative = ""
    others = sorted(value for value in label.kinds if value != one)
    if two:
        negative = written(others[0])
    else:
        rest = tuple(map(written, others))
    score = None
    if y_score is not None:
        inputs.same_items(
            **{wording.label: y_true, wording.prediction: y_pred, wording.score: y_score}
        )
        score = _scores(Values(column(y_score, wording.score)), wording)
    if threshold is not None:
        assert score is not None
        decided = reached(score, threshold, wording.option("threshold"), short(wording.score))
        kind = "binary"
    elif two:
        decided, kind = _predictions(prediction, (others[0], one), wording)
    else:
        decided, kind, only_predicted = _class_predictions(prediction, label, written(one), wording)
    return Roles(
        coded, decided, score, "binary", kind, written(one), rest, only_predicted,
        levels=len(label.kinds), negative=negative,
    )  # fmt: skip


def _scores(scores: Values, wording: Wording) -> Floats:
    """Return the scores of the items."""
    if scores.numbers is None:
        raise InputError(_no_number(scores.of_items, wording.score, rows=wording.rows))
    inputs.numeric(scores.numbers, wording.score)
    scores.check_precision(wording.score)
    return scores.of_items


def reached(score: Floats, threshold: float, option: str, called: str) -> Floats:
    """Return whether each score reaches the threshold, which some do and some do not."""
    low, high = float(score.min()), float(score.max())
    if not low < threshold <= high:
        which = "every" if threshold <= low else "no"
        raise InputError(
            f"{option} {threshold:g}: {which} score reaches it, and {called} lies from {low:g} to "
            f"{high:g}: give a number above {low:g}, and {high:g} at most."
        )
    return (score >= threshold).astype(np.float64)


def _finite(values: Values, role: str) -> Floats:
    """Return the numbers of the items; InputError unless they are finite and allow moments."""
    assert values.numbers is not None
    values.check_precision(role)
    return values.column.of_items(inputs.moderate(values.numbers, role))


def _numbers(
    label: Values, prediction: Values, label_kind: str, with_score: bool, wording: Wording
) -> Roles:
    """Return a label and a prediction of numbers."""
    for values, role in ((label, wording.label), (prediction, wording.prediction)):
        if values.numbers is None:
            raise InputError(_no_number(values.of_items, role, rows=wording.rows))
    kinds = label.kinds
    if with_score:
        number = f"{len(kinds)}" if wording.rows else "more"
        what = "is a number" if label_kind == "number" else f"has {number}"
        raise InputError(_score_of_numbers(what, wording))
    y_true = _finite(label, wording.label)
    if label_kind == "auto" and len(kinds) <= MAX_CLASSES and (kinds % 1 == 0).all():
        raise InputError(_numbers_or_classes(kinds, wording))
    y_pred = _finite(prediction, wording.prediction)
    return Roles(y_true, y_pred, None, "real", "real", "", levels=len(kinds))


def _positive(values: Array, positive: object, wording: Wording) -> Any:
    """Return the value of the label that is 1."""
    known = [written(value) for value in values]
    if positive is not None:
        wanted = written(as_number(positive) if isinstance(values[0], float) else positive)
        if wanted not in known:
            raise InputError(_no_such_positive(wanted, positive, known, wording))
        return values[known.index(wanted)]
    if set(known) == {"0", "1"}:
        return values[known.index("1")]
    lower = [value.lower() for value in known]
    if set(lower) == set(TRUE_FALSE):
        return values[lower.index(TRUE_FALSE[0])]
    raise InputError(_name_the_positive(known, wording))


def _predictions(
    prediction: Values, zero_and_one: tuple[Any, Any], wording: Wording
) -> tuple[Floats, str]:
    """Return the predictions of a binary label as 0 and 1, or as they are if they are real."""
    numbers, kinds = prediction.numbers, prediction.kinds
    zero, one = map(written, zero_and_one)
    names = [written(kind) for kind in kinds] if len(kinds) == 2 else []
    if set(names) == {zero, one}:
        return prediction.equal_to(kinds[names.index(one)]), "binary"
    if {name.lower() for name in names} == set(TRUE_FALSE) and {zero, one} == {"0", "1"}:
        true = np.array([str(kind).lower() == TRUE_FALSE[0] for kind in kinds])
        kind = kinds[int(true.argmax() if one == "1" else true.argmin())]
        return prediction.equal_to(kind), "binary"
    if numbers is None:
        allowed = {zero, one}
        raise InputError(
            _no_number(prediction.of_items, wording.prediction, allowed, rows=wording.rows)
        )
    zero_or_one = set(names) == {"0", "1"}
    if zero_or_one and not isinstance(zero_and_one[0], float):  # words of the label
        return prediction.of_items, "binary"
    if zero_or_one or {zero, one} & set(names):
        raise InputError(_coded_otherwise(names, [zero, one], wording))
    return _finite(prediction, wording.prediction), "real"


def _class_predictions(
    prediction: Values, label: Values, positive: str, wording: Wording
) -> tuple[Floats, str, tuple[str, ...]]:
    """Return the predictions for one class against the rest, and the classes that only they have.

    They are classes of the label, true and false, 0 and 1 where classes are words, or a score.
    """
    classes = [written(kind) for kind in label.kinds]
    names = [written(kind) for kind in prediction.kinds]
    unknown = tuple(sorted(set(names) - set(classes)))
    lower = [name.lower() for name in names]
    if prediction.are_true_or_false:
        return prediction.of_items.astype(np.float64), "binary", ()
    if unknown and set(lower) == set(TRUE_FALSE):
        return prediction.equal_to(prediction.kinds[lower.index("true")]), "binary", ()
    numbers = prediction.numbers
    if unknown and numbers is not None and label.numbers is None:
        if set(names) == {"0", "1"}:
            return prediction.of_items, "binary", ()
        return _finite(prediction, wording.prediction), "real", ()
    if unknown and numbers is not None:
        if (prediction.kinds % 1 == 0).all():
            raise InputError(_numbers_beyond_classes(unknown[0], classes, wording))
        return _finite(prediction, wording.prediction), "real", ()
    if positive not in names:
        raise InputError(_class_never_predicted(positive, names, wording))
    return prediction.equal_to(prediction.kinds[names.index(positive)]), "binary", unknown


def _third_value(
    labels: Array,
    are_numbers: bool,
    values: Array,
    few_predictions: bool,
    classes: Array | None,
    wording: Wording,
) -> str:
    """Refuse a third value of a binary label; one of `classes` may be audited against the rest."""
    column = pd.Series(labels)
    counts = column.value_counts()
    rarest = counts.index[-1]
    row = int((column == rarest).to_numpy().argmax()) + 1
    alike = few_predictions and are_numbers
    why = f", while {short(wording.prediction)} has two" if alike else ""
    one_class = ""
    if classes is not None:
        one = example([written(value) for value in classes], wording)
        one_class = f", audit one value against the rest, such as {one}"
        if wording.classes:
            one_class += f", or all of them, {wording.option('label_kind', 'classes')}"
    excess = (
        f"{len(values)} values{why}; the rarest, {shown(written(rarest))}, is in "
        f"{counts.iloc[-1]} row(s), the first in row {row}"
        if wording.rows
        else f"more than two values{why}"
    )
    return (
        f"{wording.label} has {excess}: keep two values, by dropping such rows or joining "
        f"values{one_class}, or give numbers for both."
    )


def _number_has_no_positive(wording: Wording) -> str:
    """Refuse a positive value of a label of numbers."""
    return (
        f"{wording.option('label_kind', 'number')} takes the label for numbers, of which none is "
        "positive: leave out one "
        "of the two options."
    )


def _score_of_numbers(what: str, wording: Wording) -> str:
    """Refuse a score with a label of numbers."""
    return (
        f"{wording.score} is for a label of two values, and {short(wording.label)} {what}: give it "
        "as the prediction."
    )


def _numbers_or_classes(values: Array, wording: Wording) -> str:
    """Ask whether a few whole numbers of a label are numbers or classes."""
    texts = [written(value) for value in sorted(values.tolist())]
    classes = (
        f"for classes, give {wording.option('label_kind', 'classes')}, or"
        if wording.classes
        else "for classes,"
    )
    return (
        f"{wording.label} has {len(texts)} values, all whole numbers ({listed(texts)}), which may "
        "be numbers or classes: for numbers, such as ratings or counts, give "
        f"{wording.option('label_kind', 'number')}; "
        f"{classes} name the one to audit against the rest, such as {example(texts, wording)}."
    )


def _no_such_positive(wanted: str, positive: object, known: list[str], wording: Wording) -> str:
    """Refuse a positive value that the label does not have."""
    return (
        f"{wording.label} has the values {listed(sorted(known))}, and {shown(wanted)} is none of "
        f"them: name one of these as positive, such as {example(known, wording)}"
        f"{quotes(positive, known)}."
    )


def _numbers_beyond_classes(value: str, classes: list[str], wording: Wording) -> str:
    """Refuse whole numbers that may be classes, or scores."""
    return (
        f"{wording.prediction} holds {value}, which is no class of {short(wording.label)} "
        f"({listed(sorted(classes))}): give its classes, or whether each item is predicted "
        f"positive (true or false), or the score divided by 10."
    )


def _class_never_predicted(positive: str, predictions: list[str], wording: Wording) -> str:
    """Refuse predictions that are never the positive class."""
    return (
        f"{wording.prediction} is never {shown(positive)}, the positive value (it has "
        f"{listed(sorted(predictions))}): there is nothing to compare, so name another one, or "
        "code predictions as labels are."
    )


def _name_the_positive(known: list[str], wording: Wording) -> str:
    """Ask which value of the label is positive."""
    return (
        f"{wording.label} has the values {listed(sorted(known))}: name the positive one, such as "
        f"{example(known, wording)}."
    )


def _coded_otherwise(predictions: list[str], labels: list[str], wording: Wording) -> str:
    """Refuse predictions whose values are partly those of the label."""
    return (
        f"{wording.prediction} has the values {listed(sorted(predictions))}, where "
        f"{short(wording.label)} has {listed(sorted(labels))}: code both alike."
    )


def _no_number(
    values: Array, role: str, allowed: set[str] | None = None, *, rows: bool = True
) -> str:
    """Refuse a value that is neither a number nor among the `allowed` ones."""
    texts = pd.Series(values).astype(str)
    wrong = pd.to_numeric(texts, errors="coerce").isna() & ~texts.isin(allowed or set())
    if not wrong.any():  # words of the label and numbers
        return f"{role} mixes numbers and values of the label: give one kind."
    also = f" or {listed(sorted(allowed))}, the values of the label," if allowed else ""
    row = f" in row {int(wrong.to_numpy().argmax()) + 1}" if rows else ""
    return (
        f"{role} must hold numbers{also} and holds {shown(texts[wrong].iloc[0])}{row}: correct it."
    )
