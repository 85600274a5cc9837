"""Files that carry the sha256 of all their bytes, so that damage is noticed.

A Parquet file has it in its metadata, one of text at its end, a CSV table in its sidecar.
"""

from __future__ import annotations

import hashlib
import json
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
#: What text ends with, but for a few characters, before its digits are known.
SEAL = f'"{KEY}": "{BLANK.decode()}"'
#: The key as the end of a file has it, before the digits; Parquet writes their number first.
PLACE = re.compile(KEY.encode() + rb'(?:\x18\x40|": ")(.{64})', re.DOTALL)
#: What all Parquet files end with, after the length of their footer in four bytes.
MAGIC = b"PAR1"
#: Bytes that are hashed at a time, and those at the end of a file that hold its seal.
BLOCK, TAIL = 2**20, 128
#: Ending of the name of a table's sidecar, after the stem of its table.
SIDECAR = ".provenance.json"
DAMAGED = (
    "{}: damaged, or changed since FairPairs wrote it: delete it, and run the command that wrote "
    "it again."
)


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


def sealed(content: str | bytes) -> bytes:
    """Return the bytes of a file that ends in SEAL, with their digest there."""
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")
    start, _, end = content.rpartition(BLANK)
    return start + hashlib.sha256(content).hexdigest().encode() + end


def read_json(path: str | Path) -> Any:
    """Read a JSON object, without its seal; InputError if it was changed, or has none."""
    check_sealed(path)
    content = json.loads(Path(path).read_text("utf-8"))
    del content[KEY]
    return content


def check_sealed(path: str | Path) -> None:
    """Check a file that FairPairs wrote; InputError if it was changed, or carries no digest."""
    if checked_digest(path) is None:
        raise InputError(
            f"{path}: no digest of FairPairs is in it, so it was cut off, or an older FairPairs or "
            "another program wrote it: delete it, or all results by `make clean`, and run the same "
            "command again; a script of an extension writes it by `fairpairs.base.files`."
        )


def check_table(path: str | Path) -> None:
    """Check a CSV table against its sidecar, where there is one; InputError if it was changed."""
    sidecar = Path(path).with_suffix(SIDECAR)
    if sidecar.exists():
        with Path(path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if read_json(sidecar).get("sha256") != digest:
            raise InputError(DAMAGED.format(path))


def checked_digest(path: str | Path) -> str | None:
    """Return the digest that a file carries, None for one without.

    A file whose bytes have another digest raises InputError.
    """
    with Path(path).open("rb") as file:
        found = _place(file)
        if found is None:
            return None
        place, written = found
        digest = _digest(file, place)
    if digest != written:
        raise InputError(DAMAGED.format(path))
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
    if file.read() != MAGIC:
        start = max(end + 8 - TAIL, 0)
    elif start < 0:
        return None
    file.seek(start)
    found = PLACE.search(file.read())
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
