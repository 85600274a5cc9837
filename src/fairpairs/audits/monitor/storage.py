"""The file of a state: a database of SQLite, which changes whole or not at all, and is checked."""

import base64
import errno
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fairpairs.audits.monitor.ids import PIECES, Ids, are_whole, digest
from fairpairs.base.errors import InputError
from fairpairs.base.files import REMEDIES, note_written
from fairpairs.base.plain_values import Content, Record

#: What the database calls its application ("FPMN"), and the version of its form.
KIND, FORMAT = 0x46504D4E, 5
#: What a database is made by; its first row has the content, the second one the digest of the ids.
TABLE = "CREATE TABLE state (id INTEGER PRIMARY KEY, checksum TEXT, content BLOB)"
#: Seconds to wait for another process.
WAIT = 10.0
#: Name of an error of SQLite → its number as the system has it.
REASONS = {
    "SQLITE_FULL": errno.ENOSPC,
    "SQLITE_READONLY": errno.EACCES,
    "SQLITE_CANTOPEN": errno.EACCES,
}


def read(path: Path) -> Record:
    """Return what a state holds."""
    with _database(path) as base:
        return _content(base, path)


def update(path: Path, change: Callable[[Record | None, Ids], Content]) -> None:
    """Replace what a state holds by what `change` makes of it and of its ids; None makes a new one.

    After an interruption, either the old content or the new one is there. Another process waits, or
    is refused by InputError.
    """
    if not path.exists():
        ids = Ids()
        _create(path, change(None, ids), ids)
    else:
        with _database(path) as base:
            base.execute("BEGIN IMMEDIATE")
            ids = Ids(base)
            _write(base, change(_content(base, path), ids), ids)
    note_written(path)


def _create(path: Path, content: Content, ids: Ids) -> None:
    """Write a new state; nothing is left if that fails."""
    with _database(path, "rwc") as base:
        base.execute("BEGIN IMMEDIATE")
        if base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise _busy(path)  # which began it meanwhile
        try:
            base.execute(f"PRAGMA application_id = {KIND}")
            base.execute(TABLE)
            _write(base, content, ids)
        except BaseException:
            base.rollback()
            base.close()  # Windows removes no file that is open
            path.unlink(missing_ok=True)
            raise


def _write(base: sqlite3.Connection, content: Content, ids: Ids) -> None:
    ids.write(base)
    text = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
    body = zlib.compress(text)
    base.execute("REPLACE INTO state VALUES (1, ?, ?)", (hashlib.sha256(body).hexdigest(), body))
    base.execute("REPLACE INTO state VALUES (2, ?, NULL)", (digest(base),))
    base.execute(f"PRAGMA user_version = {FORMAT}")
    base.execute("COMMIT")


@contextmanager
def _database(path: Path, mode: str = "rw") -> Iterator[sqlite3.Connection]:
    """Open a database; its errors are InputErrors, and what was not committed is undone."""
    try:
        address = f"{path.absolute().as_uri()}?mode={mode}"
        with closing(sqlite3.connect(address, WAIT, uri=True, isolation_level=None)) as base:
            try:
                base.execute("PRAGMA synchronous = EXTRA")  # the folder, too
            except UnicodeDecodeError as error:  # of the message, which quotes the file
                raise _damaged(path) from error
            base.execute("PRAGMA temp_store = MEMORY")
            yield base
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise _busy(path) from error
        if name == "SQLITE_NOTADB":
            raise _no_state(path) from error
        number = next((REASONS[known] for known in REASONS if name.startswith(known)), None)
        if name.startswith("SQLITE_IOERR") and _is_limited():
            number = errno.EFBIG
        if number is None and not name.startswith("SQLITE_IOERR"):
            raise _damaged(path) from error
        remedy = REMEDIES.get(number or 0, "name another file")
        reason = os.strerror(number) if number else error
        raise InputError(f"{path}: the state cannot be written ({reason}): {remedy}.") from error


def _is_limited() -> bool:
    """Return whether there is a limit of the size of files, of whose errors SQLite says nothing."""
    try:
        import resource  # noqa: PLC0415  (not of Windows)
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY


def _content(base: sqlite3.Connection, path: Path) -> Record:
    """Return what a database holds, after all of it is checked."""
    kind, version = (
        base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if kind != KIND:
        raise _no_state(path)
    made = {sql for (sql,) in base.execute("SELECT sql FROM sqlite_master")}
    if version != FORMAT:
        raise InputError(
            f"{path}: a state of format {version}, and this FairPairs writes format {FORMAT}: take "
            "the FairPairs that wrote it, or begin a new state."
        )
    whole = base.execute("PRAGMA quick_check").fetchone()[0] == "ok"
    whole &= TABLE in made and made <= {TABLE, PIECES}
    query = "SELECT checksum, content FROM state WHERE id = 1 AND typeof(content) = 'blob'"
    rows = base.execute(query).fetchall() if whole else []
    if len(rows) != 1 or hashlib.sha256(rows[0][1]).hexdigest() != rows[0][0]:
        raise _damaged(path)
    of_ids = base.execute("SELECT checksum FROM state WHERE id = 2").fetchone()
    if (of_ids[0] if of_ids else None) != digest(base) or not are_whole(base):
        raise _damaged(path)
    plain: Record = json.loads(zlib.decompress(rows[0][1]).decode("utf-8", "surrogatepass"))
    return plain


def _no_state(path: Path) -> InputError:
    return InputError(
        f"{path}: not the state of a monitor: name another file; one that does not exist yet is "
        "created."
    )


def _damaged(path: Path) -> InputError:
    return InputError(
        f"{path}: the state was cut off or edited: take it from a backup, or remove it and append "
        "all batches anew."
    )


def _busy(path: Path) -> InputError:
    return InputError(
        f"{path}: another process appends to this state: run the same command again when it has "
        "ended."
    )


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
