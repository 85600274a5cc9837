"""Counts, means and spreads of numbers from sums that are exact, so that they can be merged.

A sum is held as a whole number of the smallest unit of a float. Whole numbers are added without
rounding, so the bits of a mean depend neither on the order of the numbers nor on their division
into chunks; it is rounded once, at the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import add

import numpy as np

from fairpairs.base.arrays import Floats, Integers

#: Bits of the mantissa of a float.
MANTISSA = 53
#: Smallest and largest exponent of `np.frexp`: those of 2^-1074 and 2^1023.
SMALLEST, LARGEST = -1073, 1024
#: A sum is a multiple of 2^-UNIT, a sum of squares of its square.
UNIT = MANTISSA - SMALLEST


@dataclass(frozen=True)
class Moments:
    """Exact sums of numbers; those of several chunks are merged by `+`."""

    #: How many numbers, without NaN.
    count: int = 0
    #: The sum in units of 2^-1126, that of squares in units of 2^-2252, without infinite numbers.
    total: int = 0
    squares: int = 0
    #: The sum of the infinite numbers.
    infinite: float = 0.0

    def __add__(self, other: Moments) -> Moments:
        return Moments(*map(add, vars(self).values(), vars(other).values()))

    @property
    def mean(self) -> float:
        """The mean; NaN of no numbers."""
        if self.infinite:
            return self.infinite
        return _ratio(self.total, self.count << UNIT)

    @property
    def sd(self) -> float:
        """The standard deviation, with the denominator n − 1 in the variance; NaN of one number."""
        if self.infinite or self.count < 2:
            return math.nan
        n = self.count
        return math.sqrt(_ratio(n * self.squares - self.total**2, n * (n - 1) << 2 * UNIT))

    @property
    def standard_error(self) -> float:
        """The standard error of the mean."""
        return self.sd / math.sqrt(self.count) if self.count else math.nan


def moments(values: Floats, group: Integers, groups: int) -> list[Moments]:
    """Return the exact sums of the numbers of each group, 0 to `groups` − 1; NaN are left out.

    A float is a whole number of 53 bits times a power of two: all are put over the least one.
    """
    known = ~np.isnan(values)
    finite = np.isfinite(values)
    count = np.bincount(group[known], minlength=groups)
    infinite = np.bincount(group[np.isinf(values)], values[np.isinf(values)], minlength=groups)
    mantissa, exponent = np.frexp(values[finite])
    whole = np.ldexp(mantissa, MANTISSA).astype(np.int64)
    lowest = int(exponent.min(initial=LARGEST))
    total, squares = ([0] * groups for _ in range(2))
    columns = (x.tolist() for x in (group[finite], whole, exponent - lowest))
    for code, number, shift in zip(*columns, strict=True):
        shifted = number << shift
        total[code] += shifted
        squares[code] += shifted * shifted
    unit = lowest - SMALLEST
    sums = zip(count.tolist(), total, squares, infinite.tolist(), strict=True)
    return [Moments(n, one << unit, two << 2 * unit, beyond) for n, one, two, beyond in sums]


def _ratio(numerator: int, denominator: int) -> float:
    """Divide whole numbers of any size, rounded once; NaN over 0."""
    if not denominator:
        return math.nan
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf
