"""The gate of all public functions: arrays and options are checked here, with one sentence each.

Arrays are taken by position, as scikit-learn and Fairlearn do. `same_items` refuses pandas objects
whose indexes differ. What any array must be is in `one_dimensional.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.base.arrays import Array, whole_levels
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.one_dimensional import not_single, one_dimensional
from fairpairs.base.tables import columns
from fairpairs.base.words import LARGEST_WHOLE

#: The side of the alternative hypothesis.
Alternative = Literal["two-sided", "greater", "less"]

#: Kinds of arrays that are no numbers: complex, dates, spans of time, records.
NO_NUMBERS = "cMmV"
#: Types that Python or numpy takes for numbers, and an option does not.
NO_NUMBER = (bool, np.bool_, np.timedelta64)
#: Numbers of which moments are taken lie between it and its reciprocal: fourth powers are floats.
LARGEST = 1e50
#: Largest number of permutations or drawn pairs: more add no precision.
MAX_PERMUTATIONS = 1_000_000
MAX_PAIRS = 10_000_000
#: Below it, p-values of few counts are not known.
SMALLEST_LEVEL = 1e-9
#: More groups than this are probably a mistake.
MAX_GROUPS = 20
#: The most arrays that a message lists.
MAX_LISTED = 4


def same_items(**arrays: Any) -> None:
    """Raise unless all are of the same items: of one length, and in one order as far as is known.

    Items are taken by position. The indexes of two pandas objects must be equal; but a default
    index (0, 1, …), such as that of new predictions, goes with any labels except its own in
    another order.
    """
    lengths = []
    for name, values in arrays.items():
        length = None
        with suppress(TypeError, ValueError):  # a foreign object may have a length below 0
            if not isinstance(values, str | bytes | set | frozenset):
                length = len(values)
        lengths.append((name, len(one_dimensional(values, name)) if length is None else length))
    other = next((pair for pair in lengths if pair[1] != lengths[0][1]), None)
    if other is not None:
        unequal = lengths if len(lengths) <= MAX_LISTED else [lengths[0], other]
        listed = ", ".join(f"{name} has {length}" for name, length in unequal)
        raise InputError(f"The arrays must have one length: {listed}.")
    same_index(**arrays)


def same_index(**arrays: Any) -> None:
    """Raise when the indexes of two pandas objects of one length differ (see `same_items`)."""
    indexes = {
        name: values.index
        for name, values in arrays.items()
        if isinstance(values, pd.Series | pd.DataFrame)
    }
    for (name, index), (other_name, other) in combinations(indexes.items(), 2):
        if index.equals(other):
            continue
        if index.isin(other).all() and other.isin(index).all():
            how = "the same labels in another order"
        elif _is_default(index) or _is_default(other):
            continue
        else:
            how = "different labels"
        raise InputError(
            f"{name} and {other_name} have an index with {how}: bring them into one order by "
            "their labels, or, if they are the same rows in the same order, take "
            ".reset_index(drop=True) of both."
        )


def _is_default(index: pd.Index[Any]) -> bool:
    return index.equals(pd.RangeIndex(len(index)))


def numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return numbers of any shape as floats; a missing one is NaN."""
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = np.where(pd.isna(array), np.nan, array)
    except Exception as error:  # whatever the conversion of a foreign object raises
        raise InputError(f"{name} must hold numbers: {shortened(error)}.") from error
    position = not_single(array.ravel())
    if position is not None:
        raise InputError(f"{name} must hold numbers; it holds {shown(array.ravel()[position])}.")
    return _floats(array, name)


