"""The difference of two estimates of items with clusters and weights: its test and interval.

Rates are worth independent trials, which docs/explanation/inference.md derives (section 3).
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, Self

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.estimates import EffectSizeKind, cohens_h
from fairpairs.mathematics.inference.contrast import Contrast, StudentContrast, student_quantile
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast, StrataContrast
from fairpairs.mathematics.inference.gap_variances import UNVARYING_SHARE
from fairpairs.mathematics.inference.rates import wilson_limits
from fairpairs.mathematics.inference.sampling.linear import Linear, Spread, mean, spread
from fairpairs.mathematics.inference.sampling.two_phases import spread_of
from fairpairs.mathematics.inference.shuffled_means import welch_skewness

#: With so many independent events a variance counts as half known, and that of rates with so large
#: an inverse of the squared skewness; chosen by simulation.
HALF_KNOWN_EVENTS, HALF_KNOWN_RATES = 3.0, 4.0
#: Smallest and largest variance of a sum, as a multiple of that of independent rates.
RATIOS = 0.01, 2.0
#: Fewer rows of a cluster above one are none, as is a smaller doubt.
ROUNDING = 1e-9
#: The note where one cluster decides much: few degrees of freedom are left.
FIFTH, LARGE_CLUSTER = 0.2, "one cluster has a fifth or more of the rows of a group"
#: The share of both rates together raises that of a class by at most this factor.
MOST_OF_BOTH = 1.5


@np.errstate(invalid="ignore", divide="ignore")  # a rate without an item
def effective_trials(
    rates: Floats, spread: Spread, factors: Floats | None = None
) -> tuple[Floats, float]:
    """Return the independent trials that rates are worth, and what their sum varies by.

    The second is the variance of the sum of the rates, each times a factor, over that of rates of
    independent items, at least `RATIOS`; 1 without factors.
    """
    scale, variance = rates * (1 - rates), np.diagonal(spread.covariance)
    squares = np.ones(len(rates)) if factors is None else factors**2
    apart, independent = float(squares @ variance), float(squares @ (scale / spread.rows))
    total = apart if factors is None else float(factors @ spread.covariance @ factors)
    ratio = float(np.clip(total / apart, *RATIOS)) if apart > 0 else 1.0
    effect = max(total / independent, 1.0) if independent > 0 else 1.0
    share = np.where(scale > 0, ratio * variance / scale, 0)
    events = np.where(share > 0, scale / (1 - 2 * rates) ** 2 / share, 0.0)
    known = share_known(events, HALF_KNOWN_RATES)
    clusters = spread.clusters[spread.rests.argmax(axis=1)]
    of_all = share_known(float(np.nanmean(events)), HALF_KNOWN_RATES)
    expected = of_all * effect / spread.rows + (1 - of_all) / clusters
    return 1 / (known * share + (1 - known) * expected), ratio


@np.errstate(invalid="ignore", divide="ignore")
def correlation(spread: Spread) -> Floats:
    """Return the correlation of the estimates, shape (L, L); 0 where one does not vary."""
    error = np.sqrt(np.diagonal(spread.covariance))
    found = np.clip(spread.covariance / np.outer(error, error), -1, 1)
    return np.asarray(np.where(np.isfinite(found), found, np.eye(len(error))))


@np.errstate(divide="ignore")
def share_known(events: Floats | float, half: float = HALF_KNOWN_EVENTS) -> Floats:
    """Return how far a variance is to be trusted, from 0 to 1, by the events that it rests on."""
    return np.asarray(1 / (1 + (np.asarray(events) / half) ** -4.0))


def degrees_of_freedom(
    rates: Floats, trials: Floats, ratio: float, factors: Floats, spread: Spread
) -> float:
    """Return those of the sum of rates, each the mean of a class, times factors."""
    own = spread.rests.argmax(axis=1)
    clusters, items = spread.clusters[own], spread.items[own]
    inner = (rates * clusters + 1) / (clusters + 2)  # a rate of 0 varies too
    varying = inner * (1 - inner)
    if spread.uneven is None or spread.unlike is None:
        return spread.df(_by_class(own, factors**2 / spread.rows, spread))
    rows = np.maximum(items / clusters, 1)
    variance = factors**2 * varying
    # rates have one correlation, of which a sum has no more than is left of its variance
    icc = np.clip((items / trials - 1) / np.maximum(rows - 1, ROUNDING), 0, 1)
    shared = min(ratio, 1.0) * float(np.prod(icc)) ** (1 / len(icc))
    free, skewness = beta_binomial(inner, shared, rows)
    alike = np.minimum(free + skewness / 2 * spread.uneven[own], 1)
    doubt = np.ones(len(spread.items))
    of_rates = alike + spread.unlike[own] * (1 - alike)
    doubt[own] = np.where(of_rates > ROUNDING, of_rates, 0)  # else the scale of weights matters
    independent = _by_class(own, variance / items, spread)
    return spread.df(independent, doubt, float((variance / trials).sum()))


def _by_class(own: Integers, values: Floats, spread: Spread) -> Floats:
    return np.bincount(own, values, len(spread.items)).astype(float)


def beta_binomial(rate: Floats, icc: Floats | float, rows: Floats) -> tuple[Floats, Floats]:
    """Return half of E[(x² − …)²], and the squared skewness, of standardised counts x of clusters.

    The dots are the best linear function of x, so the first is the ratio of the second and the
    first norm of Hahn's monic polynomials, over 2: 1 for a normal x, 0 for clusters of one row.
    """
    varying, raised = rate * (1 - rate), 1 + (rows - 1) * icc
    scale = varying * rows * raised * (1 + icc) ** 2
    second = (1 - icc) * (varying * (1 - icc) ** 2 + icc) * (rows - 1) * (1 + rows * icc)
    skewness = (1 - 4 * varying) * (raised + rows * icc) ** 2
    return second / (1 + 2 * icc) / scale, skewness / scale


@dataclass(frozen=True, eq=False)
class Gap:
    """The difference of two estimates, first − second: of the group and of the reference."""

    first: Linear
    second: Linear
    #: Whether both are rates, from 0 to 1, or sums of `parts` that are.
    rates: bool = True
    #: Factors and rates that the difference is the sum of; empty for `first` minus `second`.
    parts: tuple[tuple[float, Linear], ...] = ()
    #: Standard deviation of the values whose means are compared; NaN for rates.
    deviation: float = float("nan")
    note: str = ""
    #: Whether each rate is a mean over one class of items: not of strata, nor of pairs.
    means: bool = True
    #: A difference within strata, of independent rates of each.
    strata: ScoreContrast | None = None

    @cached_property
    def difference(self) -> Linear:
        """The difference, with its influence."""
        return self.first - self.second

    def take(self, items: Integers) -> Self:
        """Return the same of some items, of all that it rests on."""
        parts = tuple((factor, rate.take(items)) for factor, rate in self.parts)
        first, second = self.first.take(items), self.second.take(items)
        return replace(self, first=first, second=second, parts=parts)

    @property
    def effect(self) -> tuple[float, EffectSizeKind | Literal[""]]:
        """Cohen's h of two rates, or the difference in standard deviations; NaN and "" for none."""
        if np.isfinite(self.deviation) and self.deviation > 0:
            return self.difference.estimate / self.deviation, "d"
        if self.rates and not self.parts:
            return float(cohens_h(self.first.estimate, self.second.estimate)), "h"
        return float("nan"), ""

    def fewest_units(self, design: SamplingDesign) -> int:
        """Return the fewest clusters, or items where each is its own, of a class of items."""
        return int(_spread(self, design).units.min())

    def large_cluster(self, design: SamplingDesign) -> str:
        """Return the note that a cluster has a fifth or more of the weight of a class; or ""."""
        shares = _spread(self, design).shares
        return LARGE_CLUSTER if shares is not None and shares.weight.max() >= FIFTH else ""

    def skewness(self, design: SamplingDesign) -> float:
        """Return the skewness of a difference of means, by clusters; 0 for rates."""
        if self.rates:
            return 0.0
        totals, member = [], []
        for code, part in enumerate((self.second, self.first)):
            inside = (part.classes >= 0) & (design.weights > 0)
            influence = part.influence[inside]
            if design.cluster is not None:
                cluster = np.unique(design.cluster[inside], return_inverse=True)[1]
                influence = np.bincount(cluster, influence).astype(float)
            totals.append(len(influence) * influence)  # their mean is the sum of influences
            member.append(np.full(len(influence), code))
        with np.errstate(invalid="ignore", divide="ignore"):
            return welch_skewness(np.concatenate(totals), np.concatenate(member))

    @property
    def terms(self) -> tuple[tuple[float, Linear], ...]:
        """The factors and rates that the difference is the sum of."""
        return self.parts or ((1.0, self.first), (-1.0, self.second))

    def contrast(self, design: SamplingDesign) -> Contrast:
        """Return the tests of the difference, robust to clusters and weights.

        Rates are tested by the score statistic on the independent trials that each is worth.
        """
        spread = _spread(self, design)
        if not self.rates:
            error = float(np.sqrt(spread.covariance[0, 0]))
            return StudentContrast(self.difference.estimate, error, spread.df_of_sum(np.ones(1)))
        whole = self.of_rates(design)
        return whole if self.strata is None else within_strata(whole, self.strata, spread)

    def of_rates(self, design: SamplingDesign) -> ScoreContrast:
        """Return the score statistic of the rates, those of strata put together."""
        rates = np.array([rate.estimate for _, rate in self.terms])
        factors = np.array([factor for factor, _ in self.terms])
        trials, df = self.trials_and_df(rates, factors, _spread(self, design))
        return ScoreContrast(rates, trials, factors, df=df)

    def trials_and_df(self, rates: Floats, factors: Floats, spread: Spread) -> tuple[Floats, float]:
        """Return the independent trials that each rate is worth, and degrees of freedom."""
        trials, ratio = effective_trials(rates, spread, factors)
        return trials, degrees_of_freedom(rates, trials, ratio, factors, spread)


