"""The header of a counts file: its version, the roles of its columns, and its number of items."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa

from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.opening import COUNTS_FORMAT, COUNTS_KEY

#: The version of the format.
VERSION = 1
#: The column of the counts.
COUNT = "count"


@dataclass(frozen=True)
class CountsRoles:
    """The columns of a counts file by their role."""

    label: str
    prediction: str
    score: str | None
    sensitive: tuple[str, ...]
    #: Whether items without a value of an attribute are a group of their own.
    missing_group: bool = False
    #: A label that all items have, where `label` is missing in most.
    cheap_label: str | None = None

    @property
    def names(self) -> list[str]:
        """All columns but the counts, in their order in the file."""
        optional = [name for name in (self.score, self.cheap_label) if name is not None]
        return [self.label, self.prediction, *optional, *self.sensitive]

    def text(self) -> str:
        """Return the roles in words."""
        score = "no score" if self.score is None else f"score `{self.score}`"
        names = ", ".join(f"`{name}`" for name in self.sensitive)
        missing = ", with missing groups" if self.missing_group else ""
        cheap = "" if self.cheap_label is None else f", cheap label `{self.cheap_label}`"
        return (
            f"label `{self.label}`{cheap}, prediction `{self.prediction}`, {score}, sensitive "
            f"{names}{missing}"
        )


def metadata_of(roles: CountsRoles, items: int) -> dict[bytes, bytes]:
    """Return the metadata of a counts file."""
    named = asdict(roles)
    if roles.cheap_label is None:  # as in files without cheap labels of any version
        del named["cheap_label"]
    text = {"format": COUNTS_FORMAT, "version": VERSION, "roles": named, "items": items}
    return {COUNTS_KEY: json.dumps(text, ensure_ascii=False).encode()}


def read_header(
    path: Path, schema: pa.Schema, digest: str | None
) -> tuple[CountsRoles, int] | None:
    """Return the roles and the number of items of a counts file; None for another Parquet file.

    A counts file of another version or without a digest raises InputError.
    """
    text = (schema.metadata or {}).get(COUNTS_KEY)
    if text is None:
        return None
    try:
        header = json.loads(text)
        if header["format"] != COUNTS_FORMAT:
            return None
        if header["version"] != VERSION:
            raise InputError(
                f"{path}: a counts file of version {shown(header['version'])}, and this FairPairs "
                f"reads version {VERSION}: count again with `fairpairs count`."
            )
        roles = header["roles"]
        read = CountsRoles(
            roles["label"],
            roles["prediction"],
            roles["score"],
            tuple(roles["sensitive"]),
            bool(roles.get("missing_group")),
            roles.get("cheap_label"),
        )
        items = int(header["items"])
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise _broken(path, "what it says of itself cannot be read") from error
    if digest is None:
        raise _broken(path, "it has no digest, so an older FairPairs or another program wrote it")
    return read, items


def _broken(path: Path, reason: str) -> InputError:
    return InputError(
        f"{path}: not a whole counts file ({reason}): count again with `fairpairs count`."
    )
