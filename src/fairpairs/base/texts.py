"""The one form of numbers, p-values, lists and text from data in all outputs."""

import difflib
import math
import re
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate, islice
from typing import TypeVar

from fairpairs.base.errors import shortened

Name = TypeVar("Name")

#: Text for a missing number.
MISSING = "–"
#: Largest number of values that a sentence lists.
MAX_LISTED = 20
#: Characters of values that are listed.
MAX_LENGTH = 320
#: Control characters, separators of lines and half characters, which break lines, SVG and
#: encodings; characters that turn the direction of text; and those without width. Joiners stay
#: after letters and pictures that they shape: from Arabic to Mongolian, and in emoji.
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\xad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\U000e0000-\U000e007f]"
    "|(?<![\u0600-\u18af\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]"
)


def printable(text: object) -> str:
    r"""Return text in one line, with characters that are not seen as Python writes them.

    >>> print(printable("a\nb\x1b[31m\u202e é 北京"))
    a\nb\x1b[31m\u202e é 北京
    """
    return UNPRINTABLE.sub(
        lambda match: match[0].encode("unicode_escape").decode("ascii"), str(text)
    )


def printable_lines(text: str) -> str:
    """Return text as `printable` does, but with its line breaks."""
    return "\n".join(map(printable, text.split("\n")))


def named_twice(names: Iterable[Name]) -> Name | None:
    """Return the first name that is given more than once, if any.

    >>> named_twice(["a", "b", "a", "b"]), named_twice(["a", "b"])
    ('a', None)
    """
    return next((name for name, times in Counter(names).items() if times > 1), None)


def listed(values: Iterable[object]) -> str:
    """List values with commas, at most MAX_LISTED and about a line of long ones, each shortened.

    >>> listed(["a", "b"])
    'a, b'
    """
    texts = [shortened(value) for value in values]
    ends = accumulate(len(text) + 2 for text in texts)
    most = max(1, sum(end <= MAX_LENGTH for end in islice(ends, MAX_LISTED)))
    return ", ".join(texts[:most]) + (", …" if len(texts) > most else "")


def meant(name: str, known: Iterable[str]) -> str:
    """Return in brackets which of the known names a name with a typo may be; nothing if none.

    >>> meant("seperation", ["accuracy", "separation"]), meant("x", ["accuracy"])
    (' (did you mean `separation`?)', '')
    """
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean `{close[0]}`?)" if close else ""


def decimals(value: float, digits: int, *, sign: bool = False) -> str:
    """Write a number with so many digits after the point, never as a negative zero.

    >>> decimals(1234.5, 2), decimals(-0.001, 2), decimals(0.5, 1, sign=True)
    ('1,234.50', '0.00', '+0.5')
    """
    if math.isnan(value):
        return MISSING
    text = f"{value:{'+' if sign else ''},.{digits}f}"
    return text.lstrip("+-") if not text.strip("+-0.,") else text


def number(value: float, *, sign: bool = False) -> str:
    """Write an estimate: three digits after the point, or fewer if it is large or near 0.

    >>> [number(value) for value in (0.12345, 1983.2, 2.5e6, -0.00042, float("nan"))]
    ['0.123', '1,980', '2.50e6', '-0.0004', '–']
    """
    if not math.isfinite(value):
        return MISSING
    plus = "+" if sign else ""
    if 1e-9 < abs(value) < 0.0005:  # below is an error of rounding
        return f"{value:{plus}.1g}"
    if abs(value) < 100:
        return decimals(value, 3, sign=sign)
    if abs(value) < 999_500:
        return decimals(float(f"{value:.3g}"), 0, sign=sign)
    mantissa, exponent = f"{value:{plus}.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def interval(low: float, high: float, *, sign: bool = False) -> str:
    """Write an interval.

    >>> interval(-0.1, 0.25, sign=True), interval(float("nan"), float("nan"))
    ('-0.100 to +0.250', '–')
    """
    if math.isnan(low):
        return MISSING
    return f"{number(low, sign=sign)} to {number(high, sign=sign)}"


def pvalue(value: float) -> str:
    """Write a p-value for a table.

    >>> pvalue(0.0312), pvalue(2e-5), pvalue(float("nan"))
    ('0.031', '<0.001', '–')
    """
    return "<0.001" if value < 0.001 else decimals(value, 3)


def p_equals(value: float) -> str:
    """Write a p-value for a sentence.

    >>> p_equals(0.0312), p_equals(2e-5)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if value < 0.001 else f"p = {pvalue(value)}"


def coverage(alpha: float, sides: int = 1) -> str:
    """Write the chance that an interval covers, 1 − `sides` alpha, with all its nines.

    >>> coverage(0.05), coverage(0.05, 2), coverage(1e-7)
    ('95 %', '90 %', '99.99999 %')
    """
    digits = max(6, 1 - math.floor(math.log10(sides * alpha)))
    return f"{100 * (1 - sides * alpha):.{digits}g} %"


def middle_cut(text: str, wide: int) -> str:
    """Return a text, shortened in its middle: long names of groups and models differ at their ends.

    >>> middle_cut("Skywork-Reward-Llama-3.1-8B", 16)
    'Skyw…lama-3.1-8B'
    """
    start = wide // 3 - 1
    return text if len(text) <= wide else f"{text[:start]}…{text[start + 1 - wide :]}"
