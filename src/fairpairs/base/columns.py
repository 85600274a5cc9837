"""Columns of text by their different values, so that a value that repeats is read once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.base.arrays import Array
from fairpairs.base.errors import InputError
from fairpairs.base.one_dimensional import as_array, missing_values, one_dimensional

#: The group of items without a value.
MISSING_GROUP = "missing"


@dataclass(frozen=True)
class Column:
    """The values of items, none of which is missing."""

    #: The different values, shape (k,); of numbers the value of each item, shape (n,).
    kinds: Array
    #: Index of each item's value among them, shape (n,); None for numbers.
    code: Array | None = None

    def __len__(self) -> int:
        return len(self.kinds if self.code is None else self.code)

    def take(self, index: Array) -> Column:
        """Return the values of the items at some positions."""
        if self.code is None:
            return Column(self.kinds[index])
        return Column(self.kinds, self.code[index])

    def coded(self) -> tuple[NDArray[np.int64], Array]:
        """Return the index of each item's value among the different ones, and these."""
        code, kinds = pd.factorize(self.kinds) if self.code is None else (self.code, self.kinds)
        return code, np.asarray(kinds)

    def sizes(self) -> NDArray[np.int64]:
        """Return the number of items of each different value."""
        return np.bincount(self.coded()[0])

    def of_items(self, by_kind: Array) -> Array:
        """Return for each item what `of_kinds` has for its value, shape (n,)."""
        return by_kind if self.code is None else by_kind[self.code]


@dataclass(frozen=True)
class PartialColumn:
    """The values of some items; those of the others are missing."""

    #: The values of the items that have one, shape (k,).
    known: Column
    #: Whether each item has one, shape (n,).
    where: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.where)


def partial_column(values: ArrayLike | PartialColumn, name: str) -> PartialColumn:
    """Return the values of the items that have one; InputError where none has."""
    if isinstance(values, PartialColumn):
        return values
    where = ~missing_values(values, name).astype(bool)  # an empty table has none
    array = as_array(values, name)
    if not where.any() or where.shape != array.shape:
        column(values, name)  # which refuses most of it
        raise InputError(f"{name} must be one-dimensional: give one value for each row.")
    return PartialColumn(column(array[where], name), where)


def column(values: ArrayLike | Column, name: str, remedy: str = "") -> Column:
    """Return values by their different ones, or numbers as they are; raises as `one_dimensional`.

    `remedy` is one more remedy for missing values, in the message.
    """
    if isinstance(values, Column):
        return values
    if isinstance(getattr(values, "dtype", None), pd.StringDtype | pd.CategoricalDtype):
        code, kinds = pd.factorize(values)  # type: ignore[call-overload]  # of pandas
        if len(code) and code.min() >= 0:
            return Column(one_dimensional(np.asarray(kinds), name), code)
    array = one_dimensional(values, name, remedy)
    if array.dtype.kind not in "OU":
        return Column(array)
    code, kinds = pd.factorize(array)
    return Column(np.asarray(kinds), code)


def column_with_missing(values: ArrayLike | Column, name: str) -> Column:
    """Return values by their different ones, with one more value for those that are missing.

    Raises InputError when a value has the name of this one.
    """
    if isinstance(values, Column):
        return values
    missing = missing_values(values, name)
    if not missing.any():
        return column(values, name)
    array = as_array(values, name).reshape(-1)
    if len(missing) != len(array):
        return column(values, name)  # which refuses it
    kinds, code = np.array([], dtype=object), np.full(len(array), -1)
    if not missing.all():
        known = column(array[~missing], name)
        code[~missing], kinds = known.coded()
    return fill_missing(kinds.astype(object), code, name)


def fill_missing(kinds: Array, code: Array, name: str) -> Column:
    """Return values by their different ones, with one more value for those of code −1."""
    missing = code < 0
    if not missing.any():
        return Column(kinds, code)
    if any(str(kind) == MISSING_GROUP for kind in kinds):
        raise InputError(
            f"{name} has {missing.sum()} missing value(s), which would be the group "
            f"{MISSING_GROUP!r}, and a group that is called so: rename that group."
        )
    return Column(
        np.append(kinds.astype(object), MISSING_GROUP), np.where(missing, len(kinds), code)
    )
