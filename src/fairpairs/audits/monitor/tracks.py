"""What is kept for a measure on an attribute, and its lines, one for each other group."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.sequential.difference_looks import (
    FEWEST_NUMBERS,
    FEWEST_SCORES,
    MEASURES,
    MeanLooks,
    RankingLooks,
)
from fairpairs.mathematics.sequential.evidence import (
    half_width,
    limits,
    log_evidence_beyond,
    log_evidence_within,
    log_wealth_of_normal,
)
from fairpairs.mathematics.sequential.rate_bets import (
    Changes,
    RateBets,
    RateChanges,
    log_evidence_of_difference,
)

#: The note where rates and shares of groups drift together.
DRIFT = "the estimate, of all rows, is not in its interval, of blocks: rates and shares drift"
#: What a line shows before its first look.
UNKNOWN = (math.nan,) * 6
#: Bins of scores.
BINS = 500


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
            return Shown(*UNKNOWN, two(items), f"no row of {side} yet")
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


@dataclass
class NormalLines:
    """The evidence of differences whose estimates are normal in large samples."""

    margin: float | None
    gap: float
    #: Unit of `gap`, by line; NaN before the first look.
    scale: Floats
    #: Log of the largest evidence so far, of a difference and of one beyond the margin.
    best: Floats = field(init=False)
    beyond: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.best, self.beyond = np.zeros(len(self.scale)), np.zeros(len(self.scale))

    def look(self, estimates: Floats, variances: Floats) -> None:
        """Update the largest evidence; arrays are of all lines, NaN without an estimate."""
        for k in np.flatnonzero(np.isfinite(variances)):
            wealth, differences = self._wealth(estimates[k], variances[k], int(k))
            self.best[k] = max(self.best[k], log_evidence_beyond(wealth, differences, 0.0))
            if self.margin is not None:
                evidence = log_evidence_beyond(wealth, differences, self.margin)
                self.beyond[k] = max(self.beyond[k], evidence)

    def _wealth(self, estimate: float, variance: float, k: int) -> tuple[Floats, Floats]:
        margin = self.margin
        differences = np.array([0.0] if margin is None else [-margin, 0.0, margin])
        gap = self.gap * float(self.scale[k])
        return log_wealth_of_normal(estimate, variance, differences, gap), differences

    def shown(
        self,
        k: int,
        estimate: float,
        variance: float,
        alpha: float,
        items: tuple[int, int],
        note: str,
    ) -> Shown:
        """Return what a line shows."""
        if not np.isfinite(variance):
            if not self.best[k]:
                return Shown(*UNKNOWN, items, note)
            # what was shown stays
            beyond = math.nan if self.margin is None else float(self.beyond[k])
            return Shown(*UNKNOWN[:3], float(self.best[k]), beyond, math.nan, items, note)
        wealth, differences = self._wealth(estimate, variance, k)
        half = float(half_width(variance, alpha, self.gap * float(self.scale[k])))
        within = beyond = math.nan
        if self.margin is not None:
            # both sides at half the level: one side of an AUC near 1 errs a little too often
            within = float(log_evidence_within(wealth, differences, self.margin)) - math.log(2)
            beyond = float(self.beyond[k])
        return Shown(
            float(estimate),
            float(estimate) - half,
            float(estimate) + half,
            float(self.best[k]),
            beyond,
            within,
            items,
        )


class RankingTrack:
    """AUC and xAUC of scores in bins."""

    measures = MEASURES

    def __init__(self, groups: int, reference: int, margin: float | None, gap: float) -> None:
        self.looks = RankingLooks.new(groups, reference, BINS)
        self.lines = NormalLines(margin, gap, np.ones(len(MEASURES) * (groups - 1)))

    def append(self, group: Integers, label: Integers, bins: Integers) -> None:
        """Add items: group, label (0 or 1) and bin of the score of each."""
        for estimates, variances in self.looks.append(group, label, bins):
            self.lines.look(estimates.ravel(), variances.ravel())

    def shown(self, group: int, measure: int, alpha: float) -> Shown:
        """Return what a measure of another group shows."""
        looks = self.looks
        note = f"fewer than {FEWEST_SCORES} rows of each group and label, or scores that tie"
        return self.lines.shown(
            group * len(MEASURES) + measure,
            looks.estimates[group, measure],
            looks.variances[group, measure],
            alpha,
            _sizes(looks, group),
            note,
        )


class MeanTrack:
    """The mean of a number."""

    def __init__(self, groups: int, reference: int, margin: float | None, gap: float) -> None:
        self.looks = MeanLooks.new(groups, reference)
        self.lines = NormalLines(margin, gap, np.full(groups - 1, np.nan))

    def append(self, group: Integers, numbers: Floats) -> None:
        """Add items: group and number of each."""
        for estimates, variances in self.looks.append(group, numbers):
            new = np.isfinite(variances) & np.isnan(self.lines.scale)
            # the unit of the gap is the standard deviation at the first look with an estimate; an
            # effective size of 30 or more makes this close to that of the numbers
            self.lines.scale[new] = np.sqrt(variances[new] / (2 / FEWEST_NUMBERS))
            self.lines.look(estimates, variances)

    def shown(self, group: int, alpha: float) -> Shown:
        """Return what the line of another group shows."""
        looks, items = self.looks, _sizes(self.looks, group)
        note = f"fewer than {FEWEST_NUMBERS} rows of each group, or numbers that do not vary"
        estimate, variance = looks.estimates[group], looks.variances[group]
        return self.lines.shown(group, estimate, variance, alpha, items, note)


def _sizes(looks: MeanLooks | RankingLooks, group: int) -> tuple[int, int]:
    """Return the numbers of items of another group and of the reference."""
    others = np.delete(looks.items, looks.reference)
    return int(others[group]), int(looks.items[looks.reference])
