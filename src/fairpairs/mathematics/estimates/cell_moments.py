"""Number, mean and central moments of values in cells, added chunk by chunk.

References: P. Pébay (2008), Formulas for robust, one-pass parallel computation of covariances and
arbitrary-order statistical moments, equations 1.1 to 1.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairpairs.base.arrays import Array, Floats, Integers


@dataclass(frozen=True)
class Moments:
    """Number, mean and central moments of the values of some cells, arrays of one shape."""

    n: Floats
    #: 0 where there are no values.
    mean: Floats
    #: Sums of the second and third powers of the distances from the mean.
    second: Floats
    third: Floats

    @classmethod
    def of(cls, values: Floats, cell: Array, k: int, count: Integers | None = None) -> Moments:
        """Return the moments of values in k cells; `count` is how often each value occurs."""
        times = np.ones(len(values)) if count is None else count.astype(float)

        def sums(addends: Floats) -> Floats:
            return np.bincount(cell, addends, minlength=k).astype(np.float64)

        n = sums(times)
        mean = sums(times * values) / np.maximum(n, 1)
        centred = values - mean[cell]
        squares = times * centred**2
        return cls(n, mean, sums(squares), sums(squares * centred))

    @classmethod
    def none(cls, k: int) -> Moments:
        """Return the moments of k cells without values."""
        return cls(*np.zeros((4, k)))

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of the values of both."""
        n = self.n + other.n
        share = other.n / np.maximum(n, 1)
        apart = np.where((self.n > 0) & (other.n > 0), other.mean - self.mean, 0.0)
        mean = np.where(self.n > 0, self.mean + apart * share, other.mean)
        between = apart * self.n * share
        crossed = self.n * other.second - other.n * self.second
        added = between * apart * (self.n - other.n) + 3 * crossed
        second = self.second + other.second + apart * between
        third = self.third + other.third + apart * added / np.maximum(n, 1)
        return Moments(n, mean, second, third)

    def __getitem__(self, index: Any) -> Moments:
        """Return the moments of some cells."""
        return Moments(self.n[index], self.mean[index], self.second[index], self.third[index])

    def subtracted_from(self, minuend: Floats) -> Moments:
        """Return the moments of `minuend`, one number for each cell, minus the values."""
        mean = np.where(self.n > 0, minuend - self.mean, 0.0)
        return Moments(self.n, mean, self.second, -self.third)

    def by(self, group: Array, k: int) -> Moments:
        """Return the moments of k groups of cells, `group` being that of each cell, 0 to k − 1."""
        total = Moments.none(k)
        for index, code in enumerate(np.asarray(group).tolist()):
            alone = Moments.none(k)
            for target, source in zip(vars(alone).values(), vars(self).values(), strict=True):
                target[code] = source[index]
            total = total + alone
        return total

    @property
    def variance(self) -> Floats:
        """Variance with ddof 1; NaN for fewer than two values."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.n > 1, self.second / (self.n - 1), np.nan)

    @property
    def skewness(self) -> Floats:
        """Skewness, not corrected for the number of values; 0 where they do not vary."""
        spread = self.second**1.5
        some = np.where(spread > 0, spread, 1.0)  # 0 also for tiny values
        return np.where(spread > 0, np.sqrt(np.maximum(self.n, 1)) * self.third / some, 0.0)
