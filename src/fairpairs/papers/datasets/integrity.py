"""Check of downloaded files against a card, by size and sha256."""

from collections.abc import Sequence
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256
from fairpairs.base.plain_values import Content


def mismatch(path: Path, entry: Content) -> str | None:
    """Describe how a file differs from its entry on the card; None if it does not."""
    if not path.is_file():
        return "it is not a regular file" if path.exists() else "it is missing"
    size = path.stat().st_size
    if size != entry["bytes"]:
        state = "truncated" if size < entry["bytes"] else "too long"
        return f"it is {state}: it has {size} bytes, and the card lists {entry['bytes']}"
    digest = file_sha256(path)
    if digest != entry["sha256"]:
        return f"it was altered: its sha256 is {digest}, and the card lists {entry['sha256']}"
    return None


def check_sha256(
    paths: Sequence[str | Path],
    card: Content,
    remedy: str = "delete the file, and it is fetched again",
) -> None:
    """Raise InputError if a file differs from the card of a data set or an encoder."""
    entries = {entry["name"]: entry for entry in card.get("files", [])}
    for path in map(Path, paths):
        problem = mismatch(path, entries[path.name])
        if problem is not None:
            raise InputError(f"{path}: {problem}: {remedy}.")
