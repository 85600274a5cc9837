"""The sums kept for a measure on an attribute, and its lines, one for each other group: rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.sequential.changes import Changes, RateChanges
from fairpairs.mathematics.sequential.evidence import (
    limits,
    log_evidence_beyond,
    log_evidence_within,
)
from fairpairs.mathematics.sequential.rate_bets import RateBets, log_evidence_of_difference

#: The note where rates and shares of groups drift together.
DRIFT = "the estimate, of all rows, is not in its interval, of blocks: rates and shares drift"
#: What a line shows before its first look.
UNKNOWN = (math.nan,) * 6


@dataclass(frozen=True)
class Shown:
    """What one line shows now; NaN where nothing is known."""

    #: The group minus the reference, and an interval that covers at all looks.
    estimate: float
    low: float
    high: float
    #: Log of the largest evidence so far of a difference, and of one beyond the margin.
    evidence: float
    beyond: float
    #: Log of the evidence now that the difference lies within the margin.
    within: float
    #: Number of items of group and reference.
    items: tuple[int, int]
    #: Why nothing is known, or the estimate is not in its interval.
    note: str = ""


@cache  # each line of each state asks for it
def grid(margin: float | None) -> Floats:
    """Return the differences of the hypotheses on rates: fine near 0, and ±margin."""
    steps = [(0.1, 0.002), (0.3, 0.005), (0.5, 0.02), (0.95, 0.05)]
    values, end = [0.0], 0.0
    for last, step in steps:
        values += [round(end + i * step, 6) for i in range(1, round((last - end) / step) + 1)]
        end = last
    positive = sorted({*values, *([] if margin is None else [margin])})
    differences = np.array([*(-d for d in positive[:0:-1]), *positive])
    differences.flags.writeable = False
    return differences


class RateTrack:
    """A rate: bets on the difference of each other group, whose changes may be looked for."""

    def __init__(self, others: int, margin: float | None, gap: float) -> None:
        self.others, self.margin, self.gap = others, margin, gap
        #: By line; none where changes are not looked for.
        self.changes: list[RateChanges] = []
        self.bets = [RateBets.new(grid(margin), gap) for _ in range(others)]
        self.best = np.zeros(others)
        self.beyond = np.zeros(others)

    def watch(self, threshold: float) -> None:
        """Look for changes, each of which is shown at a sum of wealths."""
        if not self.changes:
            self.changes = [
                RateChanges(self.gap, self.margin, Changes(0.0)) for _ in range(self.others)
            ]
        for each in self.changes:
            each.changes.threshold = threshold

    def counts(self, group: int) -> Floats:
        """Return the numbers of items and of hits, of a group and the reference, shape (2, 2)."""
        bets = self.bets[group]
        both = [bets.items + bets.waiting_items, bets.hits + bets.waiting_hits]
        return np.array(both, dtype=float)

    def append(self, items: Sequence[tuple[NDArray[np.bool_], NDArray[np.bool_] | Floats]]) -> None:
        """Add items: whether each is of the group, and a hit (or its share), per other group."""
        for k, (in_group, hit) in enumerate(items):
            if self.changes:
                self.changes[k].append(in_group, hit)
            bets = self.bets[k]
            ended = bets.append(in_group, hit)
            if not ended:
                continue
            wealth = np.stack(ended)
            evidence = log_evidence_of_difference(wealth, bets.differences)
            self.best[k] = max(self.best[k], evidence.max())
            if self.margin is not None:
                evidence = log_evidence_beyond(wealth, bets.differences, self.margin)
                self.beyond[k] = max(self.beyond[k], evidence.max())

    def shown(self, group: int, alpha: float) -> Shown:
        """Return what the line of another group shows."""
        bets = self.bets[group]
        items = bets.items + bets.waiting_items
        hits = bets.hits + bets.waiting_hits
        if not bets.blocks:
            side = "the group" if not items[0] else "the reference"
            return Shown(*UNKNOWN, two(items), f"no item of {side} yet")
        rates = hits / items
        estimate = float(rates[0] - rates[1])
        low, high = limits(bets.log_wealth, bets.differences, alpha)
        within = beyond = math.nan
        if self.margin is not None:
            within = float(log_evidence_within(bets.log_wealth, bets.differences, self.margin))
            beyond = float(self.beyond[group])
        return Shown(
            estimate,
            low,
            high,
            float(self.best[group]),
            beyond,
            within,
            two(items),
            "" if low <= estimate <= high else DRIFT,
        )


def two(items: Integers) -> tuple[int, int]:
    """Return the numbers of items of a group and of the reference."""
    return int(items[0]), int(items[1])
