"""The items of judgments: whether a score puts the winner above the loser."""

from collections import Counter

import numpy as np

from fairpairs.audits.judgments.read import read_judgments
from fairpairs.audits.judgments.settings import JudgmentColumns, Judgments
from fairpairs.audits.monitor.appending import count_rows, feed_rate, join
from fairpairs.audits.monitor.batches import Batch
from fairpairs.audits.monitor.plan import Part, Plan, RateTrack
from fairpairs.audits.monitor.rows import codes, groups_of_plan, margins
from fairpairs.audits.monitor.settings import ALPHA, BY_DEFAULT, GAP, JUDGED, MonitorSettings
from fairpairs.audits.monitor.state import State
from fairpairs.base.arrays import Array, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content

#: Roles of columns of judgments.
ROLES = ("score", "outcome", "chosen", "rejected")


def _read(batch: Batch, columns: Content) -> Judgments:
    def several(name: str) -> tuple[str, ...]:
        return () if columns[name] is None else (columns[name],)

    judged = read_judgments(
        JudgmentColumns(
            outcome=columns["outcome"],
            score=several("score"),
            chosen=several("chosen"),
            rejected=several("rejected"),
            sensitive=tuple(columns["sensitive"]),
        ),
        batch.whole(),
        remedy="append one row of each",
    )
    if judged.cluster is not None:
        pairs = judged.cluster.nunique()
        raise InputError(
            f"{batch.called}: {len(judged.left):,} rows judge {pairs:,} pairs, by the scores and "
            "groups of both sides: rows must be independent, so append one of each pair."
        )
    if len(judged.models) > 1:
        raise InputError(
            f"--score names {len(judged.models)} scores: monitor one, and others by a state each."
        )
    return judged


def plan_of_judgments(batch: Batch, settings: MonitorSettings) -> Plan:
    """Settle what is monitored, from the first batch of judgments."""
    for name in (
        "label",
        "prediction",
        "positive",
        "favourable",
        "label_kind",
        "score_range",
        "threshold",
        "missing_group",
        "cluster",
        "id",
    ):
        if getattr(settings, name):
            raise InputError(
                f"--{name.replace('_', '-')} is of rows, not of judgments: leave it out, or leave "
                "--judgments out."
            )
    if any(name != JUDGED for name in settings.criterion or ()):
        raise InputError(f"--criterion: of judgments only {JUDGED} is monitored: leave it out.")
    columns = {name: getattr(settings, name) for name in ROLES}
    columns["sensitive"] = list(settings.sensitive or ())
    judged = _read(batch, columns)
    sizes = {name: Counter(judged.items[name].astype(str)) for name in judged.attributes}
    return Plan(
        columns=columns,
        judgments=True,
        label=None,
        prediction=None,
        groups=groups_of_plan(sizes, settings, batch.called),
        counted=(JUDGED,),
        criteria=(JUDGED,),
        margins=margins(settings, (JUDGED,), rates=True),
        gap=GAP if settings.gap is None else float(settings.gap),
        alpha=ALPHA if settings.alpha is None else float(settings.alpha),
        run_length=settings.run_length or BY_DEFAULT,
        new_groups=settings.new_groups == "add",
        window=settings.window,
    )


def append_judgments(state: State, batch: Batch) -> list[str]:
    """Feed the judgments of a batch to the tracks; return notes on it."""
    judged = _read(batch, state.plan.columns)
    decided = judged.outcome != 0
    won = judged.outcome > 0
    hit = judged.predicted(judged.models[0]) == judged.outcome
    names = {}
    for name in state.plan.groups:
        if name not in judged.attributes:
            raise InputError(
                f"{batch.called}: there are no columns of `{name}`, which the earlier batches "
                "have: rename them, or begin a new state."
            )
        names[name] = list(map(str, judged.items[name].cat.categories))
    notes = []
    if state.plan.new_groups:
        known = {name: {*groups.names} for name, groups in state.plan.groups.items()}
        new = {name: sorted({*of} - known[name]) for name, of in names.items()}
        notes = join(state, {name: of for name, of in new.items() if of}, batch.called)
    here = {}
    state.begin(len(judged.outcome), len(judged.outcome))
    for name, groups in state.plan.groups.items():
        item_codes = codes(
            names[name],
            judged.items[name].cat.codes.to_numpy().astype(np.int64),
            groups,
            f"{batch.called}: column `{name}`",
        )
        left, right = item_codes[judged.left], item_codes[judged.right]
        winner = np.where(won, left, right)[decided]
        loser = np.where(won, right, left)[decided]
        here[name] = np.concatenate([winner, loser])
        for part in state.plan.parts():
            if part.attribute == name:
                _feed(state, part, part.index[winner], part.index[loser], hit[decided])
    count_rows(state, here)
    ties = int((~decided).sum())
    if ties:
        notes.append(f"{batch.called}: {ties:,} judgment(s) without a winner are left out.")
    return notes


def _feed(state: State, part: Part, winner: Integers, loser: Integers, hit: Array) -> None:
    """Feed judgments by the cell of winner and loser; an item of another part is −1."""
    n, reference = len(part.groups.names), part.groups.reference
    known = (winner >= 0) & (loser >= 0)
    cell, hit = (n * winner + loser)[known], hit[known]
    others = [code for code in range(n) if code != reference]
    for key, sides in {
        "across": [(n * code + reference, n * reference + code) for code in others],
        "within": [(n * code + code, n * reference + reference) for code in others],
    }.items():
        track = state.tracks[part.track(key)]
        assert isinstance(track, RateTrack)
        feed_rate(track, cell, hit, sides)
