"""The report of an audit of scores by judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.auditing.verdicts import NOT_SHOWN, NOT_TESTED, VIOLATED
from fairpairs.document import Document, Grid, Heading, Notes, Part
from fairpairs.fairness.comparative import ComparativeSeparationResult
from fairpairs.fairness.effect_sizes import magnitude
from fairpairs.fairness.estimates import SMALL_CELL
from fairpairs.fairness.gaps import FEW_BEHIND, FEW_ITEMS
from fairpairs.fairness.inputs import group_name
from fairpairs.judgments.audit import JudgmentsResult
from fairpairs.texts import interval, listed, number, p_equals, pvalue

ADJUSTED = {"holm": " (Holm)", "sidak": " (Šidák)", "none": ""}


def document(result: JudgmentsResult) -> Document:
    """Return the report of a test of judgments."""
    judged, by_attribute = result.judgments, result.by_attribute
    judgments, predictions = judged.tables
    ahead = judged.predicted(judged.scores[0])
    agreeing = int((ahead == judged.outcome).sum())
    m, n = len(judged.outcome), len(judged.items)
    parts: list[Part] = [
        f"{judgments.path}: {m:,} judgments\n"
        f"{predictions.path}: {len(predictions):,} items, {n:,} of them judged, scores in "
        f"`{judged.scores[0]}`\n"
        f"The scores agree with {agreeing:,} of the judgments ({100 * agreeing / m:.1f} %)."
    ]
    for name, of_attribute in by_attribute.items():
        parts += _attribute(name, of_attribute)
    if _all_together(result):
        parts.append(_overall(result))
    parts.append(Notes(_notes(result)))
    return Document(f"{judgments.path}: scores audited by judgments", parts)


def _all_together(result: JudgmentsResult) -> bool:
    """Whether the hypotheses of all attributes are judged apart from those of each."""
    return len(result.by_attribute) > 1 or result.correction != "holm"


def _together(result: JudgmentsResult) -> str:
    several = len(result.by_attribute) > 1
    return "All attributes together" if several else "All hypotheses together"


def _overall(result: JudgmentsResult) -> str:
    """Return the verdict over all hypotheses, which decides --fail-on-violation."""
    if result.violated is None:
        return f"{_together(result)}: {NOT_TESTED}."
    attributes = result.by_attribute.values()
    tested = sum(int(np.isfinite(each.difference.pvalue).sum()) for each in attributes)
    over = f" by Holm over {tested} hypotheses" if tested > 1 else ""
    word = VIOLATED if result.violated else NOT_SHOWN
    return f"{_together(result)}: {word}, {p_equals(result.pvalue)}{over}."


def _attribute(name: str, result: ComparativeSeparationResult) -> list[Part]:
    """Return the tables and findings on one attribute."""
    covered = f"{100 * (1 - result.alpha):g} % interval"
    rates: list[Any] = list(result.rates().itertuples())
    of_cells = [
        (r.winner, r.loser, number(r.tpr), interval(r.ci_low, r.ci_high), f"{r.pairs:,.0f}")
        for r in rates
    ]
    rows: list[Any] = list(result.to_frame().itertuples())
    of_rows = [
        (r.hypothesis, number(r.estimate, sign=True), interval(r.ci_low, r.ci_high, sign=True),
         number(r.effect_size, sign=True), pvalue(r.pvalue), f"{r.n:,}", f"{r.smallest_cell:,}",
         _verdict(r, result.alpha))
        for r in rows
    ]  # fmt: skip
    p = f"p{ADJUSTED[result.correction]}"
    joint = []
    if result.joint is not None and np.isfinite(result.joint.pvalue):
        joint = [f"All rates at once (joint test): {p_equals(float(result.joint.pvalue))}"]
    return [
        Heading(f"{name}: {len(result.groups)} groups"),
        Grid(
            ["preferred (a)", "over (b)", "TPR(a,b)", covered, "judgments"], of_cells,
            left=("preferred (a)", "over (b)"),
        ),
        "TPR(a,b): of the judgments that prefer an item of a over one of b, the share that the "
        "scores agree with.",
        Grid(
            ["hypothesis", "difference", covered, "h", p, "n", "smallest cell", "verdict"], of_rows,
            left=("hypothesis", "verdict"),
        ),
        "\n".join([*joint, *_findings(name, result, rows)]),
    ]  # fmt: skip


def _findings(name: str, result: ComparativeSeparationResult, rows: Sequence[Any]) -> list[str]:
    """Return the findings in words, by hypothesis where one is violated."""
    if result.violated is None:
        return [f"Nothing can be tested on `{name}`: {rows[0].note}. That is no sign of fairness."]
    if not result.violated:
        what = f"No violation of comparative separation is shown on `{name}`."
        if not any(np.isfinite(row.ci_low) for row in rows):
            return [f"{what} There is no interval to show how large one could be."]
        return [
            f"{what} This is no evidence of fairness: the intervals show how large a violation "
            "could be."
        ]
    lines = [f"Comparative separation is violated on `{name}`:"]
    rates: list[Any] = list(result.rates().itertuples())
    cells = {(cell.winner, cell.loser): cell.tpr for cell in rates}
    names = [group_name(group) for group in result.groups]
    gaps = [(low, high) for a, low in enumerate(names) for high in names[a + 1 :]]
    for place, row in enumerate(rows):
        if not row.pvalue < result.alpha:
            continue
        low, high = gaps[place // 2]
        a, b = (high, low) if row.estimate > 0 else (low, high)
        if place % 2:
            line = (
                f"judgments between two of {a} are predicted right more often than those between "
                f"two of {b} ({cells[a, a]:.2f} against {cells[b, b]:.2f})"
            )
        else:
            line = (
                f"where {a} is preferred over {b} the scores agree more often than where {b} is "
                f"preferred over {a} ({cells[a, b]:.2f} against {cells[b, a]:.2f}): they lean "
                f"towards {a}"
            )
        effect = abs(row.effect_size)
        lines.append(f"- {line}; a {magnitude(effect, 'h')} effect (h = {effect:.2f}).")
    return lines


def _notes(result: JudgmentsResult) -> list[str]:
    judged = result.judgments
    ahead = judged.predicted(judged.scores[0])
    judged_often = np.bincount(np.concatenate([judged.left, judged.right]))
    low, middle, high = judged_often.min(), np.median(judged_often), judged_often.max()
    notes = [
        f"An item is in {low} to {high} judgments, {middle:g} in the middle; that judgments share "
        "items is allowed for."
    ]
    pairs = pd.DataFrame({
        "one": np.minimum(judged.left, judged.right),
        "two": np.maximum(judged.left, judged.right),
        "first": np.where(judged.left < judged.right, judged.outcome, -judged.outcome) > 0,
    })  # fmt: skip
    of_pair = pairs.groupby(["one", "two"])["first"].agg(["size", "sum"])
    again = of_pair[of_pair["size"] > 1]
    split = again[(again["sum"] > 0) & (again["sum"] < again["size"])]
    if len(again):
        notes.append(
            f"{len(again):,} pairs of items are judged more than once, {len(split):,} of them with "
            "judgments that contradict each other; all count."
        )
    if tied := int((ahead == 0).sum()):
        counted = "wrong" if result.ties == "wrong" else "half right"
        notes.append(f"In {tied:,} judgments both items have the same score: counted as {counted}.")
    if (ahead == judged.outcome).sum() < (ahead == -judged.outcome).sum():
        notes.append(
            "The scores contradict most judgments: if a lower score means the preferred item, "
            "change their sign."
        )
    for name, of_attribute in result.by_attribute.items():
        if (of_attribute.difference.reason == FEW_BEHIND).any():
            notes.append(
                f"`{name}`: some rates rest on {FEW_ITEMS} or fewer items in effect, as items in "
                "many judgments count most: their intervals are wide. Judge other items, too: "
                "more judgments of the same do not help."
            )
        smallest = int(of_attribute.difference.smallest_cell.min())
        if smallest < SMALL_CELL:
            notes.append(
                f"`{name}`: the smallest cell has {smallest} judgments; below {SMALL_CELL} its "
                "interval and p-value are rough."
            )
        words = [group_name(group).lower().split() for group in of_attribute.groups]
        alike = [group for group, word in zip(of_attribute.groups, words, strict=True)
                 if words.count(word) > 1]  # fmt: skip
        if alike:
            notes.append(
                f"`{name}`: the groups {listed(repr(group_name(g)) for g in alike)} differ in "
                "capitals or spaces only: write them alike if they are one."
            )
    notes.append(
        "Intervals are of each rate or difference alone; p-values of the rows are "
        + ("not adjusted" if result.correction == "none" else
           "adjusted for the hypotheses on one attribute")
        + (f', that of "{_together(result)}" for all.' if _all_together(result) else ".")
    )  # fmt: skip
    notes.append(
        "Judgments of one judge are assumed independent. With few judges, each with a different "
        "bias, violations are reported too often (docs/judgments.md)."
    )
    notes.append(
        "Where judgments rest on more than yes and no (a quality, a need), or some are wrong, "
        "groups that differ in need or quality can cause a difference without any fault of the "
        "scores; judgments alone cannot tell (docs/judgments.md)."
    )
    return notes


def _verdict(row: Any, alpha: float) -> str:
    if np.isnan(row.pvalue):
        return f"no test: {row.note}"
    return VIOLATED if row.pvalue < alpha else NOT_SHOWN
