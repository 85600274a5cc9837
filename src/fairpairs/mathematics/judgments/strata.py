"""The gaps of comparative separation within strata, such as categories of prompts, combined.

References: S. Greenland and J. M. Robins (1985), Estimation of a common effect parameter from
sparse follow-up data, equation (1): the weights of Mantel and Haenszel for a difference of two
rates.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, stdtrit

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.effect_sizes import cohens_h
from fairpairs.mathematics.estimates.estimates import SMALL_CELL, UNVARYING, Estimates, two_sided
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE
from fairpairs.mathematics.inference.gaps import gap_cells
from fairpairs.mathematics.judgments.components import added_covariances
from fairpairs.mathematics.judgments.related import Relations
from fairpairs.mathematics.judgments.shares import related_variance

#: With fewer judgments of a rate, a stratum does not count for the test of heterogeneity.
LEAST_IN_STRATUM = 5
#: The note where the strata with both rates hold few judgments.
FEW_IN_STRATA = f"fewer than {SMALL_CELL} judgments in strata with both rates"


def stratified_gaps(
    winner: Integers,
    loser: Integers,
    hit: Floats,
    group: Integers,
    n_groups: int,
    strata: Integers,
    relations: Relations,
    *,
    weights: Floats | None = None,
    alpha: float = 0.05,
) -> tuple[Estimates, Floats]:
    """Return the gaps within strata, each by n1 n0 / (n1 + n0), and p of the same gap in all.

    In the order of `gap_hypotheses`. A judgment adds its residual from the rates of its stratum
    under the common gap, so that one of each rate is enough. The reference is Student's t by the
    units. p is NaN where fewer than two strata have 5 judgments or more of both rates.
    """
    cell = group[winner] * n_groups + group[loser]
    weight = np.ones(len(hit)) if weights is None else weights
    tested, heterogeneity = [], []
    for first, second in zip(*gap_cells(n_groups), strict=True):
        rows = np.flatnonzero((cell == first) | (cell == second))
        columns = hit[rows], cell[rows] == first, strata[rows], weight[rows]
        gap = _Gap(*columns, relations.take(rows))
        tested.append(gap.estimates(alpha))
        heterogeneity.append(gap.heterogeneity())
    fields = Estimates(*(np.array(column) for column in zip(*tested, strict=True)))
    return fields, np.array(heterogeneity)


@dataclass(frozen=True)
class _Gap:
    """The judgments of two rates: hits, which are of the first, strata, weights, relations."""

    hit: Floats
    first: NDArray[np.bool_]
    stratum: Integers
    weight: Floats
    relations: Relations

    @cached_property
    def _strata(self) -> tuple[Floats, Floats, NDArray[np.bool_], Floats]:
        """Rates and (weighted) numbers, (2, strata), and of strata with both the shares."""
        n = int(self.stratum.max(initial=-1)) + 1
        sides = self.first, ~self.first
        numbers, hits = (
            np.stack([np.bincount(self.stratum[side], value[side], minlength=n) for side in sides])
            for value in (self.weight, self.weight * self.hit)
        )
        both = np.asarray((numbers > 0).all(axis=0))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(both, numbers.prod(axis=0) / numbers.sum(axis=0), 0)
            return hits / numbers, numbers.astype(float), both, share / share.sum()

    def _influence(self) -> tuple[Floats, Floats, float]:
        """Return influence and weight of each judgment, and the combined gap."""
        rates, numbers, both, share = self._strata
        total = numbers.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            estimate = float(np.where(both, share * (rates[0] - rates[1]), 0).sum())
            mean = np.where(both, (rates * numbers).sum(axis=0) / total, 0)
            fitted = mean + estimate * np.stack([numbers[1], -numbers[0]]) / total
            scale = share * np.sqrt(total / np.maximum(total - 1, 0.5)) / numbers
        index = np.where(self.first, 0, 1), self.stratum
        inside = both[self.stratum]
        residual = np.where(self.first, 1.0, -1.0) * self.weight * (self.hit - fitted[index])
        influence = np.where(inside, residual * scale[index], 0.0)
        weight = np.where(inside, self.weight * share[self.stratum] / numbers[index], 0.0)
        return influence, weight, estimate

    def estimates(self, alpha: float) -> tuple[float | int | str, ...]:
        """Return the fields of `Estimates`."""
        rates, _, both, share = self._strata
        inside = np.append(both, False)[self.stratum]
        sizes = [int((inside & side).sum()) for side in (self.first, ~self.first)]
        nothing = np.nan, np.nan, np.nan, np.nan, sum(sizes), min(sizes)
        if not both.any():
            return np.nan, *nothing, "no stratum has both rates", np.nan
        influence, weight, estimate = self._influence()
        common = np.where(both, rates * share, 0).sum(axis=1)
        effect_size = float(cohens_h(common[:1], common[1:])[0])
        sides = [np.where(side, weight, 0.0) for side in (self.first, ~self.first)]
        variance, units = related_variance(
            influence, [side / side.sum() for side in sides], self.relations
        )
        if variance <= NO_VARIANCE:
            return estimate, *nothing, UNVARYING, effect_size
        error, df = float(np.sqrt(variance)), max(units - 1, 1.0)
        margin = float(stdtrit(df, 1 - alpha / 2)) * error
        statistic = estimate / error
        pvalue = float(two_sided(np.array(statistic), df))
        note = FEW_IN_STRATA if min(sizes) < SMALL_CELL else ""
        low, high = max(estimate - margin, -1.0), min(estimate + margin, 1.0)
        fields = estimate, low, high, statistic, pvalue
        return *fields, sum(sizes), min(sizes), note, effect_size

    def heterogeneity(self) -> float:
        """Return p of a score test of one gap in all strata, under that gap (Zelen 1971)."""
        rates, numbers, both, share = self._strata
        large = (numbers >= LEAST_IN_STRATUM).all(axis=0)
        if large.sum() < 2:
            return np.nan
        _, weight, common = self._influence()
        total = numbers.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (rates * numbers).sum(axis=0) / total
            fitted = np.clip(mean + common * np.stack([numbers[1], -numbers[0]]) / total, 0, 1)
            variance = (fitted * (1 - fitted) / numbers).sum(axis=0) * total / (total - 1)
        varies = large & (variance > NO_VARIANCE)
        if varies.sum() < 2:
            return np.nan
        q = float((np.square(rates[0] - rates[1] - common)[varies] / variance[varies]).sum())
        kept = np.flatnonzero(weight)
        index = np.where(self.first, 0, 1)[kept], self.stratum[kept]
        within, with_all = added_covariances(
            np.where(self.first, 1.0, -1.0)[kept] * (self.hit[kept] - fitted[index]),
            self.stratum[kept],
            len(total),
            (self.weight[kept] / numbers[index], weight[kept]),
            self.relations.take(kept),
        )
        within, with_all = np.where(both, [within + variance, with_all + share * variance], 0)
        mean_of_q = ((within - 2 * with_all + share @ with_all)[varies] / variance[varies]).sum()
        df = int(varies.sum()) - 1
        return float(chdtrc(df, q / max(float(mean_of_q) / df, 1.0)))
