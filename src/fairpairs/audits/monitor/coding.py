"""How the values of a column are coded: the first batch decides, and later ones have to agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairpairs.audits.audit.coding import MAX_CLASSES
from fairpairs.audits.audit.messages import written
from fairpairs.audits.audit.roles import as_number
from fairpairs.audits.audit.values import Values
from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import listed

#: Words that mean 1 and 0.
TRUE_FALSE = {"true": "1", "false": "0"}


@dataclass(frozen=True)
class Seen:
    """The different values of a column so far."""

    #: The values as text, true and false as 1 and 0; at most some that show the kind of the column.
    names: frozenset[str] = frozenset()
    #: Whether all are numbers.
    numbers: bool = True

    def __or__(self, other: Seen) -> Seen:
        names = self.names | other.names
        if self.numbers and other.numbers and len(names) > 2 * MAX_CLASSES:
            whole = all(float(name) % 1 == 0 for name in names)
            some = sorted(names, key=lambda name: (float(name) % 1 == 0) != whole)
            names = frozenset(some[-2 * MAX_CLASSES :])
        return Seen(names, self.numbers and other.numbers)


def texts(values: Column) -> tuple[list[str], Integers]:
    """Return the different values of a column as written, and the index of each item's value."""
    read = Values(values)
    kinds = values.kinds if read.numbers is None else read.numbers
    code = values.code
    if code is None:
        code, kinds = pd.factorize(kinds)
    names = [written(kind) for kind in kinds]
    if {name.lower() for name in names} <= TRUE_FALSE.keys():
        names = [TRUE_FALSE[name.lower()] for name in names]
    return names, code


def seen(values: Column) -> Seen:
    """Return the different values of a column."""
    read = Values(values)
    if read.numbers is not None and len(read.kinds) > 2 * MAX_CLASSES:
        whole = read.kinds % 1 == 0
        # a number that is not whole tells that these are no classes
        some = read.kinds[np.argsort(whole, kind="stable")][: 2 * MAX_CLASSES]
        return Seen(frozenset(map(str, some.tolist())))
    names, _ = texts(values)
    booleans = set(names) <= {"0", "1"}
    return Seen(frozenset(names), booleans or read.numbers is not None)


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
        """Return the values of the items as numbers, 0 and 1 if they are of two kinds.

        Values that the first batch does not have raise InputError.
        """
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
        word = next(kind for kind in map(str, values.kinds) if as_number(kind) == kind)
        raise InputError(
            f"{role} holds {shown(word)}, and must hold numbers: correct it, or start a new state "
            "if it means something else."
        )
    return values.of_items(inputs.moderate(read.numbers, role))


def label_coding(values: Seen, positive: object, kind: str, role: str) -> Coding:
    """Return what the values of the label of the first batch mean.

    If that is unclear, raise InputError with the option that settles it.
    """
    names = sorted(values.names)
    if kind == "number":
        if not values.numbers:
            raise InputError(f"{role} holds words, and --label-kind is number: leave it out.")
        return Coding()
    one = None if positive is None else written_option(positive)
    if set(names) <= {"0", "1"} and one in (None, "0", "1"):
        return _two("1" if one is None else one, ["0", "1"])
    if one is not None:
        if one not in names:
            raise InputError(
                f"{role} has no value {shown(one)} in the first batch; it holds {listed(names)}: "
                "correct --positive, or begin with a batch that has both."
            )
        return _two(one, _several(names, role))
    if values.numbers and kind == "auto" and len(names) > 2:
        whole = all(float(name) % 1 == 0 for name in names)
        if not whole or len(names) > MAX_CLASSES:
            return Coding()
        raise InputError(
            f"{role} holds {len(names)} whole numbers, which may be numbers or classes: give "
            "--label-kind number, or the class that is compared with the rest, such as "
            f"--positive {names[-1]}."
        )
    _several(names, role)
    raise InputError(
        f"{role} holds {listed(names)}: name the one that is positive, such as "
        f"--positive {names[-1]}."
    )


def prediction_coding(values: Seen, label: Coding | None, positive: object, role: str) -> Coding:
    """Return what the predictions of the first batch mean, given the label, if there is one.

    Predictions coded differently from the label raise InputError.
    """
    names = values.names
    if label is None:
        if values.numbers and positive is None and not names <= {"0", "1"}:
            return Coding()
        return label_coding(values, positive, "binary", role)
    if not label.binary:
        if not values.numbers:
            raise InputError(f"{role} holds words, and the label holds numbers: give numbers.")
        return Coding()
    classes = {*label.ones, *label.zeros}
    if names <= classes:
        return label
    words = any(as_number(name) == name for name in classes)
    if names <= {"0", "1"} and words:
        return Coding(("1",), ("0",))
    whole = values.numbers and all(float(name) % 1 == 0 for name in names)
    if values.numbers and (words or classes == {"0", "1"} or not whole):
        return Coding()
    raise InputError(
        f"{role} holds {listed(sorted(names))}, and the label {listed(sorted(classes))}: write "
        "both in the same values."
    )


def written_option(value: object) -> str:
    """Return the value of an option as columns write it."""
    text = str(value)
    return TRUE_FALSE.get(text.lower()) or written(as_number(text))


def _several(names: Sequence[str], role: str) -> Sequence[str]:
    if len(names) < 2:
        raise InputError(
            f"{role} holds only {listed(names)} in the first batch: begin with a batch that has "
            "the other values too."
        )
    return names


def _two(one: str, names: Sequence[str]) -> Coding:
    return Coding((one,), tuple(name for name in names if name != one))
