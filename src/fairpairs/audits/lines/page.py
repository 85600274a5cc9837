"""The page of every audit: its answer first, all else folded."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fairpairs.audits.lines.answer import MEANINGS, Answer, Finding, by_group
from fairpairs.base.document import Part, page_environment
from fairpairs.base.texts import number

#: Groups that the first screen shows.
MOST_GROUPS = 30
#: Pixels of a drawing, and of its ends that stay free.
WIDE, HIGH, PAD = 120, 18, 6


def page(answer: Answer, title: str, parts: Sequence[Part], foot: str, *, whole: bool) -> str:
    """Return the page of an audit: a whole document, or the part that a notebook shows."""
    findings = answer.findings
    measures = list(dict.fromkeys(one.measure for one in findings))
    groups = by_group(findings)
    scale = max(map(_reach, findings), default=0.0)
    rows = [
        (heading, group, next(iter(cells.values())).items, [
            (cells.get(measure), _drawn(cells.get(measure), scale))
            for measure in measures
        ])
        for (heading, group), cells in list(groups.items())[:MOST_GROUPS]
    ]  # fmt: skip
    environment = page_environment("fairpairs.audits.lines")
    return environment.get_template("page.html.j2").render(
        answer=answer,
        title=title,
        parts=parts,
        foot=foot,
        whole=whole,
        measures=measures,
        rows=rows,
        more_groups=max(len(groups) - MOST_GROUPS, 0),
        number=number,
        states=_states(findings),
    )


def _states(findings: Sequence[Finding]) -> dict[str, str]:
    """Return the states that there are, with what they say."""
    there = {one.state for one in findings}
    words: dict[str, str] = {state: text for state, text in MEANINGS.items() if state in there}
    if "open" in words and not any(math.isfinite(one.margin) for one in findings):
        words["open"] = "no difference is shown, which is no evidence that there is none"
    return words


def _reach(finding: Finding) -> float:
    """Return how far from 0 a drawing must reach."""
    ends = (finding.estimate, finding.low, finding.high, finding.margin)
    return max((abs(end) for end in ends if math.isfinite(end)), default=0.0)


def _drawn(finding: Finding | None, scale: float) -> str:
    """Draw an estimate with its interval on the margin, from -scale to scale."""
    if finding is None or not math.isfinite(finding.estimate) or scale == 0:
        return ""

    def x(value: float) -> str:
        return f"{WIDE / 2 + value / scale * (WIDE / 2 - PAD):.1f}"

    middle = HIGH // 2
    parts = []
    if math.isfinite(finding.margin):
        wide = 2 * finding.margin / scale * (WIDE / 2 - PAD)
        parts.append(
            f'<rect class="margin" x="{x(-finding.margin)}" y="0" width="{wide:.1f}" '
            f'height="{HIGH}"/>'
        )
    parts.append(f'<path class="zero" d="M{x(0)} 0V{HIGH}"/>')
    if math.isfinite(finding.low) and math.isfinite(finding.high):
        parts.append(f'<path class="ends" d="M{x(finding.low)} {middle}H{x(finding.high)}"/>')
    parts.append(f'<circle cx="{x(finding.estimate)}" cy="{middle}" r="4"/>')
    state = finding.state.replace(" ", "-")
    return (
        f'<svg class="{state}" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" '
        f'aria-hidden="true">{"".join(parts)}</svg>'
    )
