"""The result of an audit of many groups: its table, its verdict, its answer and all else."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.criteria import MEASURES
from fairpairs.audits.criteria.rows import AMONG
from fairpairs.audits.criteria.sentences import compared_in_words
from fairpairs.audits.groups.fields import SCHEMA, VERDICTS
from fairpairs.audits.groups.settings import EVERYONE, ORDER
from fairpairs.audits.items.strata import note_on_strata
from fairpairs.audits.lines.about import lower, what_is_open, within
from fairpairs.audits.lines.answer import MORE, Answer, Told, answered, based_on, next_of
from fairpairs.audits.lines.findings import (
    FOUND,
    Finding,
    cannot_be_compared,
    gravest,
    margins_in_words,
    reasons,
)
from fairpairs.audits.lines.junit import Line, by_verdict, numbers
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.tables import counted, forest, kinds, meanings, verdict_cell
from fairpairs.audits.lines.verdicts import (
    ALL_WITHIN,
    BEYOND,
    NOT_ESTIMATED,
    NOT_TESTED,
    VIOLATED,
    WORDS,
    all_within,
)
from fairpairs.audits.lines.words import against, amount, difference, outcome, to_cost
from fairpairs.base.document import Grid, Notes, Part
from fairpairs.base.plain_values import Content, Record, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, listed, middle_cut, number, pvalue
from fairpairs.mathematics.inference.results import verdict

#: Lines that an answer looks at, in the order of the table.
LOOKED_AT = 2_000
HIGHER = ("higher", "lower")

#: What to do where the rows of a group, or of all others, are of one cluster.
CLUSTERS = "Next: collect rows of more clusters: a group of one cluster cannot be tested."
ASK = "Next: give --margin 0.1 to ask whether no group differs by more than 0.1 (10 points)."
#: Lines that a terminal shows, that are drawn, that the page shows, and folds.
TEXT, DRAWN, SHOWN, FOLDED = 20, 30, 50, 2000
#: Whether a comparison harms its group → the caption of the table of such lines.
SIDES = {
    True: "Harms the group",
    False: "Favours the group",
    None: "Neither is shown",
}
#: Characters of the name of a group.
LONGEST = 100
#: The same, in a heading.
HARM = {True: ", harmed", False: ", favoured", None: ""}


@dataclass(frozen=True, repr=False)
class GroupAuditResult(Outcome):
    """The result of an audit of many groups.

    Attributes
    ----------
    tests
        One row per group and measure, the worst first: see `to_frame`.
    about
        What was audited and how: see `SCHEMA`.
    """

    COMMAND, SCHEMA = "audit-groups", SCHEMA
    VERDICTS = tuple(VERDICTS)
    BY_GROUP = ("tests", "rate")
    UNTESTED = "no group can be tested (--details says why): add rows, or name another --criterion."

    tests: pd.DataFrame
    about: Record

    @property
    def overall(self) -> pd.Series:
        """Each rate over all rows."""
        known = self.tests.dropna(subset=["rate", "rate_others"])
        first = known.drop_duplicates("measure").set_index("measure")
        positives = first["rate"] * first["n"] + first["rate_others"] * first["n_others"]
        return positives / (first["n"] + first["n_others"])

    @property
    def pvalue(self) -> float:
        """The smallest p-value, by Bonferroni over all lines; NaN when none could be tested."""
        return float(self.tests["pvalue_adjusted"].min())

    @property
    def violated(self) -> bool | None:
        """Whether any group is shown to differ; with a margin, by more than it.

        A model that treats all groups alike is violated in at most a share `alpha`. None when no
        line could be tested.
        """
        if self.about["margin"] is None:
            return verdict(self.pvalue, self.about["alpha"])
        return bool(self.counts[BEYOND]) if self.tests["estimate"].notna().any() else None

    @property
    def shown(self) -> bool | None:
        """Whether each line is shown to lie within the margin, all together; None without one."""
        if self.about["margin"] is None:
            return None
        return all_within(self.tests["verdict"].isin(ALL_WITHIN))

    def _details(self) -> Iterator[Part]:
        about = self.about
        rows = rows_of(self.tests.head(SHOWN + FOLDED))
        yield "\n".join([*_head(about), counted(self.counts, self.pvalue, by="Bonferroni")])
        costs = [cost_of(row, about) for row in rows]
        left = about["lines"]
        for side, caption in SIDES.items():
            chosen = [row for row, cost in zip(rows, costs, strict=True) if cost is side]
            if chosen:
                heading = caption if about["favourable"] is not None else "Comparisons"
                yield _lines(chosen, about, f"{heading}, {ORDER}")
                left -= min(len(chosen), TEXT)
        if left:
            yield f"groups.csv has {left:,} more comparisons."
        first = rows[:DRAWN]
        margin = "" if about["margin"] is None else ", the band the margin"
        yield forest(
            first, [f"{row['measure']}, {row['group']}" for row in first],
            "group minus everyone else",
            prefix="groups", caption=f"Differences, {ORDER}, with their simultaneous intervals; "
            f"the stroke is the shrunken estimate{margin}.",
        )  # fmt: skip
        yield Notes(list(_notes(self)))
        yield meanings(VERDICTS, self.counts)

    @cached_property
    def answer(self) -> Answer:
        """Which groups differ from everyone else; it prints as the terminal does."""
        about = self.about
        margin = margins_in_words([about["margin"]], []) if about["margin"] else ""
        by = f" by more than {margin}" if margin else ""
        lines = rows_of(self.tests.head(LOOKED_AT))
        rows = unexplained(lines)
        for i, row in enumerate(rows):  # of two groups, that with the cost, or without a label
            harms_other = cost_of(row, about) is False or (not row["n_others"] and row["n"])
            if row["others"] != EVERYONE and harms_other:
                rows[i] = {**_reversed(row), "items": about["items"] - row["items"]}
        findings = sorted(_findings(rows, about), key=lambda one: one.weight)
        violated = "beyond" if margin else "differs"
        groups = len({one.group for one in findings if one.state == violated})
        differ = f"{groups:,} GROUP{' DIFFERS' if groups == 1 else 'S DIFFER'} from everyone else"
        worst = next((one.brief for one in gravest(findings, FOUND)), "")
        few_clusters = bool(self.counts[NOT_TESTED])
        number = "1 group differs" if groups == 1 else f"{groups:,} groups differ"
        told = answered(
            "margin" if margin else "groups",
            f"Does any group differ from everyone else{by}?",
            violated=self.violated,
            found=f"{number} from everyone else{by}, most of all {worst}"
            if margin
            else f"most of all {worst}",
            untested=cannot_be_compared(findings)
            or f"too few {'clusters' if few_clusters else 'rows'} to test any group",
            shown=self.shown,
            within=f"no group differs from everyone else{by}",
            open="too little data to compare all groups" if margin else "",
            headline="FAIL" if margin else differ,
        )
        compared = f"{within(about['control'])} " if "control" in about else ""
        found = sum(self.counts[name] for name in VERDICTS if WORDS[name].state in FOUND)
        named = len(set(self.tests["group"])) > groups and found > len(
            [one for one in findings if one.state in FOUND]
        )
        explained = (
            f" {found:,} comparisons of groups.csv differ; named are the groups that no larger "
            "group explains." * named
        )
        based = based_on(
            about["lines"], [*self.tests["measure"]], about["alpha"],
            intervals=" that cover all groups together",
        )  # fmt: skip
        return Answer(
            *told, _subject(about), findings,
            reasons(findings, FOUND) or reasons(findings, ("open", "within"))[:1],
            _open(self, findings, told), _next(findings, told, few_clusters=few_clusters),
            f"{compared}{based}{explained}", checks=about["checks"],
        )  # fmt: skip

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        name = f"{row['group']}: {row['measure']}"
        margin = [f"margin {row['margin']:g}"] if row["margin"] > 0 else []
        details = [*numbers(row, "pvalue_adjusted", "simultaneous interval"), *margin]
        return by_verdict(row, name, f"{name}, against {row['others']}", details)


def _lines(rows: Sequence[TableRow], about: Content, caption: str) -> Grid:
    names = [
        row["group"] if row["others"] == EVERYONE else f"{row['group']} (against {row['others']})"
        for row in rows
    ]
    return Grid(
        ["measure", "verdict", "rate", "others", "difference",
         f"{coverage(about['alpha'])} for all", "shrunken", "p", "rows", "group"],
        [
            (row["measure"], verdict_cell(row["verdict"]), number(row["rate"]),
             number(row["rate_others"]), number(row["estimate"], sign=True),
             interval(row["ci_low"], row["ci_high"], sign=True),
             number(row["shrunken"], sign=True), pvalue(row["pvalue_adjusted"]),
             f"{row['items']:,}", middle_cut(name, LONGEST))
            for row, name in zip(rows, names, strict=True)
        ],
        left=("measure", "verdict", "group"), kinds=kinds(rows), most=TEXT, unfolded=SHOWN,
        caption=caption, first="group",
    )  # fmt: skip


def _head(about: Content) -> Iterator[str]:
    """Yield the sentences that say which groups are compared."""
    yield _subject(about)
    left_out = [
        (about["left_out"]["small"], f"with fewer than {about['smallest']:,} rows"),
        (about["left_out"]["same"], "with the same rows as another group, or with all rows"),
    ]
    parts = [f"{n:,} group{'s' if n > 1 else ''} {what}" for n, what in left_out if n]
    if parts:
        yield f"Left out: {'; '.join(parts)}."
    yield "Each group is compared with everyone else (of two groups, the smaller with the larger)."


def _notes(result: GroupAuditResult) -> Iterator[str]:
    about = result.about
    yield (
        f"p is adjusted by Bonferroni over all comparisons: if no group differs, any is {VIOLATED} "
        f"with a chance of at most {about['alpha']:g}."
    )
    yield (
        f"The intervals cover the differences of all groups together with a chance of "
        f"{coverage(about['alpha'])}, whichever is looked at. An interval leaves out 0 exactly if "
        "p shows a difference."
    )
    spread = ", ".join(f"{number(tau)} ({measure})" for measure, tau in about["tau"].items())
    yield (
        "shrunken: the difference, drawn towards 0 by as much as it is uncertain (empirical "
        f"Bayes); true differences have a standard deviation of about {spread}."
    )
    if about["margin"] is not None:
        yield (
            f"beyond, within: the interval lies beyond the margin of {about['margin']:g}, or within"
            " it; so this holds for all groups together."
        )
    if "control" in about:
        yield note_on_strata(about["control"]["columns"])
    if not about["label"]:
        yield "There are no labels: only selection rates are compared."


def cost_of(row: TableRow, about: Content) -> bool | None:
    """Return whether a comparison harms its group; None where that is unknown."""
    found = WORDS[row["verdict"]].state in FOUND
    return to_cost(MEASURES[row["measure"]].favours, about, row["estimate"], shown=found)


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
        names = "|".join(map(re.escape, row["attributes"].split(" & ")))
        parts = re.split(f" & (?=(?:{names})=)", row["group"])  # groups may have an & too
        larger = (
            found.get((row["measure"], frozenset(some)))
            for n in range(1, len(parts))
            for some in combinations(parts, n)
        )
        if any(
            other is not None
            and (other["verdict"] == BEYOND or row["verdict"] != BEYOND)
            and other["estimate"] * row["estimate"] > 0
            and row["ci_low"] <= other["rate"] - row["rate_others"] <= row["ci_high"]
            for other in larger
        ):
            explained.add(id(row))
        else:
            found[row["measure"], frozenset(parts)] = row
            if row["others"] != EVERYONE:
                found[row["measure"], frozenset([row["others"]])] = _reversed(row)
    return [row for row in rows if id(row) not in explained]


def _findings(rows: Sequence[TableRow], about: Content) -> Iterator[Finding]:
    source = about["source"]
    names = {role: source.get(role, f"the {role}") for role in ("label", "prediction")}
    names["positive"] = about["positive"]
    costs = [cost_of(row, about) for row in rows]
    sides: dict[str, bool | None] = {}  # what is not found of a group is put beside what is
    for row, cost in zip(rows, costs, strict=True):
        if WORDS[row["verdict"]].state in FOUND:
            sides.setdefault(row["group"], cost)
    for rank, row in enumerate(rows):
        group, others, state = row["group"], row["others"], WORDS[row["verdict"]].state
        cost = costs[rank]
        gap = row["estimate"], row["ci_low"], row["ci_high"]
        size = amount(row["estimate"], share=True) if np.isfinite(row["estimate"]) else ""
        if "uncontrolled" in row:
            text = against(row["measure"], (group, others), gap, share=True)
            crude = difference(row["uncontrolled"], np.nan, np.nan, share=True, words=HIGHER)
            sentence = f"{text}; {crude} without the control.{outcome(cost, group)}"
        else:
            of_both = {**names, "group": group, "reference": others}
            values = row["rate"], row["rate_others"]
            text = compared_in_words(MEASURES[row["measure"]], of_both, gap, values)
            sentence = f"{text}.{outcome(cost, group)}"
        side = cost if state in FOUND else sides.get(group)
        yield Finding(
            f"against everyone else{HARM[side]}, by the interval's end nearer to 0", group,
            row["measure"], state, *gap, row["margin"],
            sentence if size else "", row["items"], cost=cost,
            brief=f"{group}, by {size} in {row['measure']}",
            lacks=_lacks(row, f"{names['label']} {about['positive']}"), rank=rank,
        )  # fmt: skip


def _lacks(row: TableRow, label: str) -> Sequence[str]:
    """Return why a line has no estimate: what its group has no row of."""
    rate = MEASURES[row["measure"]].rate
    among = None if rate is None else rate.of
    if among not in AMONG or row["n"]:
        return ()
    return (f"{'no' if AMONG[among][1] else 'every'} row of {row['group']} has {label}",)


def _open(result: GroupAuditResult, findings: Sequence[Finding], told: Told) -> str:
    if result.about["margin"] is None:
        return ""
    lines = result.about["lines"]
    decided = sum(result.counts[name] for name in (*ALL_WITHIN, BEYOND, NOT_ESTIMATED))
    rest = f"Too little data: {lines - decided:,} of {lines:,} comparisons are open."
    return what_is_open(findings, told, rest * (lines > decided))


def _next(findings: Sequence[Finding], told: Told, *, few_clusters: bool) -> str:
    """Return what to do next: more rows do not help groups that have none of a label."""
    small = [one.items for one in findings if one.lacks and one.items is not None]
    if told.verdict != "UNDECIDED" or not small:
        unsure = CLUSTERS if few_clusters else MORE
        return next_of(told, bad=lower(findings), unsure=unsure, none=ASK)
    if not any(math.isfinite(one.estimate) for one in findings):
        return (
            "Next: no number of rows helps: name another --criterion, such as demographic_parity, "
            "or other attributes."
        )
    return (
        f"Next: join such groups with others, leave them out (--smallest {max(small) + 1}), or "
        "collect the rows that they lack."
    )


def _subject(about: Content) -> str:
    name = about["source"].get("file", "predictions")
    up_to = f", and intersections of up to {about['depth']}" if about["depth"] > 1 else ""
    clusters = "" if about["clusters"] is None else f" in {about['clusters']:,} clusters"
    return (
        f"{name}: {about['items']:,} rows{clusters}, {about['groups']:,} groups of "
        f"{listed(about['attributes'])}{up_to}"
    )
