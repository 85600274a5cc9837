"""The score statistic of two binomial rates that differ by a value, corrected for skewness.

Groups of unlike sizes with rare events are skewed, so that z of one side rejects too rarely, and of
the other too often. Ordered by the corrected statistic, tables tell more in an exact test.

References: C. P. Farrington and G. Manning (1990), Test statistics and sample size formulae for
comparative binomial trials with null hypothesis of non-zero risk difference; J. J. Gart and J. Nam
(1990), Approximate interval estimation of the difference in binomial parameters: correction for
skewness and extension to multiple tables.
"""

import numpy as np

from fairpairs.base.arrays import Floats, Integers

#: Numbers of several tables, or of one.
Numbers = Floats | Integers | float
#: The expansion holds for z up to it.
FARTHEST = 4.0
#: Of each sample, for its skewness; with less, the order of tables has reversals.
ADDED = 0.125
#: Statistics of equally extreme counts may differ by rounding.
ROUNDING = 1e-9


@np.errstate(invalid="ignore", divide="ignore")
def score_statistic(
    successes: Numbers, other: Numbers, n: Numbers, m: Numbers, null: Floats | float
) -> tuple[Floats, Floats]:
    """Return the statistic of first − second = `null`, and the fewest expected counts.

    The counts are successes or failures. The variance has the rates that are most likely of those
    that differ by `null` (Farrington and Manning 1990, equation 5 and their appendix); the skewness
    is taken out (Gart and Nam 1990).
    """
    z, p, q = uncorrected(successes, other, n, m, null)
    fewest = np.minimum(n * np.minimum(p, 1 - p), m * np.minimum(q, 1 - q))
    return _without(z, sixth_of_skewness(p, q, n, m)), fewest


def sixth_of_skewness(p: Floats, q: Floats, n: Numbers, m: Numbers) -> Floats:
    """Return a sixth of the skewness g of the difference of two rates.

    Rates have `ADDED` successes and failures more: without them the statistic of rare events would
    not always grow with the count of the first sample (40 designs up to 200 + 2,000 were checked).
    """
    p, q = ((x * r + ADDED) / (x + 2 * ADDED) for x, r in ((n, p), (m, q)))
    one, two = p * (1 - p) / n, q * (1 - q) / m
    third = one * (1 - 2 * p) / n - two * (1 - 2 * q) / m
    variance = one + two
    return np.asarray(third / (variance * np.sqrt(variance)) / 6)


def _without(z: Floats, sixth: Floats) -> Floats:
    """Return the t with z = t + g (t² − 1) / 6; farther than `FARTHEST` as far away as there."""
    near = np.minimum(np.maximum(z, -FARTHEST), FARTHEST)
    root = np.sqrt(np.maximum(1 + 4 * sixth * (sixth + near), 0))
    return np.asarray(2 * (sixth + near) / (1 + root) + z - near)


def with_skewness(t: Floats, sixth: Floats) -> Floats:
    """Return the z whose t is this one."""
    far = np.full_like(sixth, FARTHEST)
    near = np.minimum(np.maximum(t, _without(-far, sixth)), _without(far, sixth))
    parabola = near + sixth * (near**2 - 1)
    return np.asarray(np.where(sixth * near < -0.5, near / 2 - sixth, parabola) + t - near)


@np.errstate(invalid="ignore", divide="ignore")
def uncorrected(
    successes: Numbers, other: Numbers, n: Numbers, m: Numbers, null: Floats | float
) -> tuple[Floats, Floats, Floats]:
    """Return the score statistic, and the likeliest rates that differ by `null`."""
    first, second = np.asarray(successes) / n, np.asarray(other) / m
    if np.ndim(null) == 0 and null == 0:  # without rounding, which would break ties of rare counts
        share = (np.asarray(successes) + other) / (np.asarray(n) + m)
        p = q = np.minimum(np.maximum(share, 0), 1)  # a search may ask for −1 successes
    else:
        p, q = restricted_rates(first, second, np.asarray(m) / n, null)
    error = np.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    apart = first - second - null
    return np.where(np.abs(apart) < ROUNDING, 0.0, apart / error), p, q


def restricted_rates(
    first: Floats, second: Floats, theta: Floats, null: Floats | float
) -> tuple[Floats, Floats]:
    """Return the likeliest rates that differ by `null`, given the rates and the ratio of sizes.

    The first solves a cubic, in closed form (O. Miettinen and M. Nurminen 1985, Comparative
    analysis of two rates, appendix 1).
    """
    # a p³ + b p² + c p + d = 0
    a = 1 + theta
    b = -(1 + theta + first + theta * second + null * (theta + 2)) / (3 * a)
    c = (null**2 + null * (2 * first + theta + 1) + first + theta * second) / (3 * a)
    d = -first * null * (1 + null) / (2 * a)
    square = b * b  # products, as higher powers take 40 times as long
    v = b * (square - 1.5 * c) + d
    u = np.copysign(np.sqrt(np.maximum(square - c, 0)), v)
    angle = np.where(u != 0, np.arccos(np.minimum(np.maximum(v / (u * u * u), -1), 1)), 0.0)
    p = 2 * u * np.cos((np.pi + angle) / 3) - b
    p = np.minimum(np.maximum(p, np.maximum(null, 0.0)), np.minimum(1 + null, 1.0))
    return p, np.minimum(np.maximum(p - null, 0), 1)  # np.clip takes four times as long