@lru_cache(maxsize=1)  # the methods of one gap are called in a row
def _spread(gap: Gap, design: SamplingDesign) -> Spread:
    """Return the covariance of the rates of a gap, or the variance of a difference of means."""
    return spread_of([rate for _, rate in gap.terms] if gap.rates else [gap.difference], design)


@dataclass(frozen=True)
class RateAlone:
    """One rate, worth some trials, with Wilson's interval by Student's t."""

    rate: float
    trials: float
    df: float

    def limits(self, alpha: float) -> tuple[float, float]:
        """Return the interval that covers 1 − alpha."""
        low, high = wilson_limits(self.rate, self.trials, student_quantile(alpha / 2, self.df))
        return float(np.clip(low, 0, self.rate)), float(np.clip(high, self.rate, 1))


def alone(
    estimate: Linear, design: SamplingDesign, *, rate: bool = True
) -> RateAlone | StudentContrast | None:
    """Return what has the interval of one rate, or mean; None if it rests on one cluster."""
    single, one = spread_of([estimate], design), np.ones(1)
    if single.units[0] < 2 and not (rate and design.cluster is None):
        return None
    df = single.df_of_sum(one)
    if not rate:
        return StudentContrast(estimate.estimate, float(np.sqrt(single.covariance[0, 0])), df)
    rates = np.array([estimate.estimate])
    trials, _ = effective_trials(rates, single, one)
    return RateAlone(estimate.estimate, float(trials[0]), df)


