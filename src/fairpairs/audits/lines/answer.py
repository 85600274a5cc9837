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

from scipy.special import ndtri

from fairpairs.audits.lines.tables import SPECIAL
from fairpairs.audits.lines.verdicts import State
from fairpairs.audits.lines.words import called
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import coverage, decimals, listed, middle_cut, printable

#: What an answer may be; of a plan, whose answer is a number, it is empty.
Verdict = Literal["yes", "no", "cannot be told", ""]
#: State → what it says in a legend, the gravest first.
MEANINGS: dict[State, str] = {
    "beyond": "beyond the margin",
    "differs": "a difference is shown",
    "worse": "the gap is larger",
    "open": "open: too few rows to tell",
    "within": "within the margin",
    "not worse": "not worse by the margin",
    "better": "the gap is smaller",
}
STATES = tuple(MEANINGS)
#: Those in which something is found.
FOUND: tuple[State, ...] = ("beyond", "differs", "worse")
#: Lines and columns of an answer in a terminal, which adds one; lines that a table should have.
LINES, COLUMNS, LEAST = 23, 80, 4
#: Reasons that an answer gives, and groups that it names as open.
MOST_REASONS, MOST_OPEN = 3, 3
#: Groups without a row of a label that it names.
MOST_LACKS = 3
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
#: The chance that the rows that are wanted show what is open.
POWER = 0.8


@dataclass(frozen=True)
class Finding:
    """A line that decides: a measure of a group against its reference."""

    #: The heading of its groups, as "race, against Caucasian (2,454)".
    heading: str
    group: str
    measure: str
    state: State
    estimate: float
    low: float = math.nan
    high: float = math.nan
    margin: float = math.nan
    #: What it says in words.
    sentence: str = ""
    #: Rows of the group, or None.
    items: int | None = None
    #: How many times as many rows would show what is open, if there is no difference.
    times: float = math.nan
    #: Whether it is to the cost of the group; None where no outcome is named favourable.
    cost: bool | None = None
    #: What its items are, in words.
    unit: str = "rows"
    #: Why it has no estimate, where some groups have no row of a label.
    lacks: Sequence[str] = ()
    #: Its place, where findings have an order that is not that of their size.
    rank: int = 0

    @property
    def weight(self) -> tuple[int, bool, int, float, float]:
        """What findings are sorted by: grave before open, cost before advantage, then `nearer`."""
        size = abs(self.estimate) / self._scale if math.isfinite(self.estimate) else 0.0
        return (STATES.index(self.state), self.cost is False, self.rank, -self.nearer, -size)

    @property
    def _scale(self) -> float:
        """The margin, or 1 without one."""
        return self.margin if math.isfinite(self.margin) else 1.0

    @property
    def nearer(self) -> float:
        """The end of the interval that is nearer to 0, in margins.

        If the interval has 0, this is less than 0: the share of the interval beyond it, so that the
        line comes first that is nearest to being shown.
        """
        end = max(self.low, -self.high)
        if not math.isfinite(end):
            return -math.inf if self.state == "open" else 0.0
        return end / (self._scale if end >= 0 else self.high - self.low)


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


def cannot_be_compared(findings: Iterable[Finding]) -> str:
    """Return why some lines have no estimate, "" where none is known."""
    texts = list(dict.fromkeys(text for one in findings for text in one.lacks))
    if (left := len(texts) - MOST_LACKS) > 0:
        texts = [*texts[:MOST_LACKS], f"{left} more group{'s' * (left > 1)} like these"]
    return ", and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


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


def by_group(findings: Iterable[Finding]) -> dict[tuple[str, str], dict[str, Finding]]:
    """Return the findings of each heading and group, by measure, as a table has them."""
    groups: dict[tuple[str, str], dict[str, Finding]] = {}
    for one in findings:
        groups.setdefault((one.heading, one.group), {})[one.measure] = one
    return groups


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


