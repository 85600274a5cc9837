"""Records as plain values for JSON, without loss: a record is written field by field."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return records, arrays, mappings, tuples and lists as plain values; others are plain.

    All but a list is a dict of one key, its kind.

    >>> plain({"a": (1, None)})
    {'mapping': [['a', {'tuple': [1, None]}]]}
    """
    if isinstance(value, np.ndarray):
        content = base64.b64encode(value.tobytes()).decode()
        return {"array": [value.dtype.str, list(value.shape), content]}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [plain(each) for each in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[plain(key), plain(each)] for key, each in value.items()]}
    if hasattr(value, "__dict__"):
        fields = {name: plain(each) for name, each in vars(value).items()}
        return {type(value).__name__: fields}
    return value.item() if isinstance(value, np.generic) else value


def restored(value: Any, records: Mapping[str, type]) -> Any:
    """Return what `plain` took; `records` are the classes of records, by name.

    >>> restored(plain({"a": (1, np.array([0.5, np.nan]))}), {})
    {'a': (1, array([0.5, nan]))}
    """
    if isinstance(value, list):
        return [restored(each, records) for each in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        dtype, shape, text = content
        return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()
    if kind == "tuple":
        return tuple(restored(content, records))
    if kind == "mapping":
        return dict(restored(content, records))
    record: Any = object.__new__(records[kind])
    for name, each in content.items():
        object.__setattr__(record, name, restored(each, records))
    return record
