"""The rows of a batch, or the labels of earlier ones, appended to a state."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import ndtri

from fairpairs.audits.criteria.turned_round import decisions_turned, scores_turned
from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.feeding import (
    KEPT,
    check_persons,
    count_rows,
    feed,
    groups_in,
    join_newcomers,
    kept_of,
    no_items,
    read_items,
    read_label,
)
from fairpairs.audits.monitor.ids import LABELLED, PERSONS, ROWS, Ids, form_of, hashed
from fairpairs.audits.monitor.plan import BINS, Plan
from fairpairs.audits.monitor.rows import names_of_columns
from fairpairs.audits.monitor.state import State
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.columns import Column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.reading.table import Table
from fairpairs.base.texts import listed
from fairpairs.base.words import words


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


def _note_ids(state: State, table: Table, items: Array, ids: Ids) -> None:
    """Keep the ids of rows, and what is needed when their labels come."""
    name = state.plan.columns["id"]
    values, role = table.coded(name), f"{table.called}: column `{name}`"
    numbers = _hashed(state, table, name)
    _check_once(values, numbers, role)
    if (before := ids.seen(ROWS, numbers)).any():
        i = int(before.argmax())
        number = int(ids.find(numbers[[i]], kept_of(state.plan).itemsize).batch[0])
        raise InputError(
            f"{role} holds {_text(values, i)}, which batch {state.name_of(number)} has "
            "already: an id is of one row, so correct it; of a label that comes later, leave the "
            "other columns out."
        )
    label, kept = items["label"], kept_of(state.plan)
    content = items[KEPT].astype(kept).view(np.uint8).reshape(len(items), -1)
    ids.add(len(state.digests) + 1, numbers, label, content)
    for name, index in groups_in(state.plan, items).items():
        state.missing[name] = state.missing[name] + np.bincount(
            index[np.isnan(label)], minlength=len(state.missing[name])
        )


def _append_labels(state: State, batch: Batch, ids: Ids) -> list[str]:
    """Feed earlier rows to the tracks whose labels come now."""
    columns, called = state.plan.columns, batch.called
    names = [columns["id"], columns["label"]]
    _check_columns(batch, names)
    (table,) = batch.blocks(names, whole=True)
    values, role = table.coded(names[0]), f"{called}: column `{names[0]}`"
    numbers = _hashed(state, table, names[0])
    _check_once(values, numbers, role)
    table.coded(names[1])  # which refuses a missing one
    label = read_label(state.plan, table, f"{called}: column `{names[1]}`")
    known = ids.find(numbers, kept_of(state.plan).itemsize)
    if not known.batch.all():
        raise InputError(
            f"{role} holds {_text(values, int(known.batch.argmin()))}, which no earlier batch has: "
            "append its prediction first, or leave it out."
        )
    fresh = np.isnan(known.label)
    if (changed := ~fresh & (known.label != label)).any():
        i = int(changed.argmax())
        raise InputError(
            f"{called}: the label of {_text(values, i)} is another one than before: a label that "
            "was appended cannot change, so leave it out, or begin a new state."
        )
    if not fresh.any():
        raise InputError(f"{called}: all its labels were appended before: leave it out.")
    # those before a reset are of another model
    kept = known.kept
    rows = np.frombuffer(known.content[kept].tobytes(), kept_of(state.plan))
    items = no_items(state.plan, len(rows))
    items[KEPT] = rows
    items["label"] = label[kept]
    state.begin(0, len(items))
    ids.label(known, label, fresh)
    for number, count in zip(*np.unique(known.batch[fresh], return_counts=True), strict=True):
        state.held[int(number) - 1].missing -= int(count)
    for name, index in groups_in(state.plan, items).items():
        state.missing[name] = state.missing[name] - np.bincount(
            index, minlength=len(state.missing[name])
        )
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


def _check_once(values: Column, numbers: Integers, role: str) -> None:
    """Raise InputError for an id that two rows have."""
    if (twice := pd.Index(numbers).duplicated()).any():
        raise InputError(
            f"{role} holds {_text(values, int(twice.argmax()))} twice: an id is of one row, so "
            "correct it."
        )


def _text(values: Column, i: int) -> str:
    return shown(values.of_items(values.kinds)[i])
