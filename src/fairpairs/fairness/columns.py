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
    kinds
        The different values, shape (k,); of numbers the value of each item, shape (n,).
    code
        Place of each item's value among them, shape (n,); None for numbers.
    """

    kinds: NDArray[Any]
    code: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.kinds if self.code is None else self.code)

    def of_items(self, of_kinds: NDArray[Any]) -> NDArray[Any]:
        """Return for each item what there is for its value, shape (n,)."""
        return of_kinds if self.code is None else of_kinds[self.code]


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
        code, kinds = pd.factorize(values)  # type: ignore[call-overload]  # of pandas
        if len(code) and code.min() >= 0:
            return Column(inputs.one_dimensional(np.asarray(kinds), name), code)
    array = inputs.one_dimensional(values, name)
    if array.dtype.kind not in "OU":
        return Column(array)
    code, kinds = pd.factorize(array)
    return Column(np.asarray(kinds), code)
