"""Files that a user gives as rows of any size: those of counts know their columns."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from fairpairs.base.arrays import Integers
from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.database import database
from fairpairs.base.reading.opening import (
    COUNTS,
    COUNTS_FORMAT,
    COUNTS_KEY,
    kind_of_file,
)
from fairpairs.base.reading.paths import Unchanged, called
from fairpairs.base.reading.sources import ParquetFiles
from fairpairs.base.reading.table import Table
from fairpairs.base.sealed import carries_digest
from fairpairs.base.texts import listed
from fairpairs.base.words import LARGEST_WHOLE

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
    """Return the roles and the number of items of a counts file; None for another Parquet file."""
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
        read = CountsRoles(**roles | {"sensitive": tuple(roles["sensitive"])})
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


def read_headers(source: ParquetFiles) -> tuple[CountsRoles | None, int | None]:
    """Return the roles that all counts files share, and their items; None for other files."""
    headers = {
        path: read_header(path, schema, source.digests[path])
        for path, schema in source.schemas.items()
    }
    roles, items = _same_roles(headers)
    first: dict[str, Path] = {}
    for path in (path for path, header in headers.items() if header and header[1]):
        digest = source.digests[path]
        if digest is not None and (other := first.setdefault(digest, path)) != path:
            raise InputError(
                f"{other} and {path} are the same counts, which would count twice: leave one out, "
                "or, if they are of different rows, count those in one run of `fairpairs count`."
            )
    return roles, items


def without_digest(paths: Sequence[Path]) -> list[Path]:
    """Return the Parquet files that carry no digest."""
    return [path for path in paths if kind_of_file(path) == "Parquet" and not carries_digest(path)]


def note_without_digest(paths: Sequence[Path]) -> list[str]:
    """Return a note on the Parquet files of counts that carry no digest, if there are any."""
    lacking = without_digest(paths)
    if not lacking:
        return []
    return [
        f"{called(lacking)}: no digest of FairPairs is in it, so damage that leaves whole numbers "
        "is not noticed."
    ]


def check_repeated_cells(path: Path, names: Sequence[str]) -> None:
    """Raise InputError when rows of a Parquet file have the same values in all these columns."""
    source = ParquetFiles(Unchanged([path])).unify()
    keys = ", ".join(f"c{i}" for i in range(len(names)))
    with database(str(path)) as connection:
        query = f"from ({source.scan(connection, names)}) group by {keys} having count(*) > 1"
        rows = connection.sql(f"select {keys} {query} order by all limit 1").fetchall()
    if rows:
        values = listed(f"`{name}` {shown(x)}" for name, x in zip(names, rows[0], strict=True))
        raise InputError(
            f"{path}: more than one row counts {values}: sum the counts of equal rows, or correct "
            "the query that wrote them."
        )


def _same_roles(
    headers: Mapping[Path, tuple[CountsRoles, int] | None],
) -> tuple[CountsRoles | None, int | None]:
    """Return the roles that all counts files share, and their items; None for other files."""
    first, *others = headers
    header = headers[first]
    for path in others:
        if (headers[path] is None) != (header is None):
            counts, rows = (path, first) if header is None else (first, path)
            raise InputError(
                f"{counts} is a counts file, and {rows} is not: give files of one kind."
            )
    if header is None:
        if first.suffix == COUNTS:
            raise InputError(
                f"{first}: a Parquet file that does not say what it counts: count with `fairpairs "
                "count`, or call it .parquet."
            )
        return None, None
    items = 0
    for path, other in headers.items():
        assert other is not None
        if other[0] != header[0]:
            raise InputError(
                f"{first} counts {header[0].text()}, and {path} counts {other[0].text()}: count "
                "all files by the same columns, and all with --missing-group or none."
            )
        items += other[1]
    return header[0], items


def frequencies(table: Table, weight: str) -> Integers:
    """Return a column of counts; InputError unless all are whole numbers from 0 on."""
    counts = table.numbers(weight, "give counts")
    if ((counts < 0) | (counts % 1 != 0) | (counts > LARGEST_WHOLE)).any():
        raise InputError(
            f"{table.called}: column `{weight}` must hold counts, whole numbers from 0 on"
            ", up to 2^53: correct it, or name another column."
        )
    return np.asarray(counts, dtype=np.int64)


def selected_and_not(table: Table, selected: str, of: str, people: Integers) -> Integers:
    """Return how many were selected in each row, and then how many were not."""
    chosen = frequencies(table, selected)
    if (more := chosen > people).any():
        row = int(more.argmax())
        raise InputError(
            f"{table.called}: column `{selected}` holds {chosen[row]:,} in row {row + 1}, and "
            f"`{of}` {people[row]:,}: of these, no more can be selected, so correct it."
        )
    total = (2 * people == people.sum()) & (2 * chosen == chosen.sum())
    if total.any() and (people > 0).sum() > 2:
        row = int(total.argmax())
        raise InputError(
            f"{table.called}: row {row + 1} is the sum of all others, {chosen[row]:,} of "
            f"{people[row]:,} people, who would count twice: drop it, or, if it is of a group of "
            "its own, write its people in two rows."
        )
    return np.concatenate([chosen, people - chosen])
