"""What tests say of simulated data sets, and whether that keeps a promise (Clopper and Pearson)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from fairpairs.base.arrays import Floats

T = TypeVar("T")
#: What a test may promise.
Kind = Literal["level", "coverage", "power"]
#: A promise is broken if chance explains the measured number with a probability below 1 minus this.
CONFIDENCE = 0.99
#: Least coverage of an interval of 95 %, without and with a note.
COVERAGE = (0.93, 0.90)
#: The power may lie this far below what is planned, or below that of a competitor.
POWER_MARGIN = 0.03
#: A promise is kept if the measured number is surely not worse than it by more than this.
TOLERANCE = 0.01
#: Results with and without a note are counted apart if each has at least this share.
FEW = 0.1
KEPT, BROKEN, UNKNOWN, NONE = "kept", "broken", "not known yet", ""


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
    streams = map(stream, range(len(sizes)))
    if processes == 1:
        yield from map(measure, streams, sizes)
        return
    with ProcessPoolExecutor(processes) as pool:
        chunk = max(1, len(sizes) // (8 * processes))
        yield from pool.map(measure, streams, sizes, chunksize=chunk)


def gathered(blocks: Iterable[Sequence[Said]]) -> list[Said]:
    """Join what is said of the same in all blocks, in the order in which it comes first."""
    parts: dict[tuple[str, Kind], list[Said]] = {}
    for block in blocks:
        for said in block:
            parts.setdefault((said.of, said.kind), []).append(said)
    return [
        Said(
            *key,
            np.concatenate([part.values for part in said]),
            np.concatenate([part.noted for part in said]),
        )
        for key, said in parts.items()
    ]


@dataclass(frozen=True)
class Measured:
    """How often something happened in the data sets of a world, and what was promised of it."""

    of: str
    kind: Kind
    noted: bool
    #: the largest level, or the smallest coverage or power; NaN where nothing is promised
    promised: float
    #: how often it happened; shares of data sets add up
    count: float
    sets: int
    #: standard error by simulation
    error: float

    @property
    def rate(self) -> float:
        """The share of data sets."""
        return self.count / self.sets if self.sets else np.nan

    @property
    def low(self) -> float:
        """Clopper and Pearson's lower limit, one-sided, at `CONFIDENCE`."""
        if self.count == 0:
            return 0.0
        return float(betaincinv(self.count, self.sets - self.count + 1, 1 - CONFIDENCE))

    @property
    def high(self) -> float:
        """Clopper and Pearson's upper limit, one-sided, at `CONFIDENCE`."""
        if self.count >= self.sets:
            return 1.0
        return float(betaincinv(self.count + 1, self.sets - self.count, CONFIDENCE))

    @property
    def at_most(self) -> bool:
        """Whether the promise is an upper bound."""
        return self.kind == "level"

    @property
    def bound(self) -> float:
        """The limit in favour of the test."""
        return self.low if self.at_most else self.high

    @property
    def broken(self) -> bool:
        """Whether chance does not explain the distance from the promise."""
        return self.bound > self.promised if self.at_most else self.bound < self.promised

    def verdict(self, tolerance: float = TOLERANCE) -> str:
        """Return "kept", "broken", "not known yet", or "" where nothing is promised."""
        if np.isnan(self.promised):
            return NONE
        if self.broken:
            return BROKEN
        if self.at_most:
            return KEPT if self.high <= self.promised + tolerance else UNKNOWN
        return KEPT if self.low >= self.promised - tolerance else UNKNOWN


def share(of: str, kind: Kind, values: Floats, promised: float, noted: bool = False) -> Measured:
    """Measure a promise by one number for each data set, 0, 1 or a share; NaN does not count."""
    known = values[np.isfinite(values)]
    sets, count = len(known), float(known.sum())
    rate = count / sets if sets else np.nan
    if kind == "coverage":
        count = rate * sets
        error = float(known.std(ddof=1) / np.sqrt(sets)) if sets > 1 else np.nan
    else:
        error = float(np.sqrt(rate * (1 - rate) / sets)) if sets else np.nan
    return Measured(of, kind, noted, promised, count, sets, error)


def measured(said: Said, alpha: float) -> Iterator[Measured]:
    """Yield what was measured of a level or a coverage, apart with and without a note.

    A note allows twice the level, and a coverage of 0.90. A minority below a tenth counts as the
    majority: it is extreme.
    """
    known = np.isfinite(said.values)
    values, noted = said.values[known], said.noted[known]
    if not len(values):
        return
    promised = {
        "level": (alpha, 2 * alpha),
        "coverage": tuple(1 - (1 - least) * alpha / 0.05 for least in COVERAGE),
        "power": (np.nan, np.nan),
    }[said.kind]
    if FEW * len(noted) <= noted.sum() <= (1 - FEW) * len(noted):
        parts = [(False, values[~noted]), (True, values[noted])]
    else:
        parts = [(bool(noted.sum() > len(noted) / 2), values)]
    for with_note, part in parts:
        yield share(said.of, said.kind, part, promised[with_note], with_note)
