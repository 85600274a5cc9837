"""The files that a user names: expanded, each once, and unchanged while they are read."""

import glob
import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from fairpairs.base.errors import InputError, shown
from fairpairs.base.files import file_sha256

#: Endings of texts, and of the files that a folder stands for.
TEXTS = (".csv", ".tsv", ".jsonl", ".ndjson")
OF_FOLDER = (".parquet", ".pq", ".counts", *TEXTS, *(f"{ending}.gz" for ending in TEXTS))
#: Characters of a pattern that the shell has not expanded.
PATTERN = set("*?[")


def expanded(paths: Sequence[Path]) -> list[Path]:
    """Return the files that patterns, folders and names stand for, in a fixed order.

    A pattern or a folder without files, or a file that is named twice, raises InputError.
    """
    files = [file for path in paths for file in _expanded(path)]
    if not files:
        raise InputError("There are no files: name at least one.")
    named: dict[Path, Path] = {}
    for file in files:
        try:  # also of links in a circle, which cannot be opened
            real = Path(os.path.realpath(file))
        except UnicodeEncodeError as error:
            raise InputError(f"{file}: holds half of a character: check its name.") from error
        except ValueError as error:
            name = shown(str(file))
            raise InputError(f"{name}: holds a zero character: check its name.") from error
        if real in named:
            raise InputError(f"{file} is named twice: its rows would count twice: name it once.")
        named[real] = file
    return sorted(files, key=str)


def _expanded(path: Path) -> list[Path]:
    if path.is_dir():
        files = [file for file in path.iterdir() if file.name.lower().endswith(OF_FOLDER)]
        files = [file for file in files if not file.name.startswith((".", "_"))]
        if not files:
            raise InputError(f"{path}: a folder without Parquet, CSV or JSON lines: name another.")
        return files
    if path.exists() or not PATTERN & set(str(path)):
        return [path]
    files = [Path(name) for name in glob.glob(str(path), recursive=True)]  # noqa: PTH207  (absolute)
    files = [file for file in files if not file.is_dir()]
    if not files:
        raise InputError(f"{path}: no file has such a name: correct the pattern.")
    return files


def called(paths: Sequence[Path]) -> str:
    """Return the name of files in messages.

    >>> called([Path("a/1.csv"), Path("a/2.csv")])
    'a/*.csv (2 files)'
    """
    if len(paths) == 1:
        return str(paths[0])
    folder = os.path.commonpath([path.parent for path in paths])
    endings = {path.suffix for path in paths}
    ending = endings.pop() if len(endings) == 1 else ""
    return f"{Path(folder) / f'*{ending}'} ({len(paths)} files)"


class Unchanged:
    """The state of files when they were first opened, so that a change is noticed."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self._first = self._states()

    def check(self) -> None:
        """Raise InputError if a file has changed."""
        for path, state in self._states().items():
            if self._first[path] != state:
                raise InputError(
                    f"{path}: the file changes while it is read: copy it first, and read the copy."
                )

    @cached_property
    def digest(self) -> str:
        """The sha256 of one file; of several that of their sorted digests; "" without files."""
        if not self.paths:
            return ""
        digests = sorted(map(file_sha256, self.paths))
        self.check()
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()

    def _states(self) -> dict[Path, tuple[int, int, int] | None]:
        states: dict[Path, tuple[int, int, int] | None] = dict.fromkeys(self.paths)
        for path in self.paths:
            with suppress(OSError):
                status = path.stat()
                states[path] = status.st_size, status.st_mtime_ns, status.st_ino
        return states
