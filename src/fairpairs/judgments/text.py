"""The report of an audit of judgments, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.auditing.verdicts import NOT_SHOWN, NOT_TESTED, VIOLATED
from fairpairs.document import Document, Grid, Heading, Notes, Part
from fairpairs.judgments.notes import all_together
from fairpairs.judgments.tables import WITHIN, JudgmentsTables
from fairpairs.texts import interval, number, p_equals, pvalue

ADJUSTED = {"holm": " (Holm)", "sidak": " (Šidák)", "none": ""}


def document(result: JudgmentsTables) -> Document:
    """Return the report of an audit of judgments."""
    about = result.about
    attributes, models = about["attributes"], about["models"]
    parts: list[Part] = ["\n".join(_head(about))]
    for name in attributes:
        of_attribute = result.main[result.main["attribute"] == name]
        cells = result.cells[result.cells["attribute"] == name]
        for model in models:
            parts += _attribute(
                name, result, of_attribute[of_attribute["model"] == model],
                cells[cells["model"] == model],
            )  # fmt: skip
    if len(attributes) * len(models) > 1 or about["correction"] != "holm":
        parts.append(overall(result))
    parts.append(Notes(about["notes"]))
    return Document(f"{about['files'][0]['file']}: scores audited by judgments", parts)


def _head(about: Mapping[str, Any]) -> Iterator[str]:
    judgments, *items = about["files"]
    m, n = about["judgments"], about["items"]
    (model, of_model), *_ = about["models"].items()
    yield f"{judgments['file']}: {m:,} judgments"
    for file in items:
        yield (f"{file['file']}: {file['rows']:,} items, {n:,} of them judged, scores in `{model}`")
    agrees = of_model["agrees"]
    yield f"The scores agree with {agrees:,} of the judgments ({100 * agrees / m:.1f} %)."


def overall(result: JudgmentsTables) -> str:
    """Return the verdict over all hypotheses, which decides --fail-on-violation."""
    about = result.about
    together = all_together(len(about["models"]), len(about["attributes"]))
    if result.violated is None:
        return f"{together}: {NOT_TESTED}."
    tested = about["hypotheses"]
    over = f" by Holm over {tested} hypotheses" if tested > 1 else ""
    word = VIOLATED if result.violated else NOT_SHOWN
    return f"{together}: {word}, {p_equals(result.pvalue)}{over}."


def _attribute(
    name: str, result: JudgmentsTables, tests: pd.DataFrame, cells: pd.DataFrame
) -> list[Part]:
    """Return the tables and findings on one attribute."""
    about = result.about
    covered = f"{100 * (1 - about['alpha']):g} % interval"
    rates: list[Any] = list(cells.itertuples())
    of_cells = [
        (r.winner, r.loser, number(r.tpr), interval(r.ci_low, r.ci_high), f"{r.pairs:,.0f}")
        for r in rates
    ]
    rows: list[Any] = list(tests.itertuples())
    of_rows = [
        (r.hypothesis, number(r.estimate, sign=True), interval(r.ci_low, r.ci_high, sign=True),
         number(r.effect_size, sign=True), pvalue(r.pvalue_adjusted), f"{r.n:,}",
         f"{r.smallest_cell:,}", _verdict(r))
        for r in rows
    ]  # fmt: skip
    p = f"p{ADJUSTED[about['correction']]}"
    joint = [
        f"All rates at once (joint test): {p_equals(test['pvalue'])}"
        for test in about["joint"]
        if (test["model"], test["attribute"]) == (rows[0].model, name)
    ]
    return [
        Heading(f"{name}: {len(about['attributes'][name])} groups"),
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
        "\n".join([*joint, *_findings(name, rows, rates)]),
    ]  # fmt: skip


def _findings(name: str, rows: Sequence[Any], rates: Sequence[Any]) -> list[str]:
    """Return the findings in words, by hypothesis where one is violated."""
    violated = [row for row in rows if row.verdict == VIOLATED]
    if all(np.isnan(row.pvalue_adjusted) for row in rows):
        return [f"Nothing can be tested on `{name}`: {rows[0].note}. That is no sign of fairness."]
    if not violated:
        what = f"No violation of comparative separation is shown on `{name}`."
        if not any(np.isfinite(row.ci_low) for row in rows):
            return [f"{what} There is no interval to show how large one could be."]
        return [
            f"{what} This is no evidence of fairness: the intervals show how large a violation "
            "could be."
        ]
    cells = {(cell.winner, cell.loser): cell.tpr for cell in rates}
    lines = [f"Comparative separation is violated on `{name}`:"]
    for row in violated:
        a, b = (row.group, row.reference) if row.estimate > 0 else (row.reference, row.group)
        if row.criterion == WITHIN:
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
        lines.append(f"- {line}; a {row.magnitude} effect (h = {abs(row.effect_size):.2f}).")
    return lines


def _verdict(row: Any) -> str:
    return f"no test: {row.note}" if np.isnan(row.pvalue_adjusted) else str(row.verdict)
