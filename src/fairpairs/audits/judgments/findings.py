"""What an audit of judgments finds on an attribute, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from fairpairs.audits.judgments.notes import all_together
from fairpairs.audits.judgments.tables import WITHIN, JudgmentsTables
from fairpairs.audits.lines.verdicts import NOT_SHOWN, NOT_TESTED, VIOLATED
from fairpairs.base.plain_values import TableRow
from fairpairs.base.texts import listed, p_equals

#: The sentence that goes with a result that shows nothing.
NO_EVIDENCE = "This is no evidence of fairness: the intervals show how large a violation could be."
#: Models that a sentence names.
NAMED = 6
#: What scores do, in a sentence.
SCORES = "the scores agree", "they lean"
#: The rates of each two groups.
Cells = Mapping[tuple[str, str], float]


def findings(result: JudgmentsTables, attribute: str) -> list[str]:
    """Return the finding on an attribute, then a sentence for each violated hypothesis."""
    tests = result.main[result.main["attribute"] == attribute]
    rows = tests.to_dict("records")
    violated = [row for row in rows if row["verdict"] == VIOLATED]
    models = result.about["models"]
    if tests["pvalue_adjusted"].isna().all():
        first = f"Nothing can be tested on `{attribute}`: {rows[0]['note']}."
        return [f"{first} That is no sign of fairness."]
    if not violated:
        scope = f" for any of the {len(models)} models" if len(models) > 1 else ""
        what = f"No violation of comparative separation is shown on `{attribute}`{scope}."
        if not np.isfinite(tests["ci_low"]).any():
            return [f"{what} There is no interval to show how large one could be."]
        return [f"{what} {NO_EVIDENCE}"]
    if len(models) > 1:
        n = len({row["model"] for row in violated})
        return [
            f"Comparative separation is violated on `{attribute}` by {n} of {len(models)} models:",
            *_of_several_models(result, attribute, violated),
        ]
    model, model_about = next(iter(models.items()))
    cells = _cells(result, attribute, model)
    words = SCORES if model_about["kind"] == "score" else (f"`{model}` agrees", "it leans")
    return [
        f"Comparative separation is violated on `{attribute}`:",
        *(_violation(row, cells, *words) for row in violated),
    ]


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


def _cells(result: JudgmentsTables, attribute: str, model: str) -> Cells:
    cells = result.cells
    match = (cells["model"] == model) & (cells["attribute"] == attribute)
    rows = cells[match]
    return dict(zip(zip(rows["winner"], rows["loser"], strict=True), rows["tpr"], strict=True))


def _turned(row: TableRow) -> tuple[str, str]:
    """Return the group that a line favours, and the other one."""
    both = row["group"], row["reference"]
    return both if row["estimate"] > 0 else both[::-1]


def _violation(row: TableRow, cells: Cells, agree: str, lean: str) -> str:
    a, b = _turned(row)
    if row["criterion"] == WITHIN:
        line = (
            f"judgments between two of {a} are predicted right more often than those between "
            f"two of {b} ({cells[a, a]:.2f} against {cells[b, b]:.2f})"
        )
    else:
        line = (
            f"where {a} is preferred over {b} {agree} more often than where {b} is preferred over "
            f"{a} ({cells[a, b]:.2f} against {cells[b, a]:.2f}): {lean} towards {a}"
        )
    return f"{line}; a {row['magnitude']} effect (h = {abs(row['effect_size']):.2f})."


def _of_several_models(
    result: JudgmentsTables, attribute: str, violated: Sequence[TableRow]
) -> Iterator[str]:
    """Yield a sentence for each hypothesis and side that some models favour."""
    models = len(result.about["models"])
    sides: dict[tuple[str, tuple[str, str]], list[TableRow]] = {}
    for row in violated:
        sides.setdefault((row["criterion"], _turned(row)), []).append(row)
    for (criterion, (a, b)), rows in sides.items():
        most = max(rows, key=lambda row: abs(row["effect_size"]))
        cells = _cells(result, attribute, most["model"])
        n = len(rows)
        if criterion == WITHIN:
            rates = cells[a, a], cells[b, b]
            line = (
                f"{n} of {models} predict{'s' if n == 1 else ''} judgments between two of {a} "
                f"right more often than those between two of {b}"
            )
        else:
            rates = cells[a, b], cells[b, a]
            line = f"{n} of {models} lean{'s' if n == 1 else ''} towards {a} against {b}"
        effect = (
            f"{rates[0]:.2f} against {rates[1]:.2f}, a {most['magnitude']} effect, "
            f"h = {abs(most['effect_size']):.2f}"
        )
        named = f": {listed(row['model'] for row in rows)}" if n <= NAMED else ""
        most_of_all = f", most of all {most['model']}" if n > 1 else ""
        yield f"{line}{named}{most_of_all} ({effect})."


def pairs_of_groups(tests: pd.DataFrame) -> list[tuple[str, str]]:
    """Return each two groups that are compared."""
    return list(dict.fromkeys(zip(tests["group"], tests["reference"], strict=True)))
