"""How columns are coded as label, prediction and score: their kinds, and the positive value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.audits.items.messages import Wording, example, quotes, short
from fairpairs.audits.items.roles import LabelKind, Roles, Values, as_number
from fairpairs.audits.items.settings import Settings
from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats
from fairpairs.base.columns import Column, column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import listed
from fairpairs.base.words import check_precision, named, word

#: Pairs of values, of which the first is positive by default.
TRUE_FALSE = ("true", "false")
#: Up to this many whole numbers may be numbers or classes.
MAX_CLASSES = 10
#: And up to this many, if the prediction takes no other value than the label does.
MAX_PREDICTED_CLASSES = 50


@dataclass(frozen=True)
class Coding:
    """What the values of a column are as numbers: learned once, from some or all of them."""

    #: The value that is 1; None for numbers, which stay as they are.
    one: Any = None
    #: Values that are 0: the others of a label; of predictions, those that the label does not have.
    zeros: tuple[Any, ...] = ()
    #: Number of the different values of a label.
    levels: int = 2

    @property
    def of_words(self) -> bool:
        """Whether a value that is 1 or 0 is a word."""
        return not all(isinstance(value, float) for value in (self.one, *self.zeros))

    def apply(self, values: Values) -> Floats:
        """Return the numbers of a column's items."""
        return values.of_items if self.one is None else values.equal_to(self.one)

    @classmethod
    def learn(
        cls,
        label: Values,
        prediction: Values,
        settings: Settings,
        wording: Wording,
        *,
        with_score: bool,
    ) -> Coding:
        """Learn what the values of a label are, beside its predictions."""
        positive, label_kind = settings.positive, settings.label_kind
        inputs.one_of(label_kind, "label_kind", get_args(LabelKind))
        for values, role in ((label, wording.label), (prediction, wording.prediction)):
            values.check(role)
        number, two = label_kind == "number", len(label.kinds) == 2
        few_predictions = len(prediction.kinds) == 2
        words = label.numbers is None
        classes = words or bool((label.kinds == np.round(label.kinds)).all())
        named = positive is not None and classes and label_kind == "auto"
        binary = words or positive is not None or few_predictions or label_kind == "binary"
        if not two and not named and binary and not number:
            one_class = classes and label_kind == "auto"
            raise InputError(_third_value(label, few_predictions, one_class, wording))
        if number and positive is not None:
            raise InputError(
                f"{wording.option('label_kind', 'number')} takes the label for numbers, of which "
                "none is positive: leave out one of the two options."
            )
        if number or not (two or named):
            return _numbers(label, prediction, label_kind, with_score, wording)
        one = _positive(label.kinds, positive, wording)
        if label.numbers is not None:
            inputs.check_moderate(label.numbers, wording.label)
        # words may be of several types, which do not compare
        others = sorted((v for v in label.kinds if v != one), key=str if words else None)
        return cls(one, tuple(others), len(label.kinds))

    def of_predictions(self, prediction: Values, wording: Wording) -> Coding:
        """Learn what the values of the predictions of this label are."""
        if self.one is None:
            _check_finite(prediction, wording.prediction)
            return Coding()
        if len(self.zeros) == 1:
            return _predictions(prediction, (self.zeros[0], self.one), wording)
        return _class_predictions(prediction, self, wording)

    def roles(
        self, prediction: Coding, y_true: Floats, y_pred: Floats, y_score: Floats | None
    ) -> Roles:
        """Return columns that this coding of the label and that of the predictions apply to."""
        values = tuple(map(word, self.zeros))
        kind, predicted = ("real" if one.one is None else "binary" for one in (self, prediction))
        return Roles(
            y_true,
            y_pred,
            y_score,
            kind,
            predicted,
            "" if self.one is None else word(self.one),
            values if len(values) > 1 else (),
            tuple(map(word, prediction.zeros)),
            levels=self.levels,
            negative=values[0] if len(values) == 1 else "",
        )


#: The coding of decisions that are 1 and 0, or true and false.
DECISIONS = Coding(1.0)


