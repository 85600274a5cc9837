"""The rows of a batch, or the labels of earlier ones, read as items and fed to the tracks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import ndtri

from fairpairs.audits.criteria.turned_round import decisions_turned, scores_turned
from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.coding import Coding
from fairpairs.audits.monitor.ids import LABELLED, PERSONS, ROWS, Ids, form_of, hashed
from fairpairs.audits.monitor.plan import (
    BINS,
    UNLABELLED,
    MeanTrack,
    Plan,
    RankingTrack,
    RateTrack,
    Track,
)
from fairpairs.audits.monitor.rows import OR_BEGIN_WITH_MISSING, codes, groups_of, names_of_columns
from fairpairs.audits.monitor.state import State
from fairpairs.base.arrays import Array, Floats, Integers, first_rows
from fairpairs.base.errors import InputError, shown
from fairpairs.base.inputs import MAX_GROUPS
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import listed
from fairpairs.base.words import named, words

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


@dataclass
class Turned:
    """Labelled items of a batch: counts by attribute, of each group, label and decision or bin."""

    plan: Plan
    decisions: dict[str, Integers] = field(default_factory=dict)
    bins: dict[str, Integers] = field(default_factory=dict)

    def add(self, items: Array) -> None:
        """Count labelled items, if labels have two values."""
        plan = self.plan
        if plan.label is None or not plan.label.binary:
            return
        decided = plan.prediction is not None and plan.prediction.binary
        columns = [
            *([(self.decisions, "prediction", 2)] if decided else []),
            *([(self.bins, "bins", BINS)] if "xauc" in plan.criteria else []),
        ]
        for name, group in groups_in(plan, items).items():
            cell = 2 * group + items["label"].astype(np.int64)
            groups = 2 * len(plan.groups[name].names)
            for counts, column, number in columns:
                kinds = number * cell + items[column].astype(np.int64)
                found = np.bincount(kinds, minlength=number * groups)
                counts[name] = counts.get(name, 0) + found.reshape(-1, 2, number)

    def notes(self, called: str) -> list[str]:
        """Return what to check of a batch."""
        columns, alpha = self.plan.columns, self.plan.alpha
        label = f"column `{columns['label']}`"
        decided, ranked = columns["prediction"], columns["score"] or columns["prediction"]
        texts = decisions_turned(self.decisions, f"column `{decided or ranked}`", label, alpha)
        aucs = {name: _aucs(counts, alpha) for name, counts in self.bins.items()}
        positive = listed(self.plan.label.ones) if self.plan.label is not None else ""
        texts += scores_turned(aucs, f"column `{ranked}`", label, positive)
        return [f"{called}: {text}" for text in texts]


def _aucs(counts: Integers, alpha: float) -> tuple[Floats, Floats]:
    """Return the AUC of each group, and the upper end of its interval as if it were one half."""
    negative, positive = counts[:, 0], counts[:, 1]
    m, n = negative.sum(axis=1), positive.sum(axis=1)
    below = np.cumsum(negative, axis=1) - negative / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        auc = (positive * below).sum(axis=1) / (m * n)
        error = np.sqrt((m + n + 1) / (12 * m * n))
    return auc, auc - float(ndtri(alpha / 2)) * error


def append_rows(state: State, batch: Batch, ids: Ids) -> list[str]:
    """Feed the rows of a batch to the tracks, or its labels of earlier rows; return notes."""
    columns = state.plan.columns
    names = names_of_columns(columns)
    if columns.get("id"):
        if not {columns["prediction"] or columns["score"], *columns["sensitive"]} & {
            *batch.columns
        }:
            return _append_labels(state, batch, ids)
        names = [name for name in names if name != columns["label"] or name in batch.columns]
    _check_columns(batch, names)
    notes = join_newcomers(state, batch) if state.plan.new_groups else []
    turned = Turned(state.plan)
    whole = any(columns.get(role) for role in ("id", "cluster"))
    for table in batch.blocks(names, whole=whole):
        items = read_items(state.plan, table)
        if columns.get("cluster"):
            items["person"] = _hashed(state, table, columns["cluster"])
            check_persons(state.plan, items, batch.called)
        if columns.get("id"):
            _note_ids(state, table, items, ids)
        labelled = items[~np.isnan(items["label"])]
        state.begin(len(items), len(labelled))
        count_rows(state, groups_in(state.plan, items))
        notes += _feed_new(state, items, ids, batch.called, labels=False)
        if state.plan.label is not None:
            turned.add(labelled)
            more = _feed_new(state, labelled, ids, batch.called, labels=True)
            notes += more if columns.get("id") else []
    return notes + turned.notes(batch.called)


def _check_columns(batch: Batch, names: list[str]) -> None:
    for name in names:
        if name not in batch.columns:
            raise InputError(
                f"{batch.called}: there is no column `{name}`, which the earlier batches have; it "
                f"has {listed(batch.columns)}: rename the column, or begin a new state."
            )


def _feed_new(state: State, items: Array, ids: Ids, called: str, *, labels: bool) -> list[str]:
    """Feed the items of persons who are new; return a note on those of others."""
    if not state.plan.columns.get("cluster"):
        feed(state, items, labels=labels)
        return []
    of_labels = labels and bool(state.plan.columns.get("id"))
    kind = LABELLED if of_labels else PERSONS
    seen = ids.seen(kind, items["person"])
    feed(state, items[~seen], labels=labels)
    if of_labels or not labels:  # else they are noted already
        ids.see(kind, items["person"][~seen])
    if not seen.any():
        return []
    what = "label(s)" if of_labels else "row(s)"
    return [
        f"{called}: {int(seen.sum()):,} {what} of persons of earlier batches are left out: a "
        "person counts once."
    ]


def _hashed(state: State, table: Table, name: str) -> Integers:
    """Return the numbers of the ids of rows or persons, and keep how they are written."""
    values, role = table.coded(name), f"{table.called}: column `{name}`"
    texts = words(values.kinds, role)
    state.forms[name] = form_of(texts, state.forms.get(name), role)
    return hashed(texts, values)


def _ids_of_rows(state: State, table: Table) -> tuple[Integers, Array]:
    """Return the numbers of the ids of rows, and the ids; InputError for one of two rows."""
    name = state.plan.columns["id"]
    numbers, values = _hashed(state, table, name), table.coded(name)
    texts = values.of_items(values.kinds)
    if (twice := pd.Index(numbers).duplicated()).any():
        raise InputError(
            f"{table.called}: column `{name}` holds {shown(texts[int(twice.argmax())])} twice: an "
            "id is of one row, so correct it."
        )
    return numbers, texts


def _count_missing(state: State, items: Array, sign: int) -> None:
    """Note that so many more, or fewer, items have no label yet."""
    for name, index in groups_in(state.plan, items).items():
        before = state.missing[name]
        state.missing[name] = before + sign * np.bincount(index, minlength=len(before))


def _note_ids(state: State, table: Table, items: Array, ids: Ids) -> None:
    """Keep the ids of rows, and what is needed when their labels come."""
    numbers, texts = _ids_of_rows(state, table)
    label, kept = items["label"], kept_of(state.plan)
    if (before := ids.seen(ROWS, numbers)).any():
        i = int(before.argmax())
        number = int(ids.find(numbers[[i]], kept.itemsize).batch[0])
        raise InputError(
            f"{table.called}: column `{state.plan.columns['id']}` holds {shown(texts[i])}, which "
            f"batch {state.name_of(number)} has already: an id is of one row, so correct it; of a "
            "label that comes later, leave the other columns out."
        )
    content = items[KEPT].astype(kept).view(np.uint8).reshape(len(items), -1)
    ids.add(len(state.digests) + 1, numbers, label, content)
    _count_missing(state, items[np.isnan(label)], 1)


def _append_labels(state: State, batch: Batch, ids: Ids) -> list[str]:
    """Feed earlier rows to the tracks whose labels come now."""
    called, kept_rows = batch.called, kept_of(state.plan)
    name, label_name = (state.plan.columns[role] for role in ("id", "label"))
    _check_columns(batch, [name, label_name])
    (table,) = batch.blocks([name, label_name], whole=True)
    numbers, texts = _ids_of_rows(state, table)
    table.coded(label_name)  # which refuses a missing one
    label = read_label(state.plan, table, f"{called}: column `{label_name}`")
    known = ids.find(numbers, kept_rows.itemsize)
    if not known.batch.all():
        raise InputError(
            f"{called}: column `{name}` holds {shown(texts[int(known.batch.argmin())])}, which no "
            "earlier batch has: append its prediction first, or leave it out."
        )
    fresh = np.isnan(known.label)
    if (changed := ~fresh & (known.label != label)).any():
        i = int(changed.argmax())
        raise InputError(
            f"{called}: the label of {shown(texts[i])} is another one than before: a label that "
            "was appended cannot change, so leave it out, or begin a new state."
        )
    if not fresh.any():
        raise InputError(f"{called}: all its labels were appended before: leave it out.")
    # those before a reset are of another model
    kept = known.kept
    rows = np.frombuffer(known.content[kept].tobytes(), kept_rows)
    items = no_items(state.plan, len(rows))
    items[KEPT] = rows
    items["label"] = label[kept]
    state.begin(0, len(items))
    ids.label(known, label, fresh)
    for number, count in zip(*np.unique(known.batch[fresh], return_counts=True), strict=True):
        state.held[int(number) - 1].missing -= int(count)
    _count_missing(state, items, -1)
    turned = Turned(state.plan)
    turned.add(items)
    notes = _feed_new(state, items, ids, called, labels=True) + turned.notes(called)
    counts = {
        "was appended before": int((~fresh).sum()),
        "is of a row before the reset": int((fresh & ~kept).sum()),
    }
    return notes + [
        f"{called}: {count:,} label(s) are left out, as each {why}."
        for why, count in counts.items()
        if count
    ]
