"""What the label, the prediction and the score are: binary or real, and which value is positive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.arrays import Floats
from fairpairs.auditing.sentences import (
    no_number,
    numbers_or_classes,
    quotes,
    short,
    third_value,
    written,
)
from fairpairs.errors import InputError, shortened, shown
from fairpairs.fairness import inputs
from fairpairs.texts import listed

#: Words for true and false, of which the first is positive without being named.
TRUE_FALSE = ("true", "false")
#: What a label is: "auto" finds it out by its values.
LabelKind = Literal["auto", "binary", "number"]
#: So many whole numbers, or fewer, may be numbers or classes.
MOST_CLASSES = 10


@dataclass(frozen=True)
class Wording:
    """What messages call the roles, so that they speak of columns of a file or of arguments."""

    label: str = "y_true"
    prediction: str = "y_pred"
    score: str = "y_score"
    attribute: Callable[[str], str] = "sensitive_features `{}`".format
    positive: Callable[[str], str] = "positive={!r}".format
    number: str = "label_kind='number'"
    one_class: Callable[[str], str] = "with y_true == {0} and y_pred == {0}".format
    permutations: str = "n_permutations"
    alpha: str = "alpha"
    criterion: str = "criterion"
    several: Callable[[list[str]], str] = "a list, {}".format
    drop: str = "drop it from sensitive_features"
    no_intersections: str = "intersections=False"


@dataclass(frozen=True)
class Roles:
    """Label, prediction and score as numbers.

    Attributes
    ----------
    y_true, y_pred
        Shape (n,); 0 and 1 where binary.
    y_score
        Shape (n,); None where none is given.
    label, prediction
        "binary" or "real".
    positive
        The value of the label that is 1, as it is written; "" for a real label.
    """

    y_true: Floats
    y_pred: Floats
    y_score: Floats | None
    label: str
    prediction: str
    positive: str


@dataclass(frozen=True)
class Attribute:
    """Groups of the items.

    Attributes
    ----------
    name
        As given; names of several attributes are joined by &.
    group
        Place of each item's group in `names`, shape (n,).
    names
        The groups, sorted.
    reference
        Place of the group that the others are compared with.
    """

    name: str
    group: NDArray[np.int64]
    names: tuple[str, ...]
    reference: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each group."""
        return np.bincount(self.group, minlength=len(self.names))


def roles(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_score: ArrayLike | None,
    *,
    positive: object = None,
    label_kind: LabelKind = "auto",
    wording: Wording,
) -> Roles:
    """Find out what label and prediction are, and code them.

    Parameters
    ----------
    y_true, y_pred, y_score
        Numbers, or for label and prediction words, shape (n,).
    positive
        Value of the label that is 1; None for 1 and for true.
    label_kind
        "binary", "number", or "auto".
    wording
        What messages call them.

    Raises
    ------
    InputError
        Missing or infinite values, one value only, a third value of a binary label, a label whose
        positive value is not named, whole numbers that may be classes, predictions that are coded
        otherwise than labels.
    """
    labels = inputs.one_dimensional(y_true, wording.label)
    predictions = inputs.one_dimensional(y_pred, wording.prediction)
    inputs.one_of(label_kind, "label_kind", get_args(LabelKind))
    inputs.same_items(**{wording.label: y_true, wording.prediction: y_pred})
    numbers, guesses = _as_numbers(labels), _as_numbers(predictions)
    words = numbers is None
    values = np.asarray(pd.unique(pd.Series(labels if words else numbers)))
    of_prediction = np.asarray(pd.unique(pd.Series(predictions if guesses is None else guesses)))
    for found, role in ((values, wording.label), (of_prediction, wording.prediction)):
        if len(found) == 1:
            raise InputError(
                f"{role} is {shortened(written(found[0]))} in every row: there is nothing to "
                "compare, so check that it is the right one, or add items of another value."
            )
    few_predictions = len(of_prediction) == 2
    number = label_kind == "number"
    binary = words or positive is not None or few_predictions or label_kind == "binary"
    if len(values) > 2 and binary and not number:
        raise InputError(third_value(labels, numbers, values, few_predictions, wording))
    if number and positive is not None:
        raise InputError(
            f"{wording.number} takes the label for numbers, of which none is positive: leave out "
            "one of the two options."
        )
    if number and numbers is None:
        raise InputError(no_number(labels, wording.label))
    if numbers is not None and (number or len(values) > 2):
        if guesses is None:
            raise InputError(no_number(predictions, wording.prediction))
        if y_score is not None:
            what = "is a number" if number else f"has {len(values)}"
            raise InputError(
                f"{wording.score} is for a label of two values, and {short(wording.label)} {what}"
                ": give it as the prediction."
            )
        _finite(numbers, wording.label)
        if label_kind == "auto" and len(values) <= MOST_CLASSES and (values % 1 == 0).all():
            raise InputError(numbers_or_classes(values, wording))
        return Roles(numbers, _finite(guesses, wording.prediction), None, "real", "real", "")
    one = _positive(values, positive, wording)
    zero = next(value for value in values if value != one)
    coded = ((labels if words else _finite(numbers, wording.label)) == one).astype(np.float64)
    decided, kind = _predictions(predictions, guesses, of_prediction, (zero, one), wording)
    score = None
    if y_score is not None:
        given = inputs.one_dimensional(y_score, wording.score)
        inputs.same_items(
            **{wording.label: y_true, wording.prediction: y_pred, wording.score: y_score}
        )
        numbers_of_score = _as_numbers(given)
        if numbers_of_score is None:
            raise InputError(no_number(given, wording.score))
        score = inputs.numeric(numbers_of_score, wording.score)
    return Roles(coded, decided, score, "binary", kind, written(one))


