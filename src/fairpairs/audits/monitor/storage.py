"""The file of a state: written whole or not at all, by one process at a time, and checked."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.base.files import REMEDIES
from fairpairs.base.plain_values import Content, Record

#: What a state calls itself, and the version of its form.
KIND, FORMAT = "fairpairs monitor", 1


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes from appending to a state.

    InputError when another process does so now, or the folder is not writable.
    """
    lock = path.with_name(f".{path.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        try:
            _lock(handle)
            # whoever had it removes it: a lock on a removed file keeps nobody out
            if not os.path.samestat(os.fstat(handle), lock.stat()):
                raise BlockingIOError
        except OSError as error:
            raise InputError(
                f"{path}: another process appends to this state: run the same command again when "
                "it has ended."
            ) from error
        try:
            yield
        finally:
            with suppress(PermissionError):  # Windows keeps a file that is open
                lock.unlink()
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Lock an open file; OSError if another process has it."""
    try:
        import fcntl  # noqa: PLC0415  (not on Windows)
    except ImportError:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415  (only there)

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write(path: Path, content: Content) -> None:
    """Replace a state; after an interruption, either the old or the new one is there."""
    body = _body({"kind": KIND, "format": FORMAT, **content})
    text = f'{{"checksum": "{_checksum(body)}", {body[1:]}\n'
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _cannot_write(path, error) from error


def read(path: Path) -> Record:
    """Return what a state holds.

    A file that is no state, of another version, truncated or edited raises InputError.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}): check its name.") from error
    start = content[:200]
    if not start.startswith(b'{"checksum": ') or KIND.encode() not in start:
        raise InputError(
            f"{path}: not the state of a monitor: name another file; one that does not exist yet "
            "is created."
        )
    damaged = InputError(
        f"{path}: the state was cut off or edited: take it from a backup, or remove it and append "
        "all batches anew."
    )
    try:
        plain = json.loads(content.decode("utf-8", "surrogatepass"))
    except ValueError as error:  # also of bytes that are no text
        raise damaged from error
    if not isinstance(plain, dict):
        raise damaged
    if plain.get("format") != FORMAT:
        raise InputError(
            f"{path}: a state of format {plain.get('format')}, and this FairPairs writes format "
            f"{FORMAT}: take the FairPairs that wrote it, or begin a new state."
        )
    checksum = plain.pop("checksum", None)
    if checksum != _checksum(_body(plain)):
        raise damaged
    return plain


def _body(content: Content) -> str:
    return json.dumps(content, ensure_ascii=False)


def _checksum(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def _sync_folder(folder: Path) -> None:
    """Have the disk keep the new name of a file."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folder
        return
    try:
        os.fsync(handle)
    except OSError:  # some file systems cannot
        pass
    finally:
        os.close(handle)


def _cannot_write(path: Path, error: OSError) -> InputError:
    remedy = REMEDIES.get(error.errno or 0, "name another file")
    return InputError(f"{path}: the state cannot be written ({error.strerror}): {remedy}.")
