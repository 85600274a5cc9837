"""Runs measurements over chunks of streams, in processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.papers.experiments.seeds import stream

#: Streams that one process draws at once.
CHUNK = 250
#: Measures a number of streams drawn with a generator: shape (quantities, streams).
Measure = Callable[[np.random.Generator, int], Floats]


@dataclass(frozen=True)
class Case:
    """A row of a table: its name, and what is measured."""

    name: str
    measure: Measure


def _chunk(case: Case, seed: int, number: int, streams: int) -> Floats:
    return case.measure(stream(seed, "sequential", case.name, number), streams)


def run(
    cases: Sequence[Case], *, streams: int, seed: int, processes: int
) -> Iterator[tuple[Case, Floats, Floats]]:
    """Yield each case with the means of its quantities and their Monte Carlo errors.

    The numbers do not depend on the number of processes.
    """
    sizes = [min(CHUNK, streams - start) for start in range(0, streams, CHUNK)]
    with ProcessPoolExecutor(processes) as pool:
        parts = [
            [pool.submit(_chunk, case, seed, i, size) for i, size in enumerate(sizes)]
            for case in cases
        ]
        for case, futures in zip(cases, parts, strict=True):
            values = np.concatenate([part.result() for part in futures], axis=1)
            mean = values.mean(axis=1)
            yield case, mean, values.std(axis=1) / np.sqrt(streams)
