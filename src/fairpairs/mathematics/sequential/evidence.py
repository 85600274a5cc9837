"""What the wealth of bets says: a p-value for all looks, limits, and the wealth of estimates.

An estimate that is normal in large samples, and whose variance falls to V, times its information
1/V, behaves as a Brownian motion with drift in the time 1/V. The mean likelihood ratio over normal
drifts, a mixture over possible differences, is then evidence that may be looked at again and again,
in large samples.

A stream is looked at after blocks of items that do not depend on how it is cut up.

References
----------
S. R. Howard, A. Ramdas, J. McAuliffe and J. Sekhon (2021), Time-uniform, nonparametric,
nonasymptotic confidence sequences, Annals of Statistics 49, equations 14 and 17.
I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas (2024), Time-uniform central limit
theory and asymptotic confidence sequences, Annals of Statistics 52.
D. O. Scharfstein, A. A. Tsiatis and J. M. Robins (1997), Semiparametric efficiency and its
implication on the design and analysis of group-sequential studies, JASA 92 (independent increments
in the time of information).
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base.arrays import Floats, Integers

#: What an interval that leaves out 0 has as its end there.
PAST = 1e-9


def log_evidence_beyond(log_wealth: Floats, differences: Floats, margin: float) -> Floats:
    """Return the logarithm of the evidence that the difference lies beyond ±margin, shape (...).

    It is the mean wealth of both bettors. `log_wealth`, (..., 2, d), is against "the difference is
    at most d" and "at least d", for `differences` of which one is `margin` and one −`margin`.
    """
    above, below = (int(np.flatnonzero(differences == d)[0]) for d in (margin, -margin))
    both = np.logaddexp(log_wealth[..., 0, above], log_wealth[..., 1, below])
    return np.round(both - math.log(2), DECIMALS)


def log_evidence_within(log_wealth: Floats, differences: Floats, margin: float) -> Floats:
    """Return the logarithm of the evidence that the difference lies within ±margin, shape (...).

    Both "at least margin" and "at most −margin" must be excluded, each at the level (two one-sided
    tests), so it is the smaller evidence of the two.
    """
    above, below = (int(np.flatnonzero(differences == d)[0]) for d in (margin, -margin))
    return np.minimum(log_wealth[..., 1, above], log_wealth[..., 0, below])


def pvalue(log_evidence: Floats) -> Floats:
    """Return p-values that are valid at any look: the inverse of the largest evidence so far."""
    return np.exp(-np.maximum(log_evidence, 0))


def limits(log_wealth: Floats, differences: Floats, alpha: float) -> tuple[float, float]:
    """Return an interval of the difference that covers at all looks with probability 1 − alpha.

    It leaves out 0 exactly if `log_evidence_of_difference` is shown: a difference is excluded by
    the product of both wealths, on the side of the larger one. `log_wealth` is (2, d), for
    `differences` ascending, on which the limits lie (one of 0 just past it); they are −1 and 1
    where nothing is excluded.
    """
    larger = np.stack([log_wealth[0] >= log_wealth[1], log_wealth[1] > log_wealth[0]])
    excluded = larger & (log_wealth.sum(axis=0) >= -math.log(alpha))
    # a hypothesis is excluded only with all that lie farther out: one mistake is then the first
    low = int(np.cumprod(excluded[0]).sum())
    high = int(np.cumprod(excluded[1][::-1]).sum())
    lowest = float(differences[low - 1]) if low else -1.0
    highest = float(differences[-high]) if high else 1.0
    return lowest or PAST, highest or -PAST


def log_wealth_of_normal(
    estimate: ArrayLike, variance: ArrayLike, differences: Floats, gap: float
) -> Floats:
    """Return the logarithm of the evidence against one-sided hypotheses, shape (..., 2, d).

    They are "the difference is at most d" and "at least d". The gap is the standard deviation of
    the mixture: the difference that it is tuned to find soonest.

    >>> log_wealth_of_normal(0.1, 0.02**2, np.array([0.0]), gap=0.1).round(2).tolist()
    [[11.08], [-3.48]]
    """
    from scipy.special import log_ndtr  # noqa: PLC0415

    information = 1 / np.asarray(variance, dtype=float)[..., None]
    score = (np.asarray(estimate, dtype=float)[..., None] - differences) * information
    total = information + gap**-2
    ratio = score / np.sqrt(total)
    scale = np.log(2) - 0.5 * np.log(gap**2 * total) + ratio**2 / 2
    sides = [scale + log_ndtr(ratio), scale + log_ndtr(-ratio)]
    return np.round(np.stack(sides, axis=-2), DECIMALS)


def half_width(variance: ArrayLike, alpha: float, gap: float) -> Floats:
    """Return half the width of an interval that covers at all looks with probability 1 − alpha.

    >>> float(half_width(0.02**2, alpha=0.05, gap=0.1).round(3))
    0.062
    """
    information = 1 / np.asarray(variance, dtype=float)
    total = information + gap**-2
    width: Floats = np.sqrt(total * (np.log(gap**2 * total) - 2 * np.log(alpha))) / information
    return width


#: A block has 2 % of the items before it: evidence waits no longer, and blocks stay few.
GROWTH = 0.02
#: Decimals of logarithms that are kept: fewer than those in which processors differ.
DECIMALS = 12


def block_size(items: int) -> int:
    """Return the number of items of the next block, after so many items.

    >>> block_size(0), block_size(50), block_size(10_000)
    (1, 1, 200)
    """
    return max(1, math.ceil(GROWTH * items))


def pieces(items: int, last_look: int, more: int) -> Iterator[tuple[slice, bool]]:
    """Yield the pieces of a batch of `more` items after `items`, and whether a look follows each.

    >>> list(pieces(items=101, last_look=100, more=4))
    [(slice(0, 1, None), True), (slice(1, 4, None), True)]
    >>> list(pieces(items=1001, last_look=1000, more=4))
    [(slice(0, 4, None), False)]
    """
    start = 0
    while start < more:
        stop = last_look + block_size(last_look) - items
        if stop > more:
            yield slice(start, more), False
            return
        yield slice(start, stop), True
        start, last_look = stop, items + stop


def ends_of_blocks(
    positions: Sequence[Integers], items: Integers, waiting: Integers
) -> Iterator[int]:
    """Yield the position behind the last item of each block that ends.

    It ends when each group has an item, and 2 % of those that the smaller group has in blocks
    before. `positions` are those of the items of each group, `items` how many ended blocks have,
    and `waiting` how many items of the first block came before.

    >>> members = [np.array([0, 2, 3]), np.array([1, 4])]
    >>> list(ends_of_blocks(members, np.array([90, 99]), np.array([1, 0])))
    [5]
    """
    used = np.zeros(len(positions), dtype=np.int64)
    while True:
        size, end = block_size(int(items.min())), 0
        for members, before, came in zip(positions, used, waiting, strict=True):
            last = before + size - came
            if last > len(members):
                return
            if last > before:
                end = max(end, int(members[last - 1]) + 1)
        yield end
        until = np.array([np.searchsorted(members, end) for members in positions])
        items, waiting, used = items + waiting + until - used, 0 * waiting, until
