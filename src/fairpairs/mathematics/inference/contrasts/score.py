"""Sums of rates, each times a number, tested against any value by the score statistic.

docs/explanation/inference.md, section 4, has its variance, its skewness and its jumps.

References: C. P. Farrington and G. Manning (1990), Test statistics and sample size formulae for
comparative binomial trials with null hypothesis of non-zero risk difference (two rates); A. Martín
Andrés, M. Álvarez Hernández and I. Herranz Tejedor (2011), Inferences about a linear combination of
proportions (any number); J. J. Gart and J. Nam (1990), Approximate interval estimation of the
difference in binomial parameters: correction for skewness and extension to multiple tables; P. J.
Laud (2017), Equal-tailed confidence intervals for comparison of rates.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.special import stdtr, stdtrit

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.crossing import crossing
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.rates import ratio_limits

#: A number of one contrast; an array of those of many.
Number: TypeAlias = Any

#: An estimate this near to a null value is equal to it.
ROUNDING = 1e-12
#: The logarithm of the multiplier is searched this far around those of the trials.
FARTHEST = 45.0
#: Of two products of rates: the other rate of each, and its sign.
PARTNERS, SIGNS = [1, 0, 3, 2], np.array([1.0, 1.0, -1.0, -1.0])
#: An interval that ends at 0 and leaves it out ends here.
BESIDE_0 = 1e-12


@dataclass(frozen=True, eq=False)
class ScoreContrast(Contrast):
    """A sum of L rates, each times a number; or many such sums, along leading axes.

    >>> contrast = ScoreContrast(np.array([0.7, 0.6]), np.array([50, 100]), np.array([1, -1]))
    >>> [round(float(limit), 3) for limit in contrast.limits(0.05)]
    [-0.065, 0.253]
    """

    #: Shape (..., L), as the next one.
    rates: Floats
    #: The independent trials that each rate is worth, any numbers above 0.
    trials: Floats
    #: What each rate is multiplied by, shape (L,): 1 and −1 for a difference of two.
    factors: Floats
    #: Of the estimates of the rates, shape (..., L, L); None where they are independent.
    correlation: Floats | None = None
    #: Shape (...).
    df: Floats | float = np.inf
    #: How much nearer to a null value the estimate counts, shape (...); see `continuity`.
    nearer: Floats | float = 0.0
    #: The least variance of the sum, which is taken to be not skewed, shape (...).
    least: Floats | float = 0.0
    #: The statistic at each null value that was asked for: tests in both directions share it.
    _statistics: dict[float, Floats] = field(default_factory=dict, init=False, repr=False)
    #: The intervals that were computed `at_once` with those of other contrasts, by their alpha.
    _limits: dict[float, tuple[float, float]] = field(default_factory=dict, init=False, repr=False)

    @property
    def estimate(self) -> Number:  # type: ignore[override]  # no field here
        """The sum."""
        return self._sum(self.rates)[()]

    def _sum(self, rates: Floats) -> Number:
        return rates @ self.factors

    def take(self, index: Any) -> Self:
        """Return one or some of many sums."""
        correlation = None if self.correlation is None else self.correlation[index]
        others = (
            x if np.ndim(x) == 0 else np.asarray(x)[index]
            for x in (self.df, self.nearer, self.least)
        )
        rates, trials = self.rates[index], self.trials[index]
        return type(self)(rates, trials, self.factors, correlation, *others)

    def limits(self, alpha: float) -> tuple[Number, Number]:
        """Return the interval that covers 1 − alpha."""
        if alpha in self._limits:
            return self._limits[alpha]
        quantile: Number = -stdtrit(self.df, alpha / 2)
        low, high = self._limit(quantile, np.array([1.0, -1.0]))
        return low[()], high[()]

    def ratio(self, alpha: float) -> tuple[float, float, float]:
        """Return the ratio of two rates and its interval; infinite over 0, NaN where both are 0."""
        (first, second), shared = self.rates, self.correlation
        correlation = 0.0 if shared is None else shared[0, 1]
        variance = self.variance
        # as few as the least variance leaves
        fewer = self.trials * (variance / self.least if variance < self.least else 1)
        quantile = float(-stdtrit(self.df, alpha / 2))
        low, high = ratio_limits(first, second, (fewer[0], fewer[1]), quantile, correlation)
        ratio = first / second if second > 0 else (np.inf if first > 0 else np.nan)
        return float(ratio), float(low), float(high)

    def pvalue(self, null: float = 0.0) -> Number:
        """Return the two-sided p-value of: the sum is `null`."""
        return 2 * stdtr(self.df, -np.abs(self.statistic(null)))

    def tail(self, null: float, side: int) -> Number:
        """Return the one-sided p-value of: the sum is `null` or less (side 1), or more."""
        return stdtr(self.df, -side * self.statistic(null))

    @property
    def _scale(self) -> tuple[Floats, Floats]:
        """Logarithms of the least and the largest multiplier that are tried."""
        logs = np.log(self.trials)
        return logs.min(axis=-1) - FARTHEST, logs.max(axis=-1) + FARTHEST

    @np.errstate(invalid="ignore", divide="ignore", over="ignore")
    def _limit(self, quantile: Number, signs: Floats) -> Floats:
        """Return the null values whose statistic is ±quantile, on both sides, shape (2, ...)."""
        sign, estimate = signs.reshape(2, *(1,) * (self.rates.ndim - 1)), self.estimate

        def beyond(log: Floats) -> Floats:
            rates = self._restricted(sign * self._multiplier(log))
            apart = estimate - self._sum(rates) - sign * self.nearer
            return np.asarray(sign * self._corrected(apart, rates) - quantile)

        low, high = (np.broadcast_to(end, (2, *end.shape)) for end in self._scale)
        multiplier = sign * self._multiplier(crossing(beyond, low, high))
        nulls: Floats = self._sum(self._restricted(multiplier))
        below, above = np.minimum(nulls, estimate), np.maximum(nulls, estimate)
        limits: Floats = np.where(sign > 0, below, above)
        return limits

    def statistic(self, null: float) -> Number:
        """Return how many standard errors the sum lies above a value, corrected for skewness."""
        if null not in self._statistics:
            self._statistics[null] = self._new_statistic(null)[()]
        return self._statistics[null]

    @np.errstate(invalid="ignore", divide="ignore", over="ignore")
    def _new_statistic(self, null: float) -> Floats:
        apart, factors = self.estimate - null, self.factors
        least, most = factors[factors < 0].sum(), factors[factors > 0].sum()
        jump = np.copysign(np.maximum(np.abs(apart) - self.nearer, 0), apart)
        statistic = self._corrected(jump, self.likeliest(null))
        outside = (null <= least) | (null >= most)
        statistic = np.where(outside, np.copysign(np.inf, apart), statistic)
        return np.where(np.abs(jump) <= ROUNDING, 0.0, statistic)

    def likeliest(self, null: float) -> Floats:
        """Return the likeliest rates whose sum is a value."""
        sign = np.where(self.estimate > null, 1.0, -1.0)

        def beyond(log: Floats) -> Floats:
            return np.asarray(
                sign * (null - self._sum(self._restricted(sign * self._multiplier(log))))
            )

        return self._restricted(sign * self._multiplier(crossing(beyond, *self._scale)))

    def _multiplier(self, log: Floats) -> Floats:
        return np.exp(log)

    def _restricted(self, multiplier: Floats) -> Floats:
        """Return the likeliest rates p with trials (rates − p) = multiplier factors p (1 − p)."""
        return self._moved(multiplier[..., None] * self.factors)

    def _moved(self, slope: Floats) -> Floats:
        """Return the rates p with trials (rates − p) = slope p (1 − p)."""
        trials, rates = self.trials, self.rates
        half = slope + trials
        root = np.sqrt(np.maximum(half * half - 4 * slope * trials * rates, 0))
        p = np.where(half > 0, 2 * trials * rates / (half + root), (half - root) / (2 * slope))
        return np.minimum(np.maximum(p, 0), 1)

    def moments(self, rates: Floats) -> tuple[Floats, Floats]:
        """Return the second and third central moments of the terms, shape (..., L)."""
        square = self.factors**2 * rates * (1 - rates) / self.trials
        return square, self.factors * square * (1 - 2 * rates) / self.trials

    @property
    def variance(self) -> Floats:
        """That of the sum, as its rates are, shape (...)."""
        return self._variance(self.moments(self.rates)[0])

    def _variance(self, square: Floats) -> Floats:
        """Return the variance of the sum from those of its terms."""
        if self.correlation is None:
            return np.asarray(np.add.reduce(square, axis=-1))
        errors = np.sign(self.factors) * np.sqrt(square)
        variance: Floats = np.einsum("...i,...ij,...j->...", errors, self.correlation, errors)
        return variance

    def _corrected(self, apart: Floats, rates: Floats) -> Floats:
        """Return the z for which `apart` is z + g (z² − 1) / 6 errors, with the skewness g."""
        square, third = self.moments(rates)
        # the methods of arrays take twice as long, and nearly all contrasts are single
        independent = np.add.reduce(square, axis=-1)
        variance = self._variance(square)
        t = apart / np.sqrt(np.maximum(variance, self.least))
        sixth = np.add.reduce(third, axis=-1) / independent**1.5 / 6
        if np.any(self.least):
            sixth = np.where(variance < self.least, 0.0, sixth)
        root = np.sqrt(np.maximum(1 + 4 * sixth * (sixth + t), 0))
        corrected: Floats = np.where(np.isfinite(sixth), 2 * (sixth + t) / (1 + root), t)
        if not (unknown := np.isnan(corrected)).any():
            return corrected
        certain = np.copysign(np.where(apart == 0, 0, np.inf), apart)
        return np.where(unknown, certain, corrected)


@dataclass(frozen=True, eq=False)
class ProductContrast(ScoreContrast):
    """The product of the first two of four rates minus that of the others, `factors` of the two."""

    factors: Floats = field(default_factory=lambda: np.array([1.0, -1.0]))

    def _sum(self, rates: Floats) -> Number:
        return np.asarray(rates[..., 0] * rates[..., 1] - rates[..., 2] * rates[..., 3])

    def moments(self, rates: Floats) -> tuple[Floats, Floats]:
        """Return the second and third central moments of the products' terms, shape (..., 4)."""
        # (p + d)(q + e) is pq and qd + pe + de, of which both rates have half
        variance, other = rates * (1 - rates) / self.trials, rates[..., PARTNERS]
        both = variance * variance[..., PARTNERS]
        third = other**3 * variance * (1 - 2 * rates) / self.trials + 3 * rates * other * both
        return other**2 * variance + both / 2, SIGNS * third

    def _restricted(self, multiplier: Floats) -> Floats:
        # slopes that do not change let the difference rise, or fall, all the way
        slopes = shrunk(self.rates, self.trials)[..., PARTNERS] * SIGNS
        return self._moved(multiplier[..., None] * slopes)