def numeric(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return `values` as a one-dimensional array of finite floats."""
    array = _floats(one_dimensional(values, name), name)
    if not np.isfinite(array).all():
        kind = "an infinite" if np.isinf(array).any() else "a missing"
        raise InputError(f"{name} holds {kind} value: give finite numbers.")
    return array


def moderate(values: ArrayLike, name: str, *, missing: bool = False) -> NDArray[np.float64]:
    """Return `values` as floats of which moments can be taken; where `missing`, also NaN."""
    array = numbers(values, name) if missing else numeric(values, name)
    check_moderate(array, name)
    return array


def check_moderate(array: NDArray[np.float64], name: str) -> None:
    """Raise unless moments of numbers can be taken."""
    largest = float(np.abs(array[~np.isnan(array)]).max(initial=0))
    if np.isinf(largest):
        raise InputError(f"{name} holds an infinite value: give finite numbers.")
    if largest > LARGEST:
        raise InputError(
            f"{name} holds numbers as large as {largest:g}, and its largest may be {LARGEST:g}: "
            "divide all by a large number."
        )
    if 0 < largest < 1 / LARGEST:
        raise InputError(
            f"{name} holds numbers no larger than {largest:g}, and its largest must be at least "
            f"{1 / LARGEST:g}: multiply all by a large number."
        )


def _floats(array: Array, name: str) -> NDArray[np.float64]:
    if array.dtype.kind in NO_NUMBERS:
        raise InputError(f"{name} must hold numbers; it holds values of type {array.dtype}.")
    whole_numbers = array.dtype.kind in "iu" and array.size > 0
    if whole_numbers and max(int(array.max()), -int(array.min())) > LARGEST_WHOLE:
        raise InputError(
            f"{name} holds whole numbers above 2^53, which a float cannot tell apart: rank them."
        )
    try:
        with np.errstate(over="ignore"):
            # messages show Python's str without a type
            return (array.astype(object) if array.dtype.kind == "U" else array).astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must hold numbers: {shortened(error)}.") from error


def binary(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return `values` as zeros and ones."""
    array = one_dimensional(values, name)
    if array.dtype.kind in NO_NUMBERS:
        raise InputError(f"{name} must hold 0 and 1; it holds values of type {array.dtype}.")
    other = array[~np.isin(array, [0, 1])]
    if other.size:
        number = other.tolist()[0]
        if isinstance(number, float) and 0 < number < 1:
            raise InputError(
                f"{name} must hold 0 and 1 only; it holds {number}, a probability: give decisions, "
                f"such as {name} >= 0.5."
            )
        raise InputError(
            f"{name} must hold 0 and 1 only; it holds {shown(number)}: recode it, with "
            "1 for the favourable class."
        )
    try:
        return array.astype(np.int64)
    except TypeError as error:  # a time of length 1 is equal to 1
        raise InputError(f"{name} must hold 0 and 1 only, and holds a time: recode it.") from error


def levels(values: ArrayLike, name: str) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different values, sorted, and the index of each item's value among them."""
    array = one_dimensional(values, name)
    if array.dtype.kind in "biu":
        return whole_levels(array)
    try:
        names, codes = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise InputError(
            f"{name} mixes kinds of values ({shortened(error)}): make all of them text or numbers."
        ) from error
    return names.tolist(), codes


def groups(values: ArrayLike, *, least: int = 2) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Return the group of each item as 0, 1, …, and the values in that order (sorted).

    Several columns (a DataFrame, or an array of shape (n, columns)) make a group of each
    combination that occurs; its value is a tuple.
    """
    coded = [levels(column, name) for name, column in columns(values, "sensitive_features")]
    if len(coded) > 1:
        column_levels, codes = zip(*coded, strict=True)
        sizes = tuple(map(len, column_levels))
        try:
            index = np.ravel_multi_index(codes, sizes)
        except ValueError as error:
            raise InputError(
                f"sensitive_features has {len(sizes)} columns, too many to combine: give fewer."
            ) from error
        taken, code = np.unique(index, return_inverse=True)
        rows = zip(*np.unravel_index(taken, sizes), strict=True)
        names: list[Any] = [
            tuple(level[index] for level, index in zip(column_levels, indices, strict=True))
            for indices in rows
        ]
    else:
        ((names, code),) = coded
    if len(names) < least:
        raise InputError(
            f"sensitive_features has one group only ({shortened(group_name(names[0]))}): a test "
            "compares two groups."
        )
    if len(names) > MAX_GROUPS:
        raise InputError(
            f"sensitive_features has {len(names)} groups, more than {MAX_GROUPS}: join some, or "
            "test a continuous attribute with comparative_separation_slopes_test."
        )
    labels = [group_name(name) for name in names]
    if len(set(labels)) < len(labels):
        twice = next(word for word in labels if labels.count(word) > 1)
        raise InputError(
            f"sensitive_features has two groups that are called {shortened(twice)}: rename one."
        )
    return code.astype(np.int64), tuple(names)


def two_groups(values: ArrayLike) -> tuple[NDArray[np.int64], tuple[Any, Any]]:
    """Return the group of each item as 0 or 1, and the two values in that order (sorted)."""
    names, codes = levels(values, "sensitive_features")
    if len(names) == 1:
        raise InputError(
            f"sensitive_features has one group only ({shortened(names[0])}): a test compares two "
            "groups."
        )
    if len(names) > 2:
        raise InputError(
            f"sensitive_features has {len(names)} groups: make it binary, one group against the "
            "others."
        )
    first, second = names
    return codes.astype(np.int64), (first, second)


def group_name(value: object) -> str:
    """Return the name of a group; values of several attributes are joined by &."""
    return " & ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def one_of(value: object, name: str, allowed: Sequence[str]) -> None:
    """Raise unless an option is one of these values."""
    if not isinstance(value, str) or value not in allowed:
        listed = ", ".join(map(repr, allowed))
        raise InputError(f"{name} must be one of {listed}; it is {shown(value)}.")


def known_group(value: Any, name: str, names: Sequence[Any]) -> int:
    """Return the index of the group that an option names, among all."""
    parts = value if isinstance(value, tuple) else (value,)
    single = all(pd.api.types.is_scalar(part) and not pd.isna(part) for part in parts)
    if not single or value not in names:
        listed = shortened(", ".join(map(group_name, names)))
        raise InputError(f"There is no group {shown(value)} for `{name}`: name one of {listed}.")
    return names.index(value)


def of_type(value: object, name: str, kind: type, words: str) -> None:
    """Raise unless a value is of a type, in words."""
    if not isinstance(value, kind):
        raise InputError(f"{name} is {shown(value)}: give {words}.")


def flag(value: object, name: str) -> None:
    """Raise unless an option is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False; it is {shown(value)}.")


def whole(value: Any, name: str, least: int, most: int | None = None) -> None:
    """Raise unless an option is a whole number from `least` to `most`."""
    fits = isinstance(value, int | np.integer) and not isinstance(value, NO_NUMBER)
    if not fits or value < least or (most is not None and value > most):
        range_ = f"from {least} on" if most is None else f"from {least} to {most:,}"
        raise InputError(f"{name} must be a whole number {range_}; it is {shown(value)}.")


def between(value: Any, name: str, low: float, high: float, *, ends: bool = False) -> None:
    """Raise unless an option is a number between two others; with `ends`, or one of these."""
    real = isinstance(value, int | float | np.integer | np.float32) and not isinstance(
        value, NO_NUMBER
    )
    if not real or not (low < value < high or (ends and value in (low, high))):
        without = ", without these" if real and value in (low, high) else ""
        raise InputError(
            f"{name} must lie between {low:g} and {high:g}{without}; it is {shown(value)}."
        )


def finite(value: Any, name: str) -> None:
    """Raise unless an option is a finite number."""
    is_number = isinstance(value, Real) and not isinstance(value, NO_NUMBER)
    if not is_number or not abs(value) <= sys.float_info.max:  # whole numbers have no end
        raise InputError(f"{name} must be a finite number; it is {shown(value)}.")


def level(alpha: float, name: str = "alpha") -> None:
    """Raise unless `alpha` is a level."""
    between(alpha, name, 0, 1)
    if alpha < SMALLEST_LEVEL:
        raise InputError(f"{name} must be at least {SMALLEST_LEVEL:g}; it is {shown(alpha)}.")


def side(alternative: str) -> None:
    """Raise unless `alternative` names a side."""
    one_of(alternative, "alternative", get_args(Alternative))


def generator(random_state: int | np.random.Generator | None) -> np.random.Generator:
    """Return a source of randomness from a seed or a generator."""
    try:
        return np.random.default_rng(random_state)
    except Exception as error:  # whatever a foreign object raises
        raise InputError(
            "random_state must be a whole number from 0 on or a generator; it is "
            f"{shown(random_state)}."
        ) from error
