"""Archives of single files, one an item: built from public addresses, and read without unpacking.

An archive is built so that its bytes depend on its members alone: stored, in the order of their
names' bytes, with one time and one mode. So it has the same sha256 wherever it was built.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.pool import ThreadPool
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import pandas as pd
import requests
from requests.adapters import HTTPAdapter, Retry
from tqdm import tqdm

from fairpairs.errors import InputError

#: Seconds without an answer after which an address is given up.
TIMEOUT = 30
#: Files that are asked for at once.
AT_ONCE = 8
#: How often a file is asked for whose answer is cut short.
ATTEMPTS = 3
MODE = 0o100644  # a plain file that everyone may read


def named(template: str, name: str) -> str:
    """Fill {name}, and {stem}, the name without its ending, into a template of a card."""
    return template.format(name=name, stem=PurePosixPath(name).stem)


def build(members: Mapping[str, Any], listed: str | Path, target: Path) -> None:
    """Build an archive from the single files that a list names.

    Parameters
    ----------
    members
        From the card: `column` of the list, `entry` and `url`, templates with {name} or {stem}.
    listed
        The CSV that lists the names.
    target
        Where the archive is written.

    Raises
    ------
    OSError
        When an address does not answer (what requests raises is one).
    InputError
        When the list has not the column, or a row without a name.
    """
    names = _names(Path(listed), members["column"])
    places = {named(members["entry"], name): named(members["url"], quote(name)) for name in names}
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
            try:
                answer = session.get(places[entry], timeout=TIMEOUT)
            except requests.exceptions.ChunkedEncodingError:  # cut short, which no Retry sees
                if attempts == 1:
                    raise
                return content(entry, attempts - 1)
            answer.raise_for_status()
            return answer.content

        contents = pool.imap(content, entries)
        for entry, body in zip(entries, tqdm(contents, total=len(entries)), strict=True):
            info = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, MODE << 16  # as on Unix, wherever it runs
            archive.writestr(info, body)


def _names(listed: Path, column: str) -> list[str]:
    table = pd.read_csv(
        listed, dtype=str, encoding="utf-8-sig", skipinitialspace=True, keep_default_na=False
    )
    if column not in table:
        raise InputError(
            f"{listed}: there is no column `{column}`; it has {', '.join(map(str, table))}: "
            "correct `members.column` of the card."
        )
    names = list(table[column])
    if "" in names:
        raise InputError(
            f"{listed}: column `{column}` has no name in row {names.index('') + 1}: correct the "
            "file."
        )
    return names


def read(path: str | Path, template: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the place and the content of the file of each item, in the order of the names.

    Raises
    ------
    InputError
        When the archive is none, or has not a file, or has it damaged: which, and the remedy.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for name in names:
                entry = named(template, name)
                try:
                    yield f"{path}, {entry}", archive.read(entry)
                except KeyError:
                    raise InputError(
                        f"{path} has no file {entry} for the item {name}: delete the archive, and "
                        "it is fetched again, or correct `archives` of the card."
                    ) from None
                except (zipfile.BadZipFile, zlib.error, EOFError) as error:
                    raise InputError(
                        f"{path}: the file {entry} is damaged ({error}): delete the archive, and "
                        "it is fetched again."
                    ) from error
    except zipfile.BadZipFile as error:
        raise InputError(
            f"{path} is no ZIP archive ({error}): delete it, and it is fetched again."
        ) from error
