"""Files of evaluation harnesses and annotation tools, one reader per module, found by this folder.

A reader is a module with `knows`, which tells its files by their first record, and `rows`, which
makes rows of the records. It may have `ENDING`, of names of files that are no JSON, and `records`,
which unpacks them.
"""

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from fairpairs.base.plain_values import Record


class Reader(Protocol):
    """What a module of this folder holds."""

    def knows(self, record: Record) -> bool:
        """Return whether a file begins with such a record; those of a CSV have texts."""

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
    return next((reader for reader in readers() if reader.knows(record)), None)


def unpacked(path: Path, content: bytes) -> list[Record] | None:
    """Return the records of a file that is known by its name; None for any other."""
    for reader in readers():
        if path.suffix.lower() == getattr(reader, "ENDING", None):
            records: list[Record] = reader.records(path, content)
            return records
    return None
