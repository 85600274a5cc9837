"""Two means compared by shuffles of the groups, where Welch's t does not keep its level.

Welch's t relies on the standard deviation of each group and on means that are nearly normal. With
few items of another value than the rest the deviation may be near zero by chance, and the mean of
few items of a skewed distribution is skewed. Shuffling the groups and computing Welch's t anew is
exact if the values of both groups have one distribution, and, since t is studentised, right for
large groups if they have only their mean in common.

References: A. Janssen (1997), Studentized permutation tests for non-i.i.d. hypotheses and the
generalized Behrens-Fisher problem; B. Phipson and G. K. Smyth (2010), Permutation p-values should
never be zero.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.inference.rates import FEW
from fairpairs.mathematics.inference.welch import ROUNDING, welch_t, welch_test

#: Shuffles of the groups; fewer where they take long, and all where there are no more.
SHUFFLES = 9999
MIN_SHUFFLES = 1999
#: With more items, two groups of two or more have more than SHUFFLES shuffles.
MAX_EXACT = 150
#: With at most this many distinct values, shuffles are drawn as counts of the values.
MAX_VALUES = 100
#: Largest group whose positions are drawn for all shuffles at once; the work is quadratic.
MAX_SUBSET = 128
#: Number of positions of shuffles that are processed at once.
BLOCK = 1 << 16
#: Skewness of the difference of means from which on Welch's t is not trusted.
MAX_SKEWNESS = 0.1
#: Number of values of a difference of two decisions of 0 and 1.
THREE = 3
NEARLY_CONSTANT = f"all values of a group but {FEW} or fewer are equal"
SKEWED = "skewed differences"
EXACT = "Fisher's exact test, Newcombe's interval"


@dataclass(frozen=True)
class Shuffled:
    """Welch's t of two groups, compared with that of shuffled groups."""

    #: Of group 1 minus group 0.
    t: float
    #: Welch's t of each shuffle, sorted; infinite where neither group varies. For groups of one
    #: size also that of the complement of each, in which the groups are swapped.
    shuffled: Floats
    #: Number of shuffles, without these complements.
    drawn: int
    #: Whether these are all shuffles there are, the observed groups among them.
    exact: bool
    pvalue_welch: float
    dof: float
    #: Of the difference of means, not studentised, by the shuffles.
    pvalue_difference: float

    @property
    def pvalue_one_sided(self) -> float:
        """The chance of a t as far on its side of the middle."""
        # equal values of a discrete statistic may differ by rounding
        slack = 0 if np.isinf(self.t) else 1e-9 * (1 + abs(self.t))
        above = (self.shuffled >= self.t - slack).sum()
        below = (self.shuffled <= self.t + slack).sum()
        observed = 0 if self.exact else 1
        return float((min(above, below) + observed) / (len(self.shuffled) + observed))

    @property
    def pvalue(self) -> float:
        """Twice the one-sided p-value, for skewed statistics have two different tails."""
        return min(1.0, 2 * self.pvalue_one_sided)

    def quantiles(self, alpha: float) -> tuple[float, float]:
        """Return the t between which the p-value is above `alpha`; infinite where all are."""
        size = len(self.shuffled) + (not self.exact)
        beyond = int(np.ceil(alpha / 2 * size - 1e-9)) - 1 - (not self.exact)
        if beyond < 0:
            return -np.inf, np.inf
        return float(self.shuffled[beyond]), float(self.shuffled[-1 - beyond])

    @property
    def how(self) -> str:
        """How the p-value was computed, in words."""
        return f"p by {'all ' if self.exact else ''}{self.drawn:,} shuffles of the groups"


def few_vary(values: Floats) -> bool:
    """Return whether 5 or fewer values differ from the most common one."""
    if len(values) > 2 * FEW:  # then that is the median, if any
        return bool(np.count_nonzero(values != np.median(values)) <= FEW)
    return bool(len(values) - np.unique(values, return_counts=True)[1].max() <= FEW)


def skewness(values: Floats) -> float:
    """Return the skewness of values; 0 where they do not vary."""
    centred = values - values.mean()
    deviation = np.sqrt(np.square(centred).mean())
    if deviation == 0:
        return 0.0
    return float(np.mean(centred * np.square(centred / deviation)) / deviation)


def welch_doubt(values: Floats, member: Integers) -> str:
    """Return why Welch's t of two groups does not hold its level; an empty string where it does."""
    if any(few_vary(values[member == code]) for code in (0, 1)):
        return NEARLY_CONSTANT
    return SKEWED if welch_skewness(values, member) > MAX_SKEWNESS else ""


def welch_skewness(values: Floats, member: Integers) -> float:
    """Return the largest skewness of the difference of two means that the values let expect."""
    groups = [values[member == code] for code in (0, 1)]
    n = np.array([len(group) for group in groups], dtype=float)
    deviation = np.sqrt([np.square(group - group.mean()).mean() for group in groups])
    return skewness_of_difference(n, deviation, np.array([skewness(group) for group in groups]))