@dataclass(frozen=True, eq=False, kw_only=True)
class StrataContrast(ScoreContrast):
    """A difference within strata: the sum of two rates in each, alike if there is no difference.

    Other values have the likeliest rates if these ones were seen.
    """

    #: The difference of the rates that are put together from those of strata.
    whole: ScoreContrast

    @property
    def estimate(self) -> Number:  # type: ignore[override]
        """The difference."""
        return self.whole.estimate

    def ratio(self, alpha: float) -> tuple[float, float, float]:
        """Return the ratio of the rates that are put together, and its interval."""
        return replace(self.whole, least=float(self.variance)).ratio(alpha)

    @property
    def _scale(self) -> tuple[Floats, Floats]:
        low, high = super()._scale
        return low - high, high - low

    def _multiplier(self, step: Floats) -> Floats:
        # of both signs, for both sides of no difference
        return np.asarray(2 * np.exp(super()._scale[0]) * np.sinh(step))


def shrunk(rates: Floats, trials: Floats) -> Floats:
    """Return rates with half a success and half a failure more."""
    return (rates * trials + 0.5) / (trials + 1)


def continuity(rates: Floats, trials: Floats, steps: Floats) -> Floats:
    """Return how much a sum of independent counts may differ from a continuous one, shape (...).

    Each success adds a step, all (..., L). Where a sum jumps by h, its distribution function is off
    by h / 2, times √R at most, the size of the characteristic function of the other counts there.
    The coarsest count decides. Rates are `shrunk`, so that none is certain.
    """
    rates = shrunk(rates, trials)
    frequency = 2 * np.pi * trials[..., :, None] / trials[..., None, :]
    square = 1 - 2 * (rates * (1 - rates))[..., None, :] * (1 - np.cos(frequency))
    others = np.where(np.eye(steps.shape[-1]) == 1, 1, np.maximum(square, 0))
    # R is the product of the roots of the squares, each to the power of its trials
    largest: Floats = (steps * np.prod(others ** (trials[..., None, :] / 4), axis=-1) / 2).max(-1)
    return largest