def attributes(
    sensitive_features: Mapping[str, ArrayLike],
    *,
    items: Mapping[str, ArrayLike],
    reference: Mapping[str, object],
    intersections: bool,
    wording: Wording,
) -> list[Attribute]:
    """Return the groups of each attribute, and of all attributes together.

    Parameters
    ----------
    sensitive_features
        Values of each attribute, shape (n,).
    items
        Label, prediction and score as they were given, by what messages call them.
    reference
        Group that the others are compared with, by attribute; by default the largest.
    intersections
        Whether the combinations of all attributes are one more attribute.
    wording
        What messages call them.

    Raises
    ------
    InputError
        Missing values, another length, one group only, more than 20 groups, a reference that is
        no group, intersections of one attribute.
    """
    if intersections and len(sensitive_features) < 2:
        raise InputError("Intersections need two sensitive attributes: name another one.")
    unknown = next((name for name in reference if name not in sensitive_features), None)
    if unknown is not None:
        raise InputError(
            f"The reference names the attribute `{shortened(unknown)}`; there are "
            f"{listed(f'`{name}`' for name in sensitive_features)}: correct it."
        )
    of_role = {wording.attribute(name): values for name, values in sensitive_features.items()}
    given = [inputs.one_dimensional(values, role) for role, values in of_role.items()]
    inputs.same_items(**items, **of_role)
    found = []
    for name, role, values in zip(sensitive_features, of_role, given, strict=True):
        code, names = _groups(values, role, wording)
        largest = int(np.bincount(code).argmax())
        if name in reference:
            wanted = str(reference[name])
            if wanted not in names:
                raise InputError(
                    f"The reference {shown(wanted)} is no group of {role}, which has "
                    f"{listed(names)}: name one of these{quotes(reference[name], names)}."
                )
            largest = names.index(wanted)
        found.append(Attribute(name, code, names, largest))
    if intersections:
        found.append(_intersection(found, wording))
    return found


def _as_numbers(values: NDArray[Any]) -> Floats | None:
    """Return numbers, also those written as words; None when there is a word that is none."""
    if values.dtype.kind in inputs.NO_NUMBERS:
        return None
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    try:
        numbers = pd.to_numeric(pd.Series(values), errors="coerce")
    except OverflowError:  # a whole number of hundreds of digits
        return None
    if numbers.isna().any():
        return None
    return np.asarray(numbers, dtype=np.float64)


def _finite(numbers: Floats | None, role: str) -> Floats:
    assert numbers is not None
    return inputs.moderate(numbers, role)