def skewness_of_difference(n: Floats, deviation: Floats, skewnesses: Floats) -> float:
    """Return `welch_skewness` from size, standard deviation (ddof 0) and skewness, shape (2,)."""
    one, two = skewnesses
    weight = deviation**3 / n**2
    error = np.sqrt((deviation**2 / n).sum())
    # few items show too little of their skewness, so each group's may be that of both
    shapes = np.array([[one, two], [one, one], [two, two]])
    return float(np.abs(shapes @ (weight * [1, -1])).max() / error**3)


def few_shuffles(n: int, size: int) -> bool:
    """Return whether all shuffles of n items into a group of a size can be listed."""
    return n <= MAX_EXACT and comb(n, size) <= SHUFFLES


def log_ratio_limits(values: Floats, member: Integers, alpha: float) -> tuple[float, float]:
    """Return how far the log of the ratio of two means of values from 0 on is below and above it.

    That is by shuffles of values over the mean of their group, which are exact if groups differ in
    scale alone; 0 for both where no mean is skewed.
    """
    groups = Moments.of(values, member, 2)
    if np.abs(groups.skewness / np.sqrt(groups.n)).max() <= MAX_SKEWNESS:
        return 0.0, 0.0
    values = values / groups.mean[member]
    rng = np.random.default_rng(0)
    lower, upper = shuffled_welch(values, member, rng, logarithms=True).quantiles(alpha)
    error = float(np.sqrt((groups.variance / groups.n / groups.mean**2).sum()))
    return -upper * error, -lower * error


@np.errstate(divide="ignore", invalid="ignore")
def _log_ratio_t(mean: Floats, variance: Floats, n: Floats) -> Floats:
    """Return the log of the ratio of two means in standard errors; infinite where one is 0."""
    t = np.log(mean[..., 1] / mean[..., 0]) / np.sqrt((variance / n / mean**2).sum(axis=-1))
    return np.where(np.isnan(t), np.inf * (mean[..., 1] - mean[..., 0]), t)


def shuffled_welch(
    values: Floats,
    member: Integers,
    rng: np.random.Generator,
    *,
    scale: float = 1.0,
    logarithms: bool = False,
) -> Shuffled:
    """Compare two means by Welch's t of shuffled groups, 0 and 1 with two items or more each.

    Or their `logarithms`, of values from 0 on.
    """
    n, sizes = len(values), np.bincount(member, minlength=2)
    few = int(sizes.argmin())
    size = int(sizes[few])
    # sorted, so that neither the order of the items nor the names of the groups matter
    order = np.lexsort([member, values])
    values, member = values[order], member[order]
    centred = values - values.mean()  # sums of squares of large numbers lose digits
    powers = centred, centred**2
    exact = few_shuffles(n, size)
    kinds, counts = np.unique(centred, return_counts=True)
    number = SHUFFLES if len(kinds) <= MAX_VALUES or size <= MAX_SUBSET else MIN_SHUFFLES
    if len(kinds) <= MAX_VALUES and not exact:
        drawn = rng.multivariate_hypergeometric(counts, size, number, method="marginals")
        sums = np.stack([drawn @ kinds, drawn @ kinds**2])
    else:
        blocks = drawn_subsets(n, size, number, rng)
        parts = [np.stack([power[block].sum(axis=1) for power in powers]) for block in blocks]
        sums = np.concatenate(parts, axis=1)
    observed = np.array([[power[member == few].sum()] for power in powers])
    sums = np.concatenate([observed, sums], axis=1)
    count = np.array([size, n - size], dtype=float)
    mean, variance = moments_of_both(sums, np.array([[0.0], [powers[1].sum()]]), count)
    test = welch_test(mean[0], variance[0], count, scale=scale)
    if logarithms:
        t = _log_ratio_t(mean + values.mean(), variance, count)
    else:
        t = welch_t(mean, variance, count, scale=scale)
    t = t if few == 0 else -t  # group 1 minus group 0
    # of groups of one size each shuffle has a complement, as likely, in which the groups swap
    equal = not exact and sizes[0] == sizes[1]
    shuffled = np.concatenate([t[1:], -t[1:]]) if equal else t[1:]
    apart = np.abs(mean[:, 1] - mean[:, 0])
    # equal values of a discrete statistic may differ by rounding
    beyond = (apart[1:] >= apart[0] - 1e-9 * apart.max()).sum() + (not exact)
    return Shuffled(
        t=float(t[0]),
        shuffled=np.sort(shuffled),
        drawn=len(t) - 1,
        exact=exact,
        pvalue_welch=float(test.pvalue),
        dof=float(test.dof),
        pvalue_difference=float(beyond / (len(apart) - exact)),
    )


class ShuffledPair(NamedTuple):
    """Two means compared by shuffles; the interval is NaN where there is none."""

    note: str
    pvalue: float
    pvalue_one_sided: float
    ci_low: float
    ci_high: float


