"""Limits of rates, and of sums and ratios from the limits of each, by their squares (MOVER).

A rate has the number of independent trials that would give it its variance, so that pairs that
share items count by their effective number.

References: E. B. Wilson (1927), Probable inference, the law of succession, and statistical
inference; R. G. Newcombe (1998), Interval estimation for the difference between independent
proportions (method 10); G. Y. Zou and A. Donner (2008), Construction of confidence limits about
effect measures; A. Donner and G. Y. Zou (2012), Closed-form confidence intervals for functions of
the normal mean and standard deviation, section 2.2 (MOVER-R).
"""

from itertools import combinations

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from fairpairs.base.arrays import Floats

#: Steps of Newton's method; it takes about six, and more only where a rate is next to 0 or 1.
STEPS = 60
#: After a step below it the next one would be rounding.
LAST_STEP = 1e-7
#: Bounds of the slope of the logarithm that Newton's method brings to 0.
SLOPES = 1.0, 3 + np.sqrt(2)
#: Fewer successes, or failures, are rounding.
LEAST = 1e-9


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
