"""Power where judgments share a judge or a cluster, whose tastes make them alike.

The contribution of a judgment to a gap is its hit less the rate of its cell, divided by the share
of that cell in the judgments of the gap, negative in the second cell: the mean of the contributions
is the error of the gap. The intra-class correlation (ICC) of judges is the covariance of two
contributions of one judge, divided by the variance of one. If each judge has the same mix of pairs,
the covariance is the variance between judges of their own gaps.

References
----------
L. Kish (1965), *Survey sampling*, section 5.4: the design effect 1 + (m/J − 1) ICC. A. Donner and
N. Klar (2000), *Design and analysis of cluster randomization trials*, chapter 5: its use for the
size of a study, with Student's t for few clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri, ndtri, stdtrit

from fairpairs.arrays import Floats
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.gaps import gap_cells
from fairpairs.fairness.power.expected_gaps import (
    critical_gaps,
    either_found,
    gaps_and_covariance,
    rates_of_pairs,
)
from fairpairs.fairness.power.pilots import PilotOfScores
from fairpairs.fairness.results import Correction

#: Points at which the error of an estimated standard error is taken.
NODES = 16


@dataclass(frozen=True)
class SharedJudgments:
    """Judges and clusters that share the judgments, each with the same mix and number of them.

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
    >>> round(power.design_effect(1000, shared), 1)
    5.9
    >>> items = power.items_from_rates(tpr=(0.9, 0.6))
    >>> test = power.expected_rejection
    >>> round(test("fresh_pairs", items, n_pairs=1000, shared=shared), 2)
    0.7
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
            if number is not None and not (float(number).is_integer() and number >= 2):
                raise InputError(
                    f"{name}s must be a whole number of 2 or more; it is {number:g}: differences "
                    f"between {name}s cannot be told from one."
                )

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
    inputs.between(n_judgments, "n_judgments", 1, np.inf, ends=True)
    return float(1 + sum(icc * max(n_judgments / number - 1, 0) for number, icc in shared.kinds))


@dataclass(frozen=True)
class ExpectedGaps:
    """The two gaps that a collection is expected to show, and the error of their estimates.

    Attributes
    ----------
    gaps
        The gaps, shape (2,).
    covariance
        Of their estimates, if judges and clusters had no taste, shape (2, 2).
    added
        What each kind (judges, clusters) adds to the variance of each gap, shape (kinds, 2).
    units
        Number of judges, of clusters.
    behind
        Judgments behind each gap, shape (2,).
    """

    gaps: Floats
    covariance: Floats
    added: Floats
    units: Sequence[int]
    behind: Floats

    def found(self, level: float, critical: Floats | None = None) -> float:
        """Return the chance that one of the gaps, or both, is significant.

        The test divides a gap by its standard error and compares it with Student's t of the number
        of judges, or of clusters if they are fewer, less 1.

        Parameters
        ----------
        level
            Level of each of the two hypotheses.
        critical
            How large a gap must be without judges and clusters; by the normal distribution unless
            it is given, shape (2,).
        """
        usual = float(-ndtri(level / 2))
        alone = np.diagonal(self.covariance)
        total = alone + self.added.sum(axis=0)
        if not (total > 0).all():
            return 0.0  # without variance there is no rejection
        tested = alone if critical is None else (critical / usual) ** 2
        error = np.sqrt(tested + self.added.sum(axis=0))
        limit = float(-stdtrit(min(self.units) - 1, level / 2)) if self.units else usual
        covariance = self.covariance + np.diag(self.added.sum(axis=0))
        spread = self._spread_of_errors(total)
        return float(
            np.mean([either_found(self.gaps, covariance, limit * error * s) for s in spread])
        )

    def _spread_of_errors(self, total: Floats) -> Floats:
        """Return the estimated standard errors, by the true ones, at even quantiles.

        By Satterthwaite's degrees of freedom: units − 1 for what each kind adds, and the judgments
        for the rest.
        """
        rest = np.diagonal(self.covariance)
        parts = rest**2 / np.maximum(self.behind, 2)
        for number, of_kind in zip(self.units, self.added, strict=True):
            parts = parts + of_kind**2 / (number - 1)
        df = total**2 / parts
        upper = 1 - (np.arange(NODES) + 0.5) / NODES
        return np.sqrt(chdtri(df, upper[:, None]) / df)


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
    """Return the chance that either gap is significant where judgments are shared.

    Parameters
    ----------
    items, n_items, n_pairs
        As in `gaps_and_covariance`.
    shared
        Judges and clusters.
    level
        Level of each of the two hypotheses.
    """
    theta, _, usable = rates_of_pairs(items, n_items)
    gaps, covariance = gaps_and_covariance(items, n_items, n_pairs)
    first, second = gap_cells(2)
    # a contribution is divided by the share of its cell in the gap
    spread, share = (theta * (1 - theta)).ravel(), usable.ravel()
    both = share[first] + share[second]
    of_one = both * (spread[first] / share[first] + spread[second] / share[second])
    behind = n_pairs * both
    added = np.array(
        [icc * of_one * np.maximum(1 / number - 1 / behind, 0) for number, icc in shared.kinds]
    ).reshape(-1, 2)
    expected = ExpectedGaps(gaps, covariance, added, [n for n, _ in shared.kinds], behind)
    if isinstance(items, PilotOfScores):
        return expected.found(level)
    return expected.found(level, critical_gaps(items, n_items, n_pairs, level))
