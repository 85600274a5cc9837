"""ZIP archives with one file per item, read without unpacking them."""

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from fairpairs.base.errors import InputError


def named(template: str, name: str, *, quoted: bool = False) -> str:
    """Fill {name}, and {stem}, the name without its ending, into a template of a card.

    With `quoted`, each becomes one segment of the path of an address, whatever is in it.
    """
    stem = PurePosixPath(name).stem
    if quoted:
        name, stem = quote(name, safe=""), quote(stem, safe="")
    # one pass, so that braces in a name are not expanded
    return stem.join(part.replace("{name}", name) for part in template.split("{stem}"))


def reason(error: BaseException) -> str:
    """Return the message of an error, in one line."""
    strerror = error.strerror if isinstance(error, OSError) else None
    return " ".join((strerror or str(error) or type(error).__name__).split())


def read(path: str | Path, template: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the place and the content of the file of each item, in the order of the names."""
    with _faults(f"{path} is no ZIP archive"):
        archive = zipfile.ZipFile(path)
    with archive:
        for name in names:
            entry = named(template, name)
            if entry not in archive.NameToInfo:
                raise InputError(
                    f"{path} has no file {entry} for the item {name}: delete the archive, and "
                    "it is fetched again, or correct `archives` of the card."
                )
            with _faults(f"{path}: the file {entry} cannot be read"):
                content = archive.read(entry)
            yield f"{path}, {entry}", content


@contextmanager
def _faults(what: str) -> Iterator[None]:
    """Turn the errors of an archive into one sentence."""
    try:
        yield
    except Exception as error:  # zipfile and its decompressors have many
        raise InputError(
            f"{what} ({reason(error)}): delete the archive, and it is fetched again, or pack it "
            "anew, without a password, and correct the card."
        ) from error
