"""The result of an audit of many groups, and its answer: who is treated otherwise than everyone."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from fairpairs.audits.audit.cell_rates import AMONG
from fairpairs.audits.audit.result import within
from fairpairs.audits.groups.settings import CRITERIA, EVERYONE
from fairpairs.audits.groups.tables import GroupTables, cost_of
from fairpairs.audits.lines.answer import (
    FOUND,
    Answer,
    Finding,
    Told,
    cannot_be_compared,
    next_of,
    reasons,
    whether_found,
)
from fairpairs.audits.lines.junit import Line, by_verdict, numbers
from fairpairs.audits.lines.verdicts import ALL_WITHIN, BEYOND, NOT_ESTIMATED, WORDS
from fairpairs.audits.lines.words import against, difference, outcome, percent
from fairpairs.base.plain_values import Content, TableRow, rows_of
from fairpairs.base.texts import listed

RATES = {name: rate for rates in CRITERIA.values() for name, rate in rates.items()}
#: Lines that an answer looks at, in the order of the table.
LOOKED_AT = 2_000
HIGHER = ("higher", "lower")

ASK = "What now: --margin 0.1 asks whether all groups are shown to be within 0.1 of everyone else."


@dataclass(frozen=True, repr=False)
class GroupAuditResult(GroupTables):
    """The result of an audit of many groups.

    Attributes
    ----------
    tests
        One row per group and measure, the worst first: see `to_frame`.
    about
        What was audited and how: see `SCHEMA`.
    """

    @cached_property
    def answer(self) -> Answer:
        """Which groups are treated otherwise than everyone else; it prints as the terminal does."""
        about = self.about
        margin = "" if about["margin"] is None else f"{about['margin']:g}"
        by = f" by more than {margin}" if margin else ""
        lines = rows_of(self.tests.head(LOOKED_AT))
        rows = [_to_name(row, about) for row in unexplained(lines)]
        findings = sorted(_findings(rows, about), key=lambda one: one.weight)
        violated = "beyond" if margin else "differs"
        groups = len({one.group for one in findings if one.state == violated})
        otherwise = f"treated otherwise than everyone else{by}"
        told = whether_found(
            f"Is any group {otherwise}?",
            violated=self.violated,
            found=f"{groups:,} group{' is' if groups == 1 else 's are'} {otherwise}",
            none="no group was found to be treated otherwise",
            untested=cannot_be_compared(findings) or "too few rows to test any group",
            shown=self.shown,
            alike=f"all groups are treated as everyone else, within {margin}",
            open=f"whether a group is {otherwise} is open" if margin else "",
        )
        compared = f"{within(about['control'])} " if "control" in about else ""
        decided_by = f"{about['lines']:,} line{'s' * (about['lines'] != 1)}"
        return Answer(
            *told, _subject(about), findings,
            reasons(findings, FOUND) or reasons(findings, ("open", "within"))[:1],
            _open(self, findings, told), _next(findings, told), (
            f"{compared}Decided by {decided_by} of {listed(about['criterion'])} together, "
            f"at the level {about['alpha']:g}; the intervals cover all groups together. Named are "
            "groups that no larger group explains."
        ), checks=about["checks"],
        )  # fmt: skip

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        name = f"{row['group']}: {row['measure']}"
        margin = [f"margin {row['margin']:g}"] if row["margin"] > 0 else []
        details = [*numbers(row, "pvalue_adjusted", "simultaneous interval"), *margin]
        return by_verdict(row, name, f"{name}, against {row['others']}", details)


def _to_name(row: TableRow, about: Content) -> TableRow:
    """Return a line of two groups as that of the one with the cost, or without a row of a label."""
    two = row["others"] != EVERYONE
    turned = two and (cost_of(row, about) is False or (not row["n_others"] and row["n"]))
    return {**_reversed(row), "items": about["items"] - row["items"]} if turned else row


def _reversed(row: TableRow) -> TableRow:
    """Return a line of two groups as that of the other one, whose `items` it does not know."""
    changes: dict[str, Any] = {"items": None, "estimate": -row["estimate"]}
    changes |= {"ci_low": -row["ci_high"], "ci_high": -row["ci_low"]}
    if "uncontrolled" in row:
        changes["uncontrolled"] = -row["uncontrolled"]
    pairs = (("group", "others"), ("n", "n_others"), ("rate", "rate_others"))
    for one, other in pairs:
        changes |= {one: row[other], other: row[one]}
    return {**row, **changes}


def unexplained(rows: Sequence[TableRow]) -> list[TableRow]:
    """Return the lines that no larger group explains, in their order.

    A found line goes if a larger group, of which this one is a part, is found to differ in the same
    direction (beyond the margin, if this one is), and the interval of this line agrees with the
    rate of that group.
    """
    explained: set[int] = set()
    found: dict[tuple[str, frozenset[str]], TableRow] = {}
    for row in sorted(rows, key=lambda row: row["depth"]):
        if WORDS[row["verdict"]].state not in FOUND:
            continue
        parts = row["group"].split(" & ")
        larger = (
            found.get((row["measure"], frozenset(some)))
            for n in range(1, len(parts))
            for some in combinations(parts, n)
        )
        if any(other is not None and _explains(other, row) for other in larger):
            explained.add(id(row))
        else:
            found[row["measure"], frozenset(parts)] = row
            if row["others"] != EVERYONE:
                found[row["measure"], frozenset(row["others"].split(" & "))] = _reversed(row)
    return [row for row in rows if id(row) not in explained]


def _explains(larger: TableRow, row: TableRow) -> bool:
    return bool(
        (larger["verdict"] == BEYOND or row["verdict"] != BEYOND)
        and larger["estimate"] * row["estimate"] > 0
        and row["ci_low"] <= larger["rate"] - row["rate_others"] <= row["ci_high"]
    )


def _findings(rows: Sequence[TableRow], about: Content) -> Iterator[Finding]:
    source = about["source"]
    names = {role: source.get(role, f"the {role}") for role in ("label", "prediction")}
    costs = [cost_of(row, about) for row in rows]
    sides: dict[str, str] = {}  # what is not found of a group stands beside what is
    for row, cost in zip(rows, costs, strict=True):
        if WORDS[row["verdict"]].state in FOUND:
            sides.setdefault(row["group"], outcome(cost))
    for rank, row in enumerate(rows):
        group, state = row["group"], WORDS[row["verdict"]].state
        cost = costs[rank]
        gap = difference(
            row["estimate"], row["ci_low"], row["ci_high"], share=True, words=("more", "less")
        )
        words = RATES[row["measure"]].words.format(**names, positive=about["positive"])
        sentence = (
            f"{words} {percent(row['rate'])} ({group}) and {percent(row['rate_others'])} "
            f"({row['others']}): {gap}{outcome(cost)}."
        )
        if "uncontrolled" in row:
            ends = row["estimate"], row["ci_low"], row["ci_high"]
            text = against(row["measure"], (group, row["others"]), ends, share=True)
            crude = difference(row["uncontrolled"], np.nan, np.nan, share=True, words=HIGHER)
            sentence = f"{text}{outcome(cost)}; {crude} without the control."
        side = outcome(cost) if state in FOUND else sides.get(group, "")
        yield Finding(
            f"against everyone else{side}, by the interval's end nearer to 0", group,
            row["measure"], state,
            row["estimate"], row["ci_low"], row["ci_high"], row["margin"],
            sentence if np.isfinite(row["estimate"]) else "", row["items"], cost=cost,
            lacks=_lacks(row, f"{names['label']} {about['positive']}"), rank=rank,
        )  # fmt: skip


def _lacks(row: TableRow, label: str) -> Sequence[str]:
    """Return why a line has no estimate: what its group has no row of."""
    among = RATES[row["measure"]].of
    if among not in AMONG or row["n"]:
        return ()
    return (f"{'no' if AMONG[among][1] else 'every'} row of {row['group']} has {label}",)


def _open(result: GroupTables, findings: Sequence[Finding], told: Told) -> str:
    if result.about["margin"] is None:
        return ""
    lacking = cannot_be_compared(findings)
    parts = [f"Not compared: {lacking}."] if lacking and lacking not in told.sentence else []
    within = sum(result.counts[verdict] for verdict in ALL_WITHIN)
    rest = result.about["lines"] - within - result.counts[BEYOND] - result.counts[NOT_ESTIMATED]
    if rest:
        parts.append(f"Open (too few rows to tell): {rest:,} of {result.about['lines']:,} lines.")
    return " ".join(parts)


def _next(findings: Sequence[Finding], told: Told) -> str:
    """Return what to do next: more rows do not help groups that have none of a label."""
    small = [one.items for one in findings if one.lacks and one.items is not None]
    if told.verdict != "cannot be told" or not small:
        return next_of(told, none=ASK)
    if not any(math.isfinite(one.estimate) for one in findings):
        return (
            "What now: no number of rows helps: name another --criterion, such as "
            "demographic_parity, or other attributes."
        )
    return (
        f"What now: join such groups with others, leave them out (--smallest {max(small) + 1}), or "
        "collect the rows that they lack."
    )


def _subject(about: Content) -> str:
    name = about["source"].get("file", "predictions")
    up_to = f", and intersections of up to {about['depth']}" if about["depth"] > 1 else ""
    return (
        f"{name}: {about['items']:,} rows, {about['groups']:,} groups of "
        f"{listed(about['attributes'])}{up_to}"
    )
