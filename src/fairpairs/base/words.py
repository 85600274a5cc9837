"""The words for values: names of groups, persons and ids, the same from a file of any form."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fairpairs.base.arrays import Array, Floats
from fairpairs.base.errors import InputError
from fairpairs.base.texts import listed

#: Above it, floats cannot tell whole numbers apart.
LARGEST_WHOLE = 2**53

#: Numbers as programs write floats, of which whole ones end in .0 where one value is missing.
FLOAT = re.compile(r"-?(0|[1-9]\d*)(\.\d*[1-9]|\.0)?")
#: A time of day, perhaps with its date, and what its seconds may leave out.
TIME = re.compile(
    r"(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d:\d\d:\d\d)(?:\.(\d*?)0*)?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?"
)
#: Letters of a name that one letter may be short for, and names of what is missing.
LONG, MISSING = 4, ("missing", "none", "null")
MIDNIGHT = "00:00:00"
#: A number as texts write it: its sign, and the digits before and after the point that count.
NUMBER = re.compile(r"([+-]?)0*(\d+)(?:[.,](\d*?)0*)?")
#: Dashes that stand between numbers in ranges.
DASHES = re.compile("[‐‑‒–—−]")
#: Texts that programs write for a missing value, and that are the name of a group here.
UNREAD = ("#n/a", "<na>", "n/a", "nan", "nat", "none", "(null)", "?")
#: Different values that are compared, and the most pairs of them that a note has.
MOST_ALIKE, FEW_ALIKE = 100_000, 3
#: What joins words of letters.
JOINS = re.compile(r"(?<=[^\W\d_])[\s_.'’‐‑–-]+(?=[^\W\d_])")
#: A float of so many digits as programs write it, which may have been a whole number.
LONG_FLOAT = re.compile(r"-?\d\.\d{9,}e\+\d\d")
#: A text that is a code, though it reads as a number.
LEADING_ZERO = re.compile(r"0\d")


def word(value: Any) -> str:
    """Write a value: a whole number without a point, and each number as no other is written.

    >>> word(1.0), word(0.1), word(-0.0), word(1e6), word(True)
    ('1', '0.1', '0', '1000000', 'True')
    """
    if not isinstance(value, float):
        return str(value)
    return f"{value + 0.0:.0f}" if abs(value) < 2**53 and value % 1 == 0 else repr(float(value))


def has_leading_zero(kinds: Array) -> bool:
    """Return whether a value is a code that reads as a number, such as 007.

    >>> has_leading_zero(np.array(["007", "12"])), has_leading_zero(np.array(["0.5", "0"]))
    (True, False)
    """
    return any(LEADING_ZERO.match(str(kind)) for kind in kinds)


def words(kinds: Array, role: str) -> list[str]:
    """Write the different values of a column, which decides as a whole.

    Texts that are all floats, or all times, are written as such values are. InputError
    for floats so large that whole numbers may have become equal.

    >>> [words(np.array(kinds), "x") for kinds in (["1.0", "2.5"], ["1.10", "2.0"], [1.0, 2.0])]
    [['1', '2.5'], ['1.10', '2.0'], ['1', '2']]
    >>> words(np.array(["2026-01-01T00:00:00.000", "2026-01-02 00:00:00"]), "x")
    ['2026-01-01', '2026-01-02']
    >>> words(np.array(["2026-01-01", "2026-01-02T12"], dtype="datetime64[ns]"), "x")
    ['2026-01-01 00:00:00', '2026-01-02 12:00:00']
    >>> words(np.array(["2026-01-01T12:00:00Z", "2026-01-01 14:30:00.50+0200"]), "x")
    ['2026-01-01 12:00:00+00:00', '2026-01-01 14:30:00.5+02:00']
    """
    if kinds.dtype.kind == "M":
        kinds = np.datetime_as_string(kinds)  # those in nanoseconds would be numbers
    check_floats(kinds, role)
    found = [word(value) for value in kinds.tolist()]
    if kinds.dtype.kind not in "OUT" or not found:
        return found
    if all(map(FLOAT.fullmatch, found)):
        short = [text.removesuffix(".0") for text in found]
        # 1 beside 1.0 may be two groups: they keep their names, and are reported as spelled alike
        differ = len(set(short)) == len(short)
        return ["0" if text == "-0" else text for text in short] if differ else found
    times = list(map(TIME.fullmatch, found))
    return _times([time for time in times if time]) if all(times) else found


def named(text: str, names: Sequence[str]) -> str:
    """Return the one of some names that a text means: true is True, and 1.0 is 1.

    >>> named("true", ["False", "True"]), named("1.0", ["1", "2"]), named("b", ["a"])
    ('True', '1', 'b')
    """
    if text in names:
        return text
    if text.lower() in ("true", "false"):
        return next((name for name in names if name.lower() == text.lower()), text)
    (other,) = words(np.array([text]), text)
    return other if other in names else text


def check_floats(kinds: Array, role: str) -> None:
    """Raise InputError for names that are floats so large that they may have lost digits."""
    if kinds.dtype.kind == "f":
        lost = kinds[np.abs(kinds) >= LARGEST_WHOLE].tolist()
    elif kinds.dtype.kind in "OUT":
        lost = [
            value
            for value in kinds.tolist()
            if (isinstance(value, float) and abs(value) >= LARGEST_WHOLE)
            or (isinstance(value, str) and "e+" in value and LONG_FLOAT.fullmatch(value))
        ]
    else:
        return
    if lost:
        raise InputError(
            f"{role} holds floats such as {lost[0]} as names: whole numbers of so many digits may "
            "have become one: give them as whole numbers, or as text."
        )


def check_precision(kinds: Array, numbers: Floats, role: str) -> None:
    """Raise InputError if values that differ become the same number, above 2^53."""
    large = np.abs(numbers) > LARGEST_WHOLE
    if large.any() and len(set(kinds[large].tolist())) > len(np.unique(numbers[large])):
        raise InputError(
            f"{role} holds numbers above 2^53 that differ, but not as floats: give their "
            "ranks, or subtract a number from all."
        )


def alike(texts: Sequence[str], *, letters: bool = False) -> list[list[str]]:
    """Return the texts that differ in case, blanks, Unicode forms or invisible characters alone.

    With `letters`, they may also differ in accents, in what joins words, and numbers in zeros that
    do not count.

    >>> alike(["Yes", "yes", "no"]), alike(["a", "b"])
    ([['Yes', 'yes']], [])
    >>> alike(["African-American", "african american", "18-25", "1825"], letters=True)
    [['African-American', 'african american']]
    >>> alike(["1", "01", "1.0", "10", "18-25", "18–25"], letters=True)
    [['01', '1', '1.0'], ['18-25', '18–25']]
    """
    same: dict[str, list[str]] = {}
    for text in texts:
        folded = _folded(text)
        if letters:
            parts = unicodedata.normalize("NFKD", folded)
            folded = JOINS.sub("", "".join(c for c in parts if unicodedata.category(c) != "Mn"))
            folded = DASHES.sub("-", folded)
            if number := NUMBER.fullmatch(folded):
                folded = " ".join(part or "" for part in number.groups())
        same.setdefault(folded, []).append(text)
    return [sorted(some) for some in same.values() if len(some) > 1]


def initials(texts: Sequence[str]) -> list[list[str]]:
    """Return the texts of one letter, each with the only longer one that begins with it.

    >>> initials(["F", "M", "Female", "Male"]), initials(["A", "Asian", "Afro"])
    ([['F', 'Female'], ['M', 'Male']], [])
    """
    found = []
    for letter in sorted(text for text in texts if len(text) == 1 and text.isalpha()):
        first = _folded(letter)
        longer = {text: name for text in texts if (name := _folded(text))[:1] == first != name}
        (name, *others) = {*longer.values()} or {""}
        if len(name) >= LONG and not others and name not in MISSING:
            found.append([letter, *sorted(longer)])
    return found


def names_to_check(name: str, texts: Iterable[str]) -> str:
    """Return what to check in the names of groups, persons or the like in a column; "" for nothing.

    >>> names_to_check("sex", ["F", "f", "M"])
    "Column `sex` has values that look alike and count as different: 'F', 'f'."
    """
    found, texts = [], sorted(texts)
    if len(texts) > MOST_ALIKE:
        return ""
    if same := [*alike(texts, letters=True), *initials(texts)]:
        pairs = "; ".join(listed(map(ascii, some)) for some in same[:FEW_ALIKE])
        more = f"; and {len(same) - FEW_ALIKE} more" if len(same) > FEW_ALIKE else ""
        found.append(
            f"Column `{name}` has values that look alike and count as different: {pairs}{more}."
        )
    if unread := [text for text in texts if text.strip().lower() in UNREAD]:
        found.append(
            f"Column `{name}` has values that may mean a missing one and count as any other: "
            f"{listed(unread)}. If they do, leave the cells empty."
        )
    return " ".join(found)


def _folded(text: str) -> str:
    if text.isascii():
        return " ".join(text.casefold().split())
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", visible).casefold().split())


def check_alike(texts: Sequence[str], role: str) -> None:
    """Raise InputError where a label or a prediction writes one value in two ways."""
    for some in alike(texts):
        raise InputError(
            f"{role} writes one value as {listed(map(ascii, some))}: write it in one way."
        )


def _times(times: Iterable[re.Match[str]]) -> list[str]:
    """Write times of days, without times where all are midnights of dates."""
    parts = []
    for date, time, fraction, utc, hours, minutes in (match.groups() for match in times):
        zone = f"{hours or '+00'}:{minutes or '00'}" if utc or hours else ""
        parts.append((date, time, f".{fraction}" if fraction else "", zone))
    if all(date and rest == [MIDNIGHT, "", ""] for date, *rest in parts):
        return [date for date, *_ in parts]
    return [f"{date or ''} {''.join(rest)}".lstrip() for date, *rest in parts]
