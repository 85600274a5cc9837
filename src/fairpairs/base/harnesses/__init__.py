"""Files of evaluation harnesses and annotation tools, one reader per module, found by this folder.

A reader is a module with `KNOWN`, which tells its files by their first record, and `rows`, which
makes rows of the records. It may have `ENDING`, of names of files that are no JSON, and `records`,
which unpacks them.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

from fairpairs.base.plain_values import Record


class Reader(Protocol):
    """What a module of this folder holds."""

    #: Columns of the first record, each with the type of its value, or a function that tells it;
    #: one of several such records. Those of a CSV have texts.
    KNOWN: tuple[Mapping[str, type | Callable[[object], bool]], ...]

    def rows(self, records: list[Record], called: str) -> list[Record]:
        """Return a row per item or judgment; InputError for another version, or no verdicts."""


@cache
def readers() -> tuple[Any, ...]:
    """Return all readers, by name."""
    names = sorted(
        module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")
    )
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in names)


def reader_of(record: Record) -> Reader | None:
    """Return the reader of a file that begins with this record; None for rows of a table."""
    for reader in readers():
        for known in reader.KNOWN:
            if known.keys() <= record.keys() and all(
                isinstance(record[name], kind) if isinstance(kind, type) else kind(record[name])
                for name, kind in known.items()
            ):
                return cast("Reader", reader)
    return None


def unpacked(path: Path, content: bytes) -> list[Record] | None:
    """Return the records of a file that is known by its name; None for any other."""
    for reader in readers():
        if path.suffix.lower() == getattr(reader, "ENDING", None):
            records: list[Record] = reader.records(path, content)
            return records
    return None
