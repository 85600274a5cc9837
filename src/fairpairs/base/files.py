"""Files that are either whole or absent: written under a temporary name, then renamed."""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import math
import os
import re
import shutil
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.sealed import KEY, SEAL, check_sealed, sealed, sealed_writer

if TYPE_CHECKING:
    import pandas as pd

#: Texts in a table that mean a missing value.
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")
#: What the metadata of a Parquet file has whose row groups are the files that it was joined of.
JOINED = b"fairpairs_joined"
#: How texts begin that a spreadsheet takes for formulas, also in full width; numbers are none.
FORMULA = re.compile(
    r"[=@\t\r\n\uff1d\uff20\uff0b\uff0d]|[+-](?!(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z)"
)
#: Error number → reason why a file cannot be written, and the remedy.
REMEDIES = {
    errno.ENOSPC: "the disk is full; make room",
    errno.EDQUOT: "the quota is used up; make room",
    errno.EFBIG: "it is larger than a file may be here; raise the limit (`ulimit -f`)",
    errno.EROFS: "its folder is read-only; choose another, or make it writable",
    errno.EACCES: "you may not write to its folder; choose another, or change its permissions",
    errno.EPERM: "an older file or its folder is protected; choose another folder",
    errno.EISDIR: "there is a folder of that name; remove it",
    errno.EEXIST: "there is a file where its folder should be; choose another folder",
    errno.ENOTDIR: "there is a file where its folder should be; choose another folder",
    errno.ENAMETOOLONG: "its name is too long; shorten it",
}
#: The last files that this process has written, which a failure after them names.
WRITTEN: deque[str] = deque(maxlen=100)


def remedy_of(error: OSError) -> str:
    """Return why a file cannot be written and the remedy; an empty string for other errors."""
    remedy = REMEDIES.get(error.errno or 0)
    return f"{remedy}, and run the same command again." if remedy else ""


@contextmanager
def written_together(*paths: str | Path) -> Iterator[tuple[Path, ...]]:
    """Yield a temporary path beside each of `paths`; on success all are renamed to them, or none.

    When one of them cannot be put in place, those before it get their older content back. A link
    stays, and the file that it leads to is written.
    """
    named = [Path(path) for path in paths]
    targets = list(map(followed, named))
    with ExitStack() as stack:
        temporaries: tuple[Path, ...] = ()
        try:
            for target in targets:
                if target.is_dir():
                    raise IsADirectoryError(errno.EISDIR, "is a folder", str(target))
                new = [f for f in (target.parent, *target.parent.parents) if not f.exists()]
                target.parent.mkdir(parents=True, exist_ok=True)
                for folder in reversed(new):
                    stack.callback(_remove_empty, folder)
                handle, name = tempfile.mkstemp(
                    dir=target.parent, prefix=f".{target.name}.", suffix=".part"
                )
                os.close(handle)
                temporaries = (*temporaries, Path(name))
                stack.callback(Path(name).unlink, missing_ok=True)
            yield temporaries
            umask = os.umask(0)
            os.umask(umask)
            for temporary in temporaries:
                temporary.chmod(0o666 & ~umask)  # mkstemp makes files that only their owner reads
            _exchange(temporaries, targets, stack)
            note_written(*named)
        except OSError as error:
            if not (remedy := remedy_of(error)):
                raise
            failed = {error.filename, error.filename2}
            wrong = [
                str(path)
                for path, target, temporary in zip_longest(named, targets, temporaries)
                if failed & {str(target), str(temporary)}
            ] or map(str, named)
            raise InputError(f"{', '.join(wrong)} cannot be written: {remedy}") from None


def followed(path: Path) -> Path:
    """Return the file that a link leads to, which may not exist yet; another path as it is."""
    if not path.is_symlink():
        return path
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        raise InputError(f"{path}: a link that leads back to itself: remove it.")
    return real


def note_written(*paths: Path) -> None:
    """Keep the names of files that are written."""
    for name in map(str, paths):
        if name not in WRITTEN:
            WRITTEN.append(name)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # of a folder that has files, as after success
        folder.rmdir()


def _exchange(temporaries: tuple[Path, ...], targets: list[Path], stack: ExitStack) -> None:
    older: dict[Path, Path] = {}
    for temporary, target in zip(temporaries[:-1], targets, strict=False):
        if target.is_file():
            older[target] = temporary.with_suffix(".old")
            stack.callback(older[target].unlink, missing_ok=True)
            shutil.copy2(target, older[target])
    replaced = []
    try:
        for temporary, target in zip(temporaries, targets, strict=True):
            temporary.replace(target)
            replaced.append(target)
    except BaseException:
        for target in replaced:
            if target in older:
                older[target].replace(target)
            else:
                target.unlink()
        raise


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that is renamed to it on success, removed on failure."""
    with written_together(path) as (temporary,):
        yield temporary


def write_together(contents: Mapping[Path, str | bytes]) -> None:
    r"""Write files, text as UTF-8: all of them, or none.

    What UTF-8 cannot hold, such as half characters in the name of a file, is written as \udc80.
    """
    with written_together(*contents) as temporaries:
        for temporary, content in zip(temporaries, contents.values(), strict=True):
            if isinstance(content, str):
                content = content.encode("utf-8", "backslashreplace")  # noqa: PLW2901
            temporary.write_bytes(content)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, UTF-8, whole or not at all."""
    write_together({Path(path): text})