def shuffled_pair(
    values: Floats, member: Integers, alpha: float, *, scale: float = 1.0, doubt: str | None = None
) -> ShuffledPair | None:
    """Compare two means by shuffles where Welch's t does not hold its level; None where it does.

    Two different values are counts, for Fisher's exact test and Newcombe's interval. Others are
    shuffled, by a fixed seed; p is the larger one of shuffles and Welch's t, and the interval has
    what neither rejects. Where values are rare, studentised shuffles would hide a difference, so
    the difference of means is shuffled. `doubt` says why they are, if the caller knows.
    """
    values = np.round(values / (ROUNDING * scale)) * (ROUNDING * scale)
    rare = doubt is not None
    doubt = doubt or welch_doubt(values, member)
    if not doubt:
        return None
    kinds, kind = np.unique(values, return_inverse=True)
    if len(kinds) == 2:
        counts = np.bincount(2 * member + kind, minlength=4).reshape(2, 2)
        return _two_kinds(doubt, counts, float(np.ptp(kinds)), alpha)
    result = shuffled_welch(values, member, np.random.default_rng(0), scale=scale)
    low, high = np.nan, np.nan
    groups = [values[member == code] for code in (0, 1)]
    rare = rare or any(map(_mostly_one, groups))
    rare = rare or (len(kinds) == THREE and min(map(len, groups)) < SMALL_CELL)
    # where the few vary more, shuffles mix their values with narrower ones
    pvalue = max(result.pvalue, result.pvalue_welch)
    one_sided = max(result.pvalue_one_sided, result.pvalue_welch / 2)
    if rare:
        pvalue = max(result.pvalue_welch, result.pvalue_difference)
        one_sided = pvalue / 2
    elif doubt != NEARLY_CONSTANT:
        lower, upper = result.quantiles(alpha)
        student = float(stdtrit(result.dof, 1 - alpha / 2))
        lower, upper = min(lower, -student), max(upper, student)
        both = Moments.of(values, member, 2)
        apart, error = both.mean[1] - both.mean[0], float(np.sqrt((both.variance / both.n).sum()))
        low, high = apart - upper * error, apart - lower * error
    known = np.isfinite(low) and np.isfinite(high)
    low, high = (low, high) if known else (np.nan, np.nan)
    note = f"{doubt}: {result.how}" + ("" if known else ", no interval")
    return ShuffledPair(note, pvalue, one_sided, float(low), float(high))


def _mostly_one(values: Floats) -> bool:
    """Return whether half of the values are one, from which 5 or fewer differ."""
    others = np.count_nonzero(values != np.median(values))
    return bool(others <= min(FEW, len(values) / 2))


def _two_kinds(doubt: str, counts: Integers, distance: float, alpha: float) -> ShuffledPair:
    """Compare two groups, rows, by the counts of the lower and the higher of two values."""
    from scipy.stats import fisher_exact  # noqa: PLC0415  (slow)
    from statsmodels.stats.proportion import confint_proportions_2indep  # noqa: PLC0415

    n, high = counts.sum(axis=1), counts[:, 1]
    more = high[1] * n[0] >= high[0] * n[1]
    two_sided, one_sided = (
        float(fisher_exact(counts, alternative=side).pvalue)
        for side in ("two-sided", "greater" if more else "less")
    )
    ends = confint_proportions_2indep(high[1], n[1], high[0], n[0], method="newcomb", alpha=alpha)
    note = f"{doubt}: {EXACT}"
    return ShuffledPair(note, two_sided, one_sided, distance * ends[0], distance * ends[1])


def drawn_subsets(n: int, size: int, number: int, rng: np.random.Generator) -> Iterator[Integers]:
    """Yield, in blocks, sets of positions below n: all if there are few, else so many drawn."""
    if few_shuffles(n, size):
        yield np.array(list(combinations(range(n), size)))
    elif size <= MAX_SUBSET:
        yield subsets(n, size, number, rng)
    else:
        step = max(1, BLOCK // size)
        for left in range(number, 0, -step):
            rows = range(min(step, left))
            yield np.stack([rng.choice(n, size, replace=False, shuffle=False) for _ in rows])


def moments_of_both(
    sums: Iterable[Floats], whole: Iterable[Floats], sizes: Floats
) -> tuple[Floats, Floats]:
    """Return mean and variance of shuffled groups and of the others, shape (b, 2).

    Each of `sums`, of the values and of their squares, is of the groups, shape (b,), or `whole`.
    """
    first, second = (np.stack([x, y - x], axis=-1) for x, y in zip(sums, whole, strict=True))
    mean = first / sizes
    variance = np.maximum(second - sizes * mean**2, 0) / (sizes - 1)
    # rounding error of sums of squares that cancel
    return mean, np.where(variance * (sizes - 1) > ROUNDING * second, variance, 0.0)


def subsets(n: int, size: int, number: int, rng: np.random.Generator) -> Integers:
    """Draw sets of positions below n, all equally likely, shape (number, size) (Floyd 1987)."""
    drawn = np.empty((size, number), dtype=np.int64)
    for row, last in enumerate(range(n - size, n)):
        new = rng.integers(0, last + 1, number)
        taken = (drawn[:row] == new).any(axis=0)
        drawn[row] = np.where(taken, last, new)
    return np.ascontiguousarray(drawn.T)