def states_in_words(findings: Sequence[Finding]) -> dict[str, str]:
    """Return the states that there are, with what they say."""
    there = {one.state for one in findings}
    words: dict[str, str] = {state: text for state, text in MEANINGS.items() if state in there}
    if "open" in words and not any(math.isfinite(one.margin) for one in findings):
        words["open"] = "no difference is shown, which is no evidence that there is none"
        if any(one.state == "open" and _alone(one) != one.sentence for one in findings):
            words["open"] += "; an interval without 0 is of its line alone"
    return words


def margins_in_words(margins: Iterable[float]) -> str:
    """Return the margins of what counts; "" for none.

    >>> margins_in_words([0.1, 0.05, 0.1]), margins_in_words([])
    ('0.05 or 0.1', '')
    """
    return " or ".join(f"{margin:g}" for margin in sorted(set(margins)))


def reasons(
    findings: Iterable[Finding], states: Sequence[State], *, of_margin: bool = False
) -> list[str]:
    """Return the sentences of the gravest findings of some states.

    `of_margin`: what is open is whether a margin is exceeded, not whether there is a difference.
    """
    grave = sorted((one for one in findings if one.state in states), key=lambda one: one.weight)
    return [_alone(one, of_margin=of_margin) for one in grave if one.sentence][:MOST_REASONS]


def _alone(finding: Finding, *, of_margin: bool = False) -> str:
    """Return the sentence of a line; if it is open, whether its interval is of the line alone."""
    end = finding.margin if of_margin and math.isfinite(finding.margin) else 0
    if finding.state != "open" or not (finding.low > end or finding.high < -end):
        return finding.sentence
    return f"{finding.sentence.removesuffix('.')}, by this line alone."


def times_as_many(
    width: float, margin: float, alpha: float, lines: int, *, part: float = 1.0
) -> float:
    """Return how many times as many rows show a line to lie within its margin.

    `width` is that of its interval of 1 − 2 alpha, and it is tested at this part of alpha. There is
    no difference, the interval shrinks as that of a mean does, and so many lines of a group are all
    shown with POWER (by Bonferroni).
    """
    wanted = -float(ndtri(part * alpha)) - float(ndtri((1 - POWER) / (2 * lines)))
    return (width / 2 / float(ndtri(alpha)) * wanted / margin) ** 2


def open_groups(findings: Sequence[Finding]) -> str:
    """Return which groups are open, and how many rows would decide; "" where none is."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    lacking = {(one.heading, one.group) for one in findings if one.lacks}
    for one in findings:
        if one.state == "open" and (one.heading, one.group) not in lacking:
            groups.setdefault((one.heading.partition(",")[0], one.group), []).append(one)
    if not groups:
        return ""
    named = [_rows_wanted(*ones) for ones in groups.values()][:MOST_OPEN]
    left = len(groups) - MOST_OPEN
    more = f", and {left} more group{'s' * (left > 1)}" if left > 0 else ""
    wanted = any(" would decide" in name for name in named)
    chance = f", with a chance of {100 * POWER:g} %, if all grow alike and do not differ"
    text = f"Open (too few rows to tell): {', '.join(named)}{more}{chance if wanted else ''}."
    head, decide, rest = text.partition(" would decide")
    return head + decide + rest.replace(" would decide", "")


def _rows_wanted(*findings: Finding) -> str:
    first = findings[0]
    group = called(first.heading.partition(",")[0], first.group)
    if first.items is None:
        return group
    times = [one.times for one in findings]
    rows = f"{group} ({first.items:,} {first.unit}"
    if not all(map(math.isfinite, times)):
        return f"{rows})"
    if max(times) <= 1:  # there are as many rows already, and it does differ
        return f"{rows}; {listed(one.measure for one in findings)} near the margin)"
    wanted = float(f"{max(times) * first.items:.2g}")
    return f"{rows}; about {wanted:,.0f} would decide)"


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
