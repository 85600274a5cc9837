"""The answer of a monitor: whether the model was fair so far, and since when not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairpairs.audits.audit.criteria import MEASURES
from fairpairs.audits.lines.answer import (
    FOUND,
    LOWER,
    Answer,
    Finding,
    Verdict,
    against,
    called,
    margins_in_words,
    outcome,
    reasons,
    to_cost,
)
from fairpairs.audits.lines.tables import denied
from fairpairs.audits.lines.verdicts import WORDS
from fairpairs.audits.monitor.tables import MonitorTables, since_in_words
from fairpairs.base.plain_values import Content, TableRow
from fairpairs.base.texts import interval, listed


def answer(result: MonitorTables) -> Answer:
    """Return the answer of a monitor."""
    about = result.about
    findings = list(_findings(result))
    margin = margins_in_words(one.margin for one in findings if np.isfinite(one.margin))
    alike = f"alike within {margin}" if margin else "alike"
    batches = f"{about['batches']:,} batch{'es' if about['batches'] > 1 else ''}"
    good: bool | None = None
    verdict: Verdict = "cannot be told"
    if result.violated is None:
        sentence = "too few rows so far to test what counts"
    elif result.violated:
        first = _since(result)
        number = f"batch {first:,} of {about['batches']:,}"
        name = about["batch_names"][first - 1]
        verdict, good = "no", False
        sentence = (
            f"groups are not treated {alike}, since {f'{name} ({number})' if name else number}"
        )
    elif result.shown:
        verdict, sentence, good = "yes", f"groups are treated {alike}, after {batches}", True
    elif margin and any(one.state == "differs" for one in findings):
        sentence = f"there is a difference; whether it exceeds {margin} is open after {batches}"
    elif margin:
        sentence = f"whether groups are treated {alike} is open after {batches}"
    else:
        sentence = f"no difference was found in {batches}, which is no evidence that there is none"
    level = about["alpha"]
    return Answer(
        f"Are groups treated {alike} so far?", verdict, sentence, good, subject(about), findings,
        reasons(findings, FOUND) or reasons(findings, ("open", "within"))[:1], "",
        LOWER if result.violated else "What now: append the next batch.",
        f"Decided by {len(findings)} line{'s' if len(findings) != 1 else ''} of "
        f"{listed(about['criterion'])} at all looks together (level {level:g}); in brackets, the "
        f"{100 * (1 - level):g} % interval of the line, which holds at all looks.",
    )  # fmt: skip


def _since(result: MonitorTables) -> int:
    """Return the batch in which something that counts was first violated."""
    counted = result.counted
    found = np.isin([WORDS[verdict].state for verdict in counted["verdict"]], FOUND)
    violated = counted[found & (counted["since"] > 0)]
    return int(violated["since"].min()) if len(violated) else int(result.about["batches"])


def _findings(result: MonitorTables) -> Iterator[Finding]:
    attributes = result.about["attributes"]
    for row in result.counted.to_dict("records"):
        cost = to_cost(MEASURES[row["measure"]].favours, result.about, row["estimate"])
        sizes, reference = attributes[row["attribute"]]["groups"], row["reference"]
        yield Finding(
            f"{row['attribute']}, against {reference} ({sizes[reference]:,} rows)", row["group"],
            row["measure"], WORDS[row["verdict"]].state,
            row["estimate"], row["ci_low"], row["ci_high"], row["margin"], _sentence(row, cost),
            sizes[row["group"]], cost=cost,
        )  # fmt: skip


def _sentence(row: TableRow, cost: bool | None) -> str:
    if np.isnan(row["estimate"]):
        return ""
    groups = called(row["attribute"], row["group"]), called(row["attribute"], row["reference"])
    gap = (row["estimate"], row["ci_low"], row["ci_high"])
    since = f"; shown since {since_in_words(row)}" if row["since"] else ""
    if since and denied(row):
        gap = (row["estimate"], np.nan, np.nan)
        ends = interval(row["ci_low"], row["ci_high"], sign=True)
        since += f", by the rows until then; by all so far, {ends}"
    text = against(row["measure"], groups, gap, share=MEASURES[row["measure"]].share)
    return f"{text}{outcome(cost)}{since}."


def subject(about: Content) -> str:
    """Return what was appended."""
    what = "judgments" if about["judgments"] else "rows"
    batches, names = about["batches"], about["batch_names"]
    text = (
        f"{about['state']}: {about['rows']:,} {what} in {batches:,} "
        f"batch{'' if batches == 1 else 'es'}"
    )
    ends = dict.fromkeys([names[0], names[-1]])
    return f"{text}, {' to '.join(ends)}" if all(ends) else text
