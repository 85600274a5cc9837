"""The SHA-256 of all tables and predictions of a run, independent of the size of chunks."""

import hashlib
import math
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256, read_parquet, write_text
from fairpairs.base.plain_values import Record

#: Name of a file that holds a chunk of repeats.
CHUNK = re.compile(r"\d+-\d+")


def write_checksums(
    checksums: str | Path,
    *,
    tables: Sequence[str],
    predictions: Sequence[str],
    predictions_table: str,
) -> None:
    """Write the checksums of a run as sha256sum does; paths start from the folder of the run.

    The description of the `predictions` (see `describe_predictions`) goes to the CSV
    `predictions_table`, which is listed as a table, because sha256sum cannot put chunks together.
    """
    write_text(predictions_table, describe_predictions(predictions).to_csv(index=False))
    lines = [f"{file_sha256(path)}  {path}\n" for path in sorted([*tables, predictions_table])]
    write_text(checksums, "".join(lines))


def read_checksums(path: str | Path) -> dict[str, str]:
    """Read the SHA-256 of files by path, as sha256sum writes them; InputError if damaged."""
    digests = {}
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: it cannot be read ({error}): restore the file.") from error
    if not lines:
        raise InputError(f"{path}: it is empty: restore the file.")
    for number, line in enumerate(lines, 1):
        matched = re.fullmatch(r"([0-9a-f]{64}) [ *](\S.*)", line)
        if not matched:
            raise InputError(
                f"{path}: line {number} is no checksum and path as sha256sum writes them: "
                "restore the file."
            )
        if matched[2] in digests:
            raise InputError(
                f"{path}: line {number} names {matched[2]} a second time: restore the file."
            )
        digests[matched[2]] = matched[1]
    return digests


def describe_predictions(files: Sequence[str], *, folder: str | Path = ".") -> pd.DataFrame:
    """Return a row for the Parquet files of each folder of chunks, and for each other file.

    `folder` is where the paths start from. The columns are `predictions` (the path), `rows`,
    `repeats`, `mean_score` and `mean_prediction` (exactly rounded; missing if there is no such
    column) and `sha256`.

    The latter is that of a line `name type sha256` for each column, whose own is of its values as
    little-endian bytes, or of words in UTF-8, each with a zero byte behind it. So it depends on the
    values and their order alone, not on where a file ends, nor on how Parquet packs them.
    """
    together: dict[str, list[Path]] = {}
    for file in map(Path, sorted(files)):  # the names of chunks sort by their first repeat
        name = file.parent if CHUNK.fullmatch(file.stem) else file.with_suffix("")
        together.setdefault(name.as_posix(), []).append(Path(folder, file))
    rows = [{"predictions": name, **_describe(chunks)} for name, chunks in together.items()]
    columns = ["predictions", "rows", "repeats", "mean_score", "mean_prediction", "sha256"]
    return pd.DataFrame(rows, columns=columns).astype({"rows": "Int64", "repeats": "Int64"})


def _describe(chunks: Sequence[str | Path]) -> Record:
    """Read chunks one after the other: all at once would need much memory."""
    kinds: dict[str, str] = {}
    digests: Record = {}
    rows = 0
    repeats: set[int] = set()
    for chunk in chunks:
        frame = read_parquet(chunk)
        kinds = kinds or {str(name): _kind(frame[name]) for name in frame}
        if kinds != {name: _kind(frame[name]) for name in frame}:
            raise InputError(
                f"{chunk}: its columns are not those of {chunks[0]}: delete both, and run again."
            )
        for name in kinds:
            digests.setdefault(name, hashlib.sha256()).update(_bytes(frame[name]))
        rows += len(frame)
        if "repeat" in frame:
            repeats |= set(frame["repeat"].unique())
    text = "".join(f"{name} {kind} {digests[name].hexdigest()}\n" for name, kind in kinds.items())
    return {
        "rows": rows,
        "repeats": len(repeats) or None,
        **{
            f"mean_{name}": _sum(name, chunks) / rows
            for name in ("score", "prediction")
            if name in kinds and rows
        },
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def _sum(name: str, chunks: Sequence[str | Path]) -> float:
    """Return the exactly rounded sum of a column: a plain one would depend on the chunks."""
    columns = (read_parquet(chunk, columns=[name])[name].tolist() for chunk in chunks)
    return math.fsum(chain.from_iterable(columns))


def _kind(values: Series) -> str:
    return values.to_numpy().dtype.str.lstrip("<>=|") if _is_number(values) else "words"


def _bytes(values: Series) -> bytes:
    if not _is_number(values):
        return "".join(f"{value}\0" for value in values).encode()
    numbers = values.to_numpy()
    return numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()


def _is_number(values: Series) -> bool:
    return isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf"