def read_roles(
    y_true: ArrayLike | Column,
    y_pred: ArrayLike | Column,
    y_score: ArrayLike | Column | None,
    settings: Settings,
    wording: Wording,
) -> Roles:
    """Infer the kinds of label and prediction ("auto"), and code them.

    `settings.positive` is the value of the label that is 1; None for 1 and true. With more than two
    values, the others are 0. With a threshold, the predictions are whether the score reaches it.
    Raises InputError for missing or infinite values, for one value only, and if the coding is
    unclear or differs between label and prediction.
    """
    label = Values(column(y_true, wording.label))
    prediction = Values(column(y_pred, wording.prediction))
    columns = {wording.label: y_true, wording.prediction: y_pred}
    inputs.same_items(**columns)
    with_score = y_score is not None
    coding = Coding.learn(label, prediction, settings, wording, with_score=with_score)
    score = None
    if y_score is not None:
        inputs.same_items(**(columns | {wording.score: y_score}))
        score = _scores(Values(column(y_score, wording.score)), wording)
    if settings.threshold is not None:
        assert score is not None
        option = wording.option("threshold")
        decided = reached(score, settings.threshold, option, short(wording.score))
        predicted = DECISIONS
    else:
        predicted = coding.of_predictions(prediction, wording)
        decided = predicted.apply(prediction)
    return coding.roles(predicted, coding.apply(label), decided, score)


def _scores(scores: Values, wording: Wording) -> Floats:
    """Return the scores of the items."""
    if scores.numbers is None:
        raise InputError(_no_number(scores.of_items, wording.score, rows=wording.rows))
    inputs.numeric(scores.numbers, wording.score)
    check_precision(scores.column.kinds, scores.numbers, wording.score)
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


def _check_finite(values: Values, role: str) -> None:
    """Raise unless the numbers are finite and allow moments."""
    assert values.numbers is not None
    check_precision(values.column.kinds, values.numbers, role)
    inputs.check_moderate(values.numbers, role)


def _numbers(
    label: Values,
    prediction: Values,
    label_kind: str,
    with_score: bool,
    wording: Wording,
) -> Coding:
    """Return the coding of a label of numbers."""
    for values, role in ((label, wording.label), (prediction, wording.prediction)):
        if values.numbers is None:
            raise InputError(_no_number(values.of_items, role, rows=wording.rows))
    levels = len(label.kinds)
    if with_score:
        number = f"{levels}" if wording.rows else "more"
        what = "is a number" if label_kind == "number" else f"has {number}"
        raise InputError(
            f"{wording.score} is for a label of two values, and {short(wording.label)} {what}: "
            "give it as the prediction."
        )
    _check_finite(label, wording.label)
    alike = np.isin(prediction.kinds, label.kinds).all()
    most = MAX_PREDICTED_CLASSES if alike else MAX_CLASSES
    if label_kind == "auto" and levels <= most and (label.kinds % 1 == 0).all():
        raise InputError(_numbers_or_classes(label.kinds, wording))
    return Coding(levels=levels)


def _positive(values: Array, positive: object, wording: Wording) -> Any:
    """Return the value of the label that is 1."""
    known = [word(value) for value in values]
    if positive is not None:
        wanted = word(as_number(positive) if isinstance(values[0], float) else positive)
        wanted = named(wanted, known)
        if wanted not in known:
            raise InputError(
                f"{wording.label} has the values {listed(sorted(known))}, and {shown(wanted)} is "
                "none of them: name one of these as positive, such as "
                f"{example(known, wording)}{quotes(positive, known)}."
            )
        return values[known.index(wanted)]
    if set(known) == {"0", "1"}:
        return values[known.index("1")]
    lower = [value.lower() for value in known]
    if set(lower) == set(TRUE_FALSE):
        return values[lower.index(TRUE_FALSE[0])]
    raise InputError(
        f"{wording.label} has the values {listed(sorted(known))}: name the positive one, such as "
        f"{example(known, wording)}."
    )


