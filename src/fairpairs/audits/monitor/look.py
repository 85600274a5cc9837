"""A look at a state: its lines, their verdicts, and their history."""

import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd

import fairpairs
from fairpairs.audits.lines.verdicts import ladder
from fairpairs.audits.monitor.fields import DIFFERS, ENDED, LINES, NEVER
from fairpairs.audits.monitor.result import MonitorResult
from fairpairs.audits.monitor.state import Line, State, adjusted_pvalues, counts_of, limits_of
from fairpairs.audits.monitor.tables import HISTORY
from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.inference.contrasts.score import differences_of_two
from fairpairs.mathematics.sequential.rate_bets import Changes, Period

#: Key of a measure in a state → its name, where that is another one.
NAMES = {"across": "comparative, across", "within": "comparative, within"}
#: Batches without a row of a group that are worth a note.
ABSENT = 3
#: Significant digits of numbers that are written.
DIGITS = 10


def result_of(state: State, name: str, notes: Sequence[str], *, new: int) -> MonitorResult:
    """Look at the lines of a state, of whose batches the last ones are `new`."""
    plan = state.plan
    lines = list(state.lines())
    adjusted, beyond = (adjusted_pvalues(lines, plan, what) for what in ("evidence", "beyond"))
    rows, window = [], _window(state, lines)
    # a group that joined stands beside the others of its attribute
    for i in sorted(range(len(lines)), key=lambda i: [*plan.groups].index(lines[i].attribute)):
        line = lines[i]
        shown = line.shown
        rows.append({
            "criterion": line.criterion, "attribute": line.attribute, "group": line.group,
            "reference": line.reference, "measure": NAMES.get(line.measure, line.measure),
            "counts": line.criterion in plan.counted, "estimate": shown.estimate,
            "ci_low": shown.low, "ci_high": shown.high, "pvalue": _p(shown.evidence),
            "pvalue_adjusted": adjusted[i], "margin": plan.margins.get(line.criterion, math.nan),
            "pvalue_beyond": beyond[i], "pvalue_within": _p(shown.within), "items": shown.items[0],
            "items_reference": shown.items[1], "since": state.since[i][0],
            "since_name": state.name_of(state.since[i][0]), "since_rows": state.since[i][1],
            **_now(line.changes, len(state.digests) - new),
            "now_estimate": _since_change(state, i, line), **window[i],
            "note": shown.note,
        })  # fmt: skip
    table = pd.DataFrame(rows)
    tested = table["pvalue"].notna()
    table["verdict"] = ladder(
        estimated=True,
        tested=tested,
        found=tested & (table["pvalue_adjusted"] < plan.alpha),
        beyond=tested & (table["pvalue_beyond"] < plan.alpha),
        within=tested & (table["pvalue_within"] < plan.alpha),
    )
    for column in table.select_dtypes("float"):
        table[column] = [float(f"{value:.{DIGITS}g}") for value in table[column]]
    about = {
        "version": fairpairs.__version__,
        "state": name,
        "batches": len(state.digests),
        "batch_names": list(state.names),
        "rows": state.rows,
        "alpha": plan.alpha,
        "gap": plan.gap,
        "run_length": str(plan.run_length),
        "margin": dict(plan.margins) or None,
        "criterion": list(plan.counted),
        "judgments": plan.judgments,
        "positive": "".join(plan.outcome.ones),
        "favourable": plan.favourable,
        "threshold": plan.threshold,
        "columns": dict(plan.columns),
        "attributes": {
            attribute: {
                "groups": dict(zip(groups.names, state.sizes[attribute].tolist(), strict=True)),
                "reference": groups.names[groups.reference],
                "each_two": False,
            }
            for attribute, groups in plan.groups.items()
        },
        "window": None if plan.window is None else str(plan.window),
        "begun": state.begun,
        "resets": [asdict(reset) for reset in state.resets],
        "held": {
            name: [getattr(each, name) for each in state.held]
            for name in ("rows", "labels", "missing")
        },
        "missing_labels": {
            attribute: dict(zip(groups.names, state.missing[attribute].tolist(), strict=True))
            for attribute, groups in plan.groups.items()
        }
        if plan.columns.get("id")
        else None,
        "notes": [*notes, *_absent(state)],
    }
    return MonitorResult(table[list(LINES)], _history(state), about)


