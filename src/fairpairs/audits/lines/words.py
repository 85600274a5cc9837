"""The words of answers: differences, shares, groups, and what harms a group."""

import math

from fairpairs.base.plain_values import Content
from fairpairs.base.texts import decimals, number


def amounts(*values: float, share: bool) -> list[str]:
    """Write sizes of differences with one number of digits, shares in points without the word.

    >>> amounts(0.214, -0.004, share=True), amounts(0.21, 0.18, share=True)
    (['21.4', '0.4'], ['21', '18'])
    >>> amounts(0.214, share=False), amounts(97.31, -1600.2, share=False)
    (['0.21'], ['97', '1,600'])
    """
    sizes = [(100 if share else 1) * abs(value) for value in values]
    largest, least = max(sizes), min((size for size in sizes if size > 1e-9), default=1.0)
    if share:
        digits = 0 if least >= 0.95 else 1
    else:
        digits = 0 if largest >= 100 else 1 if largest >= 10 else 2
        if largest < 0.005 and largest > 0:
            return [number(size) for size in sizes]
    return [decimals(size, digits) for size in sizes]


def amount(value: float, *, share: bool) -> str:
    """Write the size of a difference.

    >>> amount(0.214, share=True), amount(-0.004, share=True), amount(0.214, share=False)
    ('21 points', '0.4 points', '0.21')
    """
    (text,) = amounts(value, share=share)
    return f"{text} point{'' if text == '1' else 's'}" if share else text


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
    way = more if estimate >= 0 else less
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{amount(estimate, share=share)} {way}"
    size, *ends = amounts(estimate, low, high, share=share)
    unit = f" point{'' if size == '1' else 's'}" if share else ""
    if low < 0 < high:
        return f"{size}{unit} {way} ({ends[0]} {less} to {ends[1]} {more})"
    return f"{size}{unit} {way} ({' to '.join(ends if low >= 0 else ends[::-1])})"


def against(
    measure: object, groups: tuple[str, str], gap: tuple[float, float, float], *, share: bool
) -> str:
    """Write how a measure of a group differs from that of the other; `gap` has its interval.

    >>> against("TPR", ("female", "male"), (-0.2, -0.3, -0.1), share=True)
    'The TPR of female is 20 points lower (10 to 30) than that of male'
    """
    text = difference(*gap, share=share, words=("higher", "lower"))
    return f"The {measure} of {groups[0]} is {text} than that of {groups[1]}"


def percents(*shares: float) -> list[str]:
    """Write shares with one number of digits.

    >>> percents(0.4512, 1.0), percents(0.0042, 0.5)
    (['45 %', '100 %'], ['0.4 %', '50.0 %'])
    """
    whole = all(0.0095 <= share <= 0.9905 or share in (0, 1) for share in shares)
    return [f"{100 * share:.{0 if whole else 1}f} %" for share in shares]


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


def to_cost(favours: int, about: Content, estimate: float, *, shown: bool) -> bool | None:
    """Return whether a difference that is `shown` harms the group; None where that is unknown.

    A larger value of the measure gives a group more positive outcomes (1), fewer (−1), or neither.
    """
    direction = direction_of(about["favourable"], about["positive"])
    if not shown or direction is None or not favours or not estimate:
        return None
    return favours * direction * estimate < 0


def outcome(cost: bool | None, group: str) -> str:
    """Return the sentence that follows one on a difference; "" if the good outcome is unknown.

    >>> outcome(True, "female"), outcome(None, "female")
    (' This harms female.', '')
    """
    return "" if cost is None else f" This {'harms' if cost else 'favours'} {group}."
