"""Files that are either whole or absent: written under a temporary name, then renamed."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from fairpairs.errors import InputError

#: What keeps a file from being written, and what to do.
REMEDIES = {
    errno.ENOSPC: "the disk is full; make room",
    errno.EDQUOT: "the quota is used up; make room",
    errno.EROFS: "its folder can only be read; let it be written to",
    errno.EACCES: "its folder belongs to somebody else; let it be written to",
    errno.EISDIR: "there is a folder of that name; remove it",
    errno.EEXIST: "there is a file where its folder should be; remove it",
    errno.ENOTDIR: "there is a file where its folder should be; remove it",
    errno.ENAMETOOLONG: "its name is too long; shorten it",
}


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that is renamed to it on success, removed on failure."""
    path = Path(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)  # mkstemp makes files that only their owner can read
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        remedy = f"{REMEDIES[error.errno]}, and run the same command again."
        raise InputError(f"{path} cannot be written: {remedy}") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, UTF-8, whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file, indented, whole or not at all."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def read_parquet(path: str | Path, columns: list[str] | None = None) -> pd.DataFrame:
    """Read one Parquet file, or some of its columns.

    Arrow opens the file itself: a thread of Arrow may release a file that Python opened while the
    interpreter ends, which aborts the process.
    """
    file = pa.OSFile(os.fsencode(path))
    return pd.read_parquet(file, columns=columns)  # noqa: TID251


def write_parquet(
    path: str | Path, frame: pd.DataFrame, *, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a Parquet file, whole or not at all; the same frame gives the same bytes.

    `metadata` is kept with the schema, beside what pandas writes there.
    """
    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), **(metadata or {})})
    with written_whole(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
