"""A column of labels, predictions or scores, as passed and as numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats
from fairpairs.base.columns import Column
from fairpairs.base.reading.arrow import written_floats
from fairpairs.base.words import check_alike, check_precision, word


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
        """Raise if words look alike, or numbers that differ as written become the same float."""
        if self.numbers is None:
            check_alike(list(map(word, self.kinds.tolist())), role)
        else:
            self.check_precision(role)

    def check_precision(self, role: str) -> None:
        """Raise if numbers that differ as written become the same float."""
        if self.numbers is not None:
            check_precision(self.column.kinds, self.numbers, role)

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
