"""All that a monitor keeps between batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.monitor.coding import Coding
from fairpairs.audits.monitor.plan import (
    Groups,
    MeanTrack,
    NormalLines,
    Part,
    Plan,
    RankingTrack,
    RateTrack,
    Shown,
    Track,
)
from fairpairs.audits.monitor.settings import RunLength, Window
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.exact_moments import Moments
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.mathematics.sequential.difference_looks import Blocks, MeanLooks, RankingLooks
from fairpairs.mathematics.sequential.evidence import pvalue
from fairpairs.mathematics.sequential.rate_bets import Changes, Period, RateBets, RateChanges

#: Looks that the history keeps.
LOOKS = 200
#: Hexadecimal digits of the checksum of a batch that are kept.
DIGITS = 12
#: What the history keeps of a line.
KEPT = ("estimate", "low", "high")


@dataclass(frozen=True)
class Line:
    """One line: a measure of a group and the reference."""

    attribute: str
    group: str
    reference: str
    criterion: str
    measure: str
    shown: Shown
    #: None for a line that does not count.
    changes: Changes | None = None
    #: Cohort of the group: 0 if it is one of the beginning.
    cohort: int = 0
    #: Items and hits of group and reference, (2, 2); None for what is no rate.
    counts: Floats | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Attribute, group and measure, which identify the line."""
        return (self.attribute, self.group, self.measure)


@dataclass
class History:
    """Lines after some of the batches: all, or every second one, or every fourth, and so on."""

    #: Number of batches from one look to the next.
    every: int = 1
    #: Number of batches and rows until each look.
    batch: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    #: Estimate and limits of the lines at each look, (lines, 3).
    lines: list[NDArray[np.float32]] = field(default_factory=list)
    #: Items and hits of group and reference, (lines, 2, 2).
    counts: list[Floats] = field(default_factory=list)

    def add(self, batch: int, rows: int, lines: list[Line]) -> None:
        """Add a look; if there are too many, drop every second one."""
        if batch % self.every:
            return
        self.batch.append(batch)
        self.rows.append(rows)
        self.lines.append(limits_of(lines))
        self.counts.append(counts_of(lines))
        if len(self.batch) > LOOKS:
            self.every *= 2
            left = [i for i, number in enumerate(self.batch) if number % self.every == 0]
            self.batch, self.rows = (
                [values[i] for i in left] for values in (self.batch, self.rows)
            )
            self.lines = [self.lines[i] for i in left]
            self.counts = [self.counts[i] for i in left]


@dataclass
class Held:
    """What a batch held."""

    rows: int = 0
    #: Labels that came with it, and those that its rows still miss.
    labels: int = 0
    missing: int = 0


@dataclass(frozen=True)
class Reset:
    """Where the evidence began anew, and why."""

    #: Number of batches before it.
    after: int
    reason: str
    #: What was violated before it, in words.
    violated: tuple[str, ...]


