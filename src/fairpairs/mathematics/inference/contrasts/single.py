"""The score statistic of one difference of rates, or of means of two, by numbers, not arrays.

The formulas are those of `score`, and the results are the same to the last bit, in an eighth of the
time: nearly all contrasts of an audit are single.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

#: Steps of a search for a root: whether it is found, and the last point.
Search: TypeAlias = Iterator[tuple[bool, float]]
#: An estimate this near to a null value is equal to it.
ROUNDING = 1e-12
#: The logarithm of the multiplier is searched this far around those of the trials.
FARTHEST = 45.0
#: Most steps of a search, which takes about ten, and the width of a bracket at which it ends.
STEPS, NARROW = 100, 1e-13


@dataclass(frozen=True)
class Difference:
    """The first of two rates minus the second; how much nearer to a null value it counts."""

    #: How many rates there are.
    number: ClassVar[int] = 2
    rates: tuple[float, ...]
    trials: tuple[float, ...]
    correlation: float | None
    nearer: float
    #: Whether it stands for one of several: `score` adds their covariances in another order.
    of_several: bool = False

    @property
    def estimate(self) -> float:
        """The difference."""
        return self.rates[0] - self.rates[1]

    def statistic(self, null: float) -> float:
        """Return how many standard errors it lies above a value, corrected for skewness."""
        apart = self.estimate - null
        sign = 1.0 if apart > 0 else -1.0
        jump = sign * max(abs(apart) - self.nearer, 0.0)
        if abs(jump) <= ROUNDING:
            return 0.0
        if abs(null) >= 1:
            return math.copysign(math.inf, apart)

        def beyond(log: float) -> float:
            return sign * (null - self._sum(self._restricted(sign * math.exp(log)), alone=True))

        (log,) = _roots([self._search(beyond)])
        return self._corrected(jump, self._restricted(sign * math.exp(log)))

    def search_limit(self, sign: float, quantile: float) -> Search:
        """Search the multiplier at which the statistic is ±quantile."""
        estimate = self.estimate

        def beyond(log: float) -> float:
            rates = self._restricted(sign * math.exp(log))
            apart = estimate - self._sum(rates) - sign * self.nearer
            return sign * self._corrected(apart, rates) - quantile

        return self._search(beyond)

    def ends(self, logs: tuple[float, float]) -> tuple[float, float]:
        """Return the null values of two multipliers, on both sides of the estimate."""
        low, high = math.exp(logs[0]), -math.exp(logs[1])
        below, above = (self._sum(self._restricted(multiplier)) for multiplier in (low, high))
        return min(below, self.estimate), max(above, self.estimate)

    def _search(self, beyond: Callable[[float], float]) -> Search:
        low, high = math.log(min(self.trials)) - FARTHEST, math.log(max(self.trials)) + FARTHEST
        return _search(beyond, low, high)

    def _sum(self, rates: tuple[float, ...], *, alone: bool = False) -> float:
        """Return the difference of other rates; `alone` as `score` adds those of a vector."""
        return rates[0] - rates[1]

    def _restricted(self, multiplier: float) -> tuple[float, ...]:
        """Return the likeliest rates p with trials (rates − p) = multiplier factors p (1 − p)."""
        (first, second), (n, m) = self.rates, self.trials
        return _moved(multiplier, n, first), _moved(-multiplier, m, second)

    def _moments(self, rates: tuple[float, ...]) -> tuple[float, float, float]:
        """Return the variance, that of independent rates, and the third central moment."""
        (p, q), (n, m) = rates, self.trials
        one, two = p * (1 - p) / n, q * (1 - q) / m
        independent = variance = one + two
        if self.correlation is not None:
            error, other = math.sqrt(one), -math.sqrt(two)
            rows = error * self.correlation * other, other * self.correlation * error
            if self.of_several:
                variance = error * error + rows[0] + rows[1] + other * other
            else:
                variance = (error * error + rows[0]) + (rows[1] + other * other)
        return variance, independent, one * (1 - 2 * p) / n - two * (1 - 2 * q) / m

    def _corrected(self, apart: float, rates: tuple[float, ...]) -> float:
        """Return the z for which `apart` is z + g (z² − 1) / 6 errors, with the skewness g."""
        variance, independent, third = self._moments(rates)
        t = _over(apart, math.sqrt(max(variance, 0.0)))
        sixth = _over(third, independent**1.5) / 6
        if not math.isfinite(sixth):
            z = t
        else:
            root = math.sqrt(max(1 + 4 * sixth * (sixth + t), 0.0))
            z = 2 * (sixth + t) / (1 + root)
        return math.copysign(0.0 if apart == 0 else math.inf, apart) if math.isnan(z) else z


class DifferenceOfMeans(Difference):
    """The mean of the last two of four independent rates minus that of the first two."""

    number = 4

    @property
    def estimate(self) -> float:
        """The difference."""
        return self._sum(self.rates, alone=True)

    def _sum(self, rates: tuple[float, ...], *, alone: bool = False) -> float:
        one, two, three, four = rates
        if alone:
            return -0.5 * one - 0.5 * two + 0.5 * three + 0.5 * four
        return (0.5 * three - 0.5 * one) + (0.5 * four - 0.5 * two)  # as BLAS adds

    def _restricted(self, multiplier: float) -> tuple[float, ...]:
        half = 0.5 * multiplier
        slopes = -half, -half, half, half
        return tuple(map(_moved, slopes, self.trials, self.rates))

    def _moments(self, rates: tuple[float, ...]) -> tuple[float, float, float]:
        one, two, three, four = (
            0.25 * p * (1 - p) / n for p, n in zip(rates, self.trials, strict=True)
        )
        variance = one + two + three + four
        one, two, three, four = (
            0.5 * square * (1 - 2 * p) / n
            for square, p, n in zip((one, two, three, four), rates, self.trials, strict=True)
        )
        return variance, variance, -one - two + three + four


class DifferenceOfProducts(Difference):
    """The product of the first two of four independent rates minus that of the others."""

    number = 4

    @property
    def estimate(self) -> float:
        """The difference."""
        return self._sum(self.rates)

    def _sum(self, rates: tuple[float, ...], *, alone: bool = False) -> float:
        return rates[0] * rates[1] - rates[2] * rates[3]

    def _restricted(self, multiplier: float) -> tuple[float, ...]:
        one, two, three, four = (
            (p * n + 0.5) / (n + 1) for p, n in zip(self.rates, self.trials, strict=True)
        )
        slopes = multiplier * two, multiplier * one, -multiplier * four, -multiplier * three
        return tuple(map(_moved, slopes, self.trials, self.rates))

    def _moments(self, rates: tuple[float, ...]) -> tuple[float, float, float]:
        spreads = [p * (1 - p) / n for p, n in zip(rates, self.trials, strict=True)]
        squares, thirds = [], []
        for i, j in enumerate((1, 0, 3, 2)):
            p, other, both = rates[i], rates[j], spreads[i] * spreads[j]
            squares.append(other * other * spreads[i] + both / 2)
            third = other**3 * spreads[i] * (1 - 2 * p) / self.trials[i] + 3 * p * other * both
            thirds.append(third)
        variance = squares[0] + squares[1] + squares[2] + squares[3]
        return variance, variance, thirds[0] + thirds[1] - thirds[2] - thirds[3]


def _over(a: float, b: float) -> float:
    """Return a / b; infinite or NaN over 0."""
    if b == 0:
        return math.nan if a == 0 else math.copysign(math.inf, a)
    return a / b


def _moved(slope: float, trials: float, rate: float) -> float:
    """Return the rate p with trials (rate − p) = slope p (1 − p)."""
    half = slope + trials
    root = math.sqrt(max(half * half - 4 * slope * trials * rate, 0.0))
    p = 2 * trials * rate / (half + root) if half > 0 else (half - root) / (2 * slope)
    return min(max(p, 0.0), 1.0)


def limits_of(
    differences: Sequence[Difference], quantiles: Sequence[float]
) -> list[tuple[float, float]]:
    """Return the null values whose statistics are ± a quantile.

    >>> difference = Difference((0.7, 0.6), (50.0, 100.0), None, 0.0)
    >>> [(round(low, 3), round(high, 3)) for low, high in limits_of([difference], [1.96])]
    [(-0.065, 0.253)]
    """
    both = list(zip(differences, quantiles, strict=True))
    logs = _roots(
        [of.search_limit(sign, quantile) for of, quantile in both for sign in (1.0, -1.0)]
    )
    pairs = zip(differences, zip(logs[::2], logs[1::2], strict=True), strict=True)
    return [difference.ends(pair) for difference, pair in pairs]


def _roots(searches: Sequence[Search]) -> list[float]:
    """Return what is found; all search for as long as the slowest, as by `score`."""
    for _ in range(STEPS):
        found = [next(search) for search in searches]
        if all(done for done, _ in found):
            break
    return [point for _, point in found]


def _search(beyond: Callable[[float], float], low: float, high: float) -> Search:
    """Yield whether the root is found, and the last point, by the method of `score`."""
    one, at_one, two, at_two, share = high, beyond(high), low, beyond(low), 0.5
    while at_one <= 0:
        yield True, high
    while at_two >= 0:
        yield True, low
    while True:
        point = one + share * (two - one)
        three, at_three, at_point = one, at_one, beyond(point)
        if (at_point > 0) != (at_one > 0):
            three, at_three, two, at_two = two, at_two, one, at_one
        one, at_one = point, at_point
        while at_one == 0:
            yield True, one
        width, near = abs(two - one), NARROW * max(abs(one), 1.0)
        yield width <= near, one
        xi, phi = (one - two) / (three - two), (at_one - at_two) / (at_three - at_two)
        share = 0.5
        if phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi:
            inverse = at_one / (at_two - at_one) * at_three / (at_two - at_three)
            rest = at_one / (at_three - at_one) * at_two / (at_three - at_two)
            inverse = inverse + (three - one) / (two - one) * rest
            share = inverse if math.isfinite(inverse) else 0.5
        least = 0.5 * near / max(width, NARROW)
        share = min(max(share, least), 1 - least)
