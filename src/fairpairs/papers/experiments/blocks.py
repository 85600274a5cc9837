"""The repeats of an experiment in chunks, one a job, each made block by block.

Finished blocks stay, whatever ends their job.
"""

import json
import math
import shutil
import statistics
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs.base.files import file_sha256, write_joined, write_parquet, write_text

#: Repeats of a block: so many are held at once, and at most lost when a job is ended.
BLOCK = 500
#: Minutes that a job asks for at most before it is known how long its blocks take.
FIRST = 60


def chunks(repeats: int, size: int, *, since: int = 0) -> list[str]:
    """Cut repeats, all or since one of them, into chunks named by their first and last one.

    >>> chunks(5, 2)
    ['0000000-0000001', '0000002-0000003', '0000004-0000004']
    >>> chunks(5, 2, since=1)
    ['0000001-0000002', '0000003-0000004']
    """
    return [
        f"{first:07d}-{min(first + size, repeats) - 1:07d}" for first in range(since, repeats, size)
    ]


def chunk_repeats(chunk: str) -> list[int]:
    """Return the repeats of a chunk.

    >>> chunk_repeats("0000002-0000003")
    [2, 3]
    """
    first, last = map(int, chunk.split("-"))
    return list(range(first, last + 1))


def in_blocks(repeats: Sequence[int]) -> list[Sequence[int]]:
    """Cut repeats into blocks.

    >>> [(some[0], some[-1]) for some in in_blocks(range(1200))]
    [(0, 499), (500, 999), (1000, 1199)]
    """
    return [repeats[first : first + BLOCK] for first in range(0, len(repeats), BLOCK)]


def write_in_blocks(
    path: str | Path,
    make: Callable[[int, Sequence[int]], pd.DataFrame],
    job: Any,
) -> None:
    """Write a chunk as one Parquet file; `make` returns a block, by its number and its repeats.

    Of several blocks each is a file in a folder beside `path` until all are there, so that a job
    that is started again makes only those that are missing. Blocks of other data, settings or code
    are removed: `job`, the `snakemake` object of the script, has all that they rest on.
    """
    cut = in_blocks(chunk_repeats(Path(path).stem))
    if len(cut) == 1:
        write_parquet(path, make(0, cut[0]))
        return
    folder = blocks_of(path)
    basis, digest = folder / "basis.txt", _basis(job)
    if folder.exists() and not (basis.exists() and basis.read_text("utf-8") == digest):
        shutil.rmtree(folder)
    write_text(basis, digest)
    blocks = [folder / f"{some[0]:07d}.parquet" for some in cut]
    for number, (block, some) in enumerate(zip(blocks, cut, strict=True)):
        if not block.exists():
            write_parquet(block, make(number, some))
    write_joined(path, blocks)
    shutil.rmtree(folder)


def blocks_of(path: str | Path) -> Path:
    """Return the folder of the blocks of a chunk that is not finished."""
    return Path(path).with_name(f".{Path(path).stem}.blocks")


def minutes_asked(path: str | Path, attempt: int, start: float, each: float) -> int:
    """Return the minutes that an attempt to make a chunk asks for, `each` for a repeat.

    The first asks for FIRST at most. The next goes on where that one was ended, and asks for what
    is left, by the times at which three blocks or more were written; without them it asks twice.
    """
    repeats = chunk_repeats(Path(path).stem)
    asked: int = min(math.ceil(start + each * len(repeats)), FIRST) * 2 ** (attempt - 1)
    written = sorted(block.stat().st_mtime for block in blocks_of(path).glob("*.parquet"))
    if attempt == 1 or len(written) < 3:
        return asked
    pause = statistics.median(later - earlier for earlier, later in pairwise(written))
    return math.ceil(start + 1.5 * pause / 60 * (len(in_blocks(repeats)) - len(written)))


def _basis(job: Any) -> str:
    """Return a digest of the params and the content of the inputs of a job."""
    params = json.dumps(dict(job.params.items()), sort_keys=True, default=str)
    return sha256("\n".join([params, *map(file_sha256, job.input)]).encode()).hexdigest()
