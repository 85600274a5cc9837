"""The numbers that a verdict on a conclusion rests on, and how they are written."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, SupportsFloat

from fairpairs.base.arrays import Series
from fairpairs.base.errors import shown
from fairpairs.base.texts import MISSING, decimals


class CannotTellError(Exception):
    """Ends a check whose tables do not say whether the claim holds; its text says why."""


@dataclass(frozen=True)
class Mean:
    """A mean over repeats; CannotTellError for NaN, when the run has no such number."""

    value: float
    #: Standard error; 0 for a number without chance.
    error: float = 0.0
    #: Number of repeats; inf for a number without chance, or with a known error.
    runs: float = math.inf

    def __post_init__(self) -> None:
        if math.isnan(self.value):
            raise CannotTellError("The run has not all numbers that it rests on.")

    @classmethod
    def of(cls, row: Series, value: str = "mean") -> "Mean":
        """Return the mean of a row of a table, with its `standard_error` and `repeats`."""
        return cls(row[value], row["standard_error"], row["repeats"])

    def __abs__(self) -> "Mean":
        return Mean(abs(self.value), self.error, self.runs)

    def __str__(self) -> str:
        if not 0 < self.error < math.inf:
            return written(self.value)
        places = max(0, 1 - math.floor(math.log10(self.error)))
        return f"{decimals(self.value, places)} ± {decimals(self.error, places)}"


class Count(NamedTuple):
    """How many of all cases."""

    number: float
    cases: float

    def __str__(self) -> str:
        return f"{written(self.number)} of {written(self.cases)}"

    @classmethod
    def of(cls, cases: Iterable[object]) -> "Count":
        """Count the true ones of some cases.

        >>> str(Count.of([True, False, True]))
        '2 of 3'
        """
        true = [bool(case) for case in cases]
        return cls(sum(true), len(true))


class Span(NamedTuple):
    """The smallest and the largest of several values."""

    low: float
    high: float

    def __str__(self) -> str:
        return " to ".join(dict.fromkeys(map(written, self)))


class Printed(NamedTuple):
    """Our value, and what the paper prints."""

    ours: object
    printed: object

    def __str__(self) -> str:
        return f"{written(self.ours)} (printed {written(self.printed, digits=6)})"


#: Name → number, `Mean`, `Count`, `Span`, `Printed`, or several of these.
Numbers = dict[str, object]


def span(values: Iterable[float | Mean]) -> Span:
    """Return the smallest and the largest of some values."""
    plain = [value.value if isinstance(value, Mean) else value for value in values]
    return Span(min(plain), max(plain))


def written(value: object, *, digits: int = 3) -> str:
    """Write a value: so many digits, or as many as its standard error has with two.

    >>> written(0.24512), written(14641), written(Mean(0.01163, 0.00047)), written(Count(3, 4))
    ('0.245', '14,641', '0.01163 ± 0.00047', '3 of 4')
    >>> written(Printed([0.7, Span(0.1, 0.1)], 79.78))
    '0.7, 0.1 (printed 79.78)'
    """
    if isinstance(value, Mean | Count | Span | Printed):
        return str(value)
    if isinstance(value, list | tuple):
        return ", ".join(written(part, digits=digits) for part in value)
    if not isinstance(value, SupportsFloat):
        raise TypeError(f"{shown(value)} is no number")
    number = float(value)
    if not math.isfinite(number):
        return MISSING
    whole = number == round(number) or abs(number) >= 1000
    return f"{number + 0.0:,.0f}" if whole else f"{number:.{digits}g}"
