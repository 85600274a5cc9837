"""The difference of two means, tested against any value.

Where values are skewed the p-value is the largest one of Welch's t, of Hall's transformation of it,
and of shuffles of the groups (docs/explanation/methods.md, "Within a margin").

References: P. Hall (1992), On the removal of skewness by transformation, section 2; A. Janssen
(1997), Studentized permutation tests for non-i.i.d. hypotheses and the generalized Behrens-Fisher
problem.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.inference.contrast import (
    Contrast,
    ScaledContrast,
    StudentContrast,
    student_quantile,
    student_tail,
)
from fairpairs.mathematics.inference.contrasts.binomial import BinomialContrast
from fairpairs.mathematics.inference.shuffled_means import (
    MAX_SUBSET,
    MIN_SHUFFLES,
    SHUFFLES,
    ShuffledPair,
    drawn_subsets,
    few_shuffles,
    moments_of_both,
    skewness_of_difference,
    welch_skewness,
)
from fairpairs.mathematics.inference.welch import ROUNDING, welch_t, welch_test

#: Skewness of the difference of means from which on one side of Welch's t is not trusted: its level
#: is 0.05 ± 0.11 times the skewness (Hall 1992, equation 2.1).
MAX_SKEWNESS = 0.04
#: A smaller skewness changes nothing.
SYMMETRIC = 1e-8
#: Tolerance of the ends of intervals, in standard errors.
PRECISION = 1e-4
#: The farthest end of an interval that is searched for, in standard errors.
WIDEST = 50.0


@dataclass(frozen=True, eq=False)
class WelchContrast(Contrast):
    """The difference of the means of groups 1 and 0, shown where all of its tests show it."""

    moments: Moments
    #: Typical size of a value; what is below 10⁻¹² of it is rounding.
    scale: float = 1.0
    #: The values, to be shuffled if they are skewed, and their groups, 0 or 1: two or more items of
    #: each, which are not all equal. None for very many, of which the moments are known alone.
    sample: tuple[Floats, Integers] | None = None

    @classmethod
    def of(cls, values: Floats, member: Integers, scale: float = 1.0) -> WelchContrast:
        """Return the contrast of values that can be shuffled."""
        return cls(Moments.of(values, member, 2), scale, (values, member))

    @property
    def estimate(self) -> float:  # type: ignore[override]  # no field here
        """The difference."""
        return self.welch.estimate

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        ends = [test.limits(alpha) for test in self._tests]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def tail(self, null: float, side: int) -> float:
        """Return the one-sided p-value of: the difference is `null` or less (side 1), or more."""
        return max(test.tail(null, side) for test in self._tests)

    @cached_property
    def welch(self) -> StudentContrast:
        """Welch's t alone."""
        groups = self.moments
        test = welch_test(groups.mean, groups.variance, groups.n, scale=self.scale)
        return StudentContrast(float(test.estimate), float(test.error), float(test.dof))

    @cached_property
    def skewness(self) -> float:
        """Skewness of the difference of the means, the largest that values let expect."""
        if self.sample is not None:
            return welch_skewness(*self.sample)
        groups = self.moments
        return skewness_of_difference(groups.n, np.sqrt(groups.second / groups.n), groups.skewness)

    @cached_property
    def _tests(self) -> tuple[Contrast, ...]:
        if self.skewness <= MAX_SKEWNESS:
            return (self.welch,)
        n = self.moments.n
        # unbiased; two items show none
        third = self.moments.third / np.maximum((n - 1) * (n - 2), 1) / n
        skewness = float((third[1] - third[0]) / self.welch.error**3)
        tests = self.welch, _Transformed(self.welch, skewness)
        return tests if self.sample is None else (*tests, _Shuffles.drawn(self.welch, *self.sample))


@dataclass(frozen=True)
class _Transformed(Contrast):
    """Welch's t as ((1 + g t / 3)³ − 1) / g + g / 6, with the skewness g (Hall 1992, section 2)."""

    welch: StudentContrast
    skewness: float

    def limits(self, alpha: float) -> tuple[float, float]:
        quantile, g = student_quantile(alpha / 2, self.welch.df), self.skewness
        ends = [quantile, -quantile]
        if abs(g) >= SYMMETRIC:  # the t that are transformed to the quantiles
            ends = [float(3 / g * (np.cbrt(1 + g * (z - g / 6)) - 1)) for z in ends]
        low, high = (self.welch.estimate - t * self.welch.error for t in ends)
        return low, high

    def tail(self, null: float, side: int) -> float:
        t, g = (self.welch.estimate - null) / self.welch.error, self.skewness
        transformed = t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6
        return student_tail(side * transformed, self.welch.df)


