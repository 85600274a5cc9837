"""Parquet files that carry the sha256 of all their bytes, so that damage is noticed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from fairpairs.base.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

#: The key of the digest in the file's metadata, and what is hashed in place of its digits.
KEY, BLANK = "fairpairs_sha256", b"0" * 64
#: The key as the end of a file has it, before the length of the text and its digits.
PLACE = re.compile(KEY.encode() + rb"\x18\x40(.{64})", re.DOTALL)
#: What all Parquet files end with, after the length of their footer in four bytes.
MAGIC = b"PAR1"
#: Bytes that are hashed at a time.
BLOCK = 2**20


@contextmanager
def sealed_writer(path: Path, schema: pa.Schema, **options: Any) -> Iterator[pq.ParquetWriter]:
    """Yield a writer of a Parquet file, which carries its digest in the end."""
    import pyarrow.parquet as pq  # noqa: PLC0415  (slow)

    with pq.ParquetWriter(path, schema, compression="zstd", **options) as writer:
        yield writer
        writer.add_key_value_metadata({KEY: BLANK.decode()})
    with path.open("r+b") as file:
        found = _place(file)
        assert found is not None
        digest = _digest(file, found[0])
        file.seek(found[0])
        file.write(digest)


def checked_digest(path: str | Path) -> str | None:
    """Return the digest that a Parquet file carries, None for one without.

    A file whose bytes have another digest raises InputError.
    """
    with Path(path).open("rb") as file:
        found = _place(file)
        if found is None:
            return None
        place, written = found
        digest = _digest(file, place)
    if digest != written:
        raise InputError(
            f"{path}: damaged, or changed since FairPairs wrote it: delete it, and run the command "
            "that wrote it again."
        )
    return digest.decode()


def carries_digest(path: Path) -> bool:
    """Return whether a file carries a digest, without a check."""
    with path.open("rb") as file:
        return _place(file) is not None


def _place(file: BinaryIO) -> tuple[int, bytes] | None:
    """Return where the digits are, and which; None if there are none."""
    end = file.seek(0, 2) - 8
    if end < 0:
        return None
    file.seek(end)
    start = end - int.from_bytes(file.read(4), "little")
    if file.read() != MAGIC or start < 0:
        return None
    file.seek(start)
    found = PLACE.search(file.read(end - start))
    return (start + found.start(1), found[1]) if found else None


def _digest(file: BinaryIO, place: int) -> bytes:
    """Return the sha256 of a file with zeros for the digits at a place."""
    digest = hashlib.sha256()
    file.seek(0)
    left = place
    while left and (block := file.read(min(left, BLOCK))):
        digest.update(block)
        left -= len(block)
    digest.update(BLANK)
    file.seek(place + len(BLANK))
    digest.update(file.read())
    return digest.hexdigest().encode()
