"""What is monitored, as the first batch settles it: codings, groups, lines, and their tracks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.monitor.coding import Coding
from fairpairs.audits.monitor.settings import BY_DEFAULT, JUDGED, RunLength, Window
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Content
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
#: The numbers of what a line shows, and those before its first look.
Numbers = tuple[float, float, float, float, float, float]
UNKNOWN: Numbers = (math.nan,) * 6
#: Bins of scores.
BINS = 500
#: Criterion → the keys of its tracks; the measures of a track that has several are its own.
TRACKS = {
    "separation": ("TPR", "FPR"),
    "equal_opportunity": ("TPR",),
    "accuracy": ("accuracy",),
    "xauc": ("ranking",),
    "differential_parity": ("mean error",),
    "mean_absolute_error": ("mean absolute error",),
    "demographic_parity": ("selection rate", "mean prediction"),
    JUDGED: ("across", "within"),
}
#: Criteria whose lines need no label.
UNLABELLED = ("demographic_parity",)
#: Share of the level that the groups of the beginning have where others may join.
FIRST_SHARE = 0.8


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

    measures = ("",)

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

    def shown(self, group: int, alpha: float) -> list[Shown]:
        """Return what the line of another group shows."""
        bets, (items, hits) = self.bets[group], self.counts(group)
        sizes = int(items[0]), int(items[1])
        if not bets.blocks:
            side = "the group" if not sizes[0] else "the reference"
            return [Shown(*UNKNOWN, sizes, f"no row of {side} yet")]
        estimate = float(hits[0] / items[0] - hits[1] / items[1])
        low, high = limits(bets.log_wealth, bets.differences, alpha)
        within = beyond = math.nan
        if self.margin is not None:
            within = float(log_evidence_within(bets.log_wealth, bets.differences, self.margin))
            beyond = float(self.beyond[group])
        evidence = float(self.best[group]), beyond, within
        note = "" if low <= estimate <= high else DRIFT
        return [Shown(estimate, low, high, *evidence, sizes, note)]


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

    def shown(self, k: int, estimate: float, variance: float, alpha: float) -> Numbers:
        """Return the numbers of what a line shows."""
        best, beyond = float(self.best[k]), math.nan if self.margin is None else self.beyond[k]
        if not np.isfinite(variance):  # what was shown stays
            return (*UNKNOWN[:3], best, float(beyond), math.nan) if best else UNKNOWN
        wealth, differences = self._wealth(estimate, variance, k)
        half = float(half_width(variance, alpha, self.gap * float(self.scale[k])))
        within = math.nan
        if self.margin is not None:
            # both sides at half the level: one side of an AUC near 1 errs a little too often
            within = float(log_evidence_within(wealth, differences, self.margin)) - math.log(2)
        middle = float(estimate)
        return middle, middle - half, middle + half, best, float(beyond), within


class _LookedAt:
    """Measures whose estimates are normal in large samples."""

    #: Their names; "" for one that has that of its track.
    measures: tuple[str, ...] = ("",)
    #: Why none is estimated.
    unknown: str
    looks: RankingLooks | MeanLooks
    lines: NormalLines

    def shown(self, group: int, alpha: float) -> list[Shown]:
        """Return what the lines of another group show, one for each measure."""
        looks, k = self.looks, len(self.measures)
        others = np.delete(looks.items, looks.reference)
        sizes = int(others[group]), int(looks.items[looks.reference])
        both = (np.atleast_1d(of[group]) for of in (looks.estimates, looks.variances))
        numbers = [
            self.lines.shown(group * k + i, estimate, variance, alpha)
            for i, (estimate, variance) in enumerate(zip(*both, strict=True))
        ]
        return [Shown(*of, sizes, "" if np.isfinite(of[0]) else self.unknown) for of in numbers]


class RankingTrack(_LookedAt):
    """AUC and xAUC of scores in bins."""

    measures = MEASURES
    unknown = f"fewer than {FEWEST_SCORES} rows of each group and label, or scores that tie"
    looks: RankingLooks

    def __init__(self, groups: int, reference: int, margin: float | None, gap: float) -> None:
        self.looks = RankingLooks.new(groups, reference, BINS)
        self.lines = NormalLines(margin, gap, np.ones(len(MEASURES) * (groups - 1)))

    def append(self, group: Integers, label: Integers, bins: Integers) -> None:
        """Add items: group, label (0 or 1) and bin of the score of each."""
        for estimates, variances in self.looks.append(group, label, bins):
            self.lines.look(estimates.ravel(), variances.ravel())


class MeanTrack(_LookedAt):
    """The mean of a number."""

    unknown = f"fewer than {FEWEST_NUMBERS} rows of each group, or numbers that do not vary"
    looks: MeanLooks

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


Track = RateTrack | RankingTrack | MeanTrack


@dataclass(frozen=True)
class Groups:
    """The groups of an attribute, sorted, and the index of the reference."""

    names: tuple[str, ...]
    reference: int

    @property
    def others(self) -> list[str]:
        """The groups that are compared with the reference."""
        return [name for code, name in enumerate(self.names) if code != self.reference]


@dataclass(frozen=True)
class Part:
    """The groups of an attribute whose lines began at the same time, and their reference."""

    attribute: str
    groups: Groups
    #: 0 for those of the beginning, 1 for those that joined first, and so on.
    cohort: int
    #: Index of each group of the attribute among `groups`; −1 for one of another part.
    index: Integers

    def track(self, key: str) -> tuple[str, str, int]:
        """Return the key of a track."""
        return self.attribute, key, self.cohort


@dataclass(frozen=True)
class Plan:
    """What is monitored, and how; other attributes are those of `MonitorSettings`."""

    #: Name of the column, or names, by role; None for a role without one.
    columns: Content
    judgments: bool
    #: Codings; None without a label, and for judgments.
    label: Coding | None
    prediction: Coding | None
    groups: Mapping[str, Groups]
    #: Criteria that count for the verdict, and all that are monitored.
    counted: tuple[str, ...]
    criteria: tuple[str, ...]
    #: By criterion.
    margins: Mapping[str, float]
    gap: float
    alpha: float
    run_length: RunLength = BY_DEFAULT
    score_range: tuple[float, float] | None = None
    missing_group: bool = False
    #: The good outcome, as the label writes it; None where none is named.
    favourable: str | None = None
    #: Score from which on the decision is positive; None where predictions are given.
    threshold: float | None = None
    #: Whether new groups join, and those that did, by attribute, in their order.
    new_groups: bool = False
    joined: tuple[Mapping[str, Sequence[str]], ...] = ()
    window: Window | None = None

    @property
    def outcome(self) -> Coding:
        """The coding of the label, or of the prediction without one; of numbers, an empty one."""
        return self.label or self.prediction or Coding()

    def share(self, cohort: int) -> float:
        """Return the share of the level that a cohort has; those of all, for ever, sum to 1.

        >>> plan = Plan({}, False, None, None, {}, (), (), {}, 0.1, 0.05, new_groups=True)
        >>> [round(plan.share(cohort), 3) for cohort in range(4)]
        [0.8, 0.1, 0.033, 0.017]
        """
        if not self.new_groups:
            return 1.0
        return (1 - FIRST_SHARE) / (cohort * (cohort + 1)) if cohort else FIRST_SHARE

    def join(self, newcomers: Mapping[str, Sequence[str]]) -> Plan:
        """Return the plan with groups that join."""
        groups = {
            name: replace(groups, names=(*groups.names, *newcomers.get(name, ())))
            for name, groups in self.groups.items()
        }
        return replace(self, groups=groups, joined=(*self.joined, newcomers))

    def parts(self) -> list[Part]:
        """Return the parts, in the order in which their lines began."""
        later = {
            name: [n for each in self.joined for n in each.get(name, ())] for name in self.groups
        }
        parts = []
        for name, groups in self.groups.items():
            first = tuple(n for n in groups.names if n not in later[name])
            parts.append(self._part(name, first, 0))
        for cohort, newcomers in enumerate(self.joined, 1):
            for name, new in newcomers.items():
                groups = self.groups[name]
                parts.append(self._part(name, (groups.names[groups.reference], *new), cohort))
        return parts

    def _part(self, attribute: str, names: tuple[str, ...], cohort: int) -> Part:
        groups = self.groups[attribute]
        index = [names.index(name) if name in names else -1 for name in groups.names]
        reference = names.index(groups.names[groups.reference])
        return Part(attribute, Groups(names, reference), cohort, np.array(index, dtype=np.int64))

    def kinds(self) -> list[tuple[str, str]]:
        """Return criterion and key of each track of a part, in the order of the lines."""
        binary = self.prediction is not None and self.prediction.binary
        impossible = "mean prediction" if binary else "selection rate"
        return [
            (criterion, key)
            for criterion in self.criteria
            for key in TRACKS[criterion]
            if key != impossible
        ]

    def new_tracks(
        self, old: Mapping[tuple[str, str, int], Track] | None = None
    ) -> dict[tuple[str, str, int], Track]:
        """Return the old tracks and those that are missing, before any item, by their keys."""
        old = old or {}
        tracks: dict[tuple[str, str, int], Track] = {}
        watched: list[RateTrack] = []
        for part in self.parts():
            for criterion, key in self.kinds():
                name = part.track(key)
                track = tracks[name] = old.get(name) or self._track(part.groups, criterion, key)
                if criterion in self.counted and isinstance(track, RateTrack):
                    watched.append(track)
        # all lines together keep the run length, as their mean wealth does, also when some join
        lines = sum(rates.others for rates in watched)
        for rates in watched:
            rates.watch(self.run_length.number * lines)
        return tracks

    def _track(self, groups: Groups, criterion: str, key: str) -> Track:
        margin = self.margins.get(criterion)
        size = len(groups.names)
        if key == "ranking":
            return RankingTrack(size, groups.reference, margin, self.gap)
        if key.startswith("mean"):
            return MeanTrack(size, groups.reference, margin, self.gap)
        return RateTrack(size - 1, margin, self.gap)