def _now(changes: Changes | None, before: int) -> Record:
    """Return whether a line differs now, since when, and the periods in which it did.

    A gap is new if it was shown after so many batches `before`.
    """
    if changes is None:
        return {"now": "", "now_since": 0, "periods": "", "new_gap": False}
    periods = changes.periods
    last = periods[-1] if periods else Period(0, 0)
    return {
        "now": (ENDED if last.ended else DIFFERS) if periods else NEVER,
        "now_since": last.ended or last.began,
        "periods": ", ".join(
            f"{one.began}-{max(one.began, one.ended - 1) if one.ended else ''}" for one in periods
        ),
        "new_gap": last.shown > before,
    }


def _since_change(state: State, i: int, line: Line) -> float:
    """Return the difference of rates in the batches since a line began to differ, or ended to.

    Counts of the last batch before are those of a later look, if the history does not have it.
    """
    periods = () if line.changes is None else line.changes.periods
    if not periods or line.counts is None:
        return math.nan
    last = (periods[-1].ended or periods[-1].began) - 1
    looks = zip(state.history.batch, state.history.counts, strict=True)
    before = next((c for batch, c in looks if batch >= last > state.begun), np.zeros((0, 2, 2)))
    items, hits = line.counts - (before[i] if i < len(before) else 0)
    return float(hits[0] / items[0] - hits[1] / items[1]) if items.all() else math.nan


def _window(state: State, lines: Sequence[Line]) -> list[Record]:
    """Return what the batches of the window alone show of each line, at one look."""
    columns = ("window_estimate", "window_low", "window_high")
    if state.plan.window is None:
        return [dict.fromkeys(columns, math.nan)] * len(lines)
    items, hits = np.moveaxis(state.window(), 1, 0)
    rates = np.divide(hits, items, out=np.zeros_like(hits), where=items > 0)
    shown = []
    for contrast in differences_of_two(rates, items):
        ends = (math.nan,) * 2 if contrast is None else contrast.limits(state.plan.alpha)
        estimate = math.nan if contrast is None else contrast.estimate
        shown.append(dict(zip(columns, map(float, (estimate, *ends)), strict=True)))
    return shown


def _p(log_evidence: float) -> float:
    return math.nan if math.isnan(log_evidence) else math.exp(-max(log_evidence, 0.0))


def _absent(state: State) -> list[str]:
    """Return a note on groups that had rows, but none in the last batches."""
    notes = []
    for attribute, groups in state.plan.groups.items():
        for name, last in zip(groups.names, state.last[attribute].tolist(), strict=True):
            gone = sum(each.rows != 0 for each in state.held[last:])
            if last and gone:
                since = "in the last batch" if gone == 1 else f"in the last {gone:,} batches"
                notes.append(f"{attribute}: the group {name} has no row {since}.")
    few = notes[:ABSENT]
    return few + ([f"{len(notes) - ABSENT} more groups have none."] if len(notes) > ABSENT else [])


def _history(state: State) -> pd.DataFrame:
    """Return the lines at the looks that are kept, and now."""
    history, now, rows = state.history, len(state.digests), []
    looked = list(zip(history.batch, history.rows, strict=True))
    last = not looked or looked[-1][0] != now
    lines, kept = list(state.lines()), list(history.lines)
    counts = list(history.counts)
    if last:
        looked.append((now, state.rows))
        kept.append(limits_of(lines))
        counts.append(counts_of(lines))
    whens = [(batch, state.name_of(batch), n) for batch, n in looked]
    for i, line in enumerate(lines):
        # before a group joined, a look has no row of it
        looks = [look[i] if i < len(look) else np.full(3, np.nan) for look in kept]
        values = np.array(looks, dtype=float)
        names = line.criterion, line.attribute, line.group, line.reference
        measure = NAMES.get(line.measure, line.measure)
        rows += [
            (*when, *names, measure, *(float(f"{value:.6g}") for value in [*look, rate]))
            for when, look, rate in zip(whens, values.tolist(), _between(counts, i), strict=True)
        ]
    return pd.DataFrame(rows, columns=list(HISTORY))


def _between(counts: Sequence[Floats], i: int) -> list[float]:
    """Return the difference of rates of a line in the rows from each look to the next."""
    none = np.zeros((2, 2))  # before a group joined, and of what is no rate
    until = np.array([none, *(look[i] if i < len(look) else none for look in counts)])
    since = np.diff(until, axis=0)
    # after a reset, counts begin anew
    items, hits = np.moveaxis(np.where(since[:, :1] < 0, until[1:], since), 1, 0)
    known = (items > 0).all(axis=1)
    rates = np.divide(hits, items, out=np.full_like(hits, np.nan), where=known[:, None])
    return (rates[:, 0] - rates[:, 1]).tolist()  # type: ignore[no-any-return]
