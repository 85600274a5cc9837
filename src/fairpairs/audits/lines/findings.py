"""The lines that decide an answer: what each says, which are the gravest, and which are open."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scipy.special import ndtri

from fairpairs.audits.lines.verdicts import State
from fairpairs.audits.lines.words import called
from fairpairs.base.texts import listed

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
#: Reasons that an answer gives, and groups that it names as open.
MOST_REASONS, MOST_OPEN = 3, 3
#: Groups without a row of a label that it names.
MOST_LACKS = 3
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


def cannot_be_compared(findings: Iterable[Finding]) -> str:
    """Return why some lines have no estimate, "" where none is known."""
    texts = list(dict.fromkeys(text for one in findings for text in one.lacks))
    if (left := len(texts) - MOST_LACKS) > 0:
        texts = [*texts[:MOST_LACKS], f"{left} more group{'s' * (left > 1)} like these"]
    return ", and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def by_group(findings: Iterable[Finding]) -> dict[tuple[str, str], dict[str, Finding]]:
    """Return the findings of each heading and group, by measure, as a table has them."""
    groups: dict[tuple[str, str], dict[str, Finding]] = {}
    for one in findings:
        groups.setdefault((one.heading, one.group), {})[one.measure] = one
    return groups


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


def _alone(finding: Finding, *, of_margin: bool = False) -> str:
    """Return the sentence of a line; if it is open, whether its interval is of the line alone."""
    end = finding.margin if of_margin and math.isfinite(finding.margin) else 0
    if finding.state != "open" or not (finding.low > end or finding.high < -end):
        return finding.sentence
    return f"{finding.sentence.removesuffix('.')}, by this line alone."


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
