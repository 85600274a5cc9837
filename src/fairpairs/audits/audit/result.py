"""The result of an audit, and its answer: whether groups differ."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.audit.fields import RATIOS, SCHEMA
from fairpairs.audits.audit.tables import compared, details, group_rates
from fairpairs.audits.criteria import MEASURES
from fairpairs.audits.criteria.missing_rows import lacks
from fairpairs.audits.criteria.parity import ERROR
from fairpairs.audits.criteria.sentences import brief, compared_in_words
from fairpairs.audits.lines.about import (
    ROLES,
    basis,
    items,
    margin_of,
    next_step,
    references_alone,
    told_of_harm,
    what_is_open,
    words_of,
    worth_in_words,
)
from fairpairs.audits.lines.answer import Answer, of_groups
from fairpairs.audits.lines.findings import (
    FOUND,
    MOST_REASONS,
    Finding,
    gravest,
    open_groups,
    reasons,
    times_as_many,
)
from fairpairs.audits.lines.junit import Line
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.tables import counted
from fairpairs.audits.lines.verdicts import BEYOND, MEANINGS, VIOLATED, WORDS, State
from fairpairs.audits.lines.words import (
    against,
    amounts,
    called,
    difference,
    outcome,
    to_cost,
)
from fairpairs.base.document import Part
from fairpairs.base.plain_values import Content, Record, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, number, p_equals
from fairpairs.mathematics.inference.results import verdict

ASK = "Next: give --margin 0.1 to ask whether all differences are below 0.1 (10 points)."
ASK_IN_UNIT = (
    "Next: give --margin CRITERION=NUMBER, in the label's unit, to ask whether gaps are below."
)


@dataclass(frozen=True, repr=False)
class AuditResult(Outcome):
    """The result of an audit.

    Attributes
    ----------
    tests
        One row per hypothesis or measure, of a group minus the reference group, as `to_frame`
        returns it.
    rates
        One row per group and rate, which is count / n.
    about
        What was audited and how: see `SCHEMA`.
    sweep
        With a score, the gaps in TPR and FPR at up to 120 of its values as thresholds: `attribute`,
        `group`, `reference`, `measure`, `threshold`, `estimate`, `ci_low`, `ci_high`. The band
        covers both rates of the two groups at all thresholds at once. Empty without a score, with
        clusters or weights, and for several classes.
    """

    COMMAND, SCHEMA = "audit", SCHEMA
    VERDICTS = tuple(MEANINGS)
    OVERALL = ("violated", "shown")
    TABLES = (("tests", "tests"), ("rates", "rates"))
    CSV = ("tests", "rates")
    BY_GROUP = ("rates", "estimate")

    tests: pd.DataFrame
    rates: pd.DataFrame
    about: Record
    sweep: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def pvalue(self) -> float:
        """The smallest p-value of the criteria that count; NaN when none could be tested.

        It is adjusted by Holm over all their hypotheses, of all attributes and intersections. With
        a margin, it is that of a difference beyond the margin.
        """
        column = "pvalue_gate" if self.about["margin"] is None else "pvalue_beyond_gate"
        return float(self.tests[column].min())

    @property
    def violated(self) -> bool | None:
        """Whether `pvalue` is below the level: a fair model is violated in at most that share.

        Only the criteria count that `criterion` names. With a margin, a difference is shown to
        exceed it: a model is fair if all differences lie within the margin. None when none could be
        tested.
        """
        return verdict(self.pvalue, self.about["alpha"])

    def _tested(self, *, against_margin: bool) -> bool:
        gate = self.about["gate"]
        if against_margin:
            return bool(gate["untested"] < gate["lines"])
        return super()._tested(against_margin=against_margin)

    def four_fifths(self) -> pd.DataFrame:
        """Return the four-fifths rule for selection rates: a row per group, and one for all groups.

        It is `about["four_fifths"]` as a table; without rows where predictions are numbers. The
        rule is of the outcome that `favourable` names; without it, there is no finding.
        """
        return pd.DataFrame(self.about["four_fifths"], columns=list(RATIOS))

    @cached_property
    def answer(self) -> Answer:
        """Whether groups differ, and why; it prints as the terminal does."""
        about = self.about
        findings = list(_findings(self))
        margin = margin_of(about, findings)
        told = of_groups(
            findings,
            margin,
            violated=self.violated,
            shown=self.shown,
            references=references_alone(self.deciding, about),
        )
        why = reasons(findings, FOUND) or reasons(findings, ("open", "within"))[:1]
        if about["label"] == "real" and why:
            why = [*_mean_errors(self, findings), *why]
        return Answer(
            *told, _subject(about), findings, why[:MOST_REASONS],
            what_is_open(findings, told, open_groups(findings) if margin else ""), next_step(
                told, findings, about,
                none=ASK if all(one.share for one in findings) else ASK_IN_UNIT,
            ),
            basis(about, findings),
            worth_in_words(about.get("few_labels"), about["items"], self.deciding.get("worth", ())),
            about["checks"],
        )  # fmt: skip

    def _details(self) -> Iterator[Part]:
        verdicts = list(self.deciding["verdict"])
        head = counted({name: verdicts.count(name) for name in MEANINGS}, self.pvalue)
        return details(self.about, self.tests, self.rates, self.sweep, head)

    def _first(self) -> Iterator[Part]:
        findings = self.answer.findings
        worst = min(range(len(findings)), key=lambda place: findings[place].weight)
        title = _title(rows_of(self.deciding)[worst])
        return group_rates(self.about, self.tests, self.rates, title)

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        alpha, with_margin = self.about["alpha"], self.about["margin"] is not None
        decides = row["pvalue_beyond_gate" if with_margin else "pvalue_gate"]
        verdict = VIOLATED if np.isnan(row["margin"]) else BEYOND
        return Line(
            row["criterion"],
            f"{compared(row, ': ')}: {row['measure']}",
            row["hypothesis"],
            verdict if decides < alpha else "",
            bool(np.isfinite(row["pvalue_within"] if unless_shown else decides)),
            row["pvalue_within"] < alpha,
            [*_numbers(row, alpha), row["note"]],
        )


def _numbers(row: TableRow, alpha: float) -> Iterator[str]:
    """Yield the numbers of a line in words."""
    if np.isfinite(row["estimate"]):
        yield f"estimate {number(row['estimate'], sign=bool(row['group']))}"
    if np.isfinite(row["margin"]):
        yield f"margin {row['margin']:g}"
    if np.isfinite(row["margin_low"]):
        limits = interval(row["margin_low"], row["margin_high"], sign=True)
        yield f"{coverage(alpha, 2)} interval {limits}"
    elif np.isfinite(row["ci_low"]):
        limits = interval(row["ci_low"], row["ci_high"], sign=True)
        yield f"{coverage(alpha)} interval {limits}"
    for words, column in (
        ("", "pvalue_gate"),
        ("beyond the margin ", "pvalue_beyond_gate"),
        ("not within the margin ", "pvalue_within"),
    ):
        if np.isfinite(row[column]):
            yield f"{words}{p_equals(row[column])}"


def _title(row: TableRow) -> str:
    """Return the title of the tables that a row is in."""
    of_class = row.get("label_class", "")
    return f"{row['attribute']}, class {of_class}" if of_class else row["attribute"]


def _findings(result: AuditResult) -> Iterator[Finding]:
    about = result.about
    words, alpha = words_of(about), about["alpha"]
    tests = result.deciding
    rates, counts = (_of_groups(result, name) for name in ("estimate", "count"))
    lines = tests.groupby(["attribute", "group"]).size().to_dict()
    for row in rows_of(tests):
        measure = MEASURES[row["measure"]]
        sizes = about["attributes"][row["attribute"]]["groups"]
        labelled = about.get("few_labels", {}).get("groups", {}).get(row["attribute"], sizes)
        of_class = [row["label_class"]] if "label_class" in row else []
        heading = _title(row)
        if row["group"]:
            heading += f", against {row['reference']} ({sizes[row['reference']]:,} rows)"
        state = _state(row, alpha)
        times = math.nan  # rows wanted to show an open one within its margin
        if state == "open" and not np.isnan(row["margin_low"]):
            width = row["margin_high"] - row["margin_low"]
            of_group = lines[row["attribute"], row["group"]]
            times = times_as_many(width, row["margin"], alpha, of_group)
        told, cost = _told(row, about, state)
        worst = told if row["group"] else _worst_class(result, row)
        yield Finding(
            heading,
            row["group"] or "all groups",
            row["measure"],
            state,
            row["estimate"],
            row["ci_low"],
            row["ci_high"],
            row["margin"],
            _sentence(words, rates, *_told(worst, about, state)) if worst else "",
            labelled.get(row["group"]),
            times,
            cost,
            attribute=row["attribute"],
            brief=brief(words, measure, told),
            lacks=lacks(
                measure,
                row,
                _of_class(row, counts, rates)
                if of_class
                else about["missing_rows"].get(row["attribute"], {}),
                words | {"positive": (of_class or [about["positive"]])[0]},
            ),
            unit="rows" if labelled is sizes else "human labels",
            rank=int(measure.rate is None),  # a rate is easier to read than a ranking
            share=measure.share,
        )


def _of_groups(result: AuditResult, name: str) -> dict[Any, float]:
    """Return a column of the rates by attribute, group, class of the label if any, and measure."""
    classes = ["label_class"] * ("label_class" in result.tests)
    keys = (result.rates[key] for key in ("attribute", "group", *classes, "measure"))
    return dict(zip(zip(*keys, strict=True), result.rates[name], strict=True))


def _told(row: TableRow, about: Content, state: State) -> tuple[TableRow, bool | None]:
    """Return a row as it is told, and whether it harms its group."""
    cost = to_cost(MEASURES[row["measure"]].favours, about, row["estimate"], shown=state in FOUND)
    return told_of_harm(row, cost, about)


def _worst_class(result: AuditResult, row: TableRow) -> TableRow | None:
    """Return the row of one class and two groups that differs most, of a test of all of them."""
    tests = result.tests
    alone = tests["criterion"] == row["criterion"].removesuffix("_all_classes")
    chosen = rows_of(tests[alone & (tests["attribute"] == row["attribute"])])

    def nearer(one: TableRow) -> float:
        return float(np.nan_to_num(max(one["ci_low"], -one["ci_high"]), nan=-np.inf))

    return max(chosen, key=nearer, default=None)


def _mean_errors(result: AuditResult, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the mean errors of the two groups that differ most, if rankings of pairs decide."""
    tests, about = result.tests, result.about
    worst = next(iter(gravest(findings, (*FOUND, "open", "within"))), None)
    if worst is None or not worst.measure.startswith("balanced"):
        return
    decisive = rows_of(result.deciding)[findings.index(worst)]
    of = ("attribute", "group", "reference")
    for row in rows_of(tests[tests["measure"] == ERROR.name]):
        if all(row[name] == decisive[name] for name in of):
            rates = _of_groups(result, "estimate")
            state = WORDS[row["verdict"]].state
            yield _sentence(words_of(about), rates, *_told(row, about, state))


