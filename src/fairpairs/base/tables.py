"""Arguments that hold one or several columns: tables of any kind, and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base.errors import InputError, shortened

if TYPE_CHECKING:
    import narwhals as nw

#: A table of pandas, or of another kind as narwhals has it: in memory, or yet to be computed.
Frame: TypeAlias = "pd.DataFrame | nw.DataFrame[Any] | nw.LazyFrame[Any]"


def frame_of(values: Any, name: str) -> Frame | None:
    """Return a table of any kind, one of Modin as pandas has it; None for what is none."""
    if isinstance(values, pd.DataFrame):
        return values
    if isinstance(values, np.ndarray | pd.Series):
        return None
    import narwhals as nw  # noqa: PLC0415  (slow)

    if type(values).__name__ == "RecordBatchReader":  # of Arrow, which can be read once
        import duckdb  # noqa: PLC0415  (slow)

        try:
            values = duckdb.from_arrow(values)
        except duckdb.Error as error:  # a type that it does not have
            raise InputError(
                f"{name} cannot be read ({shortened(error)}): give a table, its read_all()."
            ) from error
    try:
        frame = nw.from_native(values, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"{name}: {shortened(error)}: rename or drop one.") from error
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        columnar = hasattr(values, "__arrow_c_stream__") and len(getattr(values, "shape", ())) == 2
        return nw.from_arrow(values, backend="pyarrow") if columnar else None
    if isinstance(frame, nw.DataFrame) and frame.implementation.is_pandas_like():
        return frame.to_pandas()
    return frame


def table(values: Any, name: str) -> pd.DataFrame | None:
    """Return the columns of a table in memory, or of an array, numbered; None for a single one."""
    frame = frame_of(values, name)
    if isinstance(frame, pd.DataFrame):
        return frame
    if frame is not None:
        import narwhals as nw  # noqa: PLC0415  (slow)

        if isinstance(frame, nw.DataFrame):
            return pd.DataFrame(frame.to_arrow().to_pandas())
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
