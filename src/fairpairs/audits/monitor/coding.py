"""How the values of a column are coded: the first batch decides, and later ones have to agree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairpairs.audits.items.coding import DECISIONS, MAX_CLASSES, Coding as AuditCoding
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.roles import Values, as_number
from fairpairs.audits.items.settings import Settings
from fairpairs.audits.monitor.settings import MonitorSettings
from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import listed
from fairpairs.base.words import word

#: Words that mean 1 and 0, and these.
TRUE_FALSE = {"true": "1", "false": "0"}
ZERO_ONE = frozenset(TRUE_FALSE.values())


@dataclass(frozen=True)
class Seen:
    """The different values of a column so far."""

    #: The values as text, true and false as 1 and 0; at most some that show the kind of the column.
    names: frozenset[str] = frozenset()
    #: Whether all are numbers, and the smallest and the largest of these.
    numbers: bool = True
    ends: tuple[float, float] = (np.inf, -np.inf)

    def __or__(self, other: Seen) -> Seen:
        names = self.names | other.names
        (low, high), (other_low, other_high) = self.ends, other.ends
        if self.numbers and other.numbers and len(names) > 2 * MAX_CLASSES:
            whole = all(float(name) % 1 == 0 for name in names)
            some = sorted(names, key=lambda name: (float(name) % 1 == 0) != whole)
            names = frozenset(some[-2 * MAX_CLASSES :])
        ends = min(low, other_low), max(high, other_high)
        return Seen(names, self.numbers and other.numbers, ends)

    def values(self) -> Values:
        """Return the different values as a column that has each of them once."""
        names = sorted(self.names)
        kinds = np.array([float(name) for name in names] if self.numbers else names)
        return Values(Column(kinds, np.arange(len(names))))


def texts(values: Column) -> tuple[list[str], Integers]:
    """Return the different values of a column as written, and the index of each item's value."""
    read = Values(values)
    kinds = values.kinds if read.numbers is None else read.numbers
    code = values.code
    if code is None:
        code, kinds = pd.factorize(kinds)
    names = [word(kind) for kind in kinds]
    if {name.lower() for name in names} <= TRUE_FALSE.keys():
        names = [TRUE_FALSE[name.lower()] for name in names]
    return names, code


def seen(values: Column, role: str) -> Seen:
    """Return the different values of a column; numbers that allow no moments raise InputError."""
    read = Values(values)
    names = frozenset[str]()
    if read.numbers is not None and len(read.kinds) > 2 * MAX_CLASSES:
        with np.errstate(invalid="ignore"):  # infinite ones are refused below
            whole = read.kinds % 1 == 0
        # a number that is not whole tells that these are no classes
        some = read.kinds[np.argsort(whole, kind="stable")][: 2 * MAX_CLASSES]
        names = frozenset(map(str, some.tolist()))
    names = names or frozenset(texts(values)[0])
    if read.numbers is None and not names <= ZERO_ONE:
        return Seen(names, False)
    numbers = Coding().of(values, role)
    return Seen(names, True, (float(numbers.min()), float(numbers.max())))


@dataclass(frozen=True)
class Coding:
    """What the values of a column mean: those that are 1 and 0; none for numbers."""

    ones: tuple[str, ...] = ()
    zeros: tuple[str, ...] = ()

    @property
    def binary(self) -> bool:
        """Whether the values are coded as 0 and 1, not numbers."""
        return bool(self.ones)

    def of(self, values: Column, role: str) -> Floats:
        """Return the values of the items as numbers, 0 and 1 if they are of two kinds."""
        if not self.binary:
            return _finite(values, role)
        names, code = texts(values)
        known = {**dict.fromkeys(self.zeros, 0.0), **dict.fromkeys(self.ones, 1.0)}
        if other := [name for name in names if name not in known]:
            raise InputError(
                f"{role} holds {shown(other[0])}, and the earlier batches hold "
                f"{listed(sorted(known))}: write it in the same values, or start a new state if "
                "they mean something else."
            )
        return np.array([known[name] for name in names])[code]


def _finite(values: Column, role: str) -> Floats:
    read = Values(values)
    if read.numbers is None:
        words = (kind for kind in map(str, values.kinds) if as_number(kind) == kind)
        word = next(words, values.kinds[0])
        raise InputError(
            f"{role} holds {shown(word)}, and must hold numbers: correct it, or start a new state "
            "if it means something else."
        )
    return values.of_items(inputs.moderate(read.numbers, role))


def learn_codings(
    label: Seen | None,
    prediction: Seen | None,
    settings: MonitorSettings,
    wording: Wording,
) -> tuple[Coding | None, Coding]:
    """Learn what the values of the label and of the predictions of the first batch mean.

    A label that is None has none; predictions that are None are decisions of a threshold. Raises as
    `audit` does; values of 0 or 1 alone are taken for decisions, and so are values of the label.
    """
    if label is None:
        assert prediction is not None
        if prediction.numbers and settings.positive is None and not prediction.names <= ZERO_ONE:
            return None, Coding()
        label, wording = prediction, replace(wording, label=wording.prediction)
        return None, learn_codings(label, prediction, settings, wording)[1]
    names = label.names | (ZERO_ONE if label.names <= ZERO_ONE else frozenset())
    labels = Seen(names, label.numbers).values()
    predicted = labels
    if prediction is not None and not prediction.names <= names:
        names_of_both = ZERO_ONE if prediction.names <= ZERO_ONE else prediction.names
        predicted = Seen(names_of_both, prediction.numbers).values()
    positive = None if settings.positive is None else written_option(settings.positive)
    of_audit = Settings(positive=positive, label_kind=settings.label_kind or "auto")
    with_score = settings.score is not None
    coding = AuditCoding.learn(labels, predicted, of_audit, wording, with_score=with_score)
    of_predictions = DECISIONS if prediction is None else coding.of_predictions(predicted, wording)
    kept = _kept(coding, labels)
    if predicted is labels and prediction is not None:
        return kept, kept
    return kept, _kept(of_predictions, predicted)


def _kept(coding: AuditCoding, values: Values) -> Coding:
    """Return a coding with the values that later batches may hold, as they are written."""
    if coding.one is None:
        return Coding()
    one = word(coding.one)
    zeros = sorted({*map(word, values.kinds), *map(word, coding.zeros)} - {one})
    return Coding((one,), tuple(zeros))


def written_option(value: object) -> str:
    """Return the value of an option as columns write it."""
    text = str(value)
    return TRUE_FALSE.get(text.lower()) or word(as_number(text))
