"""The table of an audit of many groups, its verdict, and all that its answer leaves out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from fairpairs.audits.audit.control import note_on_strata
from fairpairs.audits.groups.fields import SCHEMA, VERDICTS
from fairpairs.audits.groups.settings import EVERYONE, ORDER
from fairpairs.audits.lines.answer import FOUND
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.tables import counted, forest, kinds, meanings, verdict_cell
from fairpairs.audits.lines.verdicts import ALL_WITHIN, BEYOND, VIOLATED, WORDS, all_within
from fairpairs.audits.lines.words import to_cost
from fairpairs.base.document import Grid, Notes, Part
from fairpairs.base.plain_values import Content, Record, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, listed, middle_cut, number, pvalue
from fairpairs.mathematics.inference.results import verdict

#: Lines that a terminal shows, that are drawn, that the page shows, and folds.
TEXT, DRAWN, SHOWN, FOLDED = 20, 30, 50, 2000
#: Whether a line is to the cost of its group → the caption of the table of such lines.
SIDES = {
    True: "To the cost of the group",
    False: "To the advantage of the group",
    None: "Neither is shown",
}
#: Characters of the name of a group.
LONGEST = 100
#: Measure → 1 where a larger rate gives the group more positive outcomes.
FAVOURS = {"TPR": 1, "FPR": 1, "selection rate": 1, "accuracy": 0}


@dataclass(frozen=True, repr=False)
class GroupTables(Outcome):
    """The table of an audit of many groups; `GroupAuditResult` describes the attributes."""

    COMMAND, SCHEMA = "audit-groups", SCHEMA
    VERDICTS = tuple(VERDICTS)
    UNTESTED = (
        "no group can be tested (--details says why): add items, or name another --criterion."
    )

    tests: pd.DataFrame
    about: Record

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
                heading = caption if about["favourable"] is not None else "Lines"
                yield _lines(chosen, about, f"{heading}, {ORDER}")
                left -= min(len(chosen), TEXT)
        if left:
            yield f"groups.csv has {left:,} more lines."
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


def _lines(rows: Sequence[TableRow], about: Content, caption: str) -> Grid:
    return Grid(
        ["measure", "verdict", "rate", "others", "difference",
         f"{coverage(about['alpha'])} for all", "shrunken", "p", "items", "group"],
        [
            (row["measure"], verdict_cell(row["verdict"]), number(row["rate"]),
             number(row["rate_others"]), number(row["estimate"], sign=True),
             interval(row["ci_low"], row["ci_high"], sign=True),
             number(row["shrunken"], sign=True), pvalue(row["pvalue_adjusted"]),
             f"{row['items']:,}", middle_cut(_against(row), LONGEST))
            for row in rows
        ],
        left=("measure", "verdict", "group"), kinds=kinds(rows), most=TEXT, unfolded=SHOWN,
        caption=caption, first="group",
    )  # fmt: skip


def _against(row: TableRow) -> str:
    """Return the group of a line, and the other one of two."""
    others = row["others"]
    return row["group"] if others == EVERYONE else f"{row['group']} (against {others})"


def _head(about: Content) -> Iterator[str]:
    """Yield the sentences that say which groups are compared."""
    attributes, file = about["attributes"], about["source"].get("file", "predictions")
    up_to = f", and intersections of up to {about['depth']}" if about["depth"] > 1 else ""
    yield (
        f"{file}: {about['items']:,} items, {about['groups']:,} groups of "
        f"{listed(attributes)}{up_to}"
    )
    left_out = [
        (about["left_out"]["small"], f"with fewer than {about['smallest']:,} items"),
        (about["left_out"]["same"], "with the same items as another group, or with all items"),
    ]
    parts = [f"{n:,} group{'s' if n > 1 else ''} {what}" for n, what in left_out if n]
    if parts:
        yield f"Left out: {'; '.join(parts)}."
    yield "Each group is compared with everyone else (of two groups, the smaller with the larger)."


def _notes(result: GroupTables) -> Iterator[str]:
    about = result.about
    yield (
        f"p is adjusted by Bonferroni over all lines: if no group differs, any line is {VIOLATED} "
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
    """Return whether a line is to the cost of its group; None where that is unknown."""
    gap = row["estimate"], row["ci_low"], row["ci_high"]
    found = WORDS[row["verdict"]].state in FOUND
    return to_cost(FAVOURS[row["measure"]], about, gap, shown=found)
