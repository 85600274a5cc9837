"""Fetching raw files: from local mirrors first, then from their public addresses, verified."""

import logging
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import pooch
import requests
import urllib3

from fairpairs.base.errors import InputError
from fairpairs.base.files import written_whole
from fairpairs.base.plain_values import Content
from fairpairs.papers.datasets.archive_builder import TIMEOUT, build_archive
from fairpairs.papers.datasets.integrity import mismatch
from fairpairs.papers.datasets.origins import publication, published_by, table_bytes

logger = logging.getLogger(__name__)

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
    built of them if it cannot be downloaded whole. A table of OpenML or fairml-datasets is written
    as a CSV. When no source has the right file, InputError names each source and its error, and
    `target` is absent. `notice` is printed with the file.
    """
    failures, remedy = [], ""
    inside = entry.get("mirror", f"{dataset}/{entry['name']}")
    local = [str(_folder(mirror) / inside) for mirror in mirrors]
    sources: list[str] = [*local, *entry.get("urls", ())]
    members = entry.get("members") if listed is not None else None
    if members is not None:
        sources.append(members["url"])
    if publisher := published_by(entry):
        sources.append(publisher)
    with written_whole(target) as temporary:
        for source in sources:
            try:
                if members is not None and listed is not None and source == members["url"]:
                    build_archive(members, listed, temporary, max_bytes=entry["bytes"])
                elif source == publisher:
                    temporary.write_bytes(table_bytes(publication(entry).table))
                else:
                    _copy(source, temporary, max_bytes=entry["bytes"])
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
            elif source == publisher:
                remedy = "; if the table was published anew, draft the card again"
        anywhere = entry.get("urls") or members or publisher
        online = "connect to the internet, or " if anywhere else ""
        raise InputError(
            f"The file {entry['name']} of the data set `{dataset}` could not be downloaded "
            f"({'; '.join(failures)}): {online}put the file at {inside} in a mirror folder and "
            f"name the folder in the environment variable FAIRPAIRS_MIRROR{remedy}."
        )


def _folder(mirror: str | Path) -> Path:
    try:
        return Path(mirror).expanduser()
    except RuntimeError:  # ~name of an unknown user
        return Path(mirror)


class _Bounded:
    """A file that takes as many bytes as the card lists: a server may send without end."""

    def __init__(self, file: BinaryIO, max_bytes: int) -> None:
        self.file, self.max_bytes, self.left = file, max_bytes, max_bytes
        self.flush = file.flush

    def write(self, part: bytes) -> int:
        self.left -= len(part)
        if self.left < 0:
            raise OSError(
                f"refused, it is too long: it has more bytes than the {self.max_bytes} that the "
                "card lists"
            )
        return self.file.write(part)


def _copy(source: str, target: Path, *, max_bytes: int) -> None:
    if "://" not in source:
        if Path(source).exists() and not Path(source).is_file():
            raise OSError("not a regular file")
        shutil.copyfile(source, target)
        return
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        getter = pooch.create(
            folder, "", registry={"file": None}, urls={"file": source}, retry_if_failed=2
        )
        download = pooch.HTTPDownloader(progressbar=True, timeout=TIMEOUT)

        def bounded(url: str, path: str, getter: pooch.Pooch) -> None:
            with Path(path).open("wb") as file:
                download(url, _Bounded(file, max_bytes), getter)

        Path(getter.fetch("file", downloader=bounded)).replace(target)


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
