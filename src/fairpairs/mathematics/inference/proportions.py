"""Differences of two independent proportions, of many tables, or at all thresholds at once.

At all thresholds: with n and m scores, the errors of the two empirical distributions are, times
√(nm / (n + m)) and in large samples, D(t) = √w B₁(F(t)) − √(1 − w) B₂(G(t)): two Brownian bridges,
w = m / (n + m). D plus an independent normal variable times √(w(1 − w)) (F − G)(t) has the
covariance of a Brownian bridge at wF + (1 − w)G, and by Anderson's inequality such an addition
makes it less probable that |D| ≤ c at all t. So the quantile of Kolmogorov's distribution, that of
a bridge, holds D in for all F and G, also with steps (docs/explanation/methods.md).
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import kolmogi, ndtr, ndtri

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.inputs import Alternative
from fairpairs.mathematics.estimates.estimates import UNVARYING, Estimates, cohens_h
from fairpairs.mathematics.inference.mover import difference_limits

#: How two proportions are compared: by their exact score contrast, the pooled z or Fisher's test.
ProportionMethod = Literal["auto", "z", "fisher"]

#: With at most this many items expected in a cell, the normal approximation is not trusted.
FEW = 5
#: The note where a count is at most FEW.
FEW_EVENTS = f"{FEW} or fewer positive or negative predictions in a cell"
#: With fewer items expected in a cell, the pooled z rejects too often in the far tail.
LEAST_EXPECTED = 10
#: The note where fewer are expected and z is asked for.
FEW_EXPECTED = f"an expected count below {LEAST_EXPECTED}"
#: The note where at most FEW items of a cell are expected to be ranked wrong, or right.
FEW_WRONG = f"{FEW} or fewer rows of a cell ranked wrong"


def compared_counts(counts: ArrayLike) -> tuple[Integers, Integers, Integers, Integers]:
    """Return positive predictions and items of group 1, and of group 0, shape (..., 2) each.

    `counts` has the shape (..., 2, 2, 2). On the last axis label 1 is first (TPR), then 0 (FPR).
    """
    counts = np.asarray(counts)
    positives, totals = counts[..., ::-1, 1], counts.sum(axis=-1)[..., ::-1]
    return positives[..., 1, :], totals[..., 1, :], positives[..., 0, :], totals[..., 0, :]


def wald_difference(
    successes_1: ArrayLike,
    n_1: ArrayLike,
    successes_2: ArrayLike,
    n_2: ArrayLike,
    *,
    alpha: float = 0.05,
) -> Estimates:
    """Test p1 = p2 by the unpooled two-sided z, with the variances of equations (15) and (20).

    Intervals end at ±1. A sample without a trial, or two equal rates of 0 or 1 (no variance), leave
    NaN and a reason; results give the latter p = 1. If one rate is 0 and the other 1, the pooled
    variance is used (*Comparative Separation*, sections 3.3.1 and 3.3.2). Counts are arrays that
    broadcast.
    """
    k1, m1, k2, m2 = np.broadcast_arrays(successes_1, n_1, successes_2, n_2)
    with np.errstate(divide="ignore", invalid="ignore"):
        p1, p2, pooled = k1 / m1, k2 / m2, (k1 + k2) / (m1 + m2)
        estimate = p1 - p2
        unpooled = p1 * (1 - p1) / m1 + p2 * (1 - p2) / m2
        opposite = np.abs(estimate) == 1
        variance = np.where(opposite, pooled * (1 - pooled) * (1 / m1 + 1 / m2), unpooled)
        standard_error = np.sqrt(variance)
        statistic = np.where(standard_error > 0, estimate / standard_error, np.nan)
    margin = np.where(np.isfinite(statistic), ndtri(1 - alpha / 2) * standard_error, np.nan)
    empty = (m1 == 0) | (m2 == 0)
    reason = np.select(
        [empty, opposite, standard_error == 0],
        ["empty cell", f"{UNVARYING}: the pooled one stands in", UNVARYING],
        default="",
    )
    return Estimates(
        estimate=estimate,
        ci_low=np.maximum(estimate - margin, -1),
        ci_high=np.minimum(estimate + margin, 1),
        statistic=statistic,
        pvalue=2 * ndtr(-np.abs(statistic)),
        n=m1 + m2,
        smallest_cell=np.minimum(m1, m2),
        reason=reason,
        effect_size=cohens_h(p1, p2),
    )


def pooled_or_fisher_difference(
    successes_1: ArrayLike,
    n_1: ArrayLike,
    successes_2: ArrayLike,
    n_2: ArrayLike,
    *,
    method: Literal["z", "fisher"],
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
) -> Estimates:
    """Test p1 = p2 by the pooled z, or by Fisher's exact test, whose statistic is NaN.

    Intervals are Newcombe's (1998, method 10), which may leave out 0 where p is above alpha, and
    hold it where p is below; of one side they end at ±1 on the other. `reason` reports a sample
    without a trial, and p̂ of 0 or 1 in both, which leave NaN; and of z few expected items.
    """
    k1, m1, k2, m2 = np.broadcast_arrays(successes_1, n_1, successes_2, n_2)
    compared = (m1 > 0) & (m2 > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        p1, p2, share = k1 / m1, k2 / m2, (k1 + k2) / (m1 + m2)
        estimate = p1 - p2
        standard_error = np.sqrt(share * (1 - share) * (1 / m1 + 1 / m2))
        z = np.where(standard_error > 0, estimate / standard_error, np.nan)
        expected = np.minimum(share, 1 - share) * np.minimum(m1, m2)
        tail = alpha / 2 if alternative == "two-sided" else alpha
        low, high = difference_limits(p1, p2, m1, m2, -float(ndtri(tail)))
    varying = standard_error != 0
    few = compared & varying & (expected < LEAST_EXPECTED) & (method == "z")
    tails = {"two-sided": 2 * ndtr(-np.abs(z)), "greater": ndtr(-z), "less": ndtr(z)}
    pvalue = np.array(tails[alternative])
    if method == "fisher":
        from scipy.stats import fisher_exact  # noqa: PLC0415  (slow)

        z = np.full_like(z, np.nan)
        pvalue[compared & varying] = [
            fisher_exact(table.reshape(2, 2), alternative=alternative).pvalue
            for table in np.stack([k1, m1 - k1, k2, m2 - k2], axis=-1)[compared & varying]
        ]
    return Estimates(
        estimate=estimate,
        ci_low=np.where(compared, -1.0 if alternative == "less" else np.maximum(low, -1), np.nan),
        ci_high=np.where(
            compared, 1.0 if alternative == "greater" else np.minimum(high, 1), np.nan
        ),
        statistic=z,
        pvalue=pvalue,
        n=m1 + m2,
        smallest_cell=np.minimum(m1, m2),
        reason=np.select([~compared, ~varying, few], ["empty cell", UNVARYING, FEW_EXPECTED], ""),
        effect_size=cohens_h(p1, p2),
    )


def few_events(
    successes_1: ArrayLike, n_1: ArrayLike, successes_2: ArrayLike, n_2: ArrayLike
) -> NDArray[np.bool_]:
    """Return where one of two samples that have trials has 5 or fewer successes, or failures."""
    k1, m1, k2, m2 = np.broadcast_arrays(successes_1, n_1, successes_2, n_2)
    least = np.minimum(np.minimum(k1, m1 - k1), np.minimum(k2, m2 - k2))
    return np.asarray((least <= FEW) & (m1 > 0) & (m2 > 0))


def few_ranked_wrong(rate: Floats, winners: Floats, losers: Floats) -> NDArray[np.bool_]:
    """Return where 5 or fewer items of a cell are expected to be ranked wrong, or ranked right.

    `rate` is the share of pairs that are ranked right. Its variance then rests on these few items:
    if their scores lie far from the others, as when one group's scores are more spread out, chance
    hides it.
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(np.minimum(winners, losers) * np.minimum(rate, 1 - rate) <= FEW)


def threshold_gaps(
    scores: Floats, reference: Floats, thresholds: Floats, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """Return group minus reference of shares above thresholds, and a band; scores are sorted."""
    rates = [
        1 - np.searchsorted(some, thresholds, "left") / len(some) for some in (scores, reference)
    ]
    gap = np.asarray(rates[0] - rates[1])
    half = float(kolmogi(alpha)) * math.sqrt(1 / len(scores) + 1 / len(reference))
    return gap, np.maximum(gap - half, -1), np.minimum(gap + half, 1)
