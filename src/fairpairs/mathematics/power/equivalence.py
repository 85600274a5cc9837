"""How often the differences of separation are shown to lie within a margin, and what that needs.

The test is that of the audit: two one-sided score tests of two independent rates, at the level each
(two one-sided tests), for each line. All lines are shown if each of them is, so no level is shared.

References: D. J. Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
approach; C. P. Farrington and G. Manning (1990), Test statistics and sample size formulae for
comparative binomial trials with null hypothesis of non-zero risk difference or non-unity relative
risk.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.inference.contrasts.binomial import (
    LEAST_EXPECTED,
    chance_beyond,
)
from fairpairs.mathematics.inference.contrasts.score_statistic import score_statistic
from fairpairs.mathematics.power.items import MOST, checked_items, simulated_sets
from fairpairs.mathematics.power.rejection import few_are_expected

#: A difference of separation, or both of them.
Line = Literal["both", "tpr", "fpr"]

#: Points at which the counts are taken, as a power of 2: with more, powers change by 0.001 or less.
POINTS = 11
#: Sets that are drawn of several groups: the standard error of a power of 0.8 is 0.004.
SETS = 10_000
#: Tolerance of the critical values of the exact test.
PRECISION = 1e-3
#: Tolerance of the smallest margin.
MARGIN_PRECISION = 1e-4
#: Every third step halves the bracket, which interpolation leaves wide where a function jumps.
HALVED = 3
#: Chances below it, or as near to 1, have no quantile.
SMALLEST_CHANCE = 1e-15
#: Exact critical values are averaged over SIZES / (items of the smaller cell) sizes, or fewer.
SIZES, MOST_SIZES = 1000, 8


def power_within(
    items: Floats, margin: float, *, n_items: int, line: Line = "both", alpha: float = 0.05
) -> float:
    """Return the probability that differences of TPR and FPR are shown to lie within a margin.

    The numbers of items by group and label, and of positive predictions of group 1, are integrated
    by a Sobol sequence; given these, the binomial distribution of group 0 is summed exactly over
    the counts for which the test shows it. So it holds for small cells too. Of three groups or more
    it is the share of 10,000 simulated sets in which each two groups are shown to lie within it.

    Parameters
    ----------
    items
        Probability of an item in each cell (a, y, c), shape (2, 2, 2), or (k, 2, 2) of k groups, as
        `items_from_rates` returns it.
    margin
        Differences below it, in either direction, do not matter: between 0 and 1.
    n_items
        Number of labelled items. Items are sampled, so group and label are as random as
        predictions.
    line
        "tpr", "fpr", or "both" of them in the same items.
    alpha
        Level of each of the two one-sided tests of a line; lines need no correction.

    Returns
    -------
    float
        At most about `alpha` where a true difference is not below the margin.

    Raises
    ------
    InputError
        When a margin, a number or a level is out of its range.

    Examples
    --------
    >>> from fairpairs import power
    >>> items = power.items_from_rates(tpr=0.8, fpr=0.2)
    >>> round(power.power_within(items, 0.05, n_items=5000), 2)
    0.74

    The number of items for a power of 0.8, for the TPR alone:

    >>> def of_tpr(n):
    ...     return power.power_within(items, 0.05, n_items=n, line="tpr")
    >>> power.smallest_number(of_tpr)
    4406
    """
    cells = checked_items(items)
    inputs.between(margin, "margin", 0, 1)
    inputs.between(n_items, "n_items", 1, MOST, ends=True)
    inputs.one_of(line, "line", get_args(Line))
    inputs.level(alpha)
    labels = {"both": (1, 0), "tpr": (1,), "fpr": (0,)}[line]
    design = tuple(cells.ravel().tolist()), int(n_items), float(margin), float(alpha)
    shown = [
        _shown(label, *design, POINTS) if len(cells) == 2 else _all_shown(label, *design, SETS)
        for label in labels
    ]
    return float(np.prod(shown, axis=0).mean())


def smallest_margin(
    items: Floats, *, n_items: int, line: Line = "both", power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the smallest margin that the differences of TPR and FPR can be shown to lie within.

    Parameters
    ----------
    items, n_items, line, alpha
        As in `power_within`.
    power
        Wanted power.

    Raises
    ------
    InputError
        When so few items show no margin with this power.

    Examples
    --------
    >>> from fairpairs import power
    >>> items = power.items_from_rates(tpr=0.8, fpr=0.2)
    >>> round(power.smallest_margin(items, n_items=2000), 2)
    0.08
    """
    inputs.between(power, "power", 0, 1)

    def excess(margin: float) -> float:
        reached = power_within(items, margin, n_items=n_items, line=line, alpha=alpha)
        return _normal_quantile(reached) - _normal_quantile(power)  # nearly linear in the margin

    margin = 1 - 1e-6
    if (at_margin := excess(margin)) < 0:
        raise InputError(
            f"No margin is shown by {n_items:,} items with a power of {power:g}: take more items."
        )
    while (at_half := excess(margin / 2)) >= 0:
        margin, at_margin = margin / 2, at_half
        if margin < MARGIN_PRECISION:
            return margin
    return crossing(
        excess, margin / 2, margin, at_low=at_half, at_high=at_margin, precision=MARGIN_PRECISION
    )


