"""The rows of a batch as items, and what they feed to the tracks."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.coding import Coding
from fairpairs.audits.monitor.plan import (
    BINS,
    UNLABELLED,
    MeanTrack,
    Plan,
    RankingTrack,
    RateTrack,
    Track,
)
from fairpairs.audits.monitor.rows import OR_BEGIN_WITH_MISSING, codes, groups_of
from fairpairs.audits.monitor.state import State
from fairpairs.base.arrays import Array, Floats, Integers, first_rows
from fairpairs.base.errors import InputError, shown
from fairpairs.base.inputs import MAX_GROUPS
from fairpairs.base.reading.table import Table
from fairpairs.base.words import named

#: Shares of a person are multiples of this, so that their sums are exact in any order.
UNIT = 2.0**-20
#: What is kept of an item until its label comes; 0 for what a plan does not have.
KEPT = ["prediction", "bins", "person", "groups"]


def kept_of(plan: Plan) -> np.dtype[np.void]:
    """Return the type of `KEPT`: prediction, bin of the score, person, and groups by attribute."""
    return np.dtype([*zip(KEPT, ("<f8", "<i4", "<i8", ("u1", (len(plan.groups),))), strict=True)])


def no_items(plan: Plan, n: int) -> Array:
    """Return n items in the order of the stream, to be filled; a label that has not come is NaN."""
    items = np.zeros(n, np.dtype([*kept_of(plan).descr, ("label", "<f8")]))
    items["label"] = np.nan
    return items


def groups_in(plan: Plan, items: Array) -> dict[str, Integers]:
    """Return the index of the group of each item, by attribute."""
    return {name: items["groups"][:, i].astype(np.int64) for i, name in enumerate(plan.groups)}


def read_items(plan: Plan, table: Table) -> Array:
    """Read the items of a block; values that do not fit the state raise InputError."""
    columns, items = plan.columns, no_items(plan, len(table))

    def role(name: str) -> str:
        return f"{table.called}: column `{name}`"

    def values(coding: Coding, name: str) -> Floats:
        return coding.of(table.coded(name, number=True), role(name))

    if plan.label is not None:
        items["label"] = read_label(plan, table, role(columns["label"]))
    scored, score = columns["score"], None
    if scored is not None:
        score = values(Coding(), scored)
    if plan.threshold is not None and score is not None:
        items["prediction"] = score >= plan.threshold
    else:
        assert plan.prediction is not None
        items["prediction"] = values(plan.prediction, columns["prediction"])
    if "xauc" in plan.criteria:
        assert plan.score_range is not None
        ranked = items["prediction"] if score is None else score
        items["bins"] = _bins(ranked, plan.score_range, role(scored or columns["prediction"]))
    for i, (name, of) in enumerate(plan.groups.items()):
        groups = groups_of(table, name, OR_BEGIN_WITH_MISSING, missing_group=plan.missing_group)
        items["groups"][:, i] = codes(*groups, of, role(name))
    return items


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


def feed(state: State, items: Array, *, labels: bool) -> None:
    """Feed items to the tracks that need labels, or to those that need none."""
    plan = state.plan
    groups = groups_in(plan, items)
    person = pd.factorize(items["person"])[0] if plan.columns.get("cluster") else None
    for part in plan.parts():
        group = part.index[groups[part.attribute]]
        known = group >= 0
        some = items[known], group[known], None if person is None else person[known]
        for criterion, key in plan.kinds():
            if (criterion not in UNLABELLED) == labels:
                _feed(state.tracks[part.track(key)], key, *some, part.groups.reference)


def _feed(
    track: Track, key: str, items: Array, group: Integers, person: Integers | None, reference: int
) -> None:
    label, prediction = items["label"], items["prediction"]
    if isinstance(track, RankingTrack):
        first = slice(None) if person is None else _first_rows(person)
        track.append(group[first], label[first].astype(np.int64), items["bins"][first])
        return
    kept = slice(None)
    values = prediction if key in ("selection rate", "mean prediction") else prediction - label
    if key == "mean absolute error":
        values = np.abs(values)
    elif key == "accuracy":
        values = (values == 0).astype(float)
    elif key in ("TPR", "FPR"):
        kept, values = label == (key == "TPR"), prediction
    group, values = group[kept], values[kept]
    if person is not None:
        # the first group and the mean of each person, in the order of their first items
        person = person[kept]
        first = _first_rows(person)
        means = np.bincount(person, values)[person[first]] / np.bincount(person)[person[first]]
        group, values = group[first], means
    if isinstance(track, MeanTrack):
        track.append(group, values)
        return
    hit = values > 0 if person is None else np.round(values / UNIT) * UNIT
    others = (code for code in range(len(track.bets) + 1) if code != reference)
    feed_rate(track, group, hit, [(code, reference) for code in others])


def feed_rate(
    track: RateTrack, cell: Integers, hit: Array, sides: Iterable[tuple[int, int]]
) -> None:
    """Feed hits, each of a cell; a line compares the items of the cells at both its sides."""
    items = []
    for one, other in sides:
        kept = (cell == one) | (cell == other)
        items.append((cell[kept] == one, hit[kept]))
    track.append(items)


def _first_rows(person: Integers) -> Integers:
    """Return the index of the first row of each person, ascending; persons have small numbers."""
    first = first_rows(person, int(person.max(initial=0)) + 1)
    return np.flatnonzero(first[person] == np.arange(len(person)))


def check_persons(plan: Plan, items: Array, called: str) -> None:
    """Raise InputError for a person whose rows are of two groups."""
    person = pd.factorize(items["person"])[0]
    first = _first_rows(person)
    for name, group in groups_in(plan, items).items():
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
