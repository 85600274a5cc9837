"""The answer of a command: its word (PASS, FAIL, UNDECIDED, …), why, and what is open.

It is computed once from the comparisons of a result; the terminal, the page, the notebook, the
JSON, JUnit and the model card take it from here, so that they cannot differ.
"""

import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from fairpairs.audits.lines.findings import (
    FOUND,
    Finding,
    by_group,
    cannot_be_compared,
    gravest,
    names_of_open,
)
from fairpairs.audits.lines.tables import SPECIAL
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import coverage, decimals, middle_cut, printable

#: The word of an answer; of a plan, whose answer is a number, it is empty.
Verdict = Literal[
    "PASS", "FAIL", "UNDECIDED", "DIFFERENCE FOUND", "NO DIFFERENCE FOUND", "NOT WORSE", "WORSE",
    "BETTER", "GROUPS DIFFER", "GAP FOUND", "NO GAP FOUND", "LEANS", "NO LEAN FOUND", "",
]  # fmt: skip
#: What a command asks.
Question = Literal["margin", "difference", "change", "groups", "gap", "lean"]
#: Question → the word if something is found, if it is shown to be absent, and if it is not found.
WORDS: dict[Question, tuple[Verdict, Verdict, Verdict]] = {
    "margin": ("FAIL", "PASS", "UNDECIDED"),
    "difference": ("DIFFERENCE FOUND", "UNDECIDED", "NO DIFFERENCE FOUND"),
    "change": ("WORSE", "NOT WORSE", "UNDECIDED"),
    "groups": ("GROUPS DIFFER", "UNDECIDED", "NO DIFFERENCE FOUND"),
    "gap": ("GAP FOUND", "UNDECIDED", "NO GAP FOUND"),
    "lean": ("LEANS", "UNDECIDED", "NO LEAN FOUND"),
}
#: Word → whether it is good news; the others are neither good nor bad.
GOOD: dict[Verdict, bool] = {
    "PASS": True, "NOT WORSE": True, "BETTER": True, "FAIL": False, "DIFFERENCE FOUND": False,
    "WORSE": False, "GROUPS DIFFER": False, "GAP FOUND": False, "LEANS": False,
}  # fmt: skip
#: Columns of an answer in a terminal; rows that its table has in any window.
COLUMNS, LEAST = 80, 4
#: Widths of the table: at most of the name of a group, at least of a measure.
WIDEST, CELL = 36, 15
#: What to do after good news, and if it is open.
WATCH = "Next: watch the model as new rows come in: fairpairs monitor."
MORE = "Next: collect more rows (fairpairs power plans how many)."
#: What is said if nothing is found.
NO_EVIDENCE = "this does not show that there is none"


