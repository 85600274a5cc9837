"""What is monitored, as the first batch settles it: codings, groups, lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairpairs.audits.monitor.coding import Coding
from fairpairs.audits.monitor.settings import BY_DEFAULT, JUDGED, RunLength, Window
from fairpairs.audits.monitor.tracks import MeanTrack, RankingTrack, RateTrack
from fairpairs.base.arrays import Integers
from fairpairs.base.plain_values import Content

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
Track = RateTrack | RankingTrack | MeanTrack
#: Criteria whose lines need no label.
UNLABELLED = ("demographic_parity",)
#: Share of the level that the groups of the beginning have where others may join.
FIRST_SHARE = 0.8


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
