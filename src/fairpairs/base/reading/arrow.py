"""Values of any program as columns of Arrow, whose whole numbers never become floats."""

from __future__ import annotations

import decimal
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fairpairs.base.arrays import Array, Floats
from fairpairs.base.errors import InputError, half_character, shortened, shown
from fairpairs.base.files import MISSING
from fairpairs.base.words import word

AnyArray = TypeVar("AnyArray", pa.Array, pa.ChunkedArray)

#: What a list of values is in JSON, and in Parquet.
LISTS = (list, np.ndarray)
#: Types of pandas that Arrow takes for records or days, such as of bands of ages (`cut`).
SPANS = (pd.IntervalDtype, pd.PeriodDtype)
#: Types of cells that are not single values.
NOT_SINGLE = (dict, bytes, *LISTS)
#: The type of a column that mixes them with others: each as JSON, and its kind.
OF_SEVERAL_KINDS = pa.struct([("", pa.string()), ("kind", pa.string())])
#: Words that are numbers too, in small letters.
TRUE_FALSE = {"true": 1.0, "false": 0.0}


def column_of(values: Any, place: str) -> pa.ChunkedArray:
    """Return values as a column: missing ones are null, and NaN is missing.

    Values of several kinds become their words; InputError where two kinds have the same.
    """
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, pd.CategoricalDtype) and isinstance(dtype.categories.dtype, SPANS):
        values = values.cat.rename_categories(str)
    elif isinstance(dtype, SPANS):
        values = values.astype("string")
    try:
        if dtype == np.dtype(object):
            pd.isna(values)  # which a signalling NaN refuses
        array = pa.array(values, from_pandas=True)
    except UnicodeEncodeError as error:
        raise half_character(place, error) from error
    except decimal.InvalidOperation as error:
        raise InputError(
            f"{place} holds a decimal that signals that it is no number (sNaN): correct it, or "
            "leave the cell empty."
        ) from error
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        array = _of_several_kinds(list(values), place)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _of_several_kinds(values: list[Any], place: str) -> pa.Array:
    given = [_only(value) for value in values]
    missing = [
        value is None
        or value is pd.NA
        or (isinstance(value, float | np.floating) and np.isnan(value))
        for value in given
    ]
    known = [value for value, none in zip(given, missing, strict=True) if not none]
    if all(type(value) is int and 0 <= value < 2**64 for value in known):
        kept = [None if none else value for value, none in zip(given, missing, strict=True)]
        return pa.array(kept, pa.uint64())
    if any(isinstance(value, NOT_SINGLE) for value in known):  # refused if a role reads them
        cells = [None if value is None else (_json(value), _kind(value)) for value in given]
        return pa.array(cells, OF_SEVERAL_KINDS)
    kinds: dict[str, Any] = {}
    for row, value in enumerate(given):
        other = kinds.setdefault(word(value), value)
        if (isinstance(other, str) != isinstance(value, str)) and not missing[row]:
            one, two = sorted((other, value), key=lambda one: isinstance(one, str))
            raise InputError(
                f"{place} mixes kinds of values, {shown(one)} and {shown(two)}: write it in one "
                "way."
            )
    texts = [None if none else word(value) for value, none in zip(given, missing, strict=True)]
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError as error:
        raise half_character(place, error) from error


def _kind(value: Any) -> str:
    """Return the kind of a value of several, "" for a single one."""
    if isinstance(value, LISTS):
        return "lists"
    return "records" if isinstance(value, NOT_SINGLE) else ""


def _json(value: Any) -> str:
    """Return a value as JSON has it, and what JSON has not as text."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _only(value: Any) -> Any:
    """Return the value of a list of one, or of an array of no dimension; others as they are.

    >>> [_only(value) for value in ([4], np.array(3), [1, 2], np.ma.masked)]
    [4, 3, [1, 2], None]
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return None if value is np.ma.masked else value.item()
    return value[0] if isinstance(value, LISTS) and len(value) == 1 else value


def check_names(path: Path | str, names: Sequence[str] | pd.Index[str]) -> None:
    """Raise InputError when two columns have one name, or one has a zero character in it."""
    cut = [name for name in names if "\0" in str(name)]
    if cut:
        raise InputError(
            f"{path}: the name of the column {shown(cut[0])} holds a zero character, at which some "
            "programs end a name: rename the column."
        )
    for name in names:
        try:
            str(name).encode()
        except UnicodeEncodeError as error:
            raise half_character(f"{path}: the name of a column", error) from error
    index = pd.Index(list(map(str, names)))
    if index.has_duplicates:
        again = index[index.duplicated()][0]
        raise InputError(f"{path}: duplicate column `{again}`: rename or drop one.")


def table_of(rows: Iterable[Mapping[str, Any]], called: str) -> pa.Table:
    """Return records as a table; one that lacks a name has no value there."""
    columns: dict[str, list[Any]] = {}
    number = 0
    for number, row in enumerate(rows, 1):
        for name, value in row.items():
            values = columns.setdefault(str(name), [])
            values += [None] * (number - 1 - len(values))
            values.append(_only(value))
    check_names(called, list(columns))
    return pa.table(
        {
            name: column_of(values + [None] * (number - len(values)), f"{called}: column `{name}`")
            for name, values in columns.items()
        }
    )


