"""Columns of text by their different values, so that a value that repeats is read once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.fairness import inputs


@dataclass(frozen=True)
class Column:
    """The values of items, none of which is missing.

    Attributes
    ----------
    values
        The different values, shape (k,); of numbers the value of each item, shape (n,).
    code
        Place of each item's value among them, shape (n,); None for numbers.
    """

    values: NDArray[Any]
    code: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.values if self.code is None else self.code)

    def of_items(self, of_values: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the values of the items, shape (n,), or what there is of each value."""
        found = self.values if of_values is None else of_values
        return found if self.code is None else found[self.code]


def column(values: ArrayLike | Column, name: str) -> Column:
    """Return single values, none of which is missing, by their different ones unless numbers.

    Raises
    ------
    InputError
        As for `one_dimensional`.
    """
    if isinstance(values, Column):
        return values
    if isinstance(getattr(values, "dtype", None), pd.StringDtype | pd.CategoricalDtype):
        code, different = pd.factorize(values)  # type: ignore[arg-type]  # of pandas
        if len(code) and code.min() >= 0:
            kinds = inputs.one_dimensional(np.asarray(different), name)
            return Column(kinds, code)
    array = inputs.one_dimensional(values, name)
    if array.dtype.kind not in "OU":
        return Column(array)
    code, different = pd.factorize(array)
    return Column(np.asarray(different), code)