def _predictions(prediction: Values, zero_and_one: tuple[Any, Any], wording: Wording) -> Coding:
    """Return the coding of the predictions of a label of two values."""
    numbers, kinds = prediction.numbers, prediction.kinds
    zero, one = map(word, zero_and_one)
    names = [word(kind) for kind in kinds] if len(kinds) == 2 else []
    if set(names) == {zero, one}:
        return Coding(kinds[names.index(one)])
    if {name.lower() for name in names} == set(TRUE_FALSE) and {zero, one} == {"0", "1"}:
        true = np.array([str(kind).lower() == TRUE_FALSE[0] for kind in kinds])
        return Coding(kinds[int(true.argmax() if one == "1" else true.argmin())])
    if numbers is None:
        allowed = {zero, one}
        raise InputError(
            _no_number(prediction.of_items, wording.prediction, allowed, rows=wording.rows)
        )
    zero_or_one = set(names) == {"0", "1"}
    if zero_or_one and not isinstance(zero_and_one[0], float):  # words of the label
        return DECISIONS
    if zero_or_one or {zero, one} & set(names):
        raise InputError(
            f"{wording.prediction} has the values {listed(sorted(names))}, where "
            f"{short(wording.label)} has {listed(sorted([zero, one]))}: use one code in both."
        )
    _check_finite(prediction, wording.prediction)
    return Coding()


def _class_predictions(prediction: Values, label: Coding, wording: Wording) -> Coding:
    """Return the coding of the predictions of one class against the rest.

    They are classes of the label, true and false, 0 and 1 where classes are words, or a score.
    """
    positive = word(label.one)
    classes = [positive, *map(word, label.zeros)]
    names = [word(kind) for kind in prediction.kinds]
    unknown = tuple(sorted(set(names) - set(classes)))
    lower = [name.lower() for name in names]
    if prediction.are_true_or_false:
        return DECISIONS
    if unknown and set(lower) == set(TRUE_FALSE):
        return Coding(prediction.kinds[lower.index("true")])
    if unknown and prediction.numbers is not None:
        if label.of_words and set(names) == {"0", "1"}:
            return DECISIONS
        if not label.of_words and (prediction.kinds % 1 == 0).all():
            raise InputError(
                f"{wording.prediction} holds {unknown[0]}, which is no class of "
                f"{short(wording.label)} ({listed(sorted(classes))}): give its classes, or "
                "whether each row is predicted positive (true or false), or the score divided by "
                "10."
            )
        _check_finite(prediction, wording.prediction)
        return Coding()
    if positive not in names:
        raise InputError(
            f"{wording.prediction} is never {shown(positive)}, the positive value (it has "
            f"{listed(sorted(names))}): there is nothing to compare, so name another one, or code "
            "predictions as labels are."
        )
    return Coding(prediction.kinds[names.index(positive)], unknown)


def _third_value(label: Values, few_predictions: bool, one_class: bool, wording: Wording) -> str:
    """Refuse a third value of a binary label, of which perhaps one may be named as a class."""
    alike = few_predictions and label.numbers is not None
    why = f", while {short(wording.prediction)} has two" if alike else ""
    excess, named = f"more than two values{why}", ""
    if one_class:
        one = example([word(value) for value in label.kinds], wording)
        named = f", audit one value against the rest, such as {one}"
        if wording.classes:
            named += f", or all of them, {wording.option('label_kind', 'classes')}"
    if wording.rows:
        values = pd.Series(label.of_items)
        counts = values.value_counts()
        row = int((values == counts.index[-1]).to_numpy().argmax()) + 1
        excess = (
            f"{len(label.kinds)} values{why}; the rarest, {shown(word(counts.index[-1]))}, is "
            f"in {counts.iloc[-1]} row(s), the first in row {row}"
        )
    return (
        f"{wording.label} has {excess}: keep two values, by dropping such rows or joining "
        f"values{named}, or give numbers for both."
    )


def _numbers_or_classes(values: Array, wording: Wording) -> str:
    """Ask whether a few whole numbers of a label are numbers or classes."""
    texts = [word(value) for value in sorted(values.tolist())]
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
