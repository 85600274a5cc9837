"""Fetching raw files: from local mirrors first, then from their public addresses, verified."""

import logging
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pooch
import requests
import urllib3
from requests.adapters import HTTPAdapter, Retry
from tqdm import tqdm

from fairpairs.base.errors import InputError
from fairpairs.base.files import written_whole
from fairpairs.base.plain_values import Content
from fairpairs.papers.datasets.archive import named
from fairpairs.papers.datasets.integrity import mismatch

logger = logging.getLogger(__name__)

#: Seconds to wait for an answer, parallel downloads, and attempts when an answer is cut short.
TIMEOUT, PARALLEL, ATTEMPTS = 30, 8, 3
MODE = 0o100644  # a plain file, readable by all
#: Errors of a source: of the file system and a server (errors of requests are OSErrors), and of the
#: libraries for an invalid address or header.
FAULTS = (OSError, ValueError, urllib3.exceptions.HTTPError)


def fetch(
    entry: Content,
    target: str | Path,
    *,
    dataset: str,
    mirrors: Sequence[str | Path],
    listed: str | Path | None = None,
    notice: str = "",
) -> str:
    """Put one raw file in its place, verified by size and sha256, and return its source.

    `entry` is an element of `files` of a card; `mirror` is its path inside a mirror folder (by
    default `<dataset>/<name>`). If it has `members`, which the file `listed` names, an archive is
    built of them if it cannot be downloaded whole. A table of OpenML is written as a CSV. When no
    source has the right file, InputError names each source and its error, and `target` is absent.
    `notice` is printed with the file.
    """
    failures, remedy = [], ""
    inside = entry.get("mirror", f"{dataset}/{entry['name']}")
    local = [str(Path(os.path.expanduser(mirror), inside)) for mirror in mirrors]  # noqa: PTH111
    sources: list[str] = [*local, *entry.get("urls", ())]
    members = entry.get("members") if listed is not None else None
    if members is not None:
        sources.append(members["url"])
    if "openml" in entry:
        sources.append(f"OpenML {entry['openml']}")
    with written_whole(target) as temporary:
        for source in sources:
            try:
                if members is not None and listed is not None and source == members["url"]:
                    build_archive(members, listed, temporary)
                elif "openml" in entry and source not in local:
                    from fairpairs.papers.datasets import origins  # noqa: PLC0415  (slow)

                    table = origins.publication(entry["openml"])["table"]
                    temporary.write_bytes(origins.table_bytes(table))
                else:
                    _copy(source, temporary)
            except InputError:  # in the list of members, or a name that the publisher lacks
                raise
            except FAULTS as error:
                logger.info("%s: %s", source, error)
                failures.append(f"{source}: {_in_short(error)}")
                continue
            wrong = mismatch(temporary, entry)
            if wrong is None:
                logger.info("%s: from %s", target, source)
                if notice:
                    print(f"fairpairs: {dataset}: {notice}", file=sys.__stderr__)  # not to the log
                return source
            failures.append(f"{source}: refused, {wrong}")
            if source in local:
                remedy = (
                    "; if the one in the mirror folder is right, correct `bytes` and `sha256` of "
                    "the card"
                )
            elif "openml" in entry:
                remedy = "; if the table was published anew, draft the card again"
        online = "connect to the internet, or " if len(sources) > len(local) else ""
        raise InputError(
            f"The file {entry['name']} of the data set `{dataset}` could not be downloaded "
            f"({'; '.join(failures)}): {online}put the file at {inside} in a mirror folder and "
            f"name the folder in the environment variable FAIRPAIRS_MIRROR{remedy}."
        )


def _copy(source: str, target: Path) -> None:
    if "://" not in source:
        shutil.copyfile(source, target)
        return
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        getter = pooch.create(
            folder, "", registry={"file": None}, urls={"file": source}, retry_if_failed=2
        )
        download = pooch.HTTPDownloader(progressbar=True, timeout=TIMEOUT)
        Path(getter.fetch("file", downloader=download)).replace(target)


def build_archive(members: Content, listed: str | Path, target: Path) -> None:
    """Build an archive from the single files that the CSV `listed` names.

    `members` of the card has the `column` of the list, and `entry` and `url`, templates with {name}
    or {stem}. OSError when an address does not answer. The bytes of the archive depend on its
    members only: stored, sorted by the bytes of their names, with one time and one mode.
    """
    from fairpairs.papers.datasets.raw_table import read_csv  # noqa: PLC0415  (slow)

    table, column = read_csv(listed, {}), members["column"]
    if column not in table:
        raise InputError(
            f"{listed}: there is no column `{column}`; it has {', '.join(map(str, table))}: "
            "correct `members.column` of the card."
        )
    places = {
        named(members["entry"], name): named(members["url"], name, quoted=True)
        for name in map(str, table[column])
    }
    entries = sorted(places, key=str.encode)
    with (
        requests.Session() as session,
        zipfile.ZipFile(target, "w") as archive,
        ThreadPool(PARALLEL) as pool,
    ):
        retry = Retry(3, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504))
        adapter = HTTPAdapter(pool_maxsize=PARALLEL, max_retries=retry)
        session.mount("https://", adapter)
        session.mount("http://", adapter)

        def content(entry: str, attempts: int = ATTEMPTS) -> bytes:
            try:
                answer = session.get(places[entry], timeout=TIMEOUT)
            except requests.exceptions.ChunkedEncodingError:  # cut short; Retry does not repeat it
                if attempts == 1:
                    raise
                return content(entry, attempts - 1)
            answer.raise_for_status()
            return bytes(answer.content)

        contents = pool.imap(content, entries)
        for entry, body in zip(entries, tqdm(contents, total=len(entries)), strict=True):
            info = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, MODE << 16  # as on Unix, wherever it runs
            archive.writestr(info, body)


def _in_short(error: Exception) -> str:
    """Return in a few words why a source did not provide the file."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "no such file"
    if isinstance(error, requests.ConnectionError | requests.Timeout):
        return "no connection"
    words = " ".join(str(error).split())[:300]
    if type(error) is OSError:
        return words
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {words}"
    return f"the address or its answer is not valid ({type(error).__name__}: {words})"
