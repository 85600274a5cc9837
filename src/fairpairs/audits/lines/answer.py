"""The answer of a command: yes, no or cannot be told, why, and what is open.

It is computed once from the lines of a result; the terminal, the page, the notebook and the JSON
take it from here, so that they cannot differ.
"""

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from fairpairs.audits.lines.findings import Finding, by_group, cannot_be_compared
from fairpairs.audits.lines.tables import SPECIAL
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import coverage, decimals, listed, middle_cut, printable

#: What an answer may be; of a plan, whose answer is a number, it is empty.
Verdict = Literal["yes", "no", "cannot be told", ""]
#: Lines and columns of an answer in a terminal, which adds one; lines that a table should have.
LINES, COLUMNS, LEAST = 23, 80, 4
#: Widths of the table: at most of the name of a group, at least of a measure.
WIDEST, CELL = 36, 15
#: What to do where a difference is found, where none of importance is, and where it is open.
LOWER = (
    "What now: weights in training, other thresholds or equalize_xauc lower such gaps: "
    "docs/how-to/lower-gaps.md."
)
WATCH = "What now: fairpairs monitor watches the model as new rows come in."
MORE = "What now: more rows (fairpairs power plans them), or a margin that matters to you."
#: What is said where nothing is found.
NO_EVIDENCE = "which is no evidence that there is none"
#: The answer to the opposite question.
OPPOSITE: dict[Verdict, Verdict] = {"yes": "no", "no": "yes", "cannot be told": "cannot be told"}


@dataclass(frozen=True)
class Answer:
    """What a command was asked, and what it answers."""

    question: str
    verdict: Verdict
    #: The answer in one sentence, without its full stop.
    sentence: str
    #: Whether it is good news; None where it is neither.
    good: bool | None
    #: What was looked at.
    subject: str
    #: The lines that decide.
    findings: Sequence[Finding] = ()
    reasons: Sequence[str] = ()
    #: What is not decided, and what would decide it; what to do next; what the answer rests on.
    open: str = ""
    next: str = ""
    basis: str = ""
    #: What human and cheap labels together are worth.
    worth: str = ""
    #: What to check in the input.
    checks: Sequence[str] = ()

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(self) -> str:
        """Return at most 23 lines of 80 columns, however many groups there are.

        >>> print(Answer("Are groups alike?", "yes", "they are", True, "4 rows").to_text())
        4 rows
        <BLANKLINE>
        YES: they are.
        """
        head = _wrapped(self.subject, most=2)
        verdict = f"{self.verdict.upper()}: " if self.verdict else ""
        answer = _wrapped(f"{verdict}{self.sentence}.", most=3)
        foot = [
            line
            for text, most in ((self.worth, 2), (self.basis, 3), (self.open, 3), (self.next, 2))
            for line in _wrapped(text, most=most)
        ]
        foot[:0] = [line for text in self.checks for line in _wrapped(f"Check: {text}", most=4)]
        for most in (3, 2, 1):  # a long reason is cut where the table would have no room
            reasons = [
                line for one in self.reasons for line in _wrapped(one, first="- ", most=most)
            ]
            parts = [head, answer, reasons]
            room = LINES - sum(len(part) + 1 for part in parts if part) - len(foot) - 1
            if room >= LEAST:
                break
        table = _table(self.findings, room)
        return "\n".join("\n".join(part) + "\n" for part in [*parts, table] if part).rstrip() + (
            "\n\n" + "\n".join(foot) if foot else ""
        )

    def to_dict(self) -> Record:
        """Return it as plain values, as in the JSON of a result."""
        return {
            "question": self.question,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "reasons": list(self.reasons),
            "checks": list(self.checks),
            "open": self.open,
            "next": self.next,
        }

    def _repr_html_(self) -> str:
        import html  # noqa: PLC0415  (only a notebook asks for it)

        return f"<pre>{html.escape(self.to_text())}</pre>"


class Told(NamedTuple):
    """What an answer tells: question, verdict and sentence, and whether it is good news."""

    question: str
    verdict: Verdict
    sentence: str
    good: bool | None


def whether_found(
    question: str,
    *,
    violated: bool | None,
    found: str,
    none: str,
    untested: str,
    shown: bool | None = None,
    alike: str = "",
    open: str = "",
) -> Told:
    """Answer whether something bad is found, by a sentence for each case.

    It is `violated` (`found`), or shown to be absent (`alike`), or cannot be tested (`untested`);
    with a margin it is `open`, and without one it was not found, as `none` says.
    """
    if violated:
        return Told(question, "yes", found, good=False)
    if shown:
        return Told(question, "no", alike, good=True)
    if violated is None or open:
        return Told(question, "cannot be told", open if violated is not None else untested, None)
    return Told(question, "no", f"{none}, {NO_EVIDENCE}", good=None)


def treated_alike(
    findings: Sequence[Finding],
    margin: str,
    *,
    violated: bool | None,
    shown: bool | None,
    of: str = "rows",
    since: str = "",
    after: str = "",
    against: str = "",
) -> Told:
    """Answer whether a difference is found; with a margin, whether groups are treated alike.

    `since` and `after` are of batches. `against` names references that alone groups are compared
    with; without any, each two groups are compared.
    """
    so_far = " so far" * bool(after)
    after, since = f"{after}{against}", f"{since}{against}"
    why = cannot_be_compared(findings)
    untested = why or f"too few {of}{so_far} to test any difference that counts"
    if not margin:
        return whether_found(
            f"Is a difference between groups found{so_far}?",
            violated=violated,
            found=f"a difference is found: groups are not treated alike{since}",
            none=f"no difference between groups was found{after}",
            untested=untested,
        )
    alike = f"treated alike within {margin}"
    differs = any(one.state == "differs" for one in findings)
    told = whether_found(
        f"Are groups {alike}{so_far}?",
        violated=violated,
        found=f"groups are not {alike}{since}",
        none="",
        untested=untested,
        shown=shown,
        alike=f"groups are {alike}{after}",
        open=f"there is a difference; whether it exceeds {margin} is open{after}"
        if differs
        else f"whether groups are {alike} is open{after}",
    )
    return told._replace(verdict=OPPOSITE[told.verdict])


