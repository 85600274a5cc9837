"""Paths that an option names for output: checked before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fairpairs.base.errors import InputError


@contextmanager
def output_errors(output: Path, option: str = "--output") -> Iterator[None]:
    """Turn an OSError on an output into an InputError that names its option."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{output}: cannot be written ({error.strerror}): name another {option}."
        ) from error


def check_folder(out: Path | None, names: Iterable[str], inputs: Sequence[Path]) -> None:
    """Raise InputError when files of these names cannot go to a folder, or would replace inputs."""
    if out is None:
        return
    with output_errors(out, "--out"):
        if out.suffix.lower() == ".csv" and not out.exists():
            raise InputError(f"{out}: --out names a folder: name one that does not end in .csv.")
        if out.exists() and not out.is_dir():
            raise InputError(f"{out}: a file, not a folder: name another --out.")
        names = names if out.is_dir() else ()
    for name in names:
        check_file(out / name, "--out", inputs)


def check_file(path: Path | None, option: str, inputs: Sequence[Path]) -> None:
    """Raise InputError when a file cannot be written, or would replace an input."""
    if path is None:
        return
    with output_errors(path, option):
        if not path.parent.is_dir():
            raise InputError(f"{path}: there is no folder {path.parent}: make it first.")
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: not a file that can be written: name another {option}.")
        if path.exists() and any(file.exists() and path.samefile(file) for file in inputs):
            raise InputError(f"{path}: would overwrite its input: name another {option}.")
