"""Label, prediction and score of items, as passed and as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.items.messages import Wording, short
from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.reading.arrow import written_floats
from fairpairs.base.texts import listed
from fairpairs.base.words import check_alike, check_precision, named, word
from fairpairs.mathematics.estimates.pairs.binary import ScoreOrder, score_order

#: Values of items whose means are compared; the error is the prediction less the label.
ValueName = Literal[
    "label", "prediction", "score", "error", "absolute error", "squared error", "label less score"
]
#: How far a prediction is off → what makes it of the error.
SIZES: Mapping[str, Callable[[Floats], Floats]] = {
    "absolute error": np.abs,
    "squared error": np.square,
}
FieldName = Literal["y_true", "y_pred", "y_score"]
#: Kinds of a label; "auto" infers it from the values.
LabelKind = Literal["auto", "binary", "number"]


@dataclass(frozen=True)
class Values:
    """A column as passed, and as numbers."""

    column: Column

    @cached_property
    def numbers(self) -> Floats | None:
        """The values of the column as numbers; None if one of them is not a number."""
        return as_numbers(self.column.kinds)

    @cached_property
    def kinds(self) -> Array:
        """The different values, as numbers where they are."""
        return np.asarray(pd.unique(pd.Series(self._values)))

    @property
    def of_items(self) -> Array:
        """The value of each item, as a number where all are."""
        return self.column.of_items(self._values)

    def equal_to(self, kind: object) -> Floats:
        """Return 1 for the items with this value, 0 for the others."""
        return self.column.of_items((self._values == kind).astype(np.float64))

    @property
    def are_true_or_false(self) -> bool:
        """Whether all values are of Python's or numpy's type of true and false."""
        kinds = self.column.kinds
        return kinds.dtype == bool or all(isinstance(kind, bool | np.bool_) for kind in kinds)

    def check(self, role: str) -> None:
        """Raise if words look alike, numbers become the same float, or there is one value only."""
        if self.numbers is None:
            check_alike(list(map(word, self.kinds.tolist())), role)
        else:
            check_precision(self.column.kinds, self.numbers, role)
        if len(self.kinds) == 1:
            raise InputError(
                f"{role} is {shortened(word(self.kinds[0]))} in every row: there is nothing to "
                "compare, so check that it is the right one, or add rows of another value."
            )

    @property
    def _values(self) -> Array:
        return self.column.kinds if self.numbers is None else self.numbers


def as_numbers(values: Array) -> Floats | None:
    """Return numbers, also from strings; None if a string is not a number."""
    if values.dtype.kind in (*inputs.NO_NUMBERS, "b"):
        return None
    if values.dtype.kind in "iuf":
        return written_floats(values)
    try:
        numbers = pd.to_numeric(pd.Series(values), errors="coerce")
    except OverflowError:  # a whole number of hundreds of digits
        return None
    if numbers.isna().any():
        return None
    return np.asarray(numbers, dtype=np.float64)


@dataclass(frozen=True)
class Roles:
    """Label, prediction and score as numbers (0 and 1 if binary), shape (n,)."""

    y_true: Floats
    y_pred: Floats
    y_score: Floats | None
    #: "binary" or "real", as is the prediction.
    label: str
    prediction: str
    #: The value of the label that is 1, as written; "" for a real label.
    positive: str
    #: The values of the label that are 0, as written, if there are several.
    rest: tuple[str, ...] = ()
    #: The values of the prediction that such a label does not have; they are 0 too.
    only_predicted: tuple[str, ...] = ()
    #: The smallest and largest value of each field of all items, if the items here are a sample.
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    #: Number of the different values of the label.
    levels: int = 2
    #: The other value of a label of two, as written.
    negative: str = ""
    #: Whether there is a label; if not, it stands for the prediction, which alone is compared.
    with_label: bool = True

    def range_of(self, name: FieldName) -> tuple[float, float]:
        """Return the smallest and the largest value of a field."""
        if name in self.ranges:
            return self.ranges[name]
        values = getattr(self, name)
        return float(values.min()), float(values.max())

    @property
    def score_range(self) -> tuple[float, float]:
        """The smallest and the largest `score`."""
        return self.range_of("y_pred" if self.y_score is None else "y_score")

    def favourable(self, value: object, wording: Wording) -> str | None:
        """Return the good outcome as the label writes it (see `good_outcome`); None for none."""
        if value is None:
            return None
        binary = self.label == "binary"
        values = [self.positive, *(self.rest or (self.negative,))] if binary else []
        return good_outcome(value, values, wording.option("favourable"), short(wording.label))

    def take(self, index: NDArray[np.int64]) -> Roles:
        """Return the items at some positions."""
        score = None if self.y_score is None else self.y_score[index]
        return replace(self, y_true=self.y_true[index], y_pred=self.y_pred[index], y_score=score)

    @property
    def keys(self) -> list[Array]:
        """What tells items apart, the first of them last."""
        both = (self.prediction, self.y_pred), (self.label, self.y_true)
        keys = [values.astype(np.int8) if kind == "binary" else values for kind, values in both]
        return [*keys, *([] if self.y_score is None else [self.y_score])]

    @property
    def score(self) -> Floats | None:
        """The ranking score of a binary label: the score, else a real prediction, else None."""
        if self.label == "real":
            return None
        if self.y_score is None and self.prediction == "real":
            return self.y_pred
        return self.y_score

    def values(self, name: ValueName) -> Floats:
        """Return values of the items whose means are compared, shape (n,)."""
        parts = [getattr(self, part) for part in self.parts(name)]
        values: Floats = parts[0] if len(parts) == 1 else parts[0] - parts[1]
        return SIZES[name](values) if name in SIZES else values

    def parts(self, name: ValueName) -> list[FieldName]:
        """Return the field that holds values, or the two of which they are the difference."""
        score: FieldName = "y_pred" if self.y_score is None else "y_score"
        parts: dict[ValueName, list[FieldName]] = {
            "label": ["y_true"],
            "prediction": ["y_pred"],
            "score": [score],
            "label less score": ["y_true", score],
        }
        return parts.get(name, ["y_pred", "y_true"])

    @cached_property
    def probability(self) -> Floats | None:
        """The score of a binary label where it lies from 0 to 1, as a probability does, or None."""
        score = self.score
        if score is None:
            return None
        low, high = self.score_range
        return score if low >= 0 and high <= 1 else None

    @cached_property
    def cell(self) -> NDArray[np.int8]:
        """Twice the label plus the prediction of each item, of binary predictions."""
        return (2 * self.y_true + self.y_pred).astype(np.int8)

    @cached_property
    def score_order(self) -> ScoreOrder:
        """The items in the order of `score`, which all attributes share."""
        assert self.score is not None
        return score_order(self.score)


def good_outcome(value: object, values: Sequence[str], option: str, role: str) -> str | None:
    """Return the value that an option names as good for a person, as it is written.

    None where none is named; InputError for one that is none of the `values`, or if there are none.
    """
    if value is None:
        return None
    if not values:
        raise InputError(
            f"{option}: {role} has no value that is good or bad: leave it out, or name the "
            "positive value too."
        )
    names = {named(word(value), values), word(as_number(value))}
    good = next((one for one in values if one in names), None)
    if good is None:
        raise InputError(
            f"{option}: {shown(value)} is no value of {role}: name one of {listed(values)}."
        )
    return good


def as_number(value: object) -> object:
    """Return a value as a number, or the value itself if it is not one."""
    if isinstance(value, np.ma.MaskedArray):  # of which float warns
        return value
    try:
        return float(value)  # type: ignore[arg-type]  # anything else raises
    except (TypeError, ValueError, OverflowError):
        return value