def next_of(
    told: Told, *, good: str = WATCH, bad: str = LOWER, unsure: str = MORE, none: str = ""
) -> str:
    """Return what to do next: after `good` or `bad` news, or where nothing or `none` was found."""
    if told.good is not None:
        return good if told.good else bad
    return none if none and told.verdict == "no" else unsure


def decided(
    lines: int, criteria: Sequence[str], alpha: float, *, looks: str = "", of: str = "line alone"
) -> str:
    """Return what an answer rests on: lines together (at all `looks`), and intervals `of` what.

    >>> decided(1, ["xauc"], 0.05)[:67]
    'Decided by 1 line of xauc together, at the level 0.05; in brackets,'
    """
    of_what = f" of {listed(criteria)}" if criteria else ""
    return (
        f"Decided by {lines:,} line{'s' * (lines != 1)}{of_what} together{looks}, at "
        f"the level {alpha:g}; in brackets, the {coverage(alpha)} interval of the {of}."
    )


def lines_of(keys: Sequence[tuple[str, str]]) -> Iterator[int]:
    """Yield how many lines a table of the first keys has, each heading and group a line."""
    headings: set[str] = set()
    for n, (heading, _) in enumerate(keys, start=1):
        headings.add(heading)
        yield n + len(headings)


def more_of(groups: Iterable[tuple[str, str]], n: int) -> str:
    """Return how many more of such groups there are, or pairs where one group has several.

    >>> more_of([("race, against a", "c"), ("race, against b", "c")], 1)
    '1 more pair of groups'
    """
    names = [group for _, group in groups]
    what = "group" if len({*names}) == len(names) else "pair"
    return f"{n:,} more {what}{'s' * (n != 1)}{' of groups' * (what == 'pair')}"


def _wrapped(text: str, *, most: int, first: str = "") -> list[str]:
    """Return at most so many lines; what is left out ends with an ellipsis."""
    return textwrap.wrap(
        printable(text), COLUMNS, initial_indent=first, subsequent_indent=" " * len(first),
        max_lines=most, placeholder=" …",
    )  # fmt: skip


def _table(findings: Sequence[Finding], most: int) -> list[str]:
    """Return a line for each group, or for the gravest ones that fit into `most` lines."""
    groups = by_group(findings)
    chosen: dict[str, set[str]] = {}
    room = most - 2  # the head, and what is left out
    for key in sorted(groups, key=lambda key: min(one.weight for one in groups[key].values())):
        lines = 1 + (key[0] not in chosen)
        if lines <= room:
            room -= lines
            chosen.setdefault(key[0], set()).add(key[1])
    if not chosen:
        return []
    names = [printable(group) for heading in chosen for group in chosen[heading]]
    wide = min(max([len(name) for name in names]) + 4, WIDEST)
    measures = list(dict.fromkeys(one.measure for one in findings))
    main = [measure for measure in measures if measure not in SPECIAL] or measures
    rows = [row for key, row in groups.items() if key[1] in chosen.get(key[0], ())]
    longest = {
        measure: max(len(measure) + 1, *(len(_cell(row.get(measure))) for row in rows))
        for measure in main
    }
    shown, widths = max(
        (_columns(longest, wide, least) for least in (CELL, 0)), key=lambda fit: len(fit[0])
    )
    table = [" " * wide + "".join(f"{measure:<{widths[measure]}}" for measure in shown).rstrip()]
    for heading in dict.fromkeys(heading for heading, _ in groups if heading in chosen):
        table.append(textwrap.shorten(printable(heading), COLUMNS, placeholder=" …"))
        for (its_heading, group), row in groups.items():
            if its_heading == heading and group in chosen[heading]:
                name = middle_cut(printable(group), wide - 4)
                states = (f"{_cell(row.get(measure)):<{widths[measure]}}" for measure in shown)
                table.append(f"  {name:<{wide - 2}}{''.join(states)}".rstrip())
    left, hidden = len(groups) - sum(map(len, chosen.values())), len(measures) - len(shown)
    more = [more_of(groups, left)] * (left > 0)
    more += [f"{hidden:,} more measure{'s' * (hidden > 1)}"] * (hidden > 0)
    if more:
        table.append(f"  {' and '.join(more)}: --details")
    return table


def _columns(
    longest: Mapping[str, int], start: int, least: int
) -> tuple[list[str], dict[str, int]]:
    """Return the measures that a line has room for, and the widths of their columns."""
    widths = {measure: max(least, long + 1) for measure, long in longest.items()}
    starts = accumulate(widths.values(), initial=start)
    ends = (at + long for at, long in zip(starts, longest.values(), strict=False))
    return [name for name, end in zip(longest, ends, strict=True) if end <= COLUMNS], widths


def _cell(finding: Finding | None) -> str:
    if finding is None:
        return ""
    if not math.isfinite(finding.estimate):
        return finding.state
    return f"{decimals(finding.estimate, 2, sign=True)} {finding.state}"
