"""Numbers in texts: a whole column decides which of point and comma is its decimal mark."""

from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from fairpairs.base.errors import InputError

#: The end of a number in scientific notation.
EXPONENT = r"([eE][+-]?[0-9]+)?"
#: A number with a decimal point and nothing between its thousands.
PLAIN = rf"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+){EXPONENT}"
#: Numbers that a point may part into thousands or decimals.
DOUBTFUL = r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}"
NAMES = {",": "comma", ".": "point"}


class Texts(Protocol):
    """The texts of a column that are not missing."""

    def fit(self, pattern: str) -> bool:
        """Return whether each of them matches a pattern as a whole."""

    def first(self, mark: str) -> str | None:
        """Return one that holds a mark, None where there is none."""


@dataclass(frozen=True)
class ArrowTexts:
    """Texts in memory."""

    texts: pa.Array

    def fit(self, pattern: str) -> bool:
        """Return whether each of them matches a pattern as a whole."""
        return pc.all(pc.match_substring_regex(self.texts, f"^({pattern})$")).as_py() is not False

    def first(self, mark: str) -> str | None:
        """Return the first that holds a mark."""
        found = self.texts.filter(pc.match_substring(self.texts, mark))
        return found[0].as_py() if len(found) else None


def grammar(mark: str) -> str:
    """Return the pattern of numbers with this decimal mark, with or without marks of thousands."""
    point, comma = (r"\.", ",") if mark == "." else (",", r"\.")
    thousands = rf"[1-9][0-9]{{0,2}}({comma}[0-9]{{3}})+({point}[0-9]*)?"
    return rf"[+-]?({thousands}|([0-9]+({point}[0-9]*)?|{point}[0-9]+){EXPONENT})"


def decimal_mark(texts: Texts, place: str, named: str | None, *, european: bool) -> str:
    """Return the decimal mark of texts, "" where one of them is no number.

    `named` is what the user says that it is; `european` is whether semicolons part the columns, as
    spreadsheets write them where a comma is the decimal mark. InputError where two marks fit.

    >>> decimal_mark(ArrowTexts(pa.array(["0,5", "1,287"])), "s", None, european=False)
    ','
    """
    if named is not None:
        if texts.fit(grammar(named)):
            return named
        if texts.fit(grammar("." if named == "," else ",")):
            raise InputError(
                f"{place} holds numbers such as {texts.first('.' if named == ',' else ',')}: "
                f"--decimal {named!r} does not fit all: leave it out, or write them in one way."
            )
        return ""
    if texts.fit(PLAIN):
        doubtful = european and texts.fit(rf"[^.]*|{DOUBTFUL}") and texts.first(".")
        if doubtful:
            raise _unclear(place, doubtful, ".")
        return "."
    marks = [mark for mark in NAMES if texts.fit(grammar(mark))]
    if len(marks) > 1:
        raise _unclear(place, str(texts.first(",")), ",")
    return marks[0] if marks else ""


def _unclear(place: str, text: str, mark: str) -> InputError:
    other = "." if mark == "," else ","
    return InputError(
        f"{place} holds {text}: {text.replace(mark, '.')} if a {NAMES[mark]} marks decimals, "
        f"{text.replace(mark, '')} if it marks thousands: give the command --decimal "
        f"{mark!r} for the first, --decimal {other!r} for the second, or write the numbers without "
        f"thousands and with a decimal point."
    )


def point_of(text: str, mark: str) -> str:
    """Return a number of this decimal mark with a point, and without marks of thousands.

    >>> point_of("1.234,5", ","), point_of("1,234.5", ".")
    ('1234.5', '1234.5')
    """
    return text.replace("." if mark == "," else ",", "").replace(mark, ".")


def note(name: str, texts: Texts, mark: str) -> str:
    """Return how a column was read, "" where its numbers have a point and nothing else."""
    text = texts.first(",") or (texts.first(".") if mark == "," else None)
    return "" if text is None else f"Column `{name}`: {text} is read as {point_of(text, mark)}."
