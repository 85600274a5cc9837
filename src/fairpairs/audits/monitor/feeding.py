"""The rows of a batch as items, and what they feed to the tracks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.coding import Coding
from fairpairs.audits.monitor.plan import UNLABELLED, Plan, Track
from fairpairs.audits.monitor.rows import OR_BEGIN_WITH_MISSING, codes, groups_of
from fairpairs.audits.monitor.state import State
from fairpairs.audits.monitor.tracks import BINS, MeanTrack, RankingTrack, RateTrack
from fairpairs.base.arrays import Array, Floats, Integers, first_rows
from fairpairs.base.errors import InputError, shown
from fairpairs.base.inputs import MAX_GROUPS
from fairpairs.base.reading.table import Table
from fairpairs.base.words import named

#: Shares of a person are multiples of this, so that their sums are exact in any order.
UNIT = 2.0**-20


@dataclass(frozen=True)
class Items:
    """Items in the order of the stream."""

    #: By attribute, the index of the group of each.
    groups: Mapping[str, Integers]
    prediction: Floats
    #: Bin of the score; None where none is ranked.
    bins: Integers | None = None
    #: NaN for a label that has not come; None where there are none.
    label: Floats | None = None
    #: Number of the person; None where each item is of another one.
    person: Integers | None = None

    def __len__(self) -> int:
        return len(self.prediction)

    def take(self, index: Array) -> Items:
        """Return some of the items."""
        some = {
            name: values[index]
            for name in ("prediction", "bins", "label", "person")
            if (values := getattr(self, name)) is not None
        }
        return replace(
            self, groups={name: group[index] for name, group in self.groups.items()}, **some
        )

    @property
    def labelled(self) -> Items:
        """Those whose label has come."""
        if self.label is None or not np.isnan(self.label).any():
            return self
        return self.take(~np.isnan(self.label))


def read_items(plan: Plan, table: Table) -> Items:
    """Read the items of a block; values that do not fit the state raise InputError."""
    columns = plan.columns

    def role(name: str) -> str:
        return f"{table.called}: column `{name}`"

    def values(coding: Coding, name: str) -> Floats:
        return coding.of(table.coded(name, number=True), role(name))

    label = None
    if plan.label is not None:
        label = read_label(plan, table, role(columns["label"]))
    scored, score = columns["score"], None
    if scored is not None:
        score = values(Coding(), scored)
    if plan.threshold is not None and score is not None:
        prediction = (score >= plan.threshold).astype(float)
    else:
        assert plan.prediction is not None
        prediction = values(plan.prediction, columns["prediction"])
    bins = None
    if "xauc" in plan.criteria:
        assert plan.score_range is not None
        ranked = prediction if score is None else score
        bins = _bins(ranked, plan.score_range, role(scored or columns["prediction"]))
    groups = {
        name: codes(
            *groups_of(table, name, OR_BEGIN_WITH_MISSING, missing_group=plan.missing_group),
            of,
            role(name),
        )
        for name, of in plan.groups.items()
    }
    return Items(groups, prediction, bins, label)


def read_label(plan: Plan, table: Table, role: str) -> Floats:
    """Return the labels, NaN for one that is missing, where there are ids."""
    name = plan.columns["label"]
    assert plan.label is not None
    if not plan.columns.get("id"):
        return plan.label.of(table.coded(name, number=True), role)
    label = np.full(len(table), np.nan)
    if name in table.columns and not (missing := table.missing(name)).all():
        label[~missing] = plan.label.of(table.coded_in_part(name, number=True).known, role)
    return label


def join_newcomers(state: State, batch: Batch) -> list[str]:
    """Begin the lines of the groups that no earlier batch has; return a note on each."""
    plan, newcomers = state.plan, {}
    for name, groups in plan.groups.items():
        names = {
            named(text, groups.names)
            for table in batch.blocks([name])
            for text in groups_of(
                table, name, OR_BEGIN_WITH_MISSING, missing_group=plan.missing_group
            )[0]
        }
        if new := sorted(names - {*groups.names}):
            newcomers[name] = new
    return join(state, newcomers, batch.called)


def join(state: State, newcomers: Mapping[str, list[str]], called: str) -> list[str]:
    """Begin the lines of new groups, by attribute; return a note on each."""
    notes = []
    for name, new in newcomers.items():
        size = len(state.plan.groups[name].names) + len(new)
        if size > MAX_GROUPS:
            raise InputError(
                f"{called}: column `{name}` has the group {shown(new[0])}, with which there are "
                f"{size} groups, more than {MAX_GROUPS}: join some, such as ages into ranges."
            )
        notes += [
            f"{called}: the group {group} of {name} is new, compared from here on." for group in new
        ]
    if newcomers:
        state.join(newcomers)
    return notes


def count_rows(state: State, groups: Mapping[str, Integers]) -> None:
    """Note how many rows of the next batch each group has; `groups` are the indices of rows."""
    batch = len(state.digests) + 1
    for name, index in groups.items():
        here = np.bincount(index, minlength=len(state.sizes[name]))
        state.sizes[name] = state.sizes[name] + here
        state.last[name] = np.where(here > 0, batch, state.last[name])


def feed(state: State, items: Items, *, labels: bool) -> None:
    """Feed items to the tracks that need labels, or to those that need none."""
    if items.person is not None:
        items = replace(items, person=pd.factorize(items.person)[0])
    for part in state.plan.parts():
        group = part.index[items.groups[part.attribute]]
        known = group >= 0
        some = items if known.all() else items.take(known)
        for criterion, key in state.plan.kinds():
            if (criterion not in UNLABELLED) == labels:
                track = state.tracks[part.track(key)]
                _feed(track, key, some, group[known], part.groups.reference)


def _feed(track: Track, key: str, items: Items, group: Integers, reference: int) -> None:
    label, prediction, person = items.label, items.prediction, items.person
    if isinstance(track, RankingTrack):
        assert label is not None and items.bins is not None
        first = slice(None) if person is None else _first_rows(person)
        track.append(group[first], label[first].astype(np.int64), items.bins[first])
        return
    if key in ("selection rate", "mean prediction"):
        values = prediction
    else:
        assert label is not None
        values = prediction - label
    if isinstance(track, MeanTrack):
        values = np.abs(values) if key == "mean absolute error" else values
        track.append(*_observations(person, group, values))
    elif key == "selection rate":
        _feed_rate(track, group, prediction, person, reference)
    elif key == "accuracy":
        _feed_rate(track, group, (values == 0).astype(float), person, reference)
    else:
        kept = label == (key == "TPR")
        person = None if person is None else person[kept]
        _feed_rate(track, group[kept], prediction[kept], person, reference)


def _feed_rate(
    track: RateTrack, group: Integers, hit: Floats, person: Integers | None, reference: int
) -> None:
    group, hit = _observations(person, group, hit)
    items = []
    for code in range(len(track.bets) + 1):
        if code != reference:
            kept = (group == code) | (group == reference)
            hits = hit[kept] > 0 if person is None else np.round(hit[kept] / UNIT) * UNIT
            items.append((group[kept] == code, hits))
    track.append(items)


def _observations(
    person: Integers | None, group: Integers, values: Floats
) -> tuple[Integers, Floats]:
    """Return the group and the mean value of each person, in the order of their first items."""
    if person is None:
        return group, values
    first = _first_rows(person)
    of_first = person[first]
    means = np.bincount(person, values)[of_first] / np.bincount(person)[of_first]
    return group[first], means


def _first_rows(person: Integers) -> Integers:
    """Return the index of the first row of each person, ascending; persons have small numbers."""
    first = first_rows(person, int(person.max(initial=0)) + 1)
    return np.flatnonzero(first[person] == np.arange(len(person)))


def check_persons(items: Items, called: str) -> None:
    """Raise InputError for a person whose rows are of two groups."""
    person = pd.factorize(np.asarray(items.person))[0]
    first = _first_rows(person)
    for name, group in items.groups.items():
        other = np.flatnonzero(group != group[first][person])
        if len(other):
            raise InputError(
                f"{called}: the person of row {int(other[0]) + 1} has another group of `{name}` "
                "in an earlier row: a person has one group in a batch, so correct it."
            )


def _bins(score: Floats, score_range: tuple[float, float], role: str) -> Integers:
    low, high = score_range
    if len(score) and (score.min() < low or score.max() > high):
        wrong = score.min() if score.min() < low else score.max()
        raise InputError(
            f"{role} holds {wrong:g}, and scores of this state lie between {low:g} and {high:g}: "
            "correct it, or begin a new state with another --score-range."
        )
    index = np.floor((score - low) / (high - low) * BINS).astype(np.int64)
    return np.minimum(index, BINS - 1)