def _normal_quantile(chance: float) -> float:
    return float(ndtri(np.clip(chance, SMALLEST_CHANCE, 1 - SMALLEST_CHANCE)))


@lru_cache(maxsize=256)  # a curve asks for each line, and for both
def _shown(
    label: int, cells: tuple[float, ...], n_items: int, margin: float, alpha: float, power: int
) -> Floats:
    """Return the probability that the line of a label is shown, at each of 2 ** power points."""
    from scipy.stats import binom  # noqa: PLC0415  (slow)

    items = np.reshape(cells, (2, 2, 2))
    sizes = _sizes(cells, n_items, power)[:, label]
    rates = items[:, label, 1] / items[:, label].sum(axis=-1)
    tested = (sizes > 0).all(axis=0)
    n0, n1 = np.maximum(sizes, 1)
    k1 = _quantile(_points(power)[3 + label], n1, rates[1])
    above = _critical_statistic(rates[::-1], sizes[::-1], -margin, alpha)
    below = _critical_statistic(rates, sizes, -margin, alpha)
    # a larger count of group 0 lowers the difference: it is above −margin up to a count, and below
    # the margin from a count on
    last = _first(lambda k0: score_statistic(k1, k0, n1, n0, -margin)[0] < above, n0) - 1
    first = _first(lambda k0: score_statistic(k0, k1, n0, n1, -margin)[0] >= below, n0)
    within = binom.cdf(last, n0, rates[0]) - binom.cdf(first - 1, n0, rates[0])
    return np.where(tested, np.maximum(within, 0), 0)


@lru_cache(maxsize=256)
def _all_shown(
    label: int, cells: tuple[float, ...], n_items: int, margin: float, alpha: float, sets: int
) -> NDArray[np.bool_]:
    """Return in which simulated sets the line of a label is shown of each two groups."""
    items = np.reshape(cells, (-1, 2, 2))
    counts, _ = simulated_sets(n_items, items.shape, items.tobytes(), sets)
    totals, shown = counts.sum(axis=-1), np.ones(sets, dtype=bool)
    few = few_are_expected(items[:, label], n_items, None)
    rates = items[:, label, 1] / items[:, label].sum(axis=-1)
    for two in map(list, combinations(range(len(items)), 2)):
        (k0, k1), sizes = counts[:, two, label, 1].T, totals[:, two, label].T
        n0, n1 = np.maximum(sizes, 1)
        above = below = float(-ndtri(alpha))
        if few:
            above = _critical_statistic(rates[two[::-1]], sizes[::-1], -margin, alpha)
            below = _critical_statistic(rates[two], sizes, -margin, alpha)
        shown &= (sizes > 0).all(axis=0)
        shown &= score_statistic(k1, k0, n1, n0, -margin)[0] >= above
        shown &= score_statistic(k0, k1, n0, n1, -margin)[0] >= below
    return shown


