"""Tracks of estimates that are normal in large samples: rankings and means."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from fairpairs.audits.monitor.tracks import UNKNOWN, Shown
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
    log_evidence_beyond,
    log_evidence_within,
    log_wealth_of_normal,
)

#: Bins of scores.
BINS = 500


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
        note = f"fewer than {FEWEST_SCORES} items of each group and label, or scores that tie"
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
        note = f"fewer than {FEWEST_NUMBERS} items of each group, or numbers that do not vary"
        estimate, variance = looks.estimates[group], looks.variances[group]
        return self.lines.shown(group, estimate, variance, alpha, items, note)


def _sizes(looks: MeanLooks | RankingLooks, group: int) -> tuple[int, int]:
    """Return the numbers of items of another group and of the reference."""
    others = np.delete(looks.items, looks.reference)
    return int(others[group]), int(looks.items[looks.reference])
