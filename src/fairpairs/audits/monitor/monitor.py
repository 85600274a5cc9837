"""The monitor: begin a state, append batches, and look at the lines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.items.groups import references
from fairpairs.audits.items.repeated_ids import copied_rows, looks_like_an_id, repeated_ids
from fairpairs.audits.monitor import storage
from fairpairs.audits.monitor.appending import append_rows
from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.coding import written_option
from fairpairs.audits.monitor.compared import append_judgments, plan_of_judgments
from fairpairs.audits.monitor.ids import Ids
from fairpairs.audits.monitor.look import result_of
from fairpairs.audits.monitor.plan import Plan
from fairpairs.audits.monitor.result import MonitorResult
from fairpairs.audits.monitor.rows import (
    OF_SOME,
    ROLES,
    margins as margins_of,
    names_of_columns,
    plan_of_rows,
)
from fairpairs.audits.monitor.settings import MonitorSettings
from fairpairs.audits.monitor.state import DIGITS, RECORDS, State
from fairpairs.audits.monitor.storage import plain, restored
from fairpairs.base.errors import InputError, shown
from fairpairs.base.files import followed
from fairpairs.base.named_columns import roles_apart
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import listed, printable
from fairpairs.base.words import word

#: What names the side at the start or the end of a column of judgments.
SIDE = re.compile(
    r"^(a|b|left|right|first|second|chosen|rejected)_|"
    r"_(a|b|1|2|left|right|first|second|chosen|rejected)$"
)

#: Characters of the reason of a reset.
LONGEST_REASON = 200


def monitored(
    path: Path,
    batches: Sequence[Any],
    settings: MonitorSettings,
    *,
    names: Sequence[str] = (),
    again: bool = False,
    reset: str | None = None,
) -> MonitorResult:
    """Append batches to a state, each by its own write, and look at the lines.

    `names` are those of the batches, or none. `reset` is why the evidence begins anew with the
    first of them.

    The first batch creates the state; for an existing state, `settings` are only checked. `again`
    allows a batch that was appended before. Batches before one that raises InputError stay
    appended, and the message says so.
    """
    settings = settings.by_names()
    settings.check()
    if names and len(names) != len(batches):
        raise InputError(
            f"--batch-name: {len(names)} name(s) for {len(batches)} batch(es): give one for each, "
            "in their order, or none."
        )
    path = followed(path)
    if path.is_dir():
        raise InputError(f"{path}: a folder, not a file: name the file of the state.")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}: make it first.")
    if reset is not None:
        _check_reset(path, batches, reset)
    if not batches:
        return result_of(_opened(path, settings), path.name, [], new=0)
    names = names or [""] * len(batches)
    _check_names(names, _opened(path, settings).names if path.exists() else [])
    notes: list[str] = []
    appended: list[str] = []
    for data, batch_name in zip(batches, names, strict=True):
        try:
            batch = Batch(data)
            why = None if appended else reset
            state, more = _append_to(path, batch, batch_name, settings, again=again, reset=why)
        except InputError as error:
            if not appended:
                raise
            done = f"{appended[0]} is appended: leave it"
            if len(appended) > 1:
                done = f"The {len(appended)} batches before it are appended: leave them"
            raise InputError(f"{error} {done} out next time.") from error
        notes += more
        appended.append(batch.called)
    return result_of(state, path.name, notes, new=len(batches))


def _append_to(
    path: Path,
    batch: Batch,
    name: str,
    settings: MonitorSettings,
    *,
    again: bool,
    reset: str | None,
) -> tuple[State, list[str]]:
    """Append a batch to a state, or begin one; return the state and notes on the batch."""
    result: list[tuple[State, list[str]]] = []

    def change(old: Record | None, ids: Ids) -> Record:
        if old is None:
            plan = (plan_of_judgments if settings.judgments else plan_of_rows)(batch, settings)
            state = State.new(plan)
        else:
            state = restored(old, RECORDS)
        if reset is not None:
            state.reset(reset)
            ids.reset()
        result.append((state, _append(state, batch, name, ids, again=again)))
        written: Record = plain(state)
        return written

    storage.update(path, change)
    return result[0]


def _check_names(names: Sequence[str], known: Sequence[str]) -> None:
    """Raise InputError for a name that two batches would have; one without has its number."""
    called = [name or str(number) for number, name in enumerate([*known, *names], 1)]
    for i in range(len(known), len(called)):
        if called[i] in called[:i]:
            raise InputError(
                f"--batch-name {called[i]}: another batch has this name: give each a name of its "
                "own; one without has its number."
            )


def _check_reset(path: Path, batches: Sequence[Any], reason: str) -> None:
    if not path.exists() or not batches:
        raise InputError(
            "--reset begins a state anew with the batch that follows: name a state that exists, "
            "and that batch."
        )
    if not reason.strip() or printable(reason) != reason or len(reason) > LONGEST_REASON:
        raise InputError(
            f"--reset: {shown(reason)} is no reason: say why in one line of at most "
            f"{LONGEST_REASON} characters, such as 'new model'."
        )


def _opened(path: Path, settings: MonitorSettings) -> State:
    if not path.exists():
        raise InputError(
            f"{path}: there is no state yet: name a batch that begins it, or correct the name."
        )
    state: State = restored(storage.read(path), RECORDS)
    _check_same(state.plan, settings, path)
    return state


def _append(state: State, batch: Batch, name: str, ids: Ids, *, again: bool) -> list[str]:
    columns = state.plan.columns
    names = (
        list(batch.columns)
        if state.plan.judgments
        else [name for name in names_of_columns(columns) if name in batch.columns]
    )
    digest = batch.digest(names)[:DIGITS]
    if digest in state.digests and not again:
        before = state.digests.index(digest)
        called = f" ({state.names[before]})" if state.names[before] else ""
        raise InputError(
            f"{batch.called}: this batch was appended before, as batch {before + 1} of "
            f"{len(state.digests)}{called}: leave it out, or give --again if its rows are new "
            "all the same."
        )
    if state.plan.judgments:
        notes = append_judgments(state, batch) + repeated_items(batch)
    else:
        notes = append_rows(state, batch, ids) + _repeated_rows(state.plan, batch)
    state.end_batch(digest, name)
    return [*notes, *(f"{batch.called}: {note}" for note in batch.notes.values())]


def _check_same(plan: Plan, settings: MonitorSettings, path: Path) -> None:
    """Raise InputError for an option that differs from what the state was begun with."""
    for name, now, before in _given(plan, settings):
        if now is not None and now != before:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{path}: the state was begun with {option} {_words(before)}, and now it is "
                f"{_words(now)}: leave {option} out, or begin a new state."
            )


def _given(plan: Plan, settings: MonitorSettings) -> Iterator[tuple[str, Any, Any]]:
    """Yield each option with its value now, None if it is not given, and before."""
    columns, margins = plan.columns, dict(plan.margins)
    for role in (*ROLES, *OF_SOME, "outcome", "chosen", "rejected"):
        yield role, getattr(settings, role), columns.get(role)
    if settings.sensitive is not None:
        now, before = (
            [part for text in texts for part in text.split(",")]
            for texts in (settings.sensitive, columns["sensitive"])
        )
        yield "sensitive", None if now == before else [*settings.sensitive], columns["sensitive"]
    yield "judgments", settings.judgments, plan.judgments
    if settings.positive is not None:
        yield "positive", written_option(settings.positive), "".join(plan.outcome.ones) or None
    if settings.favourable is not None:
        yield "favourable", written_option(settings.favourable), plan.favourable
    if settings.label_kind != "auto" and not plan.judgments:
        yield "label_kind", settings.label_kind, "binary" if plan.outcome.binary else "number"
    for name, group in references(settings.reference, plan.groups).items():
        of = plan.groups.get(name)
        yield "reference", f"{name}={word(group)}", f"{name}={of and of.names[of.reference]}"
    for name, groups in (settings.groups or {}).items():
        known = plan.groups[name].names if name in plan.groups else ()
        new = [word(group) for group in groups if word(group) not in known]
        yield "groups", f"{name}={','.join(new)}" if new else None, f"{name}={','.join(known)}"
    if settings.criterion is not None:
        yield "criterion", sorted(settings.criterion), sorted(plan.counted)
    if isinstance(settings.margin, Mapping):
        yield "margin", dict(settings.margin), margins
    elif settings.margin is not None:
        rates = plan.prediction is None or plan.prediction.binary
        same = margins_of(settings, plan.criteria, rates=rates) == margins
        yield "margin", None if same else float(settings.margin), margins or None
    for name in ("gap", "alpha", "score_range", "threshold"):
        yield name, getattr(settings, name), getattr(plan, name)
    for name in ("run_length", "window"):
        now, before = (getattr(of, name) for of in (settings, plan))
        yield name, now and str(now), before and str(before)
    yield "new_groups", settings.new_groups, "add" if plan.new_groups else "refuse"
    yield "missing_group", settings.missing_group, plan.missing_group


def _words(value: Any) -> str:
    if value is None or value is False:
        return "not given"
    if value is True:
        return "given"
    if isinstance(value, Mapping):
        return ",".join(f"{name}={number:g}" for name, number in value.items())
    if isinstance(value, list | tuple):
        return listed(value)
    return f"{value:g}" if isinstance(value, float) else shown(value).strip("'")


def _repeated_rows(plan: Plan, batch: Batch) -> list[str]:
    """Return notes on ids without a role that repeat, and on rows that are copies of others."""
    roles = {role: plan.columns.get(role) for role in (*ROLES, *OF_SOME)}
    options = roles_apart(roles, plan.columns["sensitive"])
    options = {name: option for name, option in options.items() if name in batch.columns}
    ids = [name for name in batch.columns if name not in options and looks_like_an_id(name)]
    if "cluster" in options.values():
        return []
    remedy = "begin a state with --cluster {}, or append one row of each"
    notes = copied_rows(batch.rows)
    if ids:
        table = next(batch.blocks([*options, *ids]))
        notes = [*repeated_ids(table, options, plan.alpha, remedy), *notes]
    return [f"{batch.called}: {note}" for note in notes]


def repeated_items(batch: Batch) -> list[str]:
    """Return a note where the ids of both sides of judgments repeat."""
    sides: dict[str, list[str]] = {}
    for name in batch.columns:
        stem = SIDE.sub("", name)
        if stem != name and (looks_like_an_id(stem) or stem == "item"):
            sides.setdefault(stem, []).append(name)
    for stem, names in sides.items():
        block = batch.whole()
        values = pd.concat([block.words(name).astype(str) for name in names], ignore_index=True)
        repeated = int(np.sum(values.duplicated()))
        if repeated:
            return [
                f"{batch.called}: {repeated:,} of the items of `{stem}` were judged before in this "
                "batch: each judgment must be of items that no other is of."
            ]
    return []