def _positive(values: NDArray[Any], positive: object, wording: Wording) -> Any:
    """Return the value of the label that is 1."""
    known = [written(value) for value in values]
    both = listed(sorted(known))
    example = wording.positive(shortened(max(known)))
    if positive is not None:
        wanted = written(_number(positive) if isinstance(values[0], float) else positive)
        if wanted not in known:
            raise InputError(
                f"{wording.label} has the values {both}, and {shown(wanted)} is none of them: name "
                f"one of these as positive, such as {example}{quotes(positive, known)}."
            )
        return values[known.index(wanted)]
    if set(known) == {"0", "1"}:
        return values[known.index("1")]
    lower = [value.lower() for value in known]
    if set(lower) == set(TRUE_FALSE):
        return values[lower.index(TRUE_FALSE[0])]
    raise InputError(
        f"{wording.label} has the values {both}: say which one is positive, such as {example}."
    )


def _predictions(
    predictions: NDArray[Any],
    numbers: Floats | None,
    values: NDArray[Any],
    of_label: tuple[Any, Any],
    wording: Wording,
) -> tuple[Floats, str]:
    """Return the predictions of a binary label as 0 and 1, or as they are where they are real."""
    zero, one = map(written, of_label)
    said = [written(value) for value in values] if len(values) == 2 else []
    if set(said) == {zero, one}:
        given = predictions if numbers is None else numbers
        return (given == values[said.index(one)]).astype(np.float64), "binary"
    if {word.lower() for word in said} == set(TRUE_FALSE) and {zero, one} == {"0", "1"}:
        true = np.array([str(value).lower() == TRUE_FALSE[0] for value in values])
        given = predictions == values[int(true.argmax() if one == "1" else true.argmin())]
        return given.astype(np.float64), "binary"
    if numbers is None:
        raise InputError(no_number(predictions, wording.prediction, allowed={zero, one}))
    coded = set(said) == {"0", "1"}
    if coded and not isinstance(of_label[0], float):  # words of the label, coded predictions
        return numbers, "binary"
    if coded or {zero, one} & set(said):
        raise InputError(
            f"{wording.prediction} has the values {listed(sorted(said))}, where "
            f"{short(wording.label)} has {listed(sorted([zero, one]))}: code both alike."
        )
    return _finite(numbers, wording.prediction), "real"


def _number(value: object) -> object:
    """Return what a value says as a number; the value itself when it is none."""
    try:
        return float(value)  # type: ignore[arg-type]  # anything else raises
    except (TypeError, ValueError, OverflowError):
        return value


def _groups(
    values: NDArray[Any], role: str, wording: Wording
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    code, found = pd.factorize(values, sort=False)
    said = [written(value) for value in found]
    if len(found) == 1:
        raise InputError(
            f"{role} has one group only, {shown(said[0])}: a test compares two groups, so "
            f"{wording.drop}, or add items of another group."
        )
    if len(found) > inputs.MOST_GROUPS:
        raise InputError(
            f"{role} has {len(found)} groups, more than {inputs.MOST_GROUPS}: join some, such as "
            "ages into ranges."
        )
    if len(set(said)) < len(said):
        twice = next(name for name in said if said.count(name) > 1)
        raise InputError(f"{role} has two groups that are called {shortened(twice)}: rename one.")
    order = np.argsort(np.array(said, dtype=str), kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[code], tuple(said[i] for i in order)


def _intersection(found: list[Attribute], wording: Wording) -> Attribute:
    sizes = tuple(len(attribute.names) for attribute in found)
    joint = np.ravel_multi_index(tuple(attribute.group for attribute in found), sizes)
    taken, code = np.unique(joint, return_inverse=True)
    if len(taken) > inputs.MOST_GROUPS:
        raise InputError(
            f"The sensitive attributes have {len(taken)} combinations, more than "
            f"{inputs.MOST_GROUPS}: join some groups, or take {wording.no_intersections}."
        )
    names = tuple(
        " & ".join(attribute.names[i] for attribute, i in zip(found, places, strict=True))
        for places in zip(*np.unravel_index(taken, sizes), strict=True)
    )
    code = code.astype(np.int64)
    name = " & ".join(attribute.name for attribute in found)
    return Attribute(name, code, names, int(np.bincount(code).argmax()))
