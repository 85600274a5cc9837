"""The result of an audit of judgments, and its answer: whether a model leans to a group."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.audits.judgments.details import details, file_name, judged, names
from fairpairs.audits.judgments.tables import WITHIN, JudgmentsTables
from fairpairs.audits.lines.about import worth_in_words
from fairpairs.audits.lines.answer import Answer, answered, based_on, next_of
from fairpairs.audits.lines.findings import FOUND, Finding, cannot_be_compared, joined, reasons
from fairpairs.audits.lines.junit import Line, numbers
from fairpairs.audits.lines.verdicts import VIOLATED
from fairpairs.audits.lines.words import called, difference, percents
from fairpairs.base.document import Part
from fairpairs.base.plain_values import Content, TableRow, rows_of

#: Lines that the sentence of the answer names.
MOST_NAMED = 2
CAUSES = "Next: check whether groups differ in what is judged, which is another cause (--details)."
MORE = "Next: fairpairs power tells how many judgments show a lean that matters."


@dataclass(frozen=True, repr=False)
class JudgmentsResult(JudgmentsTables):
    """The result of an audit of models by comparative judgments.

    Attributes
    ----------
    tests
        One row per model, attribute, part of the judgments and hypothesis: see `to_frame`.
    cells
        One row per model, attribute and two groups: see `rates`.
    shares
        One row per share of the judgments: of ties, of those for the item shown first, of those for
        a group.
    judges, differ
        One row per judge: how often the judge prefers a group; whether judges differ in it.
    about
        What was audited and how: see `SCHEMA`.
    """

    @cached_property
    def answer(self) -> Answer:
        """Whether a model leans to a group; it prints as the terminal does."""
        about, few = self.about, self.about.get("few_labels")
        lines = list(_findings(self))
        findings, lacking = [one for one in lines if not one.lacks], cannot_be_compared(lines)
        models = len(about["models"])
        who = "the model" if models == 1 else f"any of {models} models"
        leaning = self.main.loc[self.main["pvalue_gate"] < about["alpha"], "model"].nunique()
        subject = "the model agrees" if models == 1 else f"{leaning} of {models} models agree"
        towards, found = _leaning(self) if models == 1 else ("", "")
        told = answered(
            "lean",
            f"Does {who} lean to a group?",
            violated=self.violated,
            found=f"{subject} more often with judgments {found or 'for one group than another'}",
            untested=lacking or "too few judgments to test any two groups",
            headline=f"LEANS to {towards}" if towards else "",
        )
        return Answer(
            *told, f"{names(about)}: {judged(about)}", findings,
            reasons(findings, FOUND) or reasons(findings, ("open",))[:1],
            f"Cannot be tested: {lacking}." if lacking and findings else "",
            next_of(told, bad=CAUSES, unsure=MORE),
            based_on(
                len(findings), [one.measure for one in findings], about["alpha"],
                looks=_judges(about),
            ),
            worth_in_words(few, about["judgments"], few["worth"] if few else (), "judgments"),
            about["checks"],
        )  # fmt: skip

    def _details(self) -> Iterator[Part]:
        return details(self)

    @property
    def named(self) -> str:
        """The files of the judgments."""
        return names(self.about)

    def _digests(self) -> Iterator[tuple[str, str]]:
        for file in self.about["files"]:
            if file["sha256"]:
                yield file_name(file), file["sha256"]

    def _settings(self) -> dict[str, str]:
        return {}

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        fails = row["pvalue_gate"] < self.about["alpha"]
        name = f"{row['model']}: {row['attribute']}: {row['hypothesis']}"
        return Line(
            f"comparative_separation_{row['criterion']}",
            name,
            name,
            VIOLATED if fails else "",
            bool(np.isfinite(row["pvalue_gate"])),
            False,
            [*numbers(row, "pvalue_gate"), row["note"]],
        )


def _leaning(result: JudgmentsTables) -> tuple[str, str]:
    """Return to which groups a model leans, and the judgments, if at most two lines show it."""
    found = rows_of(result.main[result.main["pvalue_gate"] < result.about["alpha"]])
    if len(found) > MOST_NAMED or any(row["criterion"] == WITHIN for row in found):
        return "", ""
    pairs, ahead = [], []
    for row in sorted(found, key=lambda row: -abs(row["estimate"])):
        sides = [called(row["attribute"], row[side]) for side in ("group", "reference")]
        sides = sides if row["estimate"] > 0 else sides[::-1]
        pairs.append(" over ".join(sides))
        ahead.append(sides[0])
    towards = joined(list(dict.fromkeys(ahead)))
    return towards, f"that prefer {', and '.join(pairs)} than with the reverse"


def _findings(result: JudgmentsTables) -> Iterator[Finding]:
    about, alpha = result.about, result.about["alpha"]
    columns = ["model", "attribute", "winner", "loser"]
    keys = (result.cells[name] for name in columns)
    rates = dict(zip(zip(*keys, strict=True), result.cells["tpr"], strict=True))
    several = len(about["models"]) > 1
    for row in rows_of(result.main):
        a, b = row["group"], row["reference"]
        cells = ((a, a), (b, b)) if row["criterion"] == WITHIN else ((a, b), (b, a))
        values = [rates.get((row["model"], row["attribute"], *cell), np.nan) for cell in cells]
        empty = [cell for cell, value in zip(cells, values, strict=True) if np.isnan(value)]
        sizes = about["attributes"][row["attribute"]]
        heading = f"{row['attribute']}, against {b}"
        yield Finding(
            f"{row['model']}, {heading}" if several else heading, a, row["criterion"],
            "differs" if row["pvalue_gate"] < alpha else "open", row["estimate"], row["ci_low"],
            row["ci_high"], np.nan, _sentence(row, about, (values[0], values[1])), sizes.get(a),
            attribute=row["attribute"],
            lacks=[_no_judgment(row["attribute"], *cell) for cell in empty],
        )  # fmt: skip


def _no_judgment(attribute: str, winner: str, loser: str) -> str:
    """Return that no judgment is within a group, or prefers one group over another."""
    ahead, behind = called(attribute, winner), called(attribute, loser)
    if winner == loser:
        return f"no judgment is within {ahead}"
    return f"no judgment prefers {ahead} over {behind}"


def _sentence(row: TableRow, about: Content, values: tuple[float, float]) -> str:
    if not np.isfinite(row["estimate"]):
        return ""
    a, b = (called(row["attribute"], row[side]) for side in ("group", "reference"))
    model = row["model"]
    if about["models"][model]["kind"] == "preference":
        agree = f"`{model}` agrees"
    else:
        agree = f"The scores{f' of `{model}`' if len(about['models']) > 1 else ''} agree"
    gap = difference(
        row["estimate"], row["ci_low"], row["ci_high"], share=True, words=("more", "less")
    )
    first, second = percents(*values)
    if row["criterion"] == WITHIN:
        return f"{agree} with {first} of the judgments within {a} and {second} within {b}: {gap}."
    return (
        f"{agree} with {first} of the judgments that prefer {a} over {b}, and with {second} of "
        f"those that prefer {b}: {gap}."
    )


def _judges(about: Content) -> str:
    if about["judges_as"] is None:
        return ""
    n = about["judges"]
    return (
        f", of these {n:,} judges"
        if about["judges_as"] == "fixed"
        else f", of judges like these {n:,}"
    )
