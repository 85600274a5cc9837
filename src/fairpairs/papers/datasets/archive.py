"""ZIP archives with one file per item, read without unpacking them."""

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from fairpairs.base.errors import InputError, failures


def named(template: str, name: str, *, quoted: bool = False) -> str:
    """Fill {name}, and {stem}, the name without its ending, into a template of a card.

    With `quoted`, each becomes one segment of the path of an address, whatever is in it.
    """
    stem = PurePosixPath(name).stem
    if quoted:
        name, stem = quote(name, safe=""), quote(stem, safe="")
    # one pass, so that braces in a name are not expanded
    return stem.join(part.replace("{name}", name) for part in template.split("{stem}"))


def read(path: str | Path, template: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the place and the content of the file of each item, in the order of the names."""
    remedy = (
        "delete the archive, and it is fetched again, or pack it anew, without a password, and "
        "correct the card"
    )
    with failures(f"{path} is no ZIP archive", remedy):
        archive = zipfile.ZipFile(path)
    with archive:
        for name in names:
            entry = named(template, name)
            if entry not in archive.NameToInfo:
                raise InputError(
                    f"{path} has no file {entry} for the item {name}: delete the archive, and "
                    "it is fetched again, or correct `archives` of the card."
                )
            with failures(f"{path}: the file {entry} cannot be read", remedy):
                content = archive.read(entry)
            yield f"{path}, {entry}", content
