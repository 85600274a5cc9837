"""Archives built from single files at public addresses.

The bytes of an archive depend on its members only: stored, sorted by the bytes of their names, with
one time and one mode. So it has the same sha256 wherever it is built.
"""

import math
import zipfile
from multiprocessing.pool import ThreadPool
from pathlib import Path, PurePosixPath

import requests
from requests.adapters import HTTPAdapter, Retry
from tqdm import tqdm

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import UNPRINTABLE
from fairpairs.papers.datasets.archive import named, reason

#: Seconds to wait for an answer.
TIMEOUT = 30
#: Number of parallel downloads.
PARALLEL = 8
#: Number of attempts when an answer is cut short.
ATTEMPTS = 3
#: Largest number of bytes of a file's name.
MAX_NAME = 255
MODE = 0o100644  # a plain file, readable by all


def build_archive(
    members: Content, listed: str | Path, target: Path, *, max_bytes: float = math.inf
) -> None:
    """Build an archive from the single files that the CSV `listed` names.

    `members` of the card has the `column` of the list, and `entry` and `url`, templates with {name}
    or {stem}. OSError when an address does not answer, or the files have more than `max_bytes`
    together.
    """
    names = _names(Path(listed), members["column"])
    places = {
        named(members["entry"], name): named(members["url"], name, quoted=True) for name in names
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
            body = bytearray()
            try:
                with session.get(places[entry], timeout=TIMEOUT, stream=True) as answer:
                    answer.raise_for_status()
                    for part in answer.iter_content(1 << 16):
                        body += part
                        if len(body) > max_bytes:
                            raise OSError(f"{places[entry]} is larger than the whole archive")
            except requests.exceptions.ChunkedEncodingError:  # cut short; Retry does not repeat it
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
    import pandas as pd  # noqa: PLC0415  (slow)

    try:
        table = pd.read_csv(
            listed, dtype=str, encoding="utf-8-sig", skipinitialspace=True, keep_default_na=False
        )
    except (OSError, ValueError) as error:  # pandas raises a ValueError if the text is not a table
        raise InputError(
            f"{listed}: not a CSV table ({reason(error)}): correct the file, or `members.listed` "
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
        if len(name.encode()) > MAX_NAME:
            raise InputError(
                f"{listed}: column `{column}` has a name of more than {MAX_NAME} bytes in row "
                f"{i} below the header: correct the file."
            )
    return names
