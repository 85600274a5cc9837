"""Number, mean and central moments of values in cells."""

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

    def __getitem__(self, index: Any) -> Moments:
        """Return the moments of some cells."""
        return Moments(self.n[index], self.mean[index], self.second[index], self.third[index])

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