def group_rates(
    values: Floats, group: Integers, k: int, design: SamplingDesign
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return rates of groups, the trials each is worth, their correlation, degrees of freedom."""
    estimates = [mean(values, group == code, group, design) for code in range(k)]
    rates = np.array([rate.estimate for rate in estimates])
    trials, df = np.zeros(k), np.ones(k)
    for code in np.flatnonzero(np.isfinite(rates)):
        one = alone(estimates[code], design)
        if isinstance(one, RateAlone):
            trials[code], df[code] = one.trials, one.df
    return rates, trials, correlation(spread(estimates, design)), df


def average(one: Gap, other: Gap) -> Gap:
    """Return the mean of two differences of two rates each."""
    first, second = 0.5 * one.first + 0.5 * other.first, 0.5 * one.second + 0.5 * other.second
    rates = (0.5, one.first), (-0.5, one.second), (0.5, other.first), (-0.5, other.second)
    strata = summed((0.5, one.strata), (0.5, other.strata))
    return Gap(first, second, parts=rates, means=one.means, strata=strata)


def summed(
    *parts: tuple[float, ScoreContrast | None], same_items: bool = False
) -> ScoreContrast | None:
    """Return the sum of differences within strata, each times a factor; None if one has none.

    Those of the same items may be one and the same, so that each has a share of the trials.
    """
    known = [(factor, part) for factor, part in parts if part is not None]
    if len(known) < len(parts):
        return None
    factors = np.concatenate([factor * part.factors for factor, part in known])
    rates, trials = (
        np.concatenate([getattr(part, name) for _, part in known]) for name in ("rates", "trials")
    )
    return ScoreContrast(rates, trials / len(known) if same_items else trials, factors)


@np.errstate(invalid="ignore", divide="ignore")
def within_strata(whole: ScoreContrast, strata: ScoreContrast, spread: Spread) -> StrataContrast:
    """Return the tests of a difference within strata, whose rates are put together in `whole`.

    The raised variance is that of docs/explanation/inference.md, section 5.
    """
    contrast = StrataContrast(strata.rates, strata.trials, strata.factors, df=whole.df, whole=whole)
    moments = contrast.moments(contrast.likeliest(whole.estimate))
    square, third = (float(np.abs(x).sum()) for x in moments)
    raised = float((spread.items / spread.clusters).max())
    if square > 0:
        known = float(share_known(square**3 / np.float64(third) ** 2, HALF_KNOWN_RATES))
        raised = known * float(whole.variance) / square + (1 - known) * raised
    return replace(contrast, trials=strata.trials / max(raised, 1))


@dataclass(frozen=True, eq=False)
class PairGap(Gap):
    """The difference of two rates of pairs, whose few placements tell too little of their spread.

    docs/explanation/inference.md has the variance.
    """

    #: For each rate the class of the items that should be ahead and that of those behind; one where
    #: they are the same.
    roles: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    means: bool = False

    @np.errstate(invalid="ignore", divide="ignore")
    def trials_and_df(self, rates: Floats, factors: Floats, spread: Spread) -> tuple[Floats, float]:
        """Return the independent trials that both rates are worth, and degrees of freedom."""
        df = spread.df_of_sum(factors)
        if spread.uneven is None:  # of items with cheap labels
            return effective_trials(rates, spread, factors)[0], df
        scale, indices = rates * (1 - rates), np.searchsorted(spread.classes, np.array(self.roles))
        largest, n = scale[:, None], spread.items[indices]
        apart = spread.apart[indices, [[0], [1]], [[0], [1]]]
        alone = np.where(largest > 0, n * apart / largest, 0)
        together = _share((n**2 * apart).sum(axis=0), (n * largest).sum(axis=0))
        share = np.maximum(
            alone, np.minimum(together, np.where(alone > 0, MOST_OF_BOTH * alone, together))
        )
        each, variances = apart.sum(axis=1), np.diagonal(spread.covariance)
        variance, squares = float(factors @ spread.covariance @ factors), factors**2
        raised = _raised(variance, float(squares @ each))
        own = variances / each * _raised(variance, float(squares @ variances))
        own = np.where(np.isfinite(own), own, raised)[:, None]
        few = (1 - 2 * rates[:, None]) ** 2
        events = np.where(share > 0, largest * n / share / own / few, 0.0)
        of_all = share_known(n * (events / n).mean() / 2)
        one = _share((n**2 * apart).sum(), (n * largest).sum())
        known, clusters = share_known(events), spread.clusters[indices]
        expected = of_all * raised * one / n + (1 - of_all) / clusters
        return 1 / (known * own * share / n + (1 - known) * expected).sum(axis=1), df


def _raised(variance: float, independent: float) -> float:
    return max(variance / independent, RATIOS[0]) if independent > 0 else 1.0


def _share(variance: Floats, largest: Floats) -> Floats:
    share = variance / largest
    return np.asarray(np.where(np.isfinite(share), np.minimum(share, 1), UNVARYING_SHARE))
