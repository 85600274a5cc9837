"""Judgments that share items, judges and clusters."""

from __future__ import annotations

import tracemalloc
from typing import Any

from measure import promises, seconds  # isort: skip

import numpy as np
import plain

from fairpairs import comparative_separation_from_judgments

#: Judgments of the plain double loop: it takes quadratic time, so 10⁶ are 10⁶ times as slow.
PLAIN = 1000


def judgments(m: int, rng: np.random.Generator) -> dict[str, Any]:
    """Draw m judgments of a tenth as many items, 1,000 judges and a hundredth as many clusters."""
    n = m // 10
    left, right = rng.integers(n, size=(2, m))
    return {
        "left": left,
        "right": right,
        "outcome": rng.choice([-1, 1], m),
        "y_score": rng.normal(size=n),
        "sensitive_features": rng.integers(2, size=n),
        "judges": rng.integers(1000, size=m),
        "clusters": rng.integers(m // 100, size=m),
    }


@promises(
    ("10⁶ judgments of 10³ judges in 10⁴ clusters, seconds", "≤", 5.0),
    ("10⁶ judgments of 10³ judges in 10⁴ clusters, peak MB", "≤", 1000.0),
    ("10⁶ judgments of 10³ judges / double loop, extrapolated", "≥", 10_000.0),
)
def related(rounds: int) -> tuple[list[float], ...]:
    """Time the test, take its memory, and compare it with a sum over all pairs of judgments."""
    rng = np.random.default_rng(0)
    large, small = judgments(10**6, rng), judgments(PLAIN, rng)
    times, ratios = [], []
    for _ in range(rounds):
        times.append(seconds(lambda: comparative_separation_from_judgments(**large)))
        slow = seconds(lambda: plain.judgments(**small)) * (10**6 / PLAIN) ** 2
        ratios.append(slow / times[-1])
    tracemalloc.start()
    comparative_separation_from_judgments(**large)
    peak = tracemalloc.get_traced_memory()[1] / 1024**2
    tracemalloc.stop()
    return times, [peak], ratios