@dataclass
class State:
    """All that is kept."""

    plan: Plan
    #: By attribute, key and cohort.
    tracks: dict[tuple[str, str, int], Track]
    #: Number of rows.
    rows: int
    #: By attribute: number of rows of each group, and the last batch that had any.
    sizes: dict[str, Integers]
    last: dict[str, Integers]
    #: Shortened checksums of the batches.
    digests: list[str]
    #: Batch and rows at which each line was first violated, by index; 0 if it never was.
    since: list[tuple[int, int]]
    #: Lines after earlier batches.
    history: History
    #: Names of the batches, "" for one without.
    names: list[str] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    resets: list[Reset] = field(default_factory=list)
    #: By attribute: number of rows of each group whose label has not come.
    missing: dict[str, Integers] = field(default_factory=dict)
    #: Place in time and counts of the lines, at the ends of the batches before and in the window.
    marks: list[tuple[int, Floats]] = field(default_factory=list)
    #: How ids of rows and persons are written, by column (see `ids.form_of`).
    forms: dict[str, int] = field(default_factory=dict)

    @classmethod
    def new(cls, plan: Plan) -> State:
        """Return the state before any row."""
        state = cls(plan, {}, 0, {}, {}, [], [], History())
        state._begin_anew(plan)
        return state

    def _begin_anew(self, plan: Plan) -> None:
        none = {name: np.zeros(len(of.names), dtype=np.int64) for name, of in plan.groups.items()}
        self.plan, self.tracks, self.rows = plan, plan.new_tracks(), 0
        self.sizes, self.last, self.missing = none, dict(none), dict(none)
        self.history, self.marks = History(), []
        self.since = [(0, 0)] * len(list(self.lines()))

    def reset(self, reason: str) -> None:
        """Begin anew with the next batch; batches keep their numbers, and the reason is kept."""
        violated = tuple(
            f"{line.measure} of {line.group} ({line.attribute}), since {self.name_of(batch)}"
            for line, (batch, _) in zip(self.lines(), self.since, strict=True)
            if batch and line.criterion in self.plan.counted
        )
        self.resets.append(Reset(len(self.digests), reason, violated))
        self._begin_anew(replace(self.plan, joined=()))

    @property
    def begun(self) -> int:
        """Number of batches before the last reset."""
        return self.resets[-1].after if self.resets else 0

    def name_of(self, batch: int) -> str:
        """Return the name of a batch, or its number; "" for none."""
        return (self.names[batch - 1] or str(batch)) if batch else ""

    def join(self, newcomers: Mapping[str, Sequence[str]]) -> None:
        """Begin the lines of new groups, by attribute."""
        self.plan = self.plan.join(newcomers)
        self.tracks = self.plan.new_tracks(self.tracks)
        for name, new in newcomers.items():
            for counts in (self.sizes, self.last, self.missing):
                counts[name] = np.append(counts[name], np.zeros(len(new), dtype=np.int64))
        self.since += [(0, 0)] * (len(list(self.lines())) - len(self.since))

    def lines(self) -> Iterator[Line]:
        """Yield the lines: part by part, group by group."""
        for part in self.plan.parts():
            for index in range(len(part.groups.others)):
                for criterion, key in self.plan.kinds():
                    yield from self._lines_of(part, index, criterion, key)

    def _lines_of(self, part: Part, index: int, criterion: str, key: str) -> Iterator[Line]:
        alpha, groups = self.plan.alpha, part.groups
        names = (part.attribute, groups.others[index], groups.names[groups.reference], criterion)
        track = self.tracks[part.track(key)]
        changes = counts = None
        if isinstance(track, RateTrack):
            counts = track.counts(index)
            changes = track.changes[index].changes if track.changes else None
        for measure, shown in zip(track.measures, track.shown(index, alpha), strict=True):
            yield Line(*names, measure or key, shown, changes, part.cohort, counts)

    def changes(self) -> list[RateChanges]:
        """Return the detectors of changes of all lines that have them."""
        rates = (track for track in self.tracks.values() if isinstance(track, RateTrack))
        return [changes for track in rates for changes in track.changes]

    def begin(self, rows: int, labels: int) -> None:
        """Note that rows of the next batch follow, all of it or a part, and how many have labels.

        Without rows, labels of earlier ones follow.
        """
        number = len(self.digests) + 1
        if len(self.held) < number:
            self.held.append(Held())
        held = self.held[-1]
        held.rows, held.labels = held.rows + rows, held.labels + labels
        held.missing += max(rows - labels, 0)
        self.rows += rows
        for each in self.changes():
            new = each.changes.batch != number
            by_rows = self.plan.run_length.unit == "rows"
            each.changes.begin(number, float(rows or labels) if by_rows else float(new))

    def end_batch(self, digest: str, name: str = "") -> None:
        """Note that a batch has ended: what is violated since, and the history."""
        self.digests.append(digest[:DIGITS])
        self.names.append(name)
        lines = list(self.lines())
        violated = adjusted_pvalues(lines, self.plan) < self.plan.alpha
        batch = len(self.digests)
        self.since = [
            (batch, self.rows) if now and not before[0] else before
            for now, before in zip(violated.tolist(), self.since, strict=True)
        ]
        self.history.add(batch, self.rows, lines)
        if self.plan.window is not None:
            self._mark(self.plan.window.position(batch, name), lines)

    def _mark(self, now: int, lines: Sequence[Line]) -> None:
        """Keep the counts of the lines at a place in time, as far back as the window goes."""
        assert self.plan.window is not None
        if self.marks and now < self.marks[-1][0]:
            raise InputError(
                f"--batch-name: the date of {self.names[-1]} is before that of the batch before: "
                "append batches in the order of time."
            )
        begin = np.zeros((len(lines), 2, 2))
        self.marks = self.marks or [(now - int(self.plan.window.number), begin)]
        self.marks.append((now, counts_of(lines)))
        while self.marks[1][0] <= now - self.plan.window.number:
            del self.marks[0]

    def window(self) -> Floats:
        """Return items and hits of each line in the window, shape (lines, 2, 2)."""
        (_, before), (_, counts) = self.marks[0], self.marks[-1]
        within = counts.copy()
        within[: len(before)] -= before
        return within


#: The classes of all records of a state, by name.
RECORDS: dict[str, type] = {
    record.__name__: record
    for record in (
        *(State, History, Held, Reset, Plan, Groups, Coding, RunLength, Window),
        *(RateTrack, RateBets, RateChanges, Changes, Period),
        *(RankingTrack, MeanTrack, NormalLines, RankingLooks, MeanLooks, Blocks, Moments),
    )
}


def limits_of(lines: Sequence[Line]) -> NDArray[np.float32]:
    """Return what the history keeps of lines, shape (lines, 3)."""
    shown = [[getattr(line.shown, name) for name in KEPT] for line in lines]
    return np.array(shown, dtype=np.float32)


def counts_of(lines: Sequence[Line]) -> Floats:
    """Return items and hits of group and reference of lines, shape (lines, 2, 2); 0 of no rate."""
    counts = [np.zeros((2, 2)) if line.counts is None else line.counts for line in lines]
    return np.array(counts, dtype=float).reshape(len(lines), 2, 2)


def adjusted_pvalues(lines: list[Line], plan: Plan, what: str = "evidence") -> Any:
    """Return p-values that hold at all looks, by Holm over the lines that count, and the others.

    Those of each cohort are adjusted among themselves, and divided by its share of the level.
    """
    evidence = np.array([getattr(line.shown, what) for line in lines])
    counts = np.array([line.criterion in plan.counted for line in lines])
    cohorts = np.array([line.cohort for line in lines])
    pvalues = np.full(len(lines), np.nan)
    for cohort in range(len(plan.joined) + 1):
        for family in (counts & (cohorts == cohort), ~counts & (cohorts == cohort)):
            known = family & np.isfinite(evidence)
            # lines that are not known yet count, as they may become known
            ones = np.ones(int(family.sum() - known.sum()))
            holm = adjusted(np.append(pvalue(evidence[known]), ones), "holm")
            pvalues[known] = np.minimum(holm[: int(known.sum())] / plan.share(cohort), 1)
    return pvalues
