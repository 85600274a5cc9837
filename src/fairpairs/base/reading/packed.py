"""The bytes of files, of which gzip may have compressed some."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from fairpairs.base.errors import InputError

#: How a file that gzip has compressed starts.
GZIP = b"\x1f\x8b"
#: Bytes that are read at a time.
BLOCK = 1 << 22


def is_packed(path: Path) -> bool:
    """Return whether gzip has compressed a file."""
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP


def blocks(path: Path, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the content of a file, unpacked, a block at a time."""
    try:
        with gzip.open(path) if is_packed(path) else path.open("rb") as file:
            while block := file.read(size):
                yield block
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: cannot be decompressed ({last_line(error)}): compress it again, or give the "
            "file itself."
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}): check its name.") from error


def start_of(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, unpacked."""
    return next(blocks(path, size), b"")


def content_of(path: Path, most: int, remedy: str) -> bytes:
    """Return the content of a file, unpacked; InputError, with the remedy, if it is too large."""
    parts, size = [], 0
    for block in blocks(path):
        size += len(block)
        if size > most:
            raise InputError(
                f"{path}: more than {most / 1e9:g} GB of JSON, which would be read into memory: "
                f"{remedy}."
            )
        parts.append(block)
    return b"".join(parts)


def last_line(error: Exception) -> str:
    """Return the last line of the message of a library."""
    return str(error).splitlines()[-1].strip().removesuffix(".")


def zero_bytes(path: Path) -> InputError:
    """Return the refusal of a text that has zero bytes."""
    return InputError(f"{path}: not a text in UTF-8 (it has zero bytes): save it as CSV in UTF-8.")
