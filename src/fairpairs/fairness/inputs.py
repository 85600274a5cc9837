"""Checks of what is handed to a test, with messages that name the argument and the remedy."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.errors import InputError

#: On which side of the hypothesis a test looks.
Alternative = Literal["two-sided", "greater", "less"]

#: Kinds of arrays that are no numbers: complex, dates, spans of time, records.
NO_NUMBERS = "cMmV"
#: Above it, neighbouring whole numbers are one float.
LARGEST_WHOLE = 2**53


def one_dimensional(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return `values` as a one-dimensional array without missing values."""
    try:
        # asked of the values as given: an array of words would take NaN as the word "nan"
        missing = np.atleast_1d(np.asarray(pd.isna(values))).ravel()  # type: ignore[arg-type]
        array = np.asarray(values)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise InputError(
            f"{name} must be one-dimensional, a list, array or Series of single values: {error}."
        ) from error
    if isinstance(values, np.ma.MaskedArray):
        missing = missing | np.ma.getmaskarray(values).ravel()
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(
            f"{name} must be one-dimensional, a list, array or Series; it has the shape "
            f"{array.shape}."
        )
    if array.size == 0:
        raise InputError(f"{name} is empty: give at least one item.")
    if missing.any():
        raise InputError(
            f"{name} has {missing.sum()} missing value(s), the first at position "
            f"{int(np.argmax(missing))}: drop these items or fill them in."
        )
    return array


def same_length(**arrays: NDArray[Any]) -> None:
    """Raise unless all arrays have one length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"The arrays must have one length: {listed}.")


def numeric(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return `values` as finite floats."""
    array = one_dimensional(values, name)
    if array.dtype.kind in NO_NUMBERS:
        raise InputError(f"{name} must hold numbers; it holds values of type {array.dtype}.")
    if array.dtype.kind in "iu" and max(int(array.max()), -int(array.min())) > LARGEST_WHOLE:
        raise InputError(
            f"{name} holds whole numbers above 2^53, which a float cannot tell apart: rank them."
        )
    try:
        with np.errstate(over="ignore"):
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must hold numbers: {error}.") from error
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds an infinite value: give finite numbers.")
    return array


def binary(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return `values` as zeros and ones."""
    array = one_dimensional(values, name)
    if array.dtype.kind in NO_NUMBERS:
        raise InputError(f"{name} must hold 0 and 1; it holds values of type {array.dtype}.")
    other = array[~np.isin(array, [0, 1])]
    if other.size:
        raise InputError(
            f"{name} must hold 0 and 1 only; it holds {other.tolist()[0]!r}: recode it, with 1 "
            "for the favourable class."
        )
    return array.astype(np.int64)


#: More groups than this are taken for a mistake.
MOST_GROUPS = 20


def groups(values: ArrayLike, *, least: int = 2) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Return the group of each item as 0, 1, …, and the values in that order (sorted).

    Several columns (a DataFrame, or an array of shape (n, columns)) make a group of each
    combination that occurs; its value is a tuple.
    """
    if np.ndim(values) == 2 and np.shape(values)[1] > 1:
        table = pd.DataFrame(values)  # type: ignore[arg-type]  # keeps a missing value among words as it is
        columns = [
            one_dimensional(table[name].to_numpy(), f"sensitive_features, column {name}")
            for name in table
        ]
        levels, codes = zip(*map(_unique, columns), strict=True)
        sizes = tuple(map(len, levels))
        try:
            place = np.ravel_multi_index(codes, sizes)
        except ValueError as error:
            raise InputError(
                f"sensitive_features has {len(sizes)} columns, too many to combine: give fewer."
            ) from error
        taken, code = np.unique(place, return_inverse=True)
        each = zip(*np.unravel_index(taken, sizes), strict=True)
        names: list[Any] = [
            tuple(level[place] for level, place in zip(levels, places, strict=True))
            for places in each
        ]
    else:
        names, code = _unique(one_dimensional(values, "sensitive_features"))
    if len(names) < least:
        raise InputError(
            f"sensitive_features has one group only ({group_name(names[0])}): a test compares "
            "two groups."
        )
    words = [group_name(name) for name in names]
    if len(set(words)) < len(words):
        raise InputError(
            "sensitive_features has two groups that are called "
            f"{next(word for word in words if words.count(word) > 1)}: rename one."
        )
    if len(names) > MOST_GROUPS:
        raise InputError(
            f"sensitive_features has {len(names)} groups, more than {MOST_GROUPS}: join some, or "
            "test a continuous attribute with comparative_separation_slopes_test."
        )
    return code.astype(np.int64), tuple(names)


def two_groups(values: ArrayLike) -> tuple[NDArray[np.int64], tuple[Any, Any]]:
    """Return the group of each item as 0 or 1, and the two values in that order (sorted)."""
    names, codes = _unique(one_dimensional(values, "sensitive_features"))
    if len(names) == 1:
        raise InputError(
            f"sensitive_features has one group only ({names[0]!s}): a test compares two groups."
        )
    if len(names) > 2:
        raise InputError(
            f"sensitive_features has {len(names)} groups: make it binary, one group against the "
            "others."
        )
    first, second = names
    return codes.astype(np.int64), (first, second)


def _unique(array: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    try:
        names, codes = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise InputError(
            f"sensitive_features mixes kinds of values ({error}): make all of them text or numbers."
        ) from error
    return names.tolist(), codes


def group_name(value: object) -> str:
    """Say a group in words; a combination of attributes is joined by &."""
    return " & ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def generator(random_state: int | np.random.Generator | None) -> np.random.Generator:
    """Return a source of randomness from a seed or a generator."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"random_state must be a whole number from 0 on or a generator; it is {random_state!r}."
        ) from error


def level(alpha: float) -> None:
    """Raise unless `alpha` is a level."""
    if not isinstance(alpha, int | float | np.number) or not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1; it is {alpha!r}.")


def side(alternative: str) -> None:
    """Raise unless `alternative` names a side."""
    if not isinstance(alternative, str) or alternative not in get_args(Alternative):
        raise InputError(
            f"alternative must be 'two-sided', 'greater' or 'less'; it is {alternative!r}."
        )
