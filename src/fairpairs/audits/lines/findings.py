"""The comparisons that decide an answer: what each says, which are gravest, and which are open."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scipy.special import ndtri

from fairpairs.audits.lines.verdicts import State
from fairpairs.audits.lines.words import called

#: State → what it says in a legend, the gravest first.
MEANINGS: dict[State, str] = {
    "beyond": "beyond the margin",
    "differs": "a difference is shown",
    "worse": "the gap is larger",
    "open": "open: too little data",
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
    #: Whether it harms the group; None where no outcome is named favourable.
    cost: bool | None = None
    #: What its items are, in words.
    unit: str = "rows"
    #: Why it has no estimate, where some groups have no row of a label.
    lacks: Sequence[str] = ()
    #: By how much two groups differ, in short, without a full stop.
    brief: str = ""
    #: Whether it is a difference of shares.
    share: bool = True
    #: Its place, where findings have an order that is not that of their size.
    rank: int = 0
    #: The attribute of its groups; "" if their names have it.
    attribute: str = ""

    @property
    def weight(self) -> tuple[int, bool, int, float, float]:
        """What findings are sorted by: grave before open, cost before advantage, then `nearer`."""
        scale = self.margin if math.isfinite(self.margin) else 1.0
        size = abs(self.estimate) / scale if math.isfinite(self.estimate) else 0.0
        return (STATES.index(self.state), self.cost is False, self.rank, -self.nearer, -size)

    @property
    def nearer(self) -> float:
        """The end of the interval that is nearer to 0, in margins.

        If the interval has 0, this is less than 0: the share of the interval beyond it, so that the
        line comes first that is nearest to being shown.
        """
        end = max(self.low, -self.high)
        if not math.isfinite(end):
            return -math.inf if self.state == "open" else 0.0
        scale = self.margin if math.isfinite(self.margin) else 1.0
        return end / (scale if end >= 0 else self.high - self.low)


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
        words["open"] = "no difference is shown; this does not show that there is none"
        if any(one.state == "open" and _alone(one) != one.sentence for one in findings):
            words["open"] += "; intervals are uncorrected"
    return words


def margins_in_words(margins: Iterable[float], findings: Iterable[Finding]) -> str:
    """Return margins in points if all findings are of shares; "" for none.

    >>> margins_in_words([0.1, 0.05, 0.1], [])
    '5 or 10 points'
    """
    share = all(one.share for one in findings)
    text = " or ".join(f"{(100 if share else 1) * margin:.6g}" for margin in sorted(set(margins)))
    return f"{text} point{'' if text == '1' else 's'}" if text and share else text


def gravest(findings: Iterable[Finding], states: Sequence[State]) -> list[Finding]:
    """Return the findings of some states, the gravest first."""
    return sorted((one for one in findings if one.state in states), key=lambda one: one.weight)


def reasons(
    findings: Iterable[Finding], states: Sequence[State], *, of_margin: bool = False
) -> list[str]:
    """Return the sentences of the gravest findings of some states.

    `of_margin`: what is open is whether a margin is exceeded, not whether there is a difference.
    """
    grave = gravest(findings, states)
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
    """Return which groups have too little data, and what they need; "" if none has."""
    groups = {key: ones for key, ones in _open(findings).items() if ones[0].items is not None}
    named = [_rows_wanted(*ones) for ones in groups.values()][:MOST_OPEN]
    needs = ", ".join(text for text in named if " needs " in text)
    chance = f" for an {100 * POWER:g} % chance to pass if the groups do not differ" * bool(needs)
    others = [text for text in named if " needs " not in text]
    if (left := len(groups) - MOST_OPEN) > 0:
        others.append(f"{left} more group{'s' * (left > 1)}")
    texts = "; ".join(filter(None, [f"{needs}{chance}", ", ".join(others)]))
    return f"Too little data: {texts}." if texts else ""


def names_of_open(findings: Sequence[Finding]) -> str:
    """Return the groups of which something is open, in words."""
    lacking = [one for one in findings if one.lacks]
    both = {**_open(findings), **{_key(one): [one] for one in lacking}}
    return some_groups(list(dict.fromkeys(called(*key) for key in both)))


def some_groups(names: Sequence[str]) -> str:
    """List groups in a sentence, the first `MOST_OPEN`.

    >>> some_groups(["a", "b"]), some_groups(["a", "b", "c", "d"])
    ('a and b', 'a, b, c and 1 more group')
    """
    left = len(names) - MOST_OPEN
    more = [f"{left} more group{'s' * (left > 1)}"] if left > 0 else []
    return joined([*names[:MOST_OPEN], *more])


def joined(names: Sequence[str]) -> str:
    """List names in a sentence.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _key(finding: Finding) -> tuple[str, str]:
    return finding.attribute, finding.group


def _open(findings: Sequence[Finding]) -> dict[tuple[str, str], list[Finding]]:
    """Return what is open of groups that have a row of each label that is needed, by group."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    lacking = {_key(one) for one in findings if one.lacks}
    for one in findings:
        if one.state == "open" and _key(one) not in lacking:
            groups.setdefault(_key(one), []).append(one)
    return groups


def _alone(finding: Finding, *, of_margin: bool = False) -> str:
    """Return the sentence of a line; if it is open, whether its interval is of the line alone."""
    end = finding.margin if of_margin and math.isfinite(finding.margin) else 0
    if finding.state != "open" or not (finding.low > end or finding.high < -end):
        return finding.sentence
    text, stop, rest = finding.sentence.partition(". ")
    return f"{text.removesuffix('.')}, not significant after correction{stop or '.'}{rest}"


def _rows_wanted(*findings: Finding) -> str:
    first = findings[0]
    group = called(*_key(first))
    times, has = [one.times for one in findings], f"{first.items:,} {first.unit}"
    if not all(map(math.isfinite, times)):
        return f"{group} has {has}"
    if max(times) <= 1:  # there are as many rows already, and it does differ
        measures = joined([one.measure for one in findings])
        return f"{group} may be within or beyond the margin in {measures} ({has})"
    wanted = float(f"{max(times) * (first.items or 0):.2g}")
    return f"{group} needs about {wanted:,.0f} {first.unit} (it has {first.items:,})"
