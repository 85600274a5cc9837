"""The result of a comparison, and its answer: whether a gap between groups grew."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fairpairs.audits.compare.fields import SCHEMA, VERDICTS
from fairpairs.audits.compare.tables import details, names
from fairpairs.audits.criteria import MEASURES
from fairpairs.audits.criteria.missing_rows import lacks
from fairpairs.audits.lines.about import (
    basis,
    items,
    margin_of,
    next_step,
    references_alone,
    told_of_harm,
    what_is_open,
    words_of,
)
from fairpairs.audits.lines.answer import NO_EVIDENCE, Answer, answered
from fairpairs.audits.lines.findings import (
    FOUND,
    MOST_REASONS,
    Finding,
    cannot_be_compared,
    gravest,
    names_of_open,
    open_groups,
    reasons,
    times_as_many,
)
from fairpairs.audits.lines.junit import Line
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.verdicts import IMPROVED, NOT_SHOWN, WORSE, WORSE_BEYOND, State
from fairpairs.audits.lines.words import amounts, called, difference, outcome, to_cost
from fairpairs.base.document import Part
from fairpairs.base.plain_values import Content, Record, TableRow, rows_of
from fairpairs.base.texts import coverage, decimals, interval, number, p_equals
from fairpairs.mathematics.inference.contrasts.equivalence import OF_CHANGE, OF_NEW
from fairpairs.mathematics.inference.results import verdict

CHANGED = "Next: changed.csv (--out FOLDER) lists the rows whose decision changed."
ASK = "Next: give --margin 0.05 to ask whether no gap grew by 0.05 (5 points) or more."


@dataclass(frozen=True, repr=False)
class ComparisonResult(Outcome):
    """The result of a comparison of two models.

    Attributes
    ----------
    tests
        One row per measure of a group against the reference, as `to_frame` returns it.
    decisions
        One row per attribute, group and label: `items`, and those that only the new model
        (`to_positive`) or only the old one (`to_negative`) decides for, with shares and intervals.
    changed
        One row per item that is decided otherwise: `item`, `label`, `old`, `new`, and its groups.
    about
        What was compared and how: see `SCHEMA`.
    """

    COMMAND, SCHEMA = "compare", SCHEMA
    DIFFERENCE = "A difference is by how much that of the groups is larger under the new model."
    VERDICTS = tuple(VERDICTS)
    FAILS, UNSHOWN = "worse", f"{NOT_SHOWN} not to be worse by the margin"
    UNTESTED = (
        "{criteria} cannot be tested on these rows (the table above says why): add rows, or name "
        "another --criterion."
    )
    OVERALL = ("worse", "shown")
    TABLES = (("tests", "_tests_of_json"), ("decisions", "decisions"))
    CSV = ("tests", "decisions", "changed")
    BY_GROUP = ("tests", "old", "new", "change")
    PLOTTED = ("change of the gap", 0)

    tests: pd.DataFrame
    decisions: pd.DataFrame
    changed: pd.DataFrame
    about: Record

    @property
    def pvalue(self) -> float:
        """The smallest p-value of a larger gap, of the criteria that count; NaN for none.

        It is adjusted by Holm over all their lines. With a margin, it is that of a gap that is
        larger by more than the margin.
        """
        return float(self.tests["pvalue_gate"].min())

    @property
    def worse(self) -> bool | None:
        """Whether `pvalue` is below the level; None when nothing that counts could be tested."""
        return verdict(self.pvalue, self.about["alpha"])

    @property
    def _tests_of_json(self) -> pd.DataFrame:
        return self.tests.astype({"changed": object})  # whole numbers beside missing ones

    @cached_property
    def answer(self) -> Answer:
        """Whether the new model is worse for groups; it prints as the terminal does."""
        about = self.about
        findings = list(_findings(self))
        margin = margin_of(about, findings)
        by = f" by more than {margin}" if margin else ""
        alone = references_alone(self.deciding, about)
        of = f" between {alone} and another group" if alone else ""
        better = sum(one.state == "better" for one in findings)
        smaller = f"{better} of {len(findings)} gaps{of} {'is' if better == 1 else 'are'} smaller"
        worst = next((one.brief for one in gravest(findings, FOUND)), "")
        told = answered(
            "change",
            f"Is a gap between groups larger under the new model{by}?",
            violated=self.worse,
            found=f"{worst}{f' (margin: {margin})' if margin else ''}",
            untested=cannot_be_compared(findings) or "too few rows to test any change",
            shown=self.shown,
            within=f"no gap{of} is larger{by}",
            open=f"too little data for {names_of_open(findings)}" if margin else "",
            none=f"no gap{of} was found to be larger; {NO_EVIDENCE}",
        )
        if not margin and not self.worse and about["gate"]["better"]:
            sentence = f"{smaller}, and none was found to be larger"
            told = told._replace(verdict="BETTER", headline="BETTER", sentence=sentence)
        elif better:
            told = told._replace(sentence=f"{told.sentence}; {smaller}")
        why = (
            reasons(findings, FOUND)
            or (
                reasons(findings, ("open",), of_margin=True)[:1]
                if told.verdict == "UNDECIDED"
                else []
            )
            or reasons(findings, ("better",))
            or reasons(findings, ("open", "not worse"), of_margin=True)[:1]
        )
        if overall := [
            f"{name} was {decimals(values['old'], 3)} and is {decimals(values['new'], 3)}"
            for name, values in about["overall"].items()
        ]:
            why = [*why[: MOST_REASONS - 1], f"Over all rows, {'; '.join(overall)}."]
        return Answer(
            *told, _subject(about), findings, why,
            what_is_open(findings, told, open_groups(findings) if margin else ""),
            next_step(told, findings, about, bad=CHANGED, none=ASK),
            basis(about, findings),
            checks=about["checks"],
        )  # fmt: skip

    def _details(self) -> Iterator[Part]:
        return details(self.about, self.tests, self.decisions, self.counts, self.pvalue)

    def _digests(self) -> Iterator[tuple[str, str]]:
        source = self.about["source"]
        yield from zip(names(self.about), source.get("sha256", ()), strict=False)

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        alpha = self.about["alpha"]
        groups = f"{row['attribute']}: {row['group']} minus {row['reference']}"
        name = f"{groups}: {row['measure']}"
        verdict = WORSE if np.isnan(row["margin"]) else WORSE_BEYOND
        decides = row["pvalue_not_worse" if unless_shown else "pvalue_gate"]
        return Line(
            row["criterion"],
            name,
            f"The gap of {name} is not larger",
            verdict if row["pvalue_gate"] < alpha else "",
            bool(np.isfinite(decides)),
            row["pvalue_not_worse"] < alpha,
            [*_numbers(row, alpha), row["note"]],
        )


def _numbers(row: TableRow, alpha: float) -> Iterator[str]:
    """Yield the numbers of a line in words."""
    if np.isfinite(row["change"]):
        old, new = (number(row[model], sign=True) for model in ("old", "new"))
        yield f"gap {old} to {new}"
    if np.isfinite(row["margin"]):
        yield f"margin {row['margin']:g}"
    if np.isfinite(row["ci_low"]):
        limits = interval(row["ci_low"], row["ci_high"], sign=True)
        yield f"change {number(row['change'], sign=True)}"
        yield f"{coverage(alpha)} interval {limits}"
    if np.isfinite(row["pvalue_gate"]):
        yield p_equals(row["pvalue_gate"])


def _findings(result: ComparisonResult) -> Iterator[Finding]:
    about, alpha = result.about, result.about["alpha"]
    tests, words = result.deciding, words_of(about)
    lines = tests.groupby(["attribute", "group"]).size().to_dict()
    for row in rows_of(tests):
        groups = about["attributes"][row["attribute"]]["groups"]
        reference = f"{row['reference']} ({groups[row['reference']]:,} rows)"
        state = _state(row, alpha)
        cost = _cost(row, about, "new")
        told, cost = told_of_harm(row, cost, about)
        yield Finding(
            f"{row['attribute']}, against {reference}; + is a larger gap",
            row["group"],
            row["measure"],
            state,
            *growth(row),
            row["margin"],
            _sentence(told, about),
            groups[row["group"]],
            _times_wanted(row, alpha, lines[row["attribute"], row["group"]])
            if state == "open"
            else np.nan,
            cost,
            attribute=row["attribute"],
            lacks=lacks(
                MEASURES[row["measure"]],
                row | {"estimate": row["change"]},
                about["missing_rows"].get(row["attribute"], {}),
                words,
            ),
            brief=_brief(told),
            share=MEASURES[row["measure"]].share,
        )


def _state(row: TableRow, alpha: float) -> State:
    """Return what a line says for the whole comparison."""
    if row["pvalue_gate"] < alpha:
        return "beyond" if np.isfinite(row["margin"]) else "worse"
    if row["verdict"] == IMPROVED:
        return "better"
    return "not worse" if row["pvalue_not_worse"] < alpha else "open"


def _times_wanted(row: TableRow, alpha: float, lines: int) -> float:
    """Return how many times as many rows show a gap not to be worse, by the change or by itself."""
    change, new = (row[f"{of}_high"] - row[f"{of}_low"] for of in ("margin", "new"))
    return min(
        times_as_many(change, row["margin"], alpha, lines, part=OF_CHANGE),
        times_as_many(new, row["margin"], alpha / 2, lines, part=2 * OF_NEW),
    )


def growth(row: TableRow) -> tuple[float, float, float]:
    """Return by how much a gap is larger, whatever its sign, and the ends of the interval.

    The change of a gap is this only where both gaps have one sign; without, there is no interval.
    """
    sign = np.sign(row["new"]) if row["old"] * row["new"] > 0 else np.nan
    low, high = sorted([sign * row["ci_low"], sign * row["ci_high"]])
    return abs(row["new"]) - abs(row["old"]), low, high


def _cost(row: TableRow, about: Content, model: str) -> bool | None:
    """Return whether the gap of a model harms the group; None where it is unknown."""
    shown = row[f"{model}_low"] > 0 or row[f"{model}_high"] < 0
    return to_cost(MEASURES[row["measure"]].favours, about, row[model], shown=shown)


def _brief(row: TableRow) -> str:
    """Return how large the gap was and is, in short."""
    if not np.isfinite(row["change"]):
        return ""
    share = MEASURES[row["measure"]].share
    group, reference = (called(row["attribute"], row[side]) for side in ("group", "reference"))
    was, now = amounts(row["old"], row["new"], share=share)
    grew = abs(row["new"]) > abs(row["old"])
    return (
        f"the gap in {row['measure']} between {group} and {reference} "
        f"{'grew' if grew else 'shrank'} from {was} to {now}{' points' * share}"
    )


def _sentence(row: TableRow, about: Content) -> str:
    """Return how large the gap was and is; with an interval where both gaps have one sign."""
    old, new = row["old"], row["new"]
    if not (np.isfinite(old) and np.isfinite(new)):
        return ""
    measure, ways = MEASURES[row["measure"]], ("higher", "lower")
    group, reference = (called(row["attribute"], row[side]) for side in ("group", "reference"))
    was, now = (
        difference(gap, np.nan, np.nan, share=measure.share, words=ways) for gap in (old, new)
    )
    grown = difference(*growth(row), share=measure.share, words=("larger", "smaller"))
    harm = outcome(_cost(row, about, "new"), group)
    if abs(new) < abs(old):
        harm = harm.replace(" This ", " What is left of it ")
    return (
        f"{measure.plain or measure.name}: {group} was {was} than {reference} and is {now}. The "
        f"gap is {grown}.{harm}"
    )


def _subject(about: Content) -> str:
    old, new = names(about)
    text = f"{new} (new) against {old} (old): the same {items(about)}"
    if about["threshold"] is not None:
        text += f", threshold {about['threshold']:g}"
    if about["changed"] is None:
        return text
    share = 100 * about["changed"] / about["items"]
    return f"{text}, {about['changed']:,} decisions changed ({share:.3g} %)"
