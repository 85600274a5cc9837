"""Label and prediction of several classes, which are audited together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.audits.items.messages import Wording, example, short
from fairpairs.audits.items.roles import Values
from fairpairs.audits.items.settings import AuditLabelKind, Settings
from fairpairs.base import inputs
from fairpairs.base.arrays import Integers
from fairpairs.base.columns import Column, column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import listed, named_twice
from fairpairs.base.words import word

#: Those of several classes.
OF_CLASSES = ("classes", "ordinal")
#: Most classes of a label, and of a prediction.
MAX_CLASSES = 50
#: Fewest different words that are taken for classes without being told.
FEWEST_WORDS = 3
#: The order of an example in messages.
ORDER = ["low", "medium", "high"]


@dataclass(frozen=True)
class ClassRoles:
    """Label and prediction of each item as positions in `names`, shape (n,)."""

    y_true: Integers
    y_pred: Integers
    #: The classes of the label, sorted, then those only predicted; ordered classes in their order.
    names: tuple[str, ...]
    ordered: bool = False

    @property
    def keys(self) -> list[Integers]:
        """What tells items apart."""
        return [self.y_pred, self.y_true]

    def take(self, index: NDArray[np.int64]) -> ClassRoles:
        """Return the items at some positions."""
        return replace(self, y_true=self.y_true[index], y_pred=self.y_pred[index])


def read_classes(
    y_true: ArrayLike | Column,
    y_pred: ArrayLike | Column,
    settings: Settings,
    wording: Wording,
    *,
    with_score: bool,
) -> ClassRoles | None:
    """Return label and prediction of several classes; None if they are of another kind.

    With "auto", words are classes if label and prediction have at least three each; a score, or a
    positive value that is audited against the rest, means another kind. Raises InputError for one
    value only, more than 50 classes, numbers that are not whole, and predictions outside the
    label's classes or the order.
    """
    label_kind, positive, order = settings.label_kind, settings.positive, settings.order
    inputs.one_of(label_kind, "label_kind", get_args(AuditLabelKind))
    if order is not None and label_kind != "ordinal":
        ordinal = wording.option("label_kind", "ordinal")
        raise InputError(f"The order of classes is for {ordinal}: give that too, or no order.")
    wanted = label_kind in OF_CLASSES
    if wanted and positive is not None:
        raise InputError(
            f"{wording.option('label_kind', label_kind)} audits all classes, and a positive value "
            "one of them: leave out one of the two options."
        )
    kinds = y_true.kinds if isinstance(y_true, Column) else y_true
    is_numeric = getattr(getattr(kinds, "dtype", None), "kind", "O") in "biuf"  # values stay unread
    if not wanted and (label_kind != "auto" or positive is not None or is_numeric):
        return None
    label = Values(column(y_true, wording.label))
    prediction = Values(column(y_pred, wording.prediction))
    if not wanted and not (_words(label) and _words(prediction)):
        return None
    inputs.same_items(**{wording.label: y_true, wording.prediction: y_pred})
    if with_score:
        raise InputError(
            f"{wording.score} is for one class of {short(wording.label)}: name that class, such "
            f"as {wording.option('positive', 'C')}, or leave the score out."
        )
    for values, role in ((label, wording.label), (prediction, wording.prediction)):
        values.check(role)
    names = _names(label, prediction, label_kind == "ordinal", order, wording)
    return ClassRoles(
        _places(label, names), _places(prediction, names), names, label_kind == "ordinal"
    )


def class_name(kind: Any) -> str:
    """Return the name of a class; a whole number has no decimal point."""
    return f"{kind:.0f}" if isinstance(kind, float) and kind % 1 == 0 else word(kind)


def _words(values: Values) -> bool:
    return values.numbers is None and len(values.kinds) >= FEWEST_WORDS


def _names(
    label: Values,
    prediction: Values,
    ordinal: bool,
    order: Sequence[object] | None,
    wording: Wording,
) -> tuple[str, ...]:
    """Return the names of all classes, in their order."""
    for values, role in ((label, wording.label), (prediction, wording.prediction)):
        if len(values.kinds) > MAX_CLASSES:
            raise InputError(
                f"{role} has more than {MAX_CLASSES} classes: join some, or name the one to audit "
                f"against the rest, such as {wording.option('positive', 'C')}."
            )
    if label.numbers is not None and (label.kinds % 1 != 0).any():
        odd = label.kinds[label.kinds % 1 != 0]
        raise InputError(
            f"{wording.label} holds {float(odd[0]):g}, and classes are words or whole numbers: "
            f"for numbers, give {wording.option('label_kind', 'number')}."
        )
    labels = [class_name(kind) for kind in sorted(label.kinds.tolist(), key=_sorted_as)]
    predicted = [class_name(kind) for kind in sorted(prediction.kinds.tolist(), key=_sorted_as)]
    if order is not None:
        return _ordered(order, labels, predicted, wording)
    if ordinal and label.numbers is None:
        raise InputError(
            f"{wording.label} has the classes {listed(labels)}, which are words: name their "
            f"order, the lowest first, such as {wording.option('order', ORDER)}."
        )
    unknown = [name for name in dict.fromkeys(predicted) if name not in set(labels)]
    if unknown and (label.numbers is not None or len(unknown) == len(set(predicted))):
        raise InputError(
            f"{wording.prediction} holds {shown(unknown[0])}, which is no class of "
            f"{short(wording.label)} ({listed(labels)}): give the predicted classes, coded as "
            f"those of the label; for a score, name its class, such as {example(labels, wording)}."
        )
    return tuple(dict.fromkeys(labels + unknown))


def _sorted_as(kind: Any) -> tuple[bool, Any]:
    """Return the key of a value: numbers by size, then words."""
    return (False, kind) if isinstance(kind, float) else (True, class_name(kind))


def _ordered(
    order: Sequence[object], labels: list[str], predicted: list[str], wording: Wording
) -> tuple[str, ...]:
    """Return the classes in the order that is named, which has all of them."""
    if isinstance(order, str) or not isinstance(order, Sequence):
        such_as = wording.option("order", ORDER)
        raise InputError(f"The order is {shown(order)}: give a list of classes, such as {such_as}.")
    names = [class_name(float(x) if isinstance(x, int) else x) for x in order]
    if (twice := named_twice(names)) is not None:
        raise InputError(f"The order of classes names {shown(twice)} twice: name each class once.")
    for role, known in ((wording.label, labels), (wording.prediction, predicted)):
        missing = next((name for name in known if name not in names), None)
        if missing is not None:
            raise InputError(
                f"{role} holds {shown(missing)}, which the order does not name ({listed(names)}): "
                "add it to the order, or correct the value."
            )
    return tuple(names)


def _places(values: Values, names: tuple[str, ...]) -> Integers:
    """Return the index of each item's class."""
    code, kinds = Column(values.of_items).coded()
    return np.array([names.index(class_name(kind)) for kind in kinds.tolist()])[code]
