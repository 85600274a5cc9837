"""The wealth of bets on rates, on many streams at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.repeated_looks.streams import NEVER, Streams
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.sequential.evidence import block_size
from fairpairs.mathematics.sequential.rate_bets import log_evidence_of_difference, log_factors


def wealth(
    streams: Streams, differences: Floats, rows: int, gap: float = 0.1
) -> Iterator[tuple[Integers, Floats]]:
    """Yield rows, (streams,), and log wealth of `RateBets`, (streams, 2, d), at ends of blocks.

    Rows are those up to the end of the block; if they are more than `rows`, the wealth means
    nothing.
    """
    items, hits = (np.zeros((streams.number, 2), dtype=np.int64) for _ in range(2))
    log_wealth = np.zeros((streams.number, 2, len(differences)))
    sizes = np.array([block_size(n) for n in range(1024)])
    while True:
        fewest = items.min(axis=1)
        while len(sizes) <= fewest.max():
            sizes = np.append(sizes, [block_size(n) for n in range(len(sizes), 2 * len(sizes))])
        block_items, block_hits, at = streams.block(sizes[fewest])
        if (at > rows).all():
            return
        log_wealth = log_wealth + log_factors(
            items, hits, block_items, block_hits, differences, gap
        )
        items, hits = items + block_items, hits + block_hits
        yield at, log_wealth


def largest(
    streams: Streams,
    differences: Floats,
    rows: int,
    evidence: Callable[[Floats], Floats],
    gap: float = 0.1,
) -> Floats:
    """Return the largest log evidence at any look, shape (streams, …), at least 0.

    `evidence` maps log wealth, shape (streams, 2, d), to log evidence, shape (streams, …).
    """
    highest: Floats = np.maximum(evidence(np.zeros((streams.number, 2, len(differences)))), 0)
    for at, log_wealth in wealth(streams, differences, rows, gap):
        now = at <= rows
        highest[now] = np.maximum(highest, evidence(log_wealth))[now]
    return highest


def first_found(streams: Streams, rows: int, alpha: float) -> Integers:
    """Return the rows, shape (streams,), until bets find a difference; `NEVER` if they do not."""
    first = np.full(streams.number, NEVER)
    for at, log_wealth in wealth(streams, np.zeros(1), rows):
        evidence = log_evidence_of_difference(log_wealth, np.zeros(1))
        now = (evidence >= math.log(1 / alpha)) & (at <= rows) & (first == NEVER)
        first[now] = at[now]
        if (first < NEVER).all():
            break
    return first
