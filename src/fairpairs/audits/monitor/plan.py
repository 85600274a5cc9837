"""What is monitored, as the first batch settles it: codings, groups, lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairpairs.audits.monitor.coding import Coding
from fairpairs.audits.monitor.settings import BY_DEFAULT, JUDGED, RunLength
from fairpairs.audits.monitor.tracks import MeanTrack, RankingTrack, RateTrack
from fairpairs.base.plain_values import Content, Record

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

    @property
    def outcome(self) -> Coding:
        """The coding of the label, or of the prediction without one; of numbers, an empty one."""
        return self.label or self.prediction or Coding()

    def track_keys(self) -> list[tuple[str, str, str]]:
        """Return attribute, criterion and key of each track, in the order of the lines."""
        return [
            (attribute, criterion, key)
            for attribute in self.groups
            for criterion in self.criteria
            for key in TRACKS[criterion]
            if key not in self._impossible()
        ]

    def _impossible(self) -> set[str]:
        binary = self.prediction is not None and self.prediction.binary
        return {"mean prediction" if binary else "selection rate"}

    def new_tracks(self) -> dict[tuple[str, str], Track]:
        """Return the tracks before any item, by attribute and key."""
        tracks = {
            (attribute, key): self._track(self.groups[attribute], criterion, key)
            for attribute, criterion, key in self.track_keys()
        }
        watched = [
            track
            for attribute, criterion, key in self.track_keys()
            if criterion in self.counted and isinstance(track := tracks[attribute, key], RateTrack)
        ]
        # all lines together keep the run length, as their mean wealth does
        lines = sum(len(track.bets) for track in watched)
        for track in watched:
            track.watch(self.run_length.number * lines)
        return tracks

    def _track(self, groups: Groups, criterion: str, key: str) -> Track:
        margin = self.margins.get(criterion)
        size = len(groups.names)
        if key == "ranking":
            return RankingTrack(size, groups.reference, margin, self.gap)
        if key.startswith("mean"):
            return MeanTrack(size, groups.reference, margin, self.gap)
        return RateTrack(size - 1, margin, self.gap)

    def to_dict(self) -> Record:
        """Return it as plain values."""
        codings = {"label": self.label, "prediction": self.prediction}
        return {
            "columns": dict(self.columns),
            "judgments": self.judgments,
            **{
                name: None
                if coding is None
                else {"ones": list(coding.ones), "zeros": list(coding.zeros)}
                for name, coding in codings.items()
            },
            "groups": {
                name: {"names": list(groups.names), "reference": groups.names[groups.reference]}
                for name, groups in self.groups.items()
            },
            "counted": list(self.counted),
            "criteria": list(self.criteria),
            "margins": dict(self.margins),
            "gap": self.gap,
            "alpha": self.alpha,
            "run_length": [self.run_length.number, self.run_length.unit],
            "score_range": None if self.score_range is None else list(self.score_range),
            "missing_group": self.missing_group,
            "favourable": self.favourable,
            **({} if self.threshold is None else {"threshold": self.threshold}),
        }

    @classmethod
    def of_dict(cls, plain: Content) -> Plan:
        """Return what `to_dict` gave."""
        codings = {
            name: None
            if plain[name] is None
            else Coding(tuple(plain[name]["ones"]), tuple(plain[name]["zeros"]))
            for name in ("label", "prediction")
        }
        groups = {
            name: Groups(tuple(entry["names"]), entry["names"].index(entry["reference"]))
            for name, entry in plain["groups"].items()
        }
        score_range = plain["score_range"]
        return cls(
            columns=plain["columns"],
            judgments=plain["judgments"],
            **codings,
            groups=groups,
            counted=tuple(plain["counted"]),
            criteria=tuple(plain["criteria"]),
            margins=plain["margins"],
            gap=plain["gap"],
            alpha=plain["alpha"],
            score_range=None if score_range is None else tuple(score_range),
            missing_group=plain["missing_group"],
            # a state of 0.2.0 has none of these
            run_length=RunLength(*plain.get("run_length", ())),
            favourable=plain.get("favourable"),
            threshold=plain.get("threshold"),
        )