def csv_text(table: pd.DataFrame, *, as_given: bool = False) -> str:
    """Return the text of a CSV file, without the index.

    Names of groups, columns and files that a spreadsheet would compute get an apostrophe before
    them, unless the table is written `as_given`.
    """
    if not as_given:
        import pandas as pd  # noqa: PLC0415  (slow)

        table = table.set_axis(list(map(_no_formula, table.columns)), axis=1)
        for i, kind in enumerate(table.dtypes):
            if kind.kind in "OU":  # texts, objects and categories
                names = list(map(_no_formula, table.iloc[:, i]))
                table.isetitem(i, pd.array(names, dtype=object))
    text = table.to_csv(index=False, lineterminator="\n")
    if "\r" in text:  # which csv leaves without quotes, so that it ends the row
        text = table.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    return str(text)


def _no_formula(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def plain_rows(table: pd.DataFrame) -> list[Record]:
    """Return the rows of a table as plain values for JSON; NaN and infinity are None."""
    return [
        {
            str(name): None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]


def json_text(content: Content) -> str:
    """Return the text of a JSON file, indented."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def write_json(path: str | Path, content: Content) -> None:
    """Write a JSON file, indented, with its seal, whole or not at all."""
    text = json_text(content).removesuffix("\n}\n")
    write_together({Path(path): sealed(f"{text},\n  {SEAL}\n}}\n")})


def file_sha256(path: str | Path) -> str:
    """Return the sha256 of a file, in hexadecimal digits."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_parquet(path: str | Path, columns: list[str] | None = None) -> pd.DataFrame:
    """Read one Parquet file, or some of its columns; InputError if FairPairs wrote other bytes.

    Arrow opens the file itself: a thread of Arrow may release a file that Python opened while the
    interpreter ends, which aborts the process.
    """
    import pandas as pd  # noqa: PLC0415  (slow)
    import pyarrow as pa  # noqa: PLC0415

    file = pa.OSFile(os.fsencode(path))
    check_sealed(path)
    return pd.read_parquet(file, columns=columns)  # noqa: TID251


class Pieces:
    """The parts of a Parquet file of `write_joined`, read one at a time; another file is one part.

    InputError if FairPairs wrote other bytes.
    """

    def __init__(self, path: str | Path) -> None:
        import pyarrow as pa  # noqa: PLC0415  (slow)
        import pyarrow.parquet as pq  # noqa: PLC0415

        self._path = path
        self._file = pq.ParquetFile(pa.OSFile(os.fsencode(path)))
        self._joined = JOINED in (self._file.schema_arrow.metadata or {})
        if self._joined:
            check_sealed(path)

    def read(self, number: int, columns: list[str] | None = None) -> pd.DataFrame:
        """Read a part, or some of its columns."""
        if self._joined:
            frame: pd.DataFrame = self._file.read_row_group(number, columns).to_pandas()
            return frame
        return read_parquet(self._path, columns)

    def each(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """Read all parts, one after the other."""
        numbers = range(self._file.num_row_groups) if self._joined else [0]
        return (self.read(number, columns) for number in numbers)


def read_parts(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read a table whose rows are in several Parquet files, one after the other."""
    import pandas as pd  # noqa: PLC0415  (slow)

    return pd.concat(map(read_parquet, paths), ignore_index=True)


def write_parquet(
    path: str | Path, frame: pd.DataFrame, *, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a Parquet file, whole or not at all; the same frame gives the same bytes.

    `metadata` is kept with the schema, beside what pandas writes there; the file carries its
    digest.
    """
    import pyarrow as pa  # noqa: PLC0415  (slow)

    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), **(metadata or {})})
    with written_whole(path) as temporary, sealed_writer(temporary, table.schema) as writer:
        writer.write_table(table)


def write_joined(path: str | Path, parts: Sequence[str | Path]) -> None:
    """Write the rows of Parquet files as one, each file a row group; one is held at a time."""
    import pyarrow.parquet as pq  # noqa: PLC0415  (slow)

    schema = pq.read_schema(parts[0])
    kept = {key: text for key, text in schema.metadata.items() if key != KEY.encode()}
    schema = schema.with_metadata({**kept, JOINED: str(len(parts))})
    with written_whole(path) as temporary, sealed_writer(temporary, schema) as writer:
        for part in parts:
            check_sealed(part)
            table = pq.read_table(part)  # noqa: TID251
            writer.write_table(table, row_group_size=max(1, table.num_rows))
