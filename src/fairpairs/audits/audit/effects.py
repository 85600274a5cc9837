"""How much a line of an audit matters: by its margin or its effect size, not by its p-value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from fairpairs.audits.audit.criteria import measure_title
from fairpairs.audits.audit.sections import compared
from fairpairs.audits.audit.tables import AuditTables
from fairpairs.audits.lines.verdicts import BEYOND, NOT_SHOWN, VIOLATED, VIOLATED_WITHIN, WITHIN
from fairpairs.base.plain_values import TableRow
from fairpairs.base.texts import number

#: "within" is shown to lie within the margin; "open", nothing is shown.
Weight = Literal["strong", "medium", "weak", "negligible", "within", "open"]
#: Words of effect sizes (mathematics/estimates/effect_sizes.py) → the weight of a violated line
#: without a margin, the largest first.
WEIGHTS: dict[str, Weight] = {
    "huge": "strong", "very large": "strong", "large": "strong", "medium": "medium",
    "small": "weak", "very small": "negligible", "negligible": "negligible", "none": "negligible",
}  # fmt: skip
#: Lines that a finding names.
NAMED = 3


def weight(row: TableRow) -> Weight:
    """Return how much a line matters.

    With a margin: strong when it is shown to exceed the margin; else, when it is violated, medium
    or weak, by whether the estimate does. Without one, a violated line weighs as its effect does;
    weak when it has no effect size.
    """
    if row["verdict"] == BEYOND:
        return "strong"
    if row["verdict"] in (WITHIN, VIOLATED_WITHIN):
        return "within"
    if row["verdict"] != VIOLATED:
        return "open"
    if np.isfinite(row["margin"]):
        return "medium" if abs(row["estimate"]) > row["margin"] else "weak"
    return WEIGHTS.get(row["magnitude"], "weak")


def findings(result: AuditTables) -> Iterator[str]:
    """Yield the sentences that an audit begins with: what exceeds the margin, or large effects."""
    rows = result.tests.to_dict("records")
    with_margin = [row for row in rows if np.isfinite(row["margin"])]
    without = [row for row in rows if np.isnan(row["margin"])]
    if with_margin:
        yield from _against_margin(with_margin)
    if without:
        lines = "lines without a margin" if with_margin else "lines"
        yield from _by_effect(without, lines)


def _against_margin(rows: Sequence[TableRow]) -> Iterator[str]:
    beyond = [row for row in rows if row["verdict"] == BEYOND]
    beyond.sort(key=lambda row: -abs(row["estimate"]) / row["margin"])
    text = f"Shown to exceed the margin: {len(beyond) or 'none'} of {len(rows)} lines"
    named = [
        f"{line(row)} ({abs(row['estimate']) / row['margin']:.2g} times the margin)"
        for row in beyond[:NAMED]
    ]
    if len(beyond) > NAMED:
        named.append(f"and {len(beyond) - NAMED} more")
    yield f"{text}: {'; '.join(named)}." if named else f"{text}."
    counts = Counter(row["verdict"] for row in rows)
    rest = {
        WITHIN: counts[WITHIN] + counts[VIOLATED_WITHIN],
        "violated, perhaps within it": counts[VIOLATED],
        NOT_SHOWN: counts[NOT_SHOWN],
    }
    rest["without a result"] = len(rows) - len(beyond) - sum(rest.values())
    parts = [f"{n} {words}" for words, n in rest.items() if n]
    if parts:
        yield f"{'The others' if beyond else 'Of these'}: {', '.join(parts)}."


def _by_effect(rows: Sequence[TableRow], lines: str) -> Iterator[str]:
    violated = [row for row in rows if row["verdict"] == VIOLATED]
    if not violated:
        yield f"Of {len(rows)} {lines}, none is violated."
        return
    counts = Counter(row["magnitude"] for row in violated)
    parts = [f"{counts[word]} {word}" for word in WEIGHTS if counts[word]]
    if unsized := sum(n for word, n in counts.items() if word not in WEIGHTS):
        parts.append(f"{unsized} without an effect size")
    rest = len(rows) - len(violated)
    yield f"Violated {lines} by effect: {', '.join(parts)}; not violated: {rest}."
    if largest := largest_effect(violated):
        yield f"The largest effect: {line(largest)} ({largest['magnitude']})."


def largest_effect(rows: Sequence[TableRow]) -> TableRow | None:
    """Return the line of the largest effect size; None where none has one."""
    sized = [row for row in rows if np.isfinite(row["effect_size"])]
    return max(sized, key=lambda row: abs(row["effect_size"]), default=None)


def line(row: TableRow) -> str:
    """Return the name and the estimate of a line in a sentence."""
    estimate = number(row["estimate"], sign=bool(row["group"]))
    return f"{compared(row)}: {measure_title(row['measure'])} {estimate}"
