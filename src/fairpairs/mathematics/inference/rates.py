"""Rates: limits of one, of sums and ratios by those of each (MOVER), and tests of two.

A rate has the number of independent trials that would give it its variance, so that pairs that
share items count by their effective number.

References: E. B. Wilson (1927), Probable inference, the law of succession, and statistical
inference; R. G. Newcombe (1998), Interval estimation for the difference between independent
proportions (method 10); G. Y. Zou and A. Donner (2008), Construction of confidence limits about
effect measures; A. Donner and G. Y. Zou (2012), Closed-form confidence intervals for functions of
the normal mean and standard deviation, section 2.2 (MOVER-R).

At all thresholds at once: with n and m scores, the errors of the two empirical distributions are,
times √(nm / (n + m)) and in large samples, D(t) = √w B₁(F(t)) − √(1 − w) B₂(G(t)): two Brownian
bridges, w = m / (n + m). D plus an independent normal variable times √(w(1 − w)) (F − G)(t) has the
covariance of a Brownian bridge at wF + (1 − w)G, and by Anderson's inequality such an addition
makes it less probable that |D| ≤ c at all t. So the quantile of Kolmogorov's distribution, that of
a bridge, holds D in for all F and G, also with steps (docs/explanation/methods.md).
"""

import math
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, kolmogi, ndtr, ndtri, stdtrit

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.inputs import Alternative
from fairpairs.mathematics.estimates.estimates import UNVARYING, Estimates, cohens_h

#: Steps of Newton's method; it takes about six, and more only where a rate is next to 0 or 1.
STEPS = 60
#: After a step below it the next one would be rounding.
LAST_STEP = 1e-7
#: Bounds of the slope of the logarithm that Newton's method brings to 0.
SLOPES = 1.0, 3 + np.sqrt(2)
#: Fewer successes, or failures, are rounding.
LEAST = 1e-9
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


def wilson_limits(
    rate: Floats | float, trials: Floats | float, quantile: Floats | float
) -> tuple[Floats, Floats]:
    """Return Wilson's limits of rates with any (not only whole) numbers of trials."""
    with np.errstate(invalid="ignore", divide="ignore"):  # a rate without trials
        share = np.square(quantile) / trials
        centre = (rate + share / 2) / (1 + share)
        varying = np.maximum(rate * (1 - rate), 0)  # a rate may exceed 1 by rounding
        margin = np.sqrt(share * varying + share**2 / 4) / (1 + share)
    return np.asarray(centre - margin), np.asarray(centre + margin)


def rate_limits(
    rate: Floats | float, trials: Floats | float, *, alpha: float
) -> tuple[Floats, Floats]:
    """Return Wilson's interval of rates, within 0 and 1 whatever the rounding."""
    low, high = wilson_limits(rate, trials, ndtri(1 - alpha / 2))
    return np.clip(low, 0, rate), np.clip(high, rate, 1)


def clopper_pearson_limits(
    rate: Floats, trials: Floats, quantile: Floats | float
) -> tuple[Floats, Floats]:
    """Return Clopper and Pearson's limits of rates of any numbers of trials (a normal quantile).

    >>> low, high = clopper_pearson_limits(np.array([0.0, 0.5]), np.array([10, 10]), 1.96)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.187]), array([0.309, 0.813]))
    """
    successes = np.clip(rate, 0, 1) * trials
    failures, tail = trials - successes, ndtr(-np.asarray(quantile))
    with np.errstate(invalid="ignore"):  # a limit that the next line replaces
        low = betaincinv(np.maximum(successes, LEAST), failures + 1, tail)
        high = 1 - betaincinv(np.maximum(failures, LEAST), successes + 1, tail)
        # far in the tail the inverse may fail: nothing is known then
        low, high = np.where(low >= 0, low, 0.0), np.where(high <= 1, high, 1.0)
    return np.where(successes > LEAST, low, 0.0), np.where(failures > LEAST, high, 1.0)


