"""All that a monitor keeps between batches."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairpairs.audits.monitor.plan import Plan, Track
from fairpairs.audits.monitor.tracks import (
    RankingTrack,
    RateTrack,
    Shown,
    kept_changes,
    restore_changes,
)
from fairpairs.base.arrays import Integers
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.mathematics.sequential.changes import Changes, RateChanges
from fairpairs.mathematics.sequential.evidence import pvalue

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
    #: For each line, estimate and limits at each look.
    lines: list[list[tuple[float, ...]]] = field(default_factory=list)

    def add(self, batch: int, rows: int, lines: list[Line]) -> None:
        """Add a look; if there are too many, drop every second one."""
        if not self.lines:
            self.lines = [[] for _ in lines]
        if batch % self.every:
            return
        self.batch.append(batch)
        self.rows.append(rows)
        for kept, line in zip(self.lines, lines, strict=True):
            kept.append(tuple(getattr(line.shown, name) for name in KEPT))
        if len(self.batch) > LOOKS:
            self.every *= 2
            left = [i for i, number in enumerate(self.batch) if number % self.every == 0]
            self.batch, self.rows = (
                [values[i] for i in left] for values in (self.batch, self.rows)
            )
            self.lines = [[kept[i] for i in left] for kept in self.lines]

    def to_dict(self) -> Record:
        """Return it as plain values."""
        return {
            "every": self.every,
            "batch": self.batch,
            "rows": self.rows,
            "lines": [
                base64.b64encode(np.array(kept, dtype="<f4").tobytes()).decode()
                for kept in self.lines
            ],
        }

    @classmethod
    def of_dict(cls, plain: Content) -> History:
        """Return what `to_dict` gave."""
        lines = [
            np.frombuffer(base64.b64decode(text), dtype="<f4").reshape(-1, len(KEPT))
            for text in plain["lines"]
        ]
        kept = [list(map(tuple, values.astype(float).tolist())) for values in lines]
        return cls(plain["every"], plain["batch"], plain["rows"], kept)


@dataclass
class State:
    """All that is kept."""

    plan: Plan
    #: By attribute and key.
    tracks: dict[tuple[str, str], Track]
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

    @classmethod
    def new(cls, plan: Plan) -> State:
        """Return the state before any row."""
        none = {
            name: np.zeros(len(groups.names), dtype=np.int64)
            for name, groups in plan.groups.items()
        }
        state = cls(plan, plan.new_tracks(), 0, none, dict(none), [], [], History())
        state.since = [(0, 0)] * len(list(state.lines()))
        return state

    def lines(self) -> Iterator[Line]:
        """Yield the lines: attribute by attribute, group by group."""
        alpha = self.plan.alpha
        for attribute, groups in self.plan.groups.items():
            for index, group in enumerate(groups.others):
                names = (attribute, group, groups.names[groups.reference])
                for name, criterion, key in self.plan.track_keys():
                    if name != attribute:
                        continue
                    track = self.tracks[attribute, key]
                    if isinstance(track, RankingTrack):
                        for i, measure in enumerate(track.measures):
                            yield Line(*names, criterion, measure, track.shown(index, i, alpha))
                    else:
                        watched = track.changes if isinstance(track, RateTrack) else ()
                        changes = watched[index].changes if watched else None
                        yield Line(*names, criterion, key, track.shown(index, alpha), changes)

    def changes(self) -> list[RateChanges]:
        """Return the detectors of changes of all lines that have them."""
        rates = (track for track in self.tracks.values() if isinstance(track, RateTrack))
        return [changes for track in rates for changes in track.changes]

    def begin(self, rows: int) -> None:
        """Note that rows of the next batch follow, all of it or a part."""
        self.rows += rows
        number = len(self.digests) + 1
        for each in self.changes():
            new = each.changes.batch != number
            by_rows = self.plan.run_length.unit == "rows"
            each.changes.begin(number, rows if by_rows else float(new))

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

    def to_dict(self) -> Record:
        """Return it as plain values."""
        return {
            "plan": self.plan.to_dict(),
            "rows": self.rows,
            "sizes": {name: sizes.tolist() for name, sizes in self.sizes.items()},
            "tracks": [track.kept() for track in self.tracks.values()],
            "batches": {
                "count": len(self.digests),
                "sha256": "".join(self.digests),
                "names": self.names if any(self.names) else [],
                "last": {name: batches.tolist() for name, batches in self.last.items()},
                "since": [list(start) for start in self.since],
                "history": self.history.to_dict(),
                "changes": [kept_changes(each) for each in self.changes()],
            },
        }

    @classmethod
    def of_dict(cls, plain: Content) -> State:
        """Return what `to_dict` gave."""
        plan = Plan.of_dict(plain["plan"])
        tracks = plan.new_tracks()
        for track, kept in zip(tracks.values(), plain["tracks"], strict=True):
            track.restore(kept)
        batches = plain["batches"]
        text = batches["sha256"]
        state = cls(
            plan,
            tracks,
            plain["rows"],
            _counts(plain["sizes"]),
            _counts(batches["last"]),
            [text[i : i + DIGITS] for i in range(0, len(text), DIGITS)],
            [(start[0], start[1]) for start in batches["since"]],
            History.of_dict(batches["history"]),
            # a state of 0.2.0 has neither these nor changes
            batches.get("names") or [""] * batches["count"],
        )
        for changes, kept in zip(state.changes(), batches.get("changes", ()), strict=False):
            restore_changes(changes, kept)
        return state


def _counts(plain: Mapping[str, list[int]]) -> dict[str, Integers]:
    return {name: np.array(counts, dtype=np.int64) for name, counts in plain.items()}


def adjusted_pvalues(lines: list[Line], plan: Plan, what: str = "evidence") -> Any:
    """Return p-values that hold at all looks, by Holm over the lines that count, and the others."""
    evidence = np.array([getattr(line.shown, what) for line in lines])
    counts = np.array([line.criterion in plan.counted for line in lines])
    pvalues = np.full(len(lines), np.nan)
    for family in (counts, ~counts):
        known = family & np.isfinite(evidence)
        pvalues[known] = _holm(pvalue(evidence[known]), int(family.sum()))
    return pvalues


def _holm(pvalues: Any, lines: int) -> Any:
    """Adjust p-values by Holm; lines that are not known yet count, as they may become known."""
    all_lines = np.ones(lines)
    all_lines[: len(pvalues)] = pvalues
    return adjusted(all_lines, "holm")[: len(pvalues)]
