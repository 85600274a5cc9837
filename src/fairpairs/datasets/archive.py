"""Archives of single files, one an item: built from public addresses, and read without unpacking.

An archive is built so that its bytes depend on its members alone: stored, in the order of their
names' bytes, with one time and one mode. So it has the same sha256 wherever it was built.
"""

from __future__ import annotations

import lzma
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.pool import ThreadPool
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import pandas as pd
import requests
from requests.adapters import HTTPAdapter, Retry
from tqdm import tqdm

from fairpairs.errors import InputError
from fairpairs.texts import UNPRINTABLE

#: Seconds without an answer after which an address is given up.
TIMEOUT = 30
#: Files that are asked for at once.
AT_ONCE = 8
#: How often a file is asked for whose answer is cut short.
ATTEMPTS = 3
#: Bytes of a file's name.
LONGEST_NAME = 255
MODE = 0o100644  # a plain file that everyone may read
#: Bytes that a file of an archive may have, however small the archive is.
ALWAYS_ALLOWED = 100_000_000
#: What zipfile, and what it unpacks with, raise for an archive that they cannot read.
FAULTS = (EOFError, LookupError, OSError, RuntimeError, ValueError, lzma.LZMAError,
          zipfile.BadZipFile, zlib.error)  # fmt: skip


def named(template: str, name: str, *, quoted: bool = False) -> str:
    """Fill {name}, and {stem}, the name without its ending, into a template of a card.

    With `quoted`, each becomes one segment of the path of an address, whatever is in it.
    """
    stem = PurePosixPath(name).stem
    if quoted:
        name, stem = quote(name, safe=""), quote(stem, safe="")
    # each once, so that a name with braces is no template
    return stem.join(part.replace("{name}", name) for part in template.split("{stem}"))


def build(
    members: Mapping[str, Any], listed: str | Path, target: Path, *, max_bytes: float = math.inf
) -> None:
    """Build an archive from the single files that a list names.

    Parameters
    ----------
    members
        From the card: `column` of the list, `entry` and `url`, templates with {name} or {stem}.
    listed
        The CSV that lists the names.
    target
        Where the archive is written.
    max_bytes
        What all files together may have: the bytes of the archive on the card.

    Raises
    ------
    OSError
        When an address does not answer (what requests raises is one), or answers with more.
    InputError
        When the list is no table with the column, or has a row without a name.
    """
    names = _names(Path(listed), members["column"])
    places = {
        named(members["entry"], name): named(members["url"], name, quoted=True) for name in names
    }
    entries = sorted(places, key=str.encode)
    with (
        requests.Session() as session,
        zipfile.ZipFile(target, "w") as archive,
        ThreadPool(AT_ONCE) as pool,
    ):
        retry = Retry(3, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504))
        adapter = HTTPAdapter(pool_maxsize=AT_ONCE, max_retries=retry)
        session.mount("https://", adapter)
        session.mount("http://", adapter)

        def content(entry: str, attempts: int = ATTEMPTS) -> bytes:
            body = bytearray()
            try:
                with session.get(places[entry], timeout=TIMEOUT, stream=True) as answer:
                    answer.raise_for_status()
                    for part in answer.iter_content(1 << 16):
                        body += part
                        if len(body) > max_bytes:
                            raise OSError(f"{places[entry]} is larger than the whole archive")
            except requests.exceptions.ChunkedEncodingError:  # cut short, which no Retry sees
                if attempts == 1:
                    raise
                return content(entry, attempts - 1)
            return bytes(body)

        contents = pool.imap(content, entries)
        total = 0
        for entry, body in zip(entries, tqdm(contents, total=len(entries)), strict=True):
            total += len(body)
            if total > max_bytes:
                raise OSError("its files are larger than the archive on the card")
            info = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, MODE << 16  # as on Unix, wherever it runs
            archive.writestr(info, body)


def _names(listed: Path, column: str) -> list[str]:
    try:
        table = pd.read_csv(
            listed, dtype=str, encoding="utf-8-sig", skipinitialspace=True, keep_default_na=False
        )
    except (OSError, ValueError) as error:  # what pandas raises for a text that is no table is one
        raise InputError(
            f"{listed}: not a CSV table ({_reason(error)}): correct the file, or `members.listed` "
            "of the card."
        ) from error
    if column not in table:
        raise InputError(
            f"{listed}: there is no column `{column}`; it has {', '.join(map(str, table))}: "
            "correct `members.column` of the card."
        )
    names = list(table[column])
    for i, name in enumerate(names, 1):
        stem = PurePosixPath(name).stem
        if {name, stem} & {"", ".", ".."} or UNPRINTABLE.search(name):
            raise InputError(
                f"{listed}: column `{column}` has {name!r} in row {i} below the header, which is "
                "no file name: correct the file."
            )
        if len(name.encode()) > LONGEST_NAME:
            raise InputError(
                f"{listed}: column `{column}` has a name of more than {LONGEST_NAME} bytes in row "
                f"{i} below the header: correct the file."
            )
    return names


def read(path: str | Path, template: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the place and the content of the file of each item, in the order of the names.

    Raises
    ------
    InputError
        When the archive is none, or has not a file, or has it damaged, encrypted or too large:
        which, and the remedy.
    """
    with _faults(f"{path} is no ZIP archive"):
        archive = zipfile.ZipFile(path)
        # what is stored is smaller than its archive, and pictures cannot be packed much
        max_bytes = max(Path(path).stat().st_size, ALWAYS_ALLOWED)
    with archive:
        for name in names:
            entry = named(template, name)
            if entry not in archive.NameToInfo:
                raise InputError(
                    f"{path} has no file {entry} for the item {name}: delete the archive, and "
                    "it is fetched again, or correct `archives` of the card."
                )
            size = archive.getinfo(entry).file_size
            if size > max_bytes:
                raise InputError(
                    f"{path}: the file {entry} has {size:,} bytes, and may have {max_bytes:,}: "
                    "pack a smaller one, and correct the card."
                )
            with _faults(f"{path}: the file {entry} cannot be read"):
                content = archive.read(entry)
            yield f"{path}, {entry}", content


@contextmanager
def _faults(what: str) -> Iterator[None]:
    """Say in one sentence what is wrong with an archive."""
    try:
        yield
    except FAULTS as error:
        raise InputError(
            f"{what} ({_reason(error)}): delete the archive, and it is fetched again, or pack it "
            "anew, without a password, and correct the card."
        ) from error


def _reason(error: BaseException) -> str:
    """Return what another program says, in one line."""
    strerror = error.strerror if isinstance(error, OSError) else None
    return " ".join((strerror or str(error) or type(error).__name__).split())
