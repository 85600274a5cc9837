"""What any array must be: one-dimensional, of single values, none of them missing."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.base.arrays import Array
from fairpairs.base.errors import InputError, half_character, shortened, shown

#: Kinds of arrays whose elements are no single values: complex numbers, records.
NOT_SINGLE = "cV"
#: Types of such values.
NO_SINGLE = (complex, np.complexfloating, np.void)
#: What pandas calls an array of objects that are single values of one kind.
SINGLE = (
    "string", "bytes", "floating", "integer", "mixed-integer-float", "decimal", "boolean",
    "datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period", "interval",
)  # fmt: skip


def missing_values(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    """Return which values are missing, or masked."""
    if type(values) is np.ndarray and values.dtype.kind in "biuf":  # in a tenth of the time
        return np.isnan(values).ravel()
    try:
        missing = np.atleast_1d(np.asarray(pd.isna(values))).ravel()  # type: ignore[arg-type]
    except Exception as error:  # whatever the conversion of a foreign object raises
        raise _not_one_dimensional(name, error) from error
    if isinstance(values, np.ma.MaskedArray) and values.ndim:
        missing = missing | np.ma.getmaskarray(values).ravel()
    return missing


def as_array(values: ArrayLike, name: str) -> Array:
    """Return values as an array; InputError where numpy cannot make one."""
    try:
        return np.asarray(values)
    except Exception as error:  # whatever the conversion of a foreign object raises
        raise _not_one_dimensional(name, error) from error


def one_dimensional(values: ArrayLike, name: str, remedy: str = "") -> Array:
    """Return `values` as a one-dimensional array of single values, none of which is missing.

    `remedy` is one more remedy for missing values, in the message.
    """
    # before the conversion to an array, which would turn NaN among strings into "nan"
    missing = missing_values(values, name)
    array = as_array(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 0:
        raise InputError(
            f"{name} must be one-dimensional, a list, array or Series; it is of the type "
            f"{type(values).__name__}: make a list or an array of its values."
        )
    if array.ndim != 1:
        raise InputError(
            f"{name} must be one-dimensional, a list, array or Series; it has the shape "
            f"{array.shape}{_probabilities_remedy(array, name)}."
        )
    if array.size == 0:
        raise InputError(f"{name} is empty: give at least one row.")
    if missing.any():
        raise InputError(
            f"{name} has {missing.sum()} missing value(s), the first at position "
            f"{int(np.argmax(missing))}: drop these rows or fill them in{remedy}."
        )
    position = not_single(np.asarray(array))
    if position is not None:
        raise InputError(
            f"{name} must hold single values (real numbers, strings, dates); it holds "
            f"{shown(array[position])} at position {position}."
        )
    if array.dtype.kind in "mM" and np.datetime_data(array.dtype)[0] == "generic":
        raise InputError(f"{name} holds times without a unit, such as days: give them one.")
    if array.dtype in ("datetime64[ns]", "timedelta64[ns]"):
        coarser = array.astype(array.dtype.str.replace("ns", "us"))
        array = coarser if (coarser == array).all() else array  # Python has no nanoseconds
    decoded = _decoded(np.asarray(array), name)
    if decoded.dtype == object or (decoded.dtype.kind == "U" and _has_halves(decoded)):
        try:
            "".join(value for value in pd.unique(decoded) if isinstance(value, str)).encode()
        except UnicodeEncodeError as error:
            raise half_character(name, error) from error
    return decoded


def _has_halves(text: Array) -> bool:
    """Say whether a text holds half of a character; this takes less time than to encode all."""
    try:
        text.tobytes().decode("utf-32-be" if text.dtype.byteorder == ">" else "utf-32-le")
    except UnicodeDecodeError:
        return True
    return False


def _decoded(array: Array, name: str) -> Array:
    """Return text for bytes, as NumPy and HDF5 files hold it; other values as they are."""
    is_bytes = array.dtype.kind == "S" or (
        array.dtype == object and pd.api.types.infer_dtype(array, skipna=False) == "bytes"
    )
    if not is_bytes:
        return array
    try:
        return np.array([value.decode() for value in array.tolist()])
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} holds bytes that are no UTF-8 text ({shown(error.object)}): decode them."
        ) from error


def _not_one_dimensional(name: str, error: Exception) -> InputError:
    return InputError(
        f"{name} must be one-dimensional, a list, array or Series of single values: "
        f"{shortened(error)}."
    )


def _probabilities_remedy(array: Array, name: str) -> str:
    """Return the remedy for an array that holds the probabilities of two classes."""
    two = array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind == "f" and array.size > 0
    if two and array.min() >= 0 and np.allclose(array.sum(axis=1), 1):
        return f", the probabilities of two classes: take those of the second, {name}[:, 1]"
    return ""


def not_single(array: Array) -> int | None:
    """Return the position of the first element that is no single value."""
    if array.dtype.kind in NOT_SINGLE:
        return 0
    if array.dtype != object or pd.api.types.infer_dtype(array, skipna=False) in SINGLE:
        return None
    for position, value in enumerate(array):
        if not pd.api.types.is_scalar(value) or isinstance(value, NO_SINGLE):
            return position
    return None
