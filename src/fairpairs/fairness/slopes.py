"""Comparative separation for a continuous sensitive attribute.

Comparative separation says that whether a pair is ranked right does not depend on the attribute of
its winner, a_i, nor of its loser, a_j. So it is uncorrelated with their difference (across, as H0c
asks whether (1,0) fares as (0,1)) and with their sum (within, as H0w asks whether (1,1) fares as
(0,0)). For two groups coded 0 and 1 the differences of −1, 0 and 1 and the sums of 0, 1 and 2 are
those very cells. The paper names continuous attributes as open (its section on validity); the
definition is ours, and its variance is that of a U-statistic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtr, ndtri

from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.comparative import JointTest
from fairpairs.fairness.pair_rates import (
    NO_VARIANCE,
    Ties,
    check_ties,
    sums_over_labels,
    sums_over_pairs,
)
from fairpairs.fairness.proportions import Floats, ProportionDifference
from fairpairs.fairness.results import Correction, FairnessTestResult

#: Weights of the winner's and of the loser's attribute: across, within.
CONTRASTS = ((1.0, -1.0), (1.0, 1.0))


@dataclass(frozen=True)
class ComparativeSlopesResult(FairnessTestResult):
    """The result of `comparative_separation_slopes_test`.

    Attributes
    ----------
    rate
        Share of all pairs with different labels that are ranked right.
    joint
        Wald test of both slopes.
    """

    name: ClassVar[str] = "comparative separation slopes test"
    rate: float
    joint: JointTest


def comparative_separation_slopes_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_feature: ArrayLike,
    ties: Ties = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> ComparativeSlopesResult:
    """Test whether being ranked right depends on a continuous attribute, over all pairs.

    Parameters
    ----------
    y_true, y_score
        Labels and scores, shape (n,). For labels that are not binary, the attribute must be
        independent of the label, or a fair model may be found to violate this.
    sensitive_feature
        Value of the attribute of each item, shape (n,).
    ties
        Whether a tie of the scores counts as "wrong" or as "half".
    alpha
        Level.
    correction
        "none", "holm" or "sidak".

    Returns
    -------
    ComparativeSlopesResult
        Estimates are the slopes of the chance of being ranked right, per unit of the difference
        a_winner − a_loser, and of the sum a_winner + a_loser; effect sizes are slopes per standard
        deviation of these.

    Raises
    ------
    InputError
        When the arrays differ in length or hold a missing value, or the attribute or the label
        does not vary.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> age, y = rng.uniform(20, 70, 300), rng.integers(0, 2, 300)
    >>> score = y * (70 - age) / 10 + rng.normal(size=300)
    >>> result = comparative_separation_slopes_test(y, score, sensitive_feature=age)
    >>> result.violated
    True
    """
    labels = inputs.numeric(y_true, "y_true")
    scores = inputs.numeric(y_score, "y_score")
    values = inputs.moderate(sensitive_feature, "sensitive_feature")
    inputs.same_items(y_true=y_true, y_score=y_score, sensitive_feature=sensitive_feature)
    inputs.level(alpha)
    check_ties(ties)
    for name, array in (("y_true", labels), ("sensitive_feature", values)):
        if array.min() == array.max():
            raise InputError(f"{name} holds one value only: there is nothing to compare.")
    n = len(labels)
    a = values - values.mean()
    powers = np.stack([np.ones(n), a, a**2])[:, None]
    hits = [x[:, 0] for x in sums_over_pairs(labels[None], scores[None], powers[:2], ties=ties)]
    pairs = [x[:, 0] for x in sums_over_labels(labels[None], powers)]
    total = pairs[0][0].sum()
    rate = hits[0][0].sum() / total
    slopes, added, spread = [], [], []
    for winner, loser in CONTRASTS:
        x, xx = _moments(winner * a, loser, pairs[0])
        hx = winner * a * hits[0][0] + loser * hits[0][1]
        mean = x.sum() / total
        squares = xx.sum() - total * mean**2
        if squares <= 0:
            raise InputError(
                "All pairs with different labels are alike in sensitive_feature: no slope."
            )
        slope = (hx.sum() - rate * total * mean) / squares
        own = np.zeros(n)
        for first, second, hit, pair in zip(
            (winner, loser), (loser, winner), hits, pairs, strict=True
        ):
            x, xx = _moments(first * a, second, pair)
            hx = first * a * hit[0] + second * hit[1]
            level = rate - slope * mean
            # the sum over an item's pairs of (hit − level − slope x)(x − mean)
            own += hx - mean * hit[0] - level * (x - mean * pair[0]) - slope * (xx - mean * x)
        slopes.append(slope)
        added.append(own / squares)
        spread.append(np.sqrt(squares / total))
    estimate, projections = np.array(slopes), np.stack(added, axis=1)
    covariance = projections.T @ projections * n / (n - 1)
    error = np.sqrt(np.diagonal(covariance))
    with np.errstate(invalid="ignore", divide="ignore"):
        varies = (error * np.array(spread)) ** 2 > NO_VARIANCE
        statistic = np.where(varies, estimate / error, np.nan)
    margin = np.where(varies, ndtri(1 - alpha / 2) * error, np.nan)
    wald = float(estimate @ np.linalg.pinv(covariance, hermitian=True) @ estimate)
    wald = wald if varies.all() else np.nan
    return ComparativeSlopesResult(
        hypotheses=("no slope on a_winner - a_loser", "no slope on a_winner + a_loser"),
        difference=ProportionDifference(
            estimate=estimate,
            ci_low=estimate - margin,
            ci_high=estimate + margin,
            statistic=statistic,
            pvalue=2 * ndtr(-np.abs(statistic)),
            n=np.full(2, total, dtype=np.int64),
            smallest_cell=np.full(2, n),
            reason=np.where(np.isfinite(statistic), "", "no variance"),
            effect_size=estimate * np.array(spread),
        ),
        alpha=alpha,
        correction=correction,
        rate=float(rate),
        joint=JointTest(np.asarray(wald), 2, np.asarray(chdtrc(2, wald))),
    )


def _moments(own: Floats, weight: float, sums: Floats) -> tuple[Floats, Floats]:
    """Sum x = own + weight · a_other, and x², over the others, from the sums of 1, a and a²."""
    first = own * sums[0] + weight * sums[1]
    return first, own**2 * sums[0] + 2 * own * weight * sums[1] + weight**2 * sums[2]