@dataclass(frozen=True, eq=False)
class _Shuffles(Contrast):
    """Welch's t of shuffles of values, of which those of group 1 are shifted by a null value.

    A shift changes the moments of a shuffled group by the number of its items that are of group 1,
    and by their sum, so that one draw of shuffles serves any null value.
    """

    #: Of the groups as they are.
    welch: StudentContrast
    #: Of the smaller group as observed, then of each shuffle of it: sums of the values and of their
    #: squares, number of items of group 1, and sum of their values, shape (4, B + 1).
    moments: Floats
    #: The same of all items, shape (4,).
    whole: Floats
    #: Items of the smaller group and of the other, shape (2,).
    sizes: Floats
    #: 1 if the smaller group is group 1, else −1.
    sign: float
    #: Whether these are all shuffles there are.
    exact: bool

    @staticmethod
    def drawn(welch: StudentContrast, values: Floats, member: Integers) -> _Shuffles:
        """Shuffle the groups, by a fixed seed."""
        sizes = np.bincount(member, minlength=2)
        few, n = int(sizes.argmin()), len(values)
        size = int(sizes[few])
        # sorted, so that the order of the items does not matter
        order = np.lexsort([member, values])
        values, member = values[order], member[order]
        centred = values - values.mean()  # sums of squares of large numbers lose digits
        columns = np.stack([centred, centred**2, member, centred * member])
        exact, number = few_shuffles(n, size), SHUFFLES if size <= MAX_SUBSET else MIN_SHUFFLES
        blocks = drawn_subsets(n, size, number, np.random.default_rng(0))
        observed = columns[:, member == few].sum(axis=1, keepdims=True)
        sums = [np.stack([column[block].sum(axis=1) for column in columns]) for block in blocks]
        moments, whole = np.concatenate([observed, *sums], axis=1), columns.sum(axis=1)
        counts = np.array([size, n - size], dtype=float)
        return _Shuffles(welch, moments, whole, counts, 1.0 if few else -1.0, exact)

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha: what neither side rejects."""
        return self._end(alpha / 2, 1), self._end(alpha / 2, -1)

    def _end(self, tail: float, side: int) -> float:
        """Return the value on one side of the estimate whose p-value is `tail`."""
        from scipy.optimize import brentq  # noqa: PLC0415  (slow)

        estimate = self.welch.estimate

        def over(errors: float) -> float:
            return self.tail(estimate - side * errors * self.welch.error, side) - tail

        if over(WIDEST) > 0:
            return -side * np.inf
        errors = float(brentq(over, 0, WIDEST, xtol=PRECISION)) if over(0) > 0 else 0.0
        return estimate - side * errors * self.welch.error

    def tail(self, null: float, side: int) -> float:
        """Return the chance of a t as large (side 1), or as small (−1), among the shuffles."""

        def shifted(sums: Floats) -> tuple[Floats, Floats]:
            first, second, items, products = sums
            return first - null * items, second - 2 * null * products + null**2 * items

        few, whole = shifted(self.moments), shifted(self.whole)
        mean, variance = moments_of_both(few, whole, self.sizes)
        t = -side * self.sign * welch_t(mean, variance, self.sizes)
        # equal values of a discrete statistic may differ by rounding
        as_far = (t[1:] >= t[0]) | np.isclose(t[1:], t[0], rtol=1e-9, atol=1e-9)
        return float((as_far.sum() + (not self.exact)) / (len(t) - self.exact))


def mean_contrast(
    values: Floats, member: Integers, pair: ShuffledPair | None, *, scale: float = 1.0
) -> Contrast | None:
    """Return the tests of a difference of two means against any value.

    `pair` is what `shuffled_pair` returns for the same values. None where values hardly vary, or
    where a group has fewer than two items.
    """
    if pair is None:
        return WelchContrast.of(values, member, scale)
    values = np.round(values / (ROUNDING * scale)) * (ROUNDING * scale)
    kinds, kind = np.unique(values, return_inverse=True)
    if len(kinds) == 2:
        n, high = np.bincount(member, minlength=2), np.bincount(member, kind, minlength=2)
        counts = BinomialContrast((int(high[1]), int(high[0])), (int(n[1]), int(n[0])))
        return ScaledContrast(counts, float(np.ptp(kinds)))
    return WelchContrast.of(values, member, scale) if np.isfinite(pair.ci_low) else None
