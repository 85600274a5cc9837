"""Run a measurement over blocks of data sets, whatever the number of processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats

T = TypeVar("T")
#: What a test may promise.
Kind = Literal["level", "coverage", "power", "margin"]


@dataclass(frozen=True)
class Said:
    """What a test says of k data sets."""

    #: what was tested or estimated: "Holm", a criterion, an interval
    of: str
    kind: Kind
    #: 1 for a rejection, or the share of covered truths; NaN where nothing is said, shape (k,)
    values: Floats
    #: whether the result carries a note, shape (k,)
    noted: NDArray[np.bool_]

    @classmethod
    def once(cls, of: str, kind: Kind, value: float | None, noted: bool = False) -> Said:
        """Say something of one data set; None says nothing."""
        return cls(of, kind, np.array([np.nan if value is None else value]), np.array([noted]))


def simulate(
    measure: Callable[[np.random.Generator, int], T],
    sets: int,
    stream: Callable[[int], np.random.Generator],
    *,
    block: int = 1,
    processes: int = 1,
) -> Iterator[T]:
    """Yield what a measurement says of each block of data sets, in order.

    `stream` returns the generator of a block; results do not depend on the processes.
    """
    sizes = [min(block, sets - start) for start in range(0, sets, block)]
    one = partial(_block, measure, stream)
    if processes == 1:
        yield from map(one, range(len(sizes)), sizes)
        return
    with ProcessPoolExecutor(processes) as pool:
        chunk = max(1, len(sizes) // (8 * processes))
        yield from pool.map(one, range(len(sizes)), sizes, chunksize=chunk)


def _block(
    measure: Callable[[np.random.Generator, int], T],
    stream: Callable[[int], np.random.Generator],
    number: int,
    size: int,
) -> T:
    return measure(stream(number), size)


def gathered(blocks: Iterable[Sequence[Said]]) -> list[Said]:
    """Join what is said of the same in all blocks, in the order in which it comes first."""
    parts: dict[tuple[str, Kind], list[Said]] = {}
    for block in blocks:
        for said in block:
            parts.setdefault((said.of, said.kind), []).append(said)
    return [Said(of, kind, *_joined(said)) for (of, kind), said in parts.items()]


def _joined(said: Sequence[Said]) -> tuple[Floats, NDArray[np.bool_]]:
    values, noted = ([getattr(part, name) for part in said] for name in ("values", "noted"))
    return np.concatenate(values), np.concatenate(noted)
