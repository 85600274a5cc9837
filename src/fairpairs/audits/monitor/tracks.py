"""The sums kept for a measure on an attribute, and its lines, one for each other group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.monitor.packing import packed, packed_counts, unpacked, unpacked_counts
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.estimates.exact_moments import Moments
from fairpairs.mathematics.sequential import normal_mixture
from fairpairs.mathematics.sequential.changes import Changes, Period, RateChanges
from fairpairs.mathematics.sequential.cheap_looks import (
    FEWEST as FEWEST_CHEAP,
    CheapItems,
    CheapLooks,
    counted,
)
from fairpairs.mathematics.sequential.evidence import (
    limits,
    log_evidence_beyond,
    log_evidence_within,
)
from fairpairs.mathematics.sequential.mean_looks import FEWEST as FEWEST_NUMBERS, MeanLooks
from fairpairs.mathematics.sequential.ranking_looks import (
    FEWEST as FEWEST_SCORES,
    MEASURES,
    RankingLooks,
)
from fairpairs.mathematics.sequential.rate_bets import RateBets, log_evidence_of_difference

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
    #: Why nothing is known.
    note: str = ""


def grid(margin: float | None) -> Floats:
    """Return the differences of the hypotheses on rates: fine near 0, and ±margin."""
    steps = [(0.1, 0.002), (0.3, 0.005), (0.5, 0.02), (0.95, 0.05)]
    values, end = [0.0], 0.0
    for last, step in steps:
        values += [round(end + i * step, 6) for i in range(1, round((last - end) / step) + 1)]
        end = last
    positive = sorted({*values, *([] if margin is None else [margin])})
    return np.array([*(-d for d in positive[:0:-1]), *positive])


class Watched:
    """A rate, whose changes may be looked for."""

    def __init__(self, others: int, margin: float | None, gap: float) -> None:
        self.others, self.margin, self.gap = others, margin, gap
        #: By line; none where changes are not looked for.
        self.changes: list[RateChanges] = []

    def watch(self, threshold: float) -> None:
        """Look for changes, each of which is shown at a sum of wealths."""
        if not self.changes:
            self.changes = [
                RateChanges(self.gap, self.margin, Changes(0.0)) for _ in range(self.others)
            ]
        for each in self.changes:
            each.changes.threshold = threshold


class RateTrack(Watched):
    """A rate: bets on the difference of each other group."""

    def __init__(self, others: int, margin: float | None, gap: float) -> None:
        super().__init__(others, margin, gap)
        self.bets = [RateBets.new(grid(margin), gap) for _ in range(others)]
        self.best = np.zeros(others)
        self.beyond = np.zeros(others)

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
            return Shown(*UNKNOWN, _two(items), f"no item of {side} yet")
        rates = hits / items
        low, high = limits(bets.log_wealth, bets.differences, alpha)
        within = beyond = math.nan
        if self.margin is not None:
            within = float(log_evidence_within(bets.log_wealth, bets.differences, self.margin))
            beyond = float(self.beyond[group])
        return Shown(
            float(rates[0] - rates[1]),
            low,
            high,
            float(self.best[group]),
            beyond,
            within,
            _two(items),
        )

    def kept(self) -> Record:
        """Return all that is kept, for JSON."""
        return {
            "evidence": packed(self.best),
            "beyond": packed(self.beyond),
            "bets": [
                {
                    "items": bets.items.tolist(),
                    "hits": bets.hits.tolist(),
                    "waiting_items": bets.waiting_items.tolist(),
                    "waiting_hits": bets.waiting_hits.tolist(),
                    "log_wealth": packed(bets.log_wealth),
                    "blocks": bets.blocks,
                }
                for bets in self.bets
            ],
        }

    def restore(self, kept: Content) -> None:
        """Take over what was kept."""
        self.best, self.beyond = unpacked(kept["evidence"]), unpacked(kept["beyond"])
        for bets, saved in zip(self.bets, kept["bets"], strict=True):
            for name in ("items", "hits", "waiting_items", "waiting_hits"):
                setattr(bets, name, np.array(saved[name]))
            bets.log_wealth = unpacked(saved["log_wealth"]).reshape(bets.log_wealth.shape)
            bets.blocks = int(saved["blocks"])


def kept_changes(changes: RateChanges) -> Record:
    """Return all that is kept of the detectors of a line, for JSON."""
    inner = changes.changes
    return {
        "counts": [changes.counts.tolist(), changes.waiting.tolist()],
        "batch": inner.batch,
        "begun": inner.begun,
        "wealth": packed(inner.sums),
        "runs": [inner.runs.tolist(), inner.begins.tolist()],
        "periods": [list(astuple(period)) for period in inner.periods],
    }


def restore_changes(changes: RateChanges, kept: Content) -> None:
    """Take over what was kept of the detectors of a line."""
    inner = changes.changes
    changes.counts, changes.waiting = np.array(kept["counts"])
    inner.sums = unpacked(kept["wealth"]).reshape(inner.sums.shape)
    inner.runs, inner.begins = np.array(kept["runs"], dtype=np.int64)
    inner.batch, inner.begun = int(kept["batch"]), float(kept["begun"])
    inner.periods = [Period(*period) for period in kept["periods"]]


def _two(items: Integers) -> tuple[int, int]:
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
        return normal_mixture.log_wealth(estimate, variance, differences, gap), differences

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
        half = float(normal_mixture.half_width(variance, alpha, self.gap * float(self.scale[k])))
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

    def kept(self) -> Record:
        """Return all that is kept, for JSON."""
        return {name: packed(getattr(self, name)) for name in ("scale", "best", "beyond")}

    def restore(self, kept: Content) -> None:
        """Take over what was kept."""
        for name in ("scale", "best", "beyond"):
            setattr(self, name, unpacked(kept[name]))


class CheapTrack(Watched):
    """A rate of items of which all have a cheap label and some a human one.

    Changes are looked for in the human labels alone.
    """

    def __init__(
        self, others: int, margin: float | None, gap: float, *, whole: bool = False
    ) -> None:
        super().__init__(others, margin, gap)
        self.looks = [CheapLooks(whole) for _ in range(others)]
        self.lines = NormalLines(margin, gap, np.ones(others))

    def append(self, line: int, items: CheapItems) -> None:
        """Add items of another group and the reference."""
        if self.changes:
            whole, value = self.looks[line].whole, items.outcome == 1
            counts = ~np.isnan(items.outcome) if whole else value
            hit = value if whole else items.decision
            self.changes[line].append(items.in_group[counts], hit[counts])
        shown = np.full((2, self.others), np.nan)
        for look in self.looks[line].append(items):
            shown[:, line] = look
            self.lines.look(*shown)

    def shown(self, group: int, alpha: float) -> Shown:
        """Return what the line of another group shows."""
        looks = self.looks[group]
        items = _two(looks.items + counted(looks.labels[0], whole=looks.whole).astype(np.int64))
        note = f"fewer than {FEWEST_CHEAP} human labels of each group that count"
        return self.lines.shown(group, looks.estimate, looks.variance, alpha, items, note)

    def kept(self) -> Record:
        """Return all that is kept, for JSON."""
        looks = [
            {
                "items": each.items.tolist(),
                "sums": packed(each.sums),
                "rows": each.rows.tolist(),
                "labels": packed(each.labels),
            }
            for each in self.looks
        ]
        return {"looks": looks, **self.lines.kept()}

    def restore(self, kept: Content) -> None:
        """Take over what was kept."""
        for looks, saved in zip(self.looks, kept["looks"], strict=True):
            looks.items, looks.rows = np.array(saved["items"]), np.array(saved["rows"])
            looks.sums = unpacked(saved["sums"])
            looks.labels = unpacked(saved["labels"]).reshape(looks.labels.shape)
        self.lines.restore(kept)


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
        sizes = looks.counts.sum(axis=(1, 2))
        items = int(np.delete(sizes, looks.reference)[group]), int(sizes[looks.reference])
        note = f"fewer than {FEWEST_SCORES} items of each group and label, or scores that tie"
        return self.lines.shown(
            group * len(MEASURES) + measure,
            looks.estimates[group, measure],
            looks.variances[group, measure],
            alpha,
            items,
            note,
        )

    def kept(self) -> Record:
        """Return all that is kept, for JSON."""
        looks = self.looks
        return {
            "counts": packed_counts(looks.counts),
            "last_look": looks.last_look,
            "estimates": packed(looks.estimates),
            "variances": packed(looks.variances),
            **self.lines.kept(),
        }

    def restore(self, kept: Content) -> None:
        """Take over what was kept."""
        looks = self.looks
        looks.counts = unpacked_counts(kept["counts"]).reshape(looks.counts.shape)
        looks.last_look = int(kept["last_look"])
        looks.estimates = unpacked(kept["estimates"]).reshape(looks.estimates.shape)
        looks.variances = unpacked(kept["variances"]).reshape(looks.variances.shape)
        self.lines.restore(kept)


class MeanTrack:
    """The mean of a number."""

    def __init__(self, groups: int, reference: int, margin: float | None, gap: float) -> None:
        self.looks = MeanLooks.new(groups, reference)
        self.lines = NormalLines(margin, gap, np.full(groups - 1, np.nan))

    def append(self, group: Integers, numbers: Floats) -> None:
        """Add items: group and number of each."""
        for estimates, variances in self.looks.append(group, numbers):
            new = np.isfinite(variances) & np.isnan(self.lines.scale)
            if new.any():
                self._scale(new, variances)
            self.lines.look(estimates, variances)

    def _scale(self, new: NDArray[np.bool_], variances: Floats) -> None:
        """Keep the standard deviation at the first look with an estimate as the unit of the gap."""
        # an effective size of 30 or more makes this close to that of the numbers
        least = 2 / FEWEST_NUMBERS
        self.lines.scale[new] = np.sqrt(variances[new] / least)

    def shown(self, group: int, alpha: float) -> Shown:
        """Return what the line of another group shows."""
        looks = self.looks
        sizes = [sums.count for sums in looks.sums]
        reference = sizes[looks.reference]
        other = [n for k, n in enumerate(sizes) if k != looks.reference][group]
        note = f"fewer than {FEWEST_NUMBERS} items of each group, or numbers that do not vary"
        return self.lines.shown(
            group, looks.estimates[group], looks.variances[group], alpha, (other, reference), note
        )

    def kept(self) -> Record:
        """Return all that is kept, for JSON."""
        looks = self.looks
        return {
            "sums": [[sums.count, hex(sums.total), hex(sums.squares)] for sums in looks.sums],
            "last_look": looks.last_look,
            "estimates": packed(looks.estimates),
            "variances": packed(looks.variances),
            **self.lines.kept(),
        }

    def restore(self, kept: Content) -> None:
        """Take over what was kept."""
        looks = self.looks
        looks.sums = [
            Moments(count, int(total, 16), int(squares, 16))
            for count, total, squares in kept["sums"]
        ]
        looks.last_look = int(kept["last_look"])
        looks.estimates, looks.variances = unpacked(kept["estimates"]), unpacked(kept["variances"])
        self.lines.restore(kept)
