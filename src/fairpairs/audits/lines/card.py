"""The block of a model card: an answer, its numbers, and what they mean, as Markdown.

The block stands between two comments, so that a later audit can put its own in the same place.
"""

import html
import math
from collections.abc import Sequence
from pathlib import Path

from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.findings import Finding, states_in_words
from fairpairs.base.errors import InputError
from fairpairs.base.texts import coverage, interval, number, printable

#: What stands around the block.
BEGIN, END = "<!-- fairpairs: begin -->", "<!-- fairpairs: end -->"
#: Lines of the table.
MOST_LINES = 50
#: Measure → what it means.
MEASURES = {
    "TPR": "of those with the positive label, the share predicted positive",
    "FPR": "of those without the positive label, the share predicted positive",
    "selection rate": "the share predicted positive",
    "accuracy": "the share predicted right",
    "precision": "of those predicted positive, the share with the positive label",
    "false omission rate": "of those not predicted positive, the share with the positive label",
    "FNR": "1 less TPR",
    "FDR": "1 less precision",
    "average odds": "the mean of the differences of TPR and FPR",
    "AUC": "how often a positive row has a higher score than a negative one of the same group",
    "xAUC": "how often positives of a group have higher scores than negatives of the other",
    "xAUC_1": "how often positives of a group have higher scores than any negatives",
    "xAUC_0": "how often any positives have higher scores than negatives of a group",
    "across": "of pairs from two groups, how often the right one is preferred, whichever it is of",
    "within": "of pairs from one group, how often the right one is preferred",
    "mean prediction": "the mean of the predictions",
    "mean error": "the mean of prediction less label",
    "mean absolute error": "the mean distance of prediction and label",
    "mean squared error": "the mean squared distance of prediction and label",
    "label less score": "the mean of label less score",
    "calibration slope": "how fast the log odds of a positive label rise with those of the score",
    "I_sep": "what the prediction tells of the group beyond the label, from 0 to 1",
    "density ratio": "the ratio of the groups' densities of predictions given the label",
}


def card(answer: Answer, difference: str, foot: str, alpha: float) -> str:
    """Return the block of an answer.

    `difference` says what a difference is, `foot` what the answer is of, and what made it.
    """
    plain = {one.measure: one.measure.removeprefix("comparative, ").removeprefix("balanced, ")
             for one in answer.findings}  # fmt: skip
    meanings = {name: MEASURES[short] for name, short in plain.items() if short in MEASURES}
    meanings |= states_in_words(answer.findings)
    verdict = f"{answer.headline}: " if answer.headline else ""
    parts = [
        BEGIN,
        "## Fairness",
        _text(answer.question),
        f"**{_text(verdict + answer.sentence)}.**",
        "\n".join(f"- {_text(reason)}" for reason in answer.reasons),
        *_tables(answer.findings, alpha),
        difference if meanings else "",
        "\n".join(f"- *{_text(name)}*: {_text(words)}." for name, words in meanings.items()),
        *(_text(f"Check: {check}") for check in answer.checks),
        _text(answer.basis),
        _text(answer.open),
        f"*{_text(foot)}*",
        END,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def placed(block: str, path: Path) -> str:
    """Return the content of a file with the block in the place of an older one, or at its end."""
    if not path.exists():
        return block
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: no text in UTF-8, so no model card: name another --card."
        ) from error
    if text.count(BEGIN) != text.count(END) or text.count(BEGIN) > 1:
        raise InputError(
            f"{path}: it has {text.count(BEGIN)} of {BEGIN} and {text.count(END)} of {END}: keep "
            "one of each, or none."
        )
    before, begin, rest = text.partition(BEGIN)
    if not begin:
        return f"{text.rstrip()}\n\n{block}" if text.strip() else block
    _, end, after = rest.partition(END)
    if not end:
        raise InputError(f"{path}: {END} stands before {BEGIN}: turn them round, or drop both.")
    return f"{before}{block.rstrip()}{after}"


def _tables(findings: Sequence[Finding], alpha: float) -> list[str]:
    """Return a table for each heading, of the first lines."""
    margins = any(math.isfinite(one.margin) for one in findings)
    header = ["group", "rows", "measure", "difference", f"{coverage(alpha)} interval"]
    header += [*(["margin"] if margins else []), "state"]
    parts: dict[str, list[list[str]]] = {}
    for one in findings[:MOST_LINES]:
        rows = parts.setdefault(one.heading, [header, ["---"] * len(header)])
        cells = [one.group, "" if one.items is None else f"{one.items:,}", one.measure]
        cells += [number(one.estimate, sign=True), interval(one.low, one.high, sign=True)]
        rows.append([*cells, *([number(one.margin)] if margins else []), one.state])
    texts = []
    for heading, rows in parts.items():
        lines = ["| " + " | ".join(map(_text, row)) + " |" for row in rows]
        texts += [f"{_text(heading)}:", "\n".join(lines)]
    left = len(findings) - MOST_LINES
    return texts if left <= 0 else [*texts, f"{left:,} more comparisons are left out."]


def _text(text: str) -> str:
    """Return text in one line that Markdown shows as it is."""
    plain = html.escape(printable(text), quote=False)
    for mark in "\\|*_`[]":
        plain = plain.replace(mark, f"\\{mark}")
    return plain