def differences_of_two(
    rates: Floats, trials: Floats, *, correlation: Floats | None = None, df: Floats | float = np.inf
) -> tuple[ScoreContrast | None, ...]:
    """Return the contrasts of m differences of two rates, first − second; None without trials.

    `rates` and `trials` have the shape (m, 2), the correlation of both rates and `df` (m,).
    """
    shared = None
    if correlation is not None:
        shared = np.broadcast_to(np.eye(2), (len(rates), 2, 2)).copy()
        shared[:, 0, 1] = shared[:, 1, 0] = correlation
    factors, df = np.array([1.0, -1.0]), np.broadcast_to(df, len(rates))
    many = ScoreContrast(rates, trials, factors, shared, df)
    known: list[bool] = np.all(trials > 0, axis=-1).tolist()
    return tuple(many.take(i) if some else None for i, some in enumerate(known))


def at_once(
    contrasts: Iterable[Contrast | None], alphas: Sequence[float], nulls: Sequence[float] = ()
) -> None:
    """Compute intervals and statistics of sums of rates, which each then knows, all at once.

    One after another they take several times as long.
    """
    kinds: dict[tuple[bytes, bool], list[ScoreContrast]] = {}
    for contrast in contrasts:
        if type(contrast) is ScoreContrast and contrast.rates.ndim == 1:
            kind = contrast.factors.tobytes(), contrast.correlation is None
            kinds.setdefault(kind, []).append(contrast)
    for (_, independent), some in kinds.items():
        rates, trials = (np.stack([getattr(c, name) for c in some]) for name in ("rates", "trials"))
        correlation = None if independent else np.array([c.correlation for c in some])
        numbers = np.array([[c.df, c.nearer, c.least] for c in some], dtype=float).T
        many = ScoreContrast(rates, trials, some[0].factors, correlation, *numbers)
        for alpha in alphas:
            for contrast, *ends in zip(some, *many.limits(alpha), strict=True):
                contrast._limits[alpha] = (ends[0], ends[1])
        for null in nulls:
            for contrast, statistic in zip(some, many.statistic(null), strict=True):
                contrast._statistics[null] = statistic


