"""The result of a test of comparative separation, and how rates of pairs become one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairCounts, PairRates
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.score import anchored
from fairpairs.mathematics.inference.gap_variances import (
    binary_trials,
    related_covariance,
    smallest_trials,
    trials_left,
)
from fairpairs.mathematics.inference.gaps import (
    JointTest,
    comparative_separation_from_counts,
    comparative_separation_from_rates,
    gap_contrasts,
    gap_hypotheses,
)
from fairpairs.mathematics.inference.rates import rate_limits
from fairpairs.mathematics.inference.results import Correction, FairnessTestResult
from fairpairs.mathematics.inference.sampling.comparative import LabelledItems, sampled_pair_rates
from fairpairs.mathematics.inference.sampling.estimates import gap_tests

#: The note on shares of discordant pairs where no pair is tied.
NO_TIES = "no tied pair: the same as the hypothesis on concordant pairs"


@dataclass(frozen=True)
class ComparativeSeparationResult(FairnessTestResult):
    """The result of a test of comparative separation on K groups.

    Attributes
    ----------
    usable, right
        (Weighted) pairs with different labels, and those that are ranked right, in each cell
        (group of the higher label, group of the lower), shape (K, K).
    tpr
        TPR(a, b) of equation (16), shape (K, K), NaN where a cell has no pair.
    tpr_covariance
        Covariance of the K² rates, in the order (0, 0), (0, 1), …, shape (K², K²).
    trials
        Independent trials that each rate counts for in its interval, shape (K, K).
    joint
        The joint test; None with the binomial variance, clusters or weights.
    variance
        "ustatistic", "dyadic" or "binomial".
    balanced
        Whether pairs were weighted so that all groups have one distribution of labels.
    limits
        Of items with clusters or weights the ends of the interval of each rate, shape (2, K, K);
        None for others.
    heterogeneity
        Of judgments in strata the p-value of each hypothesis that its gap is the same in all of
        them; None for others.
    discordant
        With `ties="outcome"` the test of the discordant pairs alone, whose `right` and `tpr` are
        those that the scores order against the labels. `hypotheses`, `difference`, `joint` and
        what follows from them are then of both; all else is of the concordant pairs. Otherwise
        None.
    """

    name: ClassVar[str] = "comparative separation test"
    usable: Floats
    right: Floats
    tpr: Floats
    tpr_covariance: Floats
    trials: Floats
    joint: JointTest | None
    variance: str
    balanced: bool
    limits: Floats | None = field(default=None, kw_only=True, repr=False)
    heterogeneity: Floats | None = field(default=None, kw_only=True)
    discordant: ComparativeSeparationResult | None = field(default=None, kw_only=True, repr=False)

    @property
    def tied(self) -> Floats | None:
        """The share of tied pairs in each cell, shape (K, K); None unless ties are an outcome."""
        return None if self.discordant is None else 1 - self.tpr - self.discordant.tpr

    def rates(self) -> pd.DataFrame:
        """Return one row for each TPR(a, b): groups, estimate, Wilson's interval, (weighted) pairs.

        Wilson's interval has `trials` trials, so it stays between 0 and 1: as many as would give
        the rate its variance. For all pairs of binary labels the items limit this number
        (docs/explanation/ranking.md), for given pairs the variance of the rate under separation
        does. A cell without a pair has no interval. If ties are an outcome, the share of discordant
        pairs with its interval and that of tied pairs are further columns.
        """
        if self.limits is not None:
            low, high = self.limits.reshape(2, -1)
        else:
            low, high = rate_limits(self.tpr.ravel(), self.trials.ravel(), alpha=self.alpha)
        k = len(self.groups)
        names = [inputs.group_name(name) for name in self.groups]
        table = pd.DataFrame(
            {
                "winner": np.repeat(names, k),
                "loser": np.tile(names, k),
                "tpr": self.tpr.ravel(),
                "ci_low": low,
                "ci_high": high,
                "pairs": self.usable.ravel(),
            }
        )
        if self.discordant is None or self.tied is None:
            return table
        discordant = self.discordant.rates()
        return table.assign(
            discordant=discordant["tpr"],
            discordant_low=discordant["ci_low"],
            discordant_high=discordant["ci_high"],
            tied=self.tied.ravel(),
        )


def build_result(
    rates: PairRates,
    names: tuple[Any, ...],
    kind: str,
    *,
    balanced: bool,
    alpha: float,
    correction: Correction,
) -> ComparativeSeparationResult:
    """Test the gaps of a table of rates; `kind` is the variance."""
    k = len(names)
    joint: JointTest | None = None
    contrasts: tuple[Contrast | None, ...] = ()
    if kind == "binomial":
        counts = PairCounts(*(x.astype(np.int64) for x in (rates.concordant, rates.comparable)))
        difference = comparative_separation_from_counts(counts, alpha=alpha)
        with np.errstate(invalid="ignore", divide="ignore"):
            variances = rates.tpr * (1 - rates.tpr) / rates.comparable
        covariance = np.diag(variances.ravel())
    else:
        difference, joint = comparative_separation_from_rates(rates, alpha=alpha)
        covariance = related_covariance(rates)
        if kind == "ustatistic":
            difference, contrasts = anchored(difference, gap_contrasts(rates), alpha=alpha)
    return ComparativeSeparationResult(
        hypotheses=gap_hypotheses(names),
        difference=difference,
        alpha=alpha,
        correction=correction,
        groups=names,
        usable=rates.comparable,
        right=rates.concordant,
        tpr=rates.tpr.reshape(k, k),
        tpr_covariance=covariance,
        trials=_interval_trials(rates, covariance, kind) * trials_left(rates, alpha),
        joint=joint,
        variance=kind,
        balanced=balanced,
        contrasts=contrasts,
    )


def _interval_trials(rates: PairRates, covariance: Floats, kind: str) -> Floats:
    """Return the independent trials that each rate counts for in its interval, shape (K, K)."""
    k = rates.concordant.shape[-1]
    if kind == "ustatistic" and rates.class_sizes.shape[-1] == 2 * k:  # binary labels
        return binary_trials(rates)
    variance, least = np.diagonal(covariance).reshape(k, k), smallest_trials(rates)
    with np.errstate(invalid="ignore", divide="ignore"):
        trials = rates.tpr * (1 - rates.tpr) / variance
    trials = np.where(variance > NO_VARIANCE, trials, least)
    return np.fmin(trials, least) if kind == "dyadic" else trials


def sampled_result(
    items: LabelledItems, names: tuple[Any, ...], *, alpha: float, correction: Correction
) -> ComparativeSeparationResult:
    """Test all pairs of items with clusters or weights."""
    difference, contrasts = gap_tests(items.gaps(), items.design, alpha=alpha)
    return ComparativeSeparationResult(
        hypotheses=gap_hypotheses(names),
        difference=difference,
        alpha=alpha,
        correction=correction,
        groups=names,
        joint=None,
        variance="ustatistic",
        balanced=items.balanced,
        contrasts=contrasts,
        **sampled_pair_rates(items, alpha),
    )


def three_outcomes(
    concordant: ComparativeSeparationResult, discordant: ComparativeSeparationResult, *, tied: bool
) -> ComparativeSeparationResult:
    """Test the shares of concordant and of discordant pairs together (Definition 3.1).

    `discordant` tests the scores with the opposite sign, which says the same if no pair is tied.
    """
    difference, joint = discordant.difference, concordant.joint
    parts: list[Any] = [concordant.heterogeneity, discordant.heterogeneity]
    if not tied:
        shape = difference.pvalue.shape
        untested: Record = dict.fromkeys(
            ("ci_low", "ci_high", "statistic", "pvalue"), np.full(shape, np.nan)
        )
        difference = replace(difference, **untested, reason=np.full(shape, NO_TIES))
    elif joint is not None and (other := discordant.joint) is not None:
        both = np.minimum(2 * np.minimum(joint.pvalue, other.pvalue), 1)  # Bonferroni
        joint = replace(min(joint, other, key=lambda test: test.pvalue), pvalue=both)
    return replace(
        concordant,
        hypotheses=(*concordant.hypotheses, *gap_hypotheses(concordant.groups, share="discordant")),
        difference=Estimates.joined([concordant.difference, difference]),
        contrasts=(*concordant.contrasts, *discordant.contrasts),
        joint=joint,
        heterogeneity=None if parts[0] is None else np.concatenate(parts),
        discordant=discordant,
    )