def _of_class(
    row: TableRow, counts: Mapping[Any, float], rates: Mapping[Any, float]
) -> dict[str, list[str]]:
    """Return what both groups have no row of, where one class is compared with the rest."""
    missing: dict[str, list[str]] = {}
    for group in (row["group"], row["reference"]):
        key = row["attribute"], group, row["label_class"], "base rate"
        kinds = ["positive label"] * (counts.get(key) == 0)
        missing[group] = [*kinds, *["negative label"] * (rates.get(key) == 1)]
    return missing


def _sentence(
    words: Mapping[str, str], rates: Mapping[Any, float], row: TableRow, cost: bool | None
) -> str:
    """Return what a row says, with the values of both groups if they are known."""
    if np.isnan(row["estimate"]):
        return ""
    measure, of_class = MEASURES[row["measure"]], [row.get("label_class")] * ("label_class" in row)
    groups = called(row["attribute"], row["group"]), called(row["attribute"], row["reference"])
    gap = row["estimate"], row["ci_low"], row["ci_high"]
    harm = outcome(cost, groups[0])
    if np.isfinite(row.get("uncontrolled", np.nan)):
        text = against(measure.name, groups, gap, share=measure.share)
        ways = ("higher", "lower")
        over_all = difference(row["uncontrolled"], np.nan, np.nan, share=measure.share, words=ways)
        return f"{text}; {over_all} without the control.{harm}"
    values = [
        rates.get((row["attribute"], row[side], *of_class, measure.of), np.nan)
        for side in ("group", "reference")
    ]
    names = {**words, "group": groups[0], "reference": groups[1]}
    names["positive"] = row.get("label_class") or words["positive"]
    ratio = row["ratio"], row["ratio_low"], row["ratio_high"]
    times = ""
    if measure.size and np.isfinite(ratio).all():
        times = "; ratio {} ({} to {})".format(*amounts(*ratio, share=False))
    return f"{compared_in_words(measure, names, gap, (values[0], values[1]))}{times}.{harm}"


def _state(row: TableRow, alpha: float) -> State:
    """Return what a line says for the whole audit, by the p-values of the gate."""
    if np.isfinite(row["margin"]):
        if row["pvalue_beyond_gate"] < alpha:
            return "beyond"
        if row["pvalue_within"] < alpha:
            return "within"
    return "differs" if row["pvalue_gate"] < alpha else "open"


def _subject(about: Content) -> str:
    source = about["source"]
    roles = [f"{role} {source[role]}" for role in ROLES if role in source]
    positive = f" (positive: {about['positive']})" if about["positive"] else ""
    if roles:
        roles[0] += positive
    if about["threshold"] is not None:
        roles.append(f"threshold {about['threshold']:g}")
    return "; ".join([f"{source.get('file', 'predictions')}: {items(about)}", *roles])