@dataclass(frozen=True)
class AnchoredContrast(Contrast):
    """A difference whose value 0 has a test of its own, with the two-sided p-value `equal`.

    An interval holds 0, or ends there, just where the test of 0 does not reject, or alone rejects:
    docs/explanation/inference.md, section 4.
    """

    other: Contrast
    equal: float

    @property
    def estimate(self) -> float:  # type: ignore[override]  # no field here
        """The difference."""
        return self.other.estimate

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        return self.around(*self.other.limits(alpha), alpha)

    def around(self, low: float, high: float, alpha: float) -> tuple[float, float]:
        """Return the interval, from that of the other contrast."""
        tail = alpha / 2
        return (
            max(low, BESIDE_0) if self._at_0(1) < tail else min(low, 0.0),
            min(high, -BESIDE_0) if self._at_0(-1) < tail else max(high, 0.0),
        )

    def pvalue(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of: the difference is `null`."""
        return self.equal if null == 0 else super().pvalue(null)

    def tail(self, null: float, side: int) -> float:
        """Return the one-sided p-value of: the difference is `null` or less (side 1), or more."""
        at_0 = self._at_0(side)
        if null == 0:
            return at_0
        return (max if side * null > 0 else min)(self.other.tail(null, side), at_0)

    def _at_0(self, side: int) -> float:
        """Return the one-sided p-value of: the difference, times the side, is 0 or less."""
        half = self.equal / 2
        return 1 - half if side * self.estimate < 0 else half


def anchored(
    difference: Estimates, contrasts: Sequence[Contrast | None], *, alpha: float
) -> tuple[Estimates, tuple[Contrast | None, ...]]:
    """Return differences with intervals that agree with their p-values, and their contrasts."""
    ends, tests = np.array([difference.ci_low, difference.ci_high]), list(contrasts)
    known: dict[int, AnchoredContrast] = {}
    for i, contrast in enumerate(contrasts):
        if contrast is not None and np.isfinite(difference.pvalue[i]):
            tests[i] = test = AnchoredContrast(contrast, float(difference.pvalue[i]))
            if np.isfinite(ends[0, i]):
                known[i] = test
    at_once((test.other for test in known.values()), [alpha])
    for i, test in known.items():
        low, high = test.other.limits(alpha)
        if np.isfinite((low, high)).all():
            ends[:, i] = test.around(float(low), float(high), alpha)
    return replace(difference, ci_low=ends[0], ci_high=ends[1]), tuple(tests)
