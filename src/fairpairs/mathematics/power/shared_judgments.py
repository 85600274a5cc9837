"""Power where judgments share a judge or a cluster, whose tastes make them alike.

The contribution of a judgment to a gap is its hit minus the rate of its cell, divided by the share
of that cell in the judgments of the gap, negative in the second cell: the mean of the contributions
is the error of the gap. The intra-class correlation (ICC) of judges is the covariance of two
contributions of one judge, divided by the variance of one. If each judge has the same mix of pairs,
the covariance is the variance between judges of their own gaps.

References: L. Kish (1965), *Survey sampling*, section 5.4: the design effect 1 + (m/J − 1) ICC. A.
Donner and N. Klar (2000), *Design and analysis of cluster randomization trials*, chapter 5: its use
for the size of a study, with Student's t for few clusters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtri, ndtr, ndtri, stdtrit

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError, shown
from fairpairs.mathematics.estimates.pairs.rates import PairRates
from fairpairs.mathematics.inference.gaps import gap_cells
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.power.expected_gaps import (
    GAPS_OF_CELLS,
    TINY,
    critical_gaps,
    either_found,
    expected_rates,
    gaps_and_covariance,
    rates_of_pairs,
)
from fairpairs.mathematics.power.items import MOST, PilotOfScores

#: With fewer judgments in a cell the power is 0.
FEWEST = 3
#: A critical value that no gap reaches.
IMPOSSIBLE = 1e3
#: From so many degrees of freedom on Student's t is normal.
LARGEST_DF = 1e6
#: Points at which the error of an estimated standard error is taken. Their coordinates are the
#: fractional parts of multiples of the roots of primes, which fill the unit cube evenly.
NODES, PRIMES = 64, np.array([2, 3, 5, 7])


@dataclass(frozen=True)
class SharedJudgments:
    """Judges and clusters that share the judgments, each with as many, drawn at random.

    Attributes
    ----------
    judges, clusters
        Their number, 2 or more; None where judgments of one judge, or cluster (a prompt, a
        session), are independent.
    judge_icc, cluster_icc
        Intra-class correlation of what judgments contribute to a gap, from 0 to 1: the variance
        between judges (clusters) of their own gap, by that of the contribution of one judgment.

    Examples
    --------
    >>> from fairpairs import power
    >>> shared = power.SharedJudgments(judges=20, judge_icc=0.1)
    >>> items = power.items_from_rates(tpr=(0.9, 0.6))
    >>> test = power.expected_rejection
    >>> round(test("fresh_pairs", items, n_pairs=1000, shared=shared), 2)
    0.72
    """

    judges: int | None = None
    judge_icc: float = 0.0
    clusters: int | None = None
    cluster_icc: float = 0.0

    def __post_init__(self) -> None:
        """Raise InputError where a number or a correlation is out of its range."""
        for name, number, icc in (
            ("judge", self.judges, self.judge_icc),
            ("cluster", self.clusters, self.cluster_icc),
        ):
            inputs.between(icc, f"{name}_icc", 0, 1, ends=True)
            if number is None and icc:
                raise InputError(f"{name}_icc needs a number of {name}s: give {name}s too.")
            if number is not None:
                inputs.whole(number, f"{name}s", 2)

    @property
    def kinds(self) -> list[tuple[int, float]]:
        """The number and the ICC of judges and of clusters, where there are any."""
        both = (self.judges, self.judge_icc), (self.clusters, self.cluster_icc)
        return [(number, icc) for number, icc in both if number is not None]


def design_effect(n_judgments: float, shared: SharedJudgments) -> float:
    """Return how many times larger the variance of a gap is because judgments are shared.

    It is 1 + (m/J − 1) ICC for m judgments by J judges, with (m/C − 1) ICC more for C clusters.

    Parameters
    ----------
    n_judgments
        Judgments of the gap, m: those in its two cells.
    shared
        Judges and clusters.

    Examples
    --------
    >>> both = SharedJudgments(judges=20, judge_icc=0.1, clusters=50, cluster_icc=0.2)
    >>> round(design_effect(1000, both), 1)
    9.7
    """
    check_shared(shared)
    inputs.between(n_judgments, "n_judgments", 1, MOST, ends=True)
    return float(1 + sum(icc * max(n_judgments / number - 1, 0) for number, icc in shared.kinds))


def check_shared(shared: object) -> None:
    """Raise unless `shared` says which judges and clusters there are."""
    if not isinstance(shared, SharedJudgments):
        raise InputError(
            f"shared must be SharedJudgments; it is {shown(shared)}: make them with "
            "power.SharedJudgments(judges=20, judge_icc=0.1)."
        )


@dataclass(frozen=True)
class Kind:
    """Judges, or clusters, that share the judgments of a collection."""

    number: int
    #: Intra-class correlation of each gap, and what they add to its variance, shape (2,).
    icc: Floats
    added: Floats


@dataclass(frozen=True)
class ExpectedGaps:
    """The two gaps that a collection is expected to show, and the error of their estimates."""

    #: If judges and clusters had no taste, and all numbers are the expected ones.
    rates: PairRates
    #: Shape (2,).
    gaps: Floats
    #: Of their estimates, if judges and clusters had no taste, shape (2, 2).
    covariance: Floats
    kinds: Sequence[Kind] = ()

    def found(self, level: float) -> float:
        """Return the chance that a gap is significant at a level each, with estimated errors."""
        alone = np.diagonal(self.covariance)
        total = alone + sum(kind.added for kind in self.kinds)
        if not (total > 0).all() or self.rates.pairs.min() < FEWEST:
            return 0.0  # without variance there is no rejection
        estimated = self._estimated_variances(alone)
        limits, usual = self._limits(alone, estimated, level), self._limits(alone, total, level)
        times = np.sqrt(total / alone)[GAPS_OF_CELLS]
        times, pooled = np.outer(times, times), self.rates.pooled
        larger = replace(
            self.rates,
            components=self.rates.components * times,
            counted_twice=self.rates.counted_twice * times,
            pooled=None if pooled is None else pooled + self._added_where_separation_holds(),
        )
        at_expected = critical_gaps(larger, 2 * ndtr(-usual))
        critical = at_expected * limits / usual * np.sqrt(estimated / total)
        critical = np.where(critical < 1, critical, IMPOSSIBLE)
        covariance = self.covariance + np.diag(total - alone)
        return either_found(self.gaps, covariance, critical)

    def _limits(self, alone: Floats, variance: Floats, level: float) -> Floats:
        """Return the quantiles that the test takes where it estimates these variances, (..., 2).

        Student's t with (E − 1) / s df: E effective units bring s of it; `alone` is without them.
        """
        normal = float(-ndtri(level / 2))
        if not self.kinds:
            return np.full(np.shape(variance), normal)
        pairs = self.rates.pairs.ravel()
        units = np.full(2, np.inf)
        for kind in self.kinds:
            for gap, cells in enumerate(np.transpose(gap_cells(2))):
                even = _evenness(pairs[cells] / kind.number, kind.icc[gap])
                units[gap] = min(units[gap], kind.number * float(even.min()))
        share = np.maximum(1 - alone / variance, TINY)
        df = np.minimum(np.maximum((units - 1) / share, 1), LARGEST_DF)
        return np.asarray(-stdtrit(df, level / 2))

    def _added_where_separation_holds(self) -> Floats:
        """Return what judges and clusters add to the pooled covariance of the rates, (4, 4).

        Products of residuals count as alike in all cells: the gaps are in them, and so are tastes,
        which raise one rate of a gap as far as they lower the other.
        """
        weight = self.rates.pairs.ravel() / self.rates.pairs.sum()
        residual = self.rates.tpr.ravel() - self.rates.tpr.ravel() @ weight
        one_cell, two_cells = weight @ weight, 1 - weight @ weight
        added = np.zeros((4, 4))
        for kind in self.kinds:
            same, other = weight**2 @ residual**2, -(weight**2) @ residual**2
            for gap, (x, y) in enumerate(np.transpose(gap_cells(2))):
                taste = kind.added[gap] * kind.number / 4
                same += (weight[x] ** 2 + weight[y] ** 2) * taste
                other -= 2 * weight[x] * weight[y] * taste
            added += np.where(np.eye(4) > 0, same / one_cell, other / two_cells) / kind.number
        return added

    def _estimated_variances(self, alone: Floats) -> Floats:
        """Return the variances that the test estimates, at even nodes, shape (NODES, 2).

        It takes the largest of: all kinds, each (a χ² of its number minus 1), and items alone.
        """
        if not self.kinds:
            return alone[None]
        theta, pairs = self.rates.tpr.ravel(), self.rates.pairs.ravel()
        first, second = gap_cells(2)
        cell_variance = theta * (1 - theta) / pairs
        apart = cell_variance[first] + cell_variance[second]  # of judgments that share nothing
        count = 2 * len(self.kinds)
        points = (np.arange(NODES)[:, None] + 0.5) * np.sqrt(PRIMES[:count]) % 1
        ways = []
        for kind, chance in zip(self.kinds, np.split(points, len(self.kinds), axis=1), strict=True):
            df = kind.number - 1
            ways.append((apart + kind.added) * chdtri(df, chance) / df)
        together = alone + sum(variance - apart for variance in ways)
        return np.asarray(np.max([together, *ways, np.broadcast_to(alone, points[:, :2].shape)], 0))


def _evenness(per_unit: Floats, icc: float) -> Floats:
    """Return the effective units behind a cell, by their number, of Poisson numbers of judgments.

    A unit with k has the variance k + ICC k(k − 1); `per_unit` is the mean of k.
    """
    mean = per_unit + icc * per_unit**2
    square = per_unit + per_unit**2 + 2 * icc * (per_unit**3 + 2 * per_unit**2)
    square = square + icc**2 * (per_unit**4 + 4 * per_unit**3 + 2 * per_unit**2)
    return np.asarray(mean**2 / square)


def level_of_each(alpha: float, correction: Correction) -> float:
    """Return the level of each of two hypotheses at which the correction rejects either."""
    return float({"none": alpha, "holm": alpha / 2, "sidak": 1 - np.sqrt(1 - alpha)}[correction])


def shared_rejection(
    items: Floats | PilotOfScores,
    n_items: float,
    n_pairs: float,
    shared: SharedJudgments,
    level: float,
) -> float:
    """Return the chance that either gap is significant, at a level each, of shared judgments."""
    theta, _, usable = rates_of_pairs(items, n_items)
    gaps, covariance = gaps_and_covariance(items, n_items, n_pairs)
    first, second = gap_cells(2)
    # a contribution is divided by the share of its cell in the gap
    spread, share = (theta * (1 - theta)).ravel(), usable.ravel()
    both = share[first] + share[second]
    single = both * (spread[first] / share[first] + spread[second] / share[second])
    alone = 1 / (n_pairs * share.sum())
    kinds = [
        Kind(number, np.full(2, icc), icc * single * max(1 / number - alone, 0))
        for number, icc in shared.kinds
    ]
    rates = expected_rates(items, n_items, n_pairs)
    return ExpectedGaps(rates, gaps, covariance, kinds).found(level)