@lru_cache
def _points(power: int) -> Floats:
    """Return 2 to the `power` points that fill the unit cube evenly, shape (5, points)."""
    from scipy.stats.qmc import Sobol  # noqa: PLC0415  (slow)

    points = Sobol(5, scramble=False).random_base2(power)
    return np.asarray(points.T + 0.5 / 2**power)


@lru_cache(maxsize=4)  # each line asks for those of both
def _sizes(cells: tuple[float, ...], n_items: int, power: int) -> Integers:
    """Return the numbers of items by group and label at each point, shape (2, 2, points)."""
    totals, points = np.reshape(cells, (2, 2, 2)).sum(axis=-1), _points(power)
    share, prevalence = totals[1].sum(), totals[:, 1] / totals.sum(axis=1)
    second = _quantile(points[0], n_items, share)
    groups = np.stack([n_items - second, second])
    ones = np.stack([_quantile(points[1 + a], groups[a], prevalence[a]) for a in (0, 1)])
    return np.stack([groups - ones, ones], axis=1)


def _quantile(chance: Floats, trials: int | Integers, rate: float) -> Integers:
    from scipy.stats import binom  # noqa: PLC0415  (slow)

    return np.asarray(binom.ppf(chance, trials, rate), dtype=np.int64)


def _critical_statistic(rates: Floats, sizes: Integers, null: float, alpha: float) -> float:
    """Return the score statistic from which on p is at most `alpha`, a mean where p is exact."""
    n, m = np.maximum(sizes.mean(axis=1), 1)
    if score_statistic(n * rates[0], m * rates[1], n, m, null)[1] >= LEAST_EXPECTED:
        return float(-ndtri(alpha))
    number = int(np.clip(SIZES // min(n, m), 1, MOST_SIZES))
    positions = (np.arange(number) + 0.5) / number * sizes.shape[1]
    nodes = np.maximum(sizes[:, positions.astype(np.int64)], 1).T.tolist()
    critical = [
        _exact_critical_statistic((round(n * rates[0]), round(m * rates[1])), (n, m), null, alpha)
        for n, m in nodes
    ]
    return float(np.mean(critical))


@lru_cache(maxsize=4096)  # small cells have few sizes, which many numbers of items share
def _exact_critical_statistic(
    expected: tuple[int, int], trials: tuple[int, int], null: float, alpha: float
) -> float:
    """Return the score statistic from which on the exact p is at most `alpha`."""
    usual = float(-ndtri(alpha))

    def excess(statistic: float) -> float:
        return -_normal_quantile(chance_beyond(statistic, expected, trials, null)) - usual

    # to the normal distribution, the quantile of the chance is the statistic itself
    return crossing(excess, usual - 1, usual + 2, at_low=-1, at_high=2, precision=PRECISION)


def _first(holds: Callable[[Integers], NDArray[np.bool_]], sizes: Integers) -> Integers:
    """Return the first count from which on it holds, by bisection; size + 1 where it never does."""
    low, high = np.zeros_like(sizes), sizes + 1
    while (low < high).any():
        middle = (low + high) // 2
        true = holds(np.minimum(middle, sizes)) | (middle > sizes)
        low, high = np.where(true, low, np.minimum(middle + 1, high)), np.where(true, middle, high)
    return low


def crossing(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    at_low: float,
    at_high: float,
    precision: float,
) -> float:
    """Return an argument, at most `precision` too large, from which on a function is 0 or more.

    The function increases, is below 0 at `low` and not at `high`; its values there may be rough.
    Each next argument is interpolated linearly and moved a little towards the end of the bracket
    that is farther away, so that both ends come near with few evaluations.

    >>> round(crossing(lambda x: x**2 - 2, 0, 2, at_low=-2, at_high=2, precision=1e-6), 5)
    1.41421
    """
    step = 0
    while high - low > precision:
        step += 1
        argument = (low + high) / 2
        if step % HALVED and at_low < at_high:
            guess = low + (high - low) * at_low / (at_low - at_high)
            guess += (precision if guess < argument else -precision) / 2
            argument = min(max(guess, low + precision / 2), high - precision / 2)
        value = function(argument)
        if value < 0:
            low, at_low = argument, value
        else:
            high, at_high = argument, value
    return high
