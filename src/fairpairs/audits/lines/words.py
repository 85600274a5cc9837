"""The words of answers: differences, shares, groups, and what is to the cost of a group."""

import math

from fairpairs.base.plain_values import Content
from fairpairs.base.texts import decimals, number


def amount(value: float, *, share: bool) -> str:
    """Write a difference: of shares in points.

    >>> amount(0.214, share=True), amount(-0.004, share=True), amount(0.214, share=False)
    ('21 points', '0.4 points', '0.21')
    """
    if not share:
        return decimals(abs(value), 2) if 0.005 <= abs(value) < 100 else number(abs(value))
    points = 100 * abs(value)
    text = f"{points:.0f}" if points >= 0.95 else f"{points:.1f}"
    return f"{text} point{'' if text == '1' else 's'}"


def difference(
    estimate: float, low: float, high: float, *, share: bool, words: tuple[str, str]
) -> str:
    """Write a difference with its interval; `words` are those of a positive and a negative one.

    >>> difference(0.21, 0.18, 0.25, share=True, words=("more", "less"))
    '21 points more (18 to 25)'
    >>> difference(-0.02, -0.08, 0.03, share=True, words=("more", "less"))
    '2 points less (8 less to 3 more)'
    """
    more, less = words
    text = f"{amount(estimate, share=share)} {more if estimate >= 0 else less}"
    if not (math.isfinite(low) and math.isfinite(high)):
        return text
    ends = [amount(end, share=share).split()[0] for end in (low, high)]
    if low < 0 < high:
        return f"{text} ({ends[0]} {less} to {ends[1]} {more})"
    return f"{text} ({' to '.join(ends if low >= 0 else ends[::-1])})"


def against(
    measure: object, groups: tuple[str, str], gap: tuple[float, float, float], *, share: bool
) -> str:
    """Write how a measure of a group differs from that of the other; `gap` has its interval.

    >>> against("TPR", ("female", "male"), (-0.2, -0.3, -0.1), share=True)
    'The TPR of female is 20 points lower (10 to 30) than that of male'
    """
    text = difference(*gap, share=share, words=("higher", "lower"))
    return f"The {measure} of {groups[0]} is {text} than that of {groups[1]}"


def percent(share: float) -> str:
    """Write a share.

    >>> percent(0.4512), percent(0.0042), percent(1.0)
    ('45 %', '0.4 %', '100 %')
    """
    whole = 0.0095 <= share <= 0.9905 or share in (0, 1)
    return f"{100 * share:.{0 if whole else 1}f} %"


def called(attribute: str, group: str) -> str:
    """Return the name of a group in a sentence, with its attribute where it says little alone.

    >>> called("race", "Asian"), called("female", "1"), called("female", "yes")
    ('Asian', 'female=1', 'female=yes')
    """
    plain = group.lower() in ("yes", "no", "true", "false") or len(group) < 2
    return f"{attribute}={group}" if plain or not any(map(str.isalpha, group)) else group


def direction_of(favourable: str | None, positive: str) -> int | None:
    """Return 1 where the positive value is good for a person, −1 where another is; None if unknown.

    >>> direction_of("0", "1"), direction_of("1", "1"), direction_of(None, "1")
    (-1, 1, None)
    """
    if favourable is None:
        return None
    return 1 if favourable == positive else -1


def to_cost(
    favours: int, about: Content, gap: tuple[float, float, float], *, shown: bool = False
) -> bool | None:
    """Return whether a difference is to the cost of the group; None where that is unknown.

    A larger value of the measure gives a group more positive outcomes (1), fewer (−1), or neither.
    `gap` is the difference with its interval: it is unknown if that has 0, unless it is `shown`.
    """
    estimate, low, high = gap
    direction = direction_of(about["favourable"], about["positive"])
    if direction is None or not favours or not (shown or low > 0 or high < 0) or not estimate:
        return None
    return favours * direction * estimate < 0


def outcome(cost: bool | None) -> str:
    """Return what ends a sentence on a difference.

    >>> outcome(True), outcome(False), outcome(None)
    (', to their cost', ', to their advantage', '')
    """
    return "" if cost is None else f", to their {'cost' if cost else 'advantage'}"