def difference_limits(
    first: Floats,
    second: Floats,
    trials_first: Floats,
    trials_second: Floats,
    quantile: Floats | float,
) -> tuple[Floats, Floats]:
    """Return MOVER's limits of the difference of two independent rates, each worth some trials."""
    pairs = (first, trials_first), (second, trials_second)
    low, high = np.stack([wilson_limits(*pair, quantile) for pair in pairs], axis=-1)
    return sum_limits(np.stack([first, second], axis=-1), low, high, np.array([1.0, -1.0]))


def sum_limits(
    values: Floats, low: Floats, high: Floats, factors: Floats, correlation: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the limits of sums of L terms, each times a factor, from those of the terms.

    Terms and their limits have the shape (..., L), factors (L,); the correlation of the terms is
    (..., L, L), None where they are independent.
    """
    down, up = factors * (values - low), factors * (high - values)
    estimate: Floats = values @ factors
    # the end of each term that makes the sum least, and most
    least, most = np.where(factors > 0, down, up), np.where(factors > 0, up, down)

    def length(parts: Floats) -> Floats:
        square = np.square(parts).sum(axis=-1)
        if correlation is not None:
            for i, j in combinations(range(len(factors)), 2):
                square = square + 2 * correlation[..., i, j] * parts[..., i] * parts[..., j]
        return np.asarray(np.sqrt(np.maximum(square, 0)))

    return estimate - length(least), estimate + length(most)


def difference_statistic(
    first: Floats, second: Floats, trials_first: Floats, trials_second: Floats
) -> Floats:
    """Return the quantile at which 0 is a limit of first − second, signed as that, or NaN."""
    swap = first < second
    high, low = np.where(swap, second, first), np.where(swap, first, second)
    n_high, n_low = (
        np.where(swap, trials_second, trials_first),
        np.where(swap, trials_first, trials_second),
    )
    apart, rest = high - low, np.maximum(1 - high, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine, sine = _legs(_log_tangent(apart, low, rest, n_high / n_low))
        # Wilson's limit l of a rate p solves n (p - l)² = z² l (1 - l)
        limit = low + apart * sine**2 / (1 + cosine)
        statistic = apart * cosine * np.sqrt(n_high / (limit * (rest + apart * cosine)))
    unknown = (apart == 0) | (np.fmin(n_high, n_low) <= 0)
    statistic = np.where(unknown, 0, np.where(swap, -statistic, statistic))
    return np.where(np.isnan(first - second + n_high + n_low), np.nan, statistic)


def _log_tangent(apart: Floats, low: Floats, rest: Floats, ratio: Floats) -> Floats:
    """Return log((u - low) / (high - l)) where the difference of the rates has 0 as a limit.

    The lower limit l of the higher rate and the upper limit u of the lower rate have one quantile,
    and are the legs of a right triangle with high - low. `apart` is high - low, `rest` is 1 - high,
    `ratio` the trials of the higher rate by those of the lower one.
    """
    leg = apart * np.sqrt(0.5)
    other = apart - leg
    point = np.log(ratio * (low + leg) * (rest + other) / ((low + other) * (rest + leg))) / 2
    least, most = np.full_like(point, -np.inf), np.full_like(point, np.inf)
    moving = np.isfinite(point) & (apart > 0)
    for _ in range(STEPS):
        if not moving.any():
            break
        cosine, sine = _legs(point)
        # no difference of numbers that are nearly equal
        l, not_l = low + apart * sine**2 / (1 + cosine), rest + apart * cosine  # noqa: E741
        u, not_u = low + apart * sine, rest + apart * cosine**2 / (1 + sine)
        value = np.log(ratio * u * not_u / (l * not_l)) - 2 * point
        bounds = [point + value / slope for slope in SLOPES]
        least, most = np.fmax(least, np.fmin(*bounds)), np.fmin(most, np.fmax(*bounds))
        turn = apart * sine * cosine
        slope = 2 - turn * (cosine * (1 / u - 1 / not_u) - sine * (1 / l - 1 / not_l))
        proposed = point + value / slope
        proposed = np.where((least <= proposed) & (proposed <= most), proposed, (least + most) / 2)
        step = np.where(moving, proposed - point, 0)
        point = point + step
        moving &= np.abs(step) > LAST_STEP
    return np.asarray(point)


def _legs(log_tangent: Floats) -> tuple[Floats, Floats]:
    """Return cosine and sine of the angle whose tangent has this logarithm."""
    tangent = np.exp(log_tangent)
    cosine = 1 / np.sqrt(1 + tangent**2)
    return cosine, tangent * cosine


def ratio_limits(
    first: Floats | float,
    second: Floats | float,
    trials: tuple[Floats | float, Floats | float],
    quantile: Floats | float,
    correlation: Floats | float = 0.0,
) -> tuple[Floats, Floats]:
    """Return the limits of first / second; infinite above where the second rate is 0.

    They are the values R at which 0 is a limit of first − R second, so 1 is left out just where the
    interval of the difference leaves out 0. `trials` are the independent trials that each rate is
    worth; without any the limits are NaN. docs/reference/audit.md has its coverage by enumeration.
    """
    first, second, *both_trials = (np.asarray(x, dtype=float) for x in (first, second, *trials))
    first, second = np.broadcast_arrays(first, second)
    known = (both_trials[0] > 0) & (both_trials[1] > 0)
    # rounding may put a limit of Wilson's on the wrong side of 0 or 1
    (low_1, high_1), (low_2, high_2) = (
        np.clip(wilson_limits(rate, worth, quantile), 0, 1)
        for rate, worth in zip((first, second), both_trials, strict=True)
    )
    low, _ = _roots(first, second, first - low_1, high_2 - second, correlation)
    _, high = _roots(first, second, high_1 - first, second - low_2, correlation)
    undefined = ~known | ((first == 0) & (second == 0))
    low = np.where(first > 0, low, 0.0)
    high = np.where(second > 0, high, np.inf)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


def ratios_to_highest(
    rates: Floats,
    trials: Floats,
    *,
    alpha: float,
    correlation: Floats | float = 0.0,
    df: Floats | float = np.inf,
) -> tuple[Floats, Floats, Floats]:
    """Return the ratio of each of K rates to the highest one, and its limits, shape (K,) each.

    The interval covers the ratio of the true rate to the highest true rate, whichever group has
    that, by Bonferroni's adjustment. Rates without trials are NaN, and all are if every rate is 0.
    The correlation is (K, K), `df` (K,).
    """
    known = trials > 0
    count = int(known.sum())
    if not known.any() or not (rates[known] > 0).any():
        return (np.full(len(rates), np.nan),) * 3
    fewest = np.minimum.outer(*(np.broadcast_to(df, len(rates)),) * 2)
    low, high = (
        ratio_limits(
            rates[:, None],
            rates[None, :],
            (trials[:, None], trials[None, :]),
            -stdtrit(fewest, tail),
            correlation,
        )[side]
        for side, tail in enumerate((alpha / 2, alpha / 2 / max(count - 1, 1)))
    )
    # two rates of 0 tell nothing of their ratio, and a rate is 1 times itself
    low, high = np.where(np.isnan(low), 0.0, low), np.where(np.isnan(high), 1.0, high)
    itself = np.eye(len(rates), dtype=bool)
    others = known[None, :] & ~itself
    low, high = (np.where(others, limit, 1.0).min(axis=1) for limit in (low, high))
    ratio = rates / rates[known].max()
    return tuple(np.where(known, x, np.nan) for x in (ratio, low, high))  # type: ignore[return-value]


def _roots(
    first: Floats, second: Floats, margin_1: Floats, margin_2: Floats, correlation: Floats | float
) -> tuple[Floats, Floats]:
    """Return both R at which first − R second is as far from 0 as its margin."""
    product = first * second - correlation * margin_1 * margin_2
    square_1, square_2 = first**2 - margin_1**2, second**2 - margin_2**2
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(np.maximum(product**2 - square_1 * square_2, 0))
        return np.asarray(square_1 / (product + root)), np.asarray((product + root) / square_2)


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
