"""JSON: objects, one on each line or all in an array, and files of evaluation harnesses."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairpairs.base.errors import InputError, shown
from fairpairs.base.harnesses import reader_of, unpacked
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.arrow import table_of
from fairpairs.base.reading.packed import content_of, last_line, start_of, zero_bytes
from fairpairs.base.texts import named_twice

#: Bytes in which a JSON file has shown itself.
LONGEST_START = 100
#: How a text of JSON objects starts: one on each line, or in an array.
OBJECTS = re.compile(rb"\s*(\{|\[\s*\{)")
#: Endings of the names of JSON files, and of logs that hold JSON.
JSON = (".json", ".jsonl", ".ndjson", ".eval")
#: Bytes of JSON that are read into memory.
MAX_JSON = 2 * 10**9


def _once(pairs: list[tuple[str, Any]]) -> Record:
    """Return an object whose keys are given once each."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = named_twice(name for name, _ in pairs)
        raise ValueError(f"an object has the key {shown(twice)} twice")
    return found


_decode = json.JSONDecoder(object_pairs_hook=_once).decode


def is_json(path: Path, start: bytes) -> bool:
    """Return whether a file with this start is JSON."""
    objects = OBJECTS.match(start[:LONGEST_START].removeprefix(codecs.BOM_UTF8))
    return bool(objects) or path.name.lower().removesuffix(".gz").endswith(JSON)


def read_json(path: Path) -> pa.Table:
    """Return the columns of the objects of a file."""
    if start_of(path, LONGEST_START).startswith(bytes(4)):
        raise zero_bytes(path)
    content = content_of(path, MAX_JSON, "write it as Parquet")
    log = unpacked(path, content)
    return columns_of(path, _values(path, content) if log is None else log)


def columns_of(path: Path, values: Iterable[Any]) -> pa.Table:
    """Return the columns of objects, or of the rows that the reader of a harness makes of them."""
    objects = (_object(path, value) for value in values)
    first = list(islice(objects, 1))
    reader = reader_of(first[0]) if first else None
    rows: Iterable[Record] = chain(first, objects)
    table = table_of(rows if reader is None else reader.rows(list(rows), str(path)), str(path))
    if not table.num_columns:
        raise InputError(f"{path}: the file has no rows: give at least one row.")
    return table


def _object(path: Path, value: Any) -> Record:
    if not isinstance(value, dict):
        raise InputError(
            f"{path}: it holds {shown(value)}, which is no object such as "
            '{"chosen": 1.5, "rejected": 0.2}: write one object on each line.'
        )
    return value


def _values(path: Path, content: bytes) -> Iterator[Any]:
    """Yield the values of an array, or of the lines."""
    try:
        text = content.decode("utf-8-sig").strip()
        if not (text.startswith("[") or text.partition("\n")[0].strip() == "{"):
            yield from _lines(path, text)
            return
        value = _decode(text)
    # also of too many digits, and of lists in lists in lists
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path}: cannot be read as JSON ({last_line(error)}): write one object on each line."
        ) from error
    yield from value if isinstance(value, list) else [value]


def _lines(path: Path, text: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), 1):  # a text may hold other line breaks
        if not line or line.isspace():
            continue
        try:
            yield _decode(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", last_line(error))
            raise InputError(
                f"{path}: line {number} is not JSON ({reason}): write one object on each line."
            ) from error
