"""The page of every audit: its answer first, all else folded."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fairpairs.audits.lines.answer import Answer, lines_of, more_of
from fairpairs.audits.lines.findings import FOUND, STATES, Finding, by_group, states_in_words
from fairpairs.audits.lines.tables import SPECIAL
from fairpairs.base.document import Figure, Grid, Heading, Notes, Part, page_environment
from fairpairs.base.texts import listed, number

#: Groups and headings that the first screen shows, and groups that a fold has of the others.
MOST_LINES, MOST_FOLDED = 11, 100
#: Pixels of a drawing, and of its ends that stay free.
WIDE, HIGH, PAD = 160, 18, 6
#: How far a drawing reaches beyond the largest difference and margin: what is longer is cut.
BEYOND = 1.3

Row = tuple[str, str, int | None, list[tuple[Finding | None, str]]]


@dataclass(frozen=True)
class States:
    """A table of the states of groups: its columns and rows; whether its fold is open."""

    title: str
    measures: Sequence[str]
    rows: Sequence[Row]
    open: bool = False


def page(
    answer: Answer,
    title: str,
    parts: Sequence[Part],
    foot: str,
    *,
    whole: bool,
    first: Sequence[Part] = (),
) -> str:
    """Return the page of an audit: a whole document, or the part that a notebook shows.

    Parts that come `first` follow the reasons; all others are folded.
    """
    findings = answer.findings
    harm = answer.verdict in ("FAIL", "WORSE") or any(map(is_harm, findings))
    states, *further = _tables(findings)
    environment = page_environment("fairpairs.audits.lines")
    return environment.get_template("page.html.j2").render(
        answer=answer,
        title=title,
        folds=_folds(parts),
        first=list(first),
        tone={True: "good", False: "bad" if harm else "", None: "soft"}[answer.good],
        is_harm=is_harm,
        foot=foot,
        whole=whole,
        states=states,
        further=further,
        margin=any(math.isfinite(one.margin) for one in findings),
        number=number,
        legend=states_in_words(findings),
    )


def is_harm(finding: Finding) -> bool:
    """Return whether a finding is a failure, or harms its group: what a page colours."""
    return finding.state in ("beyond", "worse") or (finding.state in FOUND and finding.cost is True)


def _tables(findings: Sequence[Finding]) -> tuple[States, ...]:
    """Return the table of the first screen, and those of further groups and special measures.

    The first screen has the gravest groups, in the order of the lines. The special measures are
    open where one of them says more of a group than the others do.
    """
    groups = by_group(findings)
    measures = dict.fromkeys(one.measure for one in findings)
    special = [name for name in measures if name in SPECIAL]
    main = [name for name in measures if name not in SPECIAL] or special
    scale = _scale(findings)

    def gravest(key: tuple[str, str]) -> tuple[float, ...]:
        return min(one.weight for one in groups[key].values())

    def states(title: str, keys: Iterable[tuple[str, str]], names: Sequence[str]) -> States:
        rows: list[Row] = [
            (*key, next(iter(groups[key].values())).items, [
                (groups[key].get(name), _drawn(groups[key].get(name), scale)) for name in names
            ])
            for key in keys
        ]  # fmt: skip
        return States(title, names, rows)

    chosen = sorted(groups, key=gravest)
    fit = sum(n <= MOST_LINES for n in lines_of(chosen))
    chosen = chosen[: fit + MOST_FOLDED]
    first, others = (
        [key for key in groups if key in part] for part in (set(chosen[:fit]), set(chosen[fit:]))
    )
    left = len(groups) - len(chosen)
    more = f", and {left:,} in the tables" if left else ""
    tables = [
        states("", first, main),
        states(f"{more_of(groups, len(others))}{more}", others, main),
    ]
    if special != main and special:
        count = "counts" if len(special) == 1 else "count"
        table = states(f"{listed(special)}, which {count} too", [*first, *others], special)
        says_more = any(
            min((STATES.index(row[name].state) for name in special if name in row), default=99)
            < min((STATES.index(row[name].state) for name in main if name in row), default=99)
            for row in groups.values()
        )
        tables.append(States(table.title, special, table.rows, says_more))
    return tuple(tables)


def _folds(parts: Sequence[Part]) -> list[tuple[str, list[Part]]]:
    """Return the parts by their headings; a text that stands before all tables comes last."""
    folds: list[tuple[str, list[Part]]] = [("All tables and figures", [])]
    for part in parts:
        if isinstance(part, Heading) and part.level == 2:
            folds.append((part.text, []))
            continue
        if isinstance(part, Notes):
            folds.append((Notes.HEADING, []))
        folds[-1][1].append(part)
    (_, first), *rest = folds
    if rest and not any(isinstance(part, Grid | Figure) for part in first):
        rest[-1][1][:0] = first
        return rest
    return folds


def _scale(findings: Sequence[Finding]) -> float:
    """Return how far from 0 drawings reach: the few rows of an open group flatten no other one."""

    def reach(*ends: float) -> float:
        return max((abs(end) for end in ends if math.isfinite(end)), default=0.0)

    told = [one for one in findings if one.state != "open"] or findings
    inner = max((reach(one.estimate, one.margin) for one in told), default=0.0)
    outer = max((reach(one.low, one.high, one.estimate) for one in findings), default=0.0)
    return BEYOND * inner if 0 < BEYOND * inner < outer else max(inner, outer)


def _drawn(finding: Finding | None, scale: float) -> str:
    """Draw an estimate with its interval on the margin, from -scale to scale."""
    if finding is None or not math.isfinite(finding.estimate) or scale == 0:
        return ""

    def x(value: float) -> str:
        return f"{WIDE / 2 + min(max(value / scale, -1), 1) * (WIDE / 2 - PAD):.1f}"

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
        for end, way in ((finding.low, -1), (finding.high, 1)):
            if way * end > scale:  # an arrow, as the interval goes on
                parts.append(f'<path d="M{x(way * scale)} {middle}l{-6 * way} -5v10z"/>')
    at = x(finding.estimate)
    parts.append(
        f'<path class="mark" d="M{at} {middle - 5}l5 5l-5 5l-5 -5z"/>'
        if finding.state in FOUND
        else f'<circle cx="{at}" cy="{middle}" r="4"/>'
    )
    state = finding.state.replace(" ", "-") + " harm" * is_harm(finding)
    return (
        f'<svg class="{state}" viewBox="0 0 {WIDE} {HIGH}" '
        f'aria-hidden="true">{"".join(parts)}</svg>'
    )