def single(values: pa.ChunkedArray, place: str) -> pa.ChunkedArray:
    """Return a column as texts, whole numbers, 64-bit floats or true and false, null where missing.

    Texts have no blanks around them. A float of fewer bits is the number that it is written as, so
    0.7 is 0.7. InputError for lists of several values, records and bytes.
    """
    types = pa.types
    if types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if is_text(values.type):
        return _trimmed(values)
    kind = kind_of(values.type)
    if kind == "lists" and not types.is_map(values.type):
        other = pc.not_equal(pc.list_value_length(values), 1)
        if pc.any(other).as_py():
            row = pc.index(other, True).as_py()
            raise InputError(
                f"{place} holds lists, the first of {len(values[row])} values in row {row + 1}: "
                "write a text or a number in each row, or name another column."
            )
        firsts = [None if value is None else value[0] for value in values.to_pylist()]
        values = pa.chunked_array([pa.array(firsts, values.type.value_type)])
        kind = kind_of(values.type)
    if kind in ("lists", "records", "bytes"):
        where = pc.is_valid(values)
        if values.type == OF_SEVERAL_KINDS:
            kinds = pc.struct_field(values, [1])
            where = pc.greater(kinds, "")
            kind = kinds.filter(where)[0].as_py()
        row = pc.index(where, True).as_py() + 1
        raise InputError(
            f"{place} holds {kind}, the first in row {row}: write a text or a number in each row, "
            "or name another column."
        )
    if kind == "text":  # that was in lists of one
        return _trimmed(values)
    if types.is_floating(values.type):
        values = as_written(values)
        return pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
    if types.is_integer(values.type) or kind == "true and false":
        return values
    try:
        # of nothing, decimals, times
        texts = [None if one is None or one is pd.NaT else str(one) for one in values.to_pandas()]
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{place} holds a date that no calendar has ({shortened(error)}): dates are of the "
            "years 1 to 9999: correct it, or leave the cell empty."
        ) from error
    return pa.chunked_array([pa.array(texts, pa.string())])


def kind_of(kind: pa.DataType) -> str:
    """Return the kind of values of a type, in words."""
    types = pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    names = {
        "text": (is_text,),
        "numbers": (types.is_integer, types.is_floating, types.is_decimal),
        "true and false": (types.is_boolean,),
        "nothing": (types.is_null,),
        "records": (types.is_struct,),
        "lists": (types.is_nested,),
        "bytes": (
            types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view
        ),
    }  # fmt: skip
    for name, tests in names.items():
        if any(test(kind) for test in tests):
            return name
    return f"values of type {kind}"


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type is one of text."""
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def cells_of(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values as a CSV has them: records and lists, which numpy would shorten, as JSON."""
    if values.type == OF_SEVERAL_KINDS:
        return pc.struct_field(values, [0])
    if kind_of(values.type) not in ("records", "lists"):
        return as_written(values)
    texts = [None if value is None else _json(value) for value in values.to_pylist()]
    return pa.chunked_array([pa.array(texts, pa.string())])


def as_written(values: AnyArray) -> AnyArray:
    """Return floats of fewer than 64 bits as the numbers that they are written as; others as is."""
    if pa.types.is_float16(values.type):
        texts = pa.array(values.to_numpy(zero_copy_only=False).astype(str))
        values = pa.chunked_array([texts]) if isinstance(values, pa.ChunkedArray) else texts
        return values.cast(pa.float64())
    return values.cast(pa.string()).cast(pa.float64()) if values.type == pa.float32() else values


def written_floats(values: Array) -> Floats:
    """Return numbers as 64-bit floats (see `as_written`).

    >>> written_floats(np.array([0.7], dtype=np.float32)).tolist()
    [0.7]
    """
    if values.dtype.kind != "f" or values.dtype.itemsize >= np.dtype(np.float64).itemsize:
        return values.astype(np.float64)
    return np.asarray(as_written(pa.array(values)).to_numpy(zero_copy_only=False))


def _trimmed(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts without blanks around them, null where they mean a missing value."""
    if not len(values):
        return values.cast(pa.string())
    encoded = values.cast(pa.string()).dictionary_encode().unify_dictionaries().combine_chunks()
    kinds = pc.utf8_trim_whitespace(encoded.dictionary)
    missing = pc.is_in(kinds, pa.array(MISSING))
    kinds = pc.if_else(missing, pa.scalar(None, pa.string()), kinds)
    if len(kinds) <= len(MISSING) + len(TRUE_FALSE):
        known = pc.unique(kinds.drop_null())
        texts = {text.lower() for text in known.to_pylist()}
        # TRUE beside true are two values, which are refused or reported as written alike
        if texts <= TRUE_FALSE.keys() and len(texts) == len(known):
            kinds = pc.utf8_capitalize(kinds)  # as Python and pandas write them
    if kinds.equals(encoded.dictionary):
        return pa.chunked_array([encoded])
    return pa.chunked_array([kinds.take(encoded.indices).dictionary_encode()])