@dataclass(frozen=True)
class Answer:
    """What a command was asked, and what it answers."""

    question: str
    verdict: Verdict
    #: What is printed of the verdict, such as "GAP since week 18".
    headline: str
    #: The answer in one sentence, without its full stop.
    sentence: str
    #: What was compared.
    subject: str
    #: The comparisons that decide.
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

    @property
    def good(self) -> bool | None:
        """Whether it is good news; None if it is neither good nor bad."""
        return GOOD.get(self.verdict)

    def __str__(self) -> str:
        return self.to_text(window())

    __repr__ = __str__

    def to_text(self, rows: int | None = None) -> str:
        """Return it in lines of 80 columns; all of it, or what a window of so many `rows` holds.

        A sentence is never cut. If the window is low, the table has fewer rows, and what the answer
        rests on is left to --details.

        >>> print(Answer("Who differs?", "PASS", "PASS", "nobody differs", "4 rows").to_text())
        PASS: nobody differs.
        <BLANKLINE>
        4 rows
        """
        head = f"{self.headline}: " if self.headline else ""
        answer = _wrapped(f"{head}{self.sentence}.")
        reasons = [line for one in self.reasons for line in _wrapped(one, first="- ")]
        checks = [line for text in self.checks for line in _wrapped(f"Check: {text}")]
        foot = [*checks, *(line for text in (self.open, self.next) for line in _wrapped(text))]
        rest = [_wrapped(text) for text in (self.worth, self.basis, self.subject)]
        most = None
        if rows is not None:  # what has no room beside the table leaves
            blank = 1 + bool(reasons) + bool(self.findings)
            room = rows - len(answer) - len(reasons) - len(foot) - blank
            least = min(LEAST, len(_table(self.findings, LEAST)))
            while rest and room - sum(map(len, rest)) < least:
                rest.pop()
            most = max(room - sum(map(len, rest)), LEAST)
        table = _table(self.findings, most)
        foot += [line for lines in rest for line in lines]
        parts = [part for part in (answer, reasons, table, foot) if part]
        return "\n\n".join("\n".join(part) for part in parts)

    def to_dict(self) -> Record:
        """Return it as plain values, as in the JSON of a result."""
        return {
            "question": self.question,
            "verdict": self.verdict,
            "headline": self.headline,
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
    """What an answer begins with: question, verdict, headline and sentence."""

    question: str
    verdict: Verdict
    headline: str
    sentence: str


def answered(
    kind: Question,
    question: str,
    *,
    violated: bool | None,
    found: str,
    untested: str,
    none: str = NO_EVIDENCE,
    shown: bool | None = None,
    within: str = "",
    open: str = "",
    headline: str = "",
    so_far: str = "",
) -> Told:
    """Answer a question of a kind of WORDS, with a sentence for each case.

    Something bad is `violated` (`found`), or shown to be absent (`within`), or cannot be tested
    (`untested`); with a margin it is `open`, and without one it was not found (`none`). `headline`
    is printed for what is found instead of the word, and `so_far` is put after any other word.
    """
    bad, good, nothing = WORDS[kind]
    if violated:
        return Told(question, bad, headline or bad, found)
    if shown:
        return Told(question, good, good + so_far, within)
    if violated is None or open:
        sentence = open if violated is not None else untested
        return Told(question, "UNDECIDED", f"UNDECIDED{so_far}", sentence)
    return Told(question, nothing, nothing + so_far, none)


def of_groups(
    findings: Sequence[Finding],
    margin: str,
    *,
    violated: bool | None,
    shown: bool | None,
    of: str = "rows",
    found: str = "",
    since: str = "",
    after: str = "",
    references: str = "",
) -> Told:
    """Answer whether groups differ, with a margin by more than it.

    `found` is said of the gap instead of the gravest finding, `since` when it began or was, and
    `after` how many batches there were.
    `references` names the groups that alone the others are compared with; without any, each two
    groups are compared.
    """
    so_far = " so far" * bool(after)
    nobody = f"no group differs from {references}" if references else "no two groups differ"
    by = f" by more than {margin}" if margin else ""
    worst = found or next((one.brief for one in gravest(findings, FOUND) if one.brief), "")
    kind: Question = "margin" if margin else "gap" if after else "difference"
    bad = {"margin": "FAIL", "gap": "GAP"}.get(kind, "DIFFERENCE FOUND")
    undecided = ""
    if margin:  # neither shown to be kept nor to be exceeded
        near = next((one.brief for one in gravest(findings, ("differs",)) if one.brief), "")
        undecided = f"{near}, which may be more or less than the margin of {margin}{after}"
        if not near:
            undecided = f"too little data for {names_of_open(findings)}{after}"
    return answered(
        kind,
        f"Does {'a group' if references else 'any group'} differ from "
        f"{references or 'another'}{by}{so_far}?",
        violated=violated,
        found=f"{worst or 'groups differ'}{f' (margin: {margin})' if margin else ''}",
        untested=cannot_be_compared(findings) or f"too few {of}{so_far} to test any difference",
        shown=shown,
        within=f"{nobody}{by}{after}",
        open=undecided,
        none=f"no group was shown to differ from {references}; {NO_EVIDENCE}"
        if references
        else NO_EVIDENCE,
        headline=f"{bad}{since}",
        so_far=so_far,
    )


def next_of(told: Told, *, bad: str, good: str = WATCH, unsure: str = MORE, none: str = "") -> str:
    """Return what to do next: after `good` or `bad` news, or if nothing or `none` was found."""
    if told.verdict in GOOD:
        return good if GOOD[told.verdict] else bad
    return none if none and told.verdict != "UNDECIDED" else unsure


def based_on(
    comparisons: int, measures: Sequence[str], alpha: float, *, looks: str = "", intervals: str = ""
) -> str:
    r"""Return what an answer rests on, and which intervals stand in brackets.

    >>> print(based_on(2, ["TPR", "FPR"], 0.05).replace(". ", ".\n"))
    Based on 2 comparisons (TPR, FPR), corrected for multiple testing at 5 %.
    Brackets: 95 % intervals, uncorrected.
    """
    names = dict.fromkeys(measures)
    named = f" ({('; ' if any(',' in name for name in names) else ', ').join(names)})" * bool(names)
    return (
        f"Based on {comparisons:,} comparison{'s' * (comparisons != 1)}{named}"
        f"{looks}, corrected for multiple testing at {100 * alpha:g} %. Brackets: "
        f"{coverage(alpha)} intervals{intervals or ', uncorrected'}."
    )


def window() -> int | None:
    """Return the rows that a terminal has for an answer; None if it goes to a pipe or a file."""
    return shutil.get_terminal_size().lines - 1 if sys.stdout.isatty() else None


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


def _wrapped(text: str, *, first: str = "") -> list[str]:
    """Return the lines of a text, which begins with `first`; a number keeps its percent sign."""
    lines = textwrap.wrap(
        printable(text).replace(" %", "\N{NO-BREAK SPACE}%"), COLUMNS, initial_indent=first,
        subsequent_indent=" " * len(first), break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace("\N{NO-BREAK SPACE}%", " %") for line in lines]


def _table(findings: Sequence[Finding], most: int | None) -> list[str]:
    """Return a row for each group, or those of the gravest groups that fit into `most` lines."""
    groups = by_group(findings)
    chosen: dict[str, set[str]] = {}
    keys = sorted(groups, key=lambda key: min(one.weight for one in groups[key].values()))
    if most is not None:  # the gravest groups, each heading a line
        all_lines, room = [*lines_of(keys)], most - 1  # without the head
        room -= bool(keys) and all_lines[-1] > room  # the others are counted in a line
        keys = [key for key, lines in zip(keys, all_lines, strict=True) if lines <= room]
    for key in groups if most is None else keys:
        chosen.setdefault(key[0], set()).add(key[1])
    if not chosen:
        return []
    names = [printable(group) for heading in chosen for group in chosen[heading]]
    wide = max([len(name) for name in names]) + 4
    wide = wide if most is None else min(wide, WIDEST)
    measures = list(dict.fromkeys(one.measure for one in findings))
    main = [name for name in measures if name not in SPECIAL]
    rows = [row for key, row in groups.items() if key[1] in chosen.get(key[0], ())]
    longest = {
        measure: max(len(measure) + 1, *(len(_cell(row.get(measure))) for row in rows))
        for measure in main or measures
    }
    shown, widths = max(
        (_columns(longest, wide, least, all=most is None) for least in (CELL, 0)),
        key=lambda fit: len(fit[0]),
    )
    table = [" " * wide + "".join(f"{measure:<{widths[measure]}}" for measure in shown).rstrip()]
    for heading in dict.fromkeys(heading for heading, _ in groups if heading in chosen):
        table += _wrapped(heading)
        for (its_heading, group), row in groups.items():
            if its_heading == heading and group in chosen[heading]:
                name = middle_cut(printable(group), wide - 4)
                states = (f"{_cell(row.get(measure)):<{widths[measure]}}" for measure in shown)
                table.append(f"  {name:<{wide - 2}}{''.join(states)}".rstrip())
    left, hidden = len(groups) - sum(map(len, chosen.values())), len(measures) - len(shown)
    more = [more_of(groups, left)] if left > 0 else []
    more += [f"{hidden:,} more measure{'s' * (hidden > 1)}"] * (hidden > 0)
    if more:
        table.append(f"  {' and '.join(more)}: --details")
    return table


def _columns(
    longest: Mapping[str, int], start: int, least: int, *, all: bool
) -> tuple[list[str], dict[str, int]]:
    """Return the measures that a row has room for, or all, and the widths of their columns."""
    widths = {measure: max(least, long + 1) for measure, long in longest.items()}
    starts = accumulate(widths.values(), initial=start)
    ends = (at + long for at, long in zip(starts, longest.values(), strict=False))
    fit = [name for name, end in zip(longest, ends, strict=True) if all or end <= COLUMNS]
    return fit, widths


def _cell(finding: Finding | None) -> str:
    if finding is None:
        return ""
    if not math.isfinite(finding.estimate):
        return finding.state
    return f"{decimals(finding.estimate, 2, sign=True)} {finding.state}"
