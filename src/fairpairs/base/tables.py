"""Arguments that hold one or several columns: tables of pandas, Arrow or Polars, and arrays."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base.errors import InputError, shortened


def table(values: Any, name: str) -> pd.DataFrame | None:
    """Return several columns, with their names where they have any; None for a single one.

    pandas, Arrow and Polars tables have names; the columns of an array are numbered.
    """
    if isinstance(values, pd.DataFrame):
        return values
    if hasattr(values, "__arrow_c_stream__") and len(getattr(values, "shape", ())) == 2:
        import pyarrow as pa  # noqa: PLC0415  (slow)

        return pd.DataFrame(pa.table(values).to_pandas())
    try:
        several = np.ndim(values) == 2
    except Exception:  # for instance ragged lists, which `one_dimensional` reports
        several = False
    if not several:
        return None
    try:
        return pd.DataFrame(values)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} must hold columns of single values: {shortened(error)}."
        ) from error


def columns(values: Any, name: str) -> list[tuple[str, ArrayLike]]:
    """Return each column of one or several, and what messages call it."""
    numbers = type(values) is np.ndarray and values.dtype.kind in "biuf"
    if numbers and values.ndim == 2 and values.shape[1] > 1:  # a table takes longer than all else
        return [(f"{name}, column {i}", values[:, i]) for i in range(values.shape[1])]
    several = table(values, name)
    if several is None or several.shape[1] < 2:
        return [(name, values)]
    return [
        (f"{name}, column {column}", several.iloc[:, i].to_numpy())
        for i, column in enumerate(several.columns)
    ]
