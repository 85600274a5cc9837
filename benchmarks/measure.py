"""How the benchmarks measure: the clock, and the registry of promises."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Promise:
    """A bound that a measured figure does not exceed."""

    name: str
    bound: float

    def is_kept(self, values: Sequence[float]) -> bool:
        """Whether the best round keeps the bound; one round may be noise."""
        return min(values) <= self.bound


#: Takes the number of rounds; returns the figures of each promise, one per round.
Measurement = Callable[[int], Sequence[Sequence[float]]]

MEASUREMENTS: list[tuple[Measurement, tuple[Promise, ...]]] = []


def promises(*bounds: tuple[str, float]) -> Callable[[Measurement], Measurement]:
    """Register a function that measures these figures: name and bound of each."""

    def register(measurement: Measurement) -> Measurement:
        MEASUREMENTS.append((measurement, tuple(Promise(*bound) for bound in bounds)))
        return measurement

    return register


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
