"""Tests of two means where a group has few items, skewed values, or nearly the same value always.

Welch's t estimates the spread of each group by itself, so the groups may differ in it, but it is
too sure of a mean of few or skewed values. Shuffles of the groups know the shape of the values, but
not that the groups differ in spread, unless the difference is divided by its standard error in each
shuffle. The larger p-value of both holds where either does.

References
----------
A. Janssen (1997), Studentized permutation tests for non-i.i.d. hypotheses and the generalized
Behrens-Fisher problem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fairpairs.auditing.small import SHUFFLES, SMALL
from fairpairs.fairness.cell_measures import shuffling_pvalue
from fairpairs.fairness.proportions import FEW, SMALL_CELL, Floats
from fairpairs.fairness.welch import welch_test

#: With more items in the smaller group there are fewer shuffles, which take time, and with more
#: than most none.
MANY, FEWER_SHUFFLES, MOST = 100, 1999, 10_000
#: Values that the counts of shuffles are drawn of.
MOST_VALUES = 100
#: Items of shuffles that are handled at once.
CHUNK = 1 << 21
#: Values of binary predictions minus binary labels.
THREE = 3
#: Beyond this skewness of the mean of the smaller group (the skewness of the values over the root
#: of its items), Welch's t rejects too often.
SKEWNESS = 0.1
SKEWED = "skewed values"
NEARLY_CONSTANT = f"all values of a group but {FEW} or fewer are equal"
FEW_LABELS = f"{FEW} or fewer positive or negative labels in a group"
ROUGH = "interval and p are rough"
#: A variance below this share of the mean square is rounding, and a t beyond this has no spread.
ROUNDING, LARGEST = 1e-12, 1e300


@dataclass(frozen=True)
class ShuffledMeans:
    """What `shuffled_means_test` finds.

    Attributes
    ----------
    pvalue
        The larger p-value of Welch's t and of its shuffles; where values or labels are rare, of
        Welch's t and of shuffles of the difference, whose spread is that of both groups together.
    margin
        Half the width of the interval that leaves out 0 where both p-values of t are below alpha;
        NaN where values or labels are rare.
    shuffles
        Their number.
    """

    pvalue: float
    margin: float
    shuffles: int


def why_shuffled(values: Floats, member: NDArray[np.int64], labels: Floats | None = None) -> str:
    """Say why Welch's t of two groups is not to be trusted; nothing where it is.

    Parameters
    ----------
    values
        Shape (n,).
    member
        0 or 1, shape (n,).
    labels
        Labels of 0 and 1 from which the values differ, shape (n,): few of one kind may miss the
        values that make the spread.
    """
    if values.min() == values.max():
        return ""
    sizes = np.bincount(member, minlength=2)
    if sizes.min() < SMALL_CELL:
        return SMALL
    groups = [values[member == code] for code in (0, 1)]
    if any(map(_nearly_constant, groups)):
        return NEARLY_CONSTANT
    if labels is not None and _rare(labels, member):
        return FEW_LABELS
    if max(map(_skewness, groups)) > SKEWNESS * math.sqrt(sizes.min()):
        return SKEWED
    return ""


def _nearly_constant(values: Floats) -> bool:
    """Whether half of the values and all but a few are equal, then to the median."""
    others = np.count_nonzero(values != np.median(values))
    return bool(others <= min(FEW, len(values) / 2))


def _rare(labels: Floats, member: NDArray[np.int64]) -> bool:
    """Whether a group has few items of a label."""
    counts = np.bincount(2 * member + labels.astype(np.int64), minlength=4)
    return bool(counts.min() <= FEW)


def skewed_mean(values: Floats) -> bool:
    """Whether values are so few and skewed that Student's interval of their mean is too short."""
    return _skewness(values) > SKEWNESS * math.sqrt(len(values))


def _skewness(values: Floats) -> float:
    """Return the size of the skewness; 0 where nothing varies."""
    centred = values - values.mean()
    largest = np.abs(centred).max()
    if largest == 0:
        return 0.0
    squares = np.square(centred / largest)
    return float(abs((squares * centred).mean() / largest) / squares.mean() ** 1.5)


def shuffled_means_test(
    values: Floats,
    member: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    alpha: float = 0.05,
    labels: Floats | None = None,
) -> ShuffledMeans | None:
    """Test whether the means of two groups are equal, by Welch's t and shuffles of the groups.

    Parameters
    ----------
    values
        Shape (n,).
    member
        0 or 1, shape (n,).
    rng
        Source of randomness.
    alpha
        The interval covers 1 − alpha.
    labels
        As in `why_shuffled`.

    Returns
    -------
    ShuffledMeans or None
        None where both groups have more than 10,000 items and the values too many different ones to
        count.
    """
    sizes = np.bincount(member, minlength=2)
    few, size = int(sizes.argmin()), int(sizes.min())
    centred = values - values.mean()
    scale = float(np.abs(centred).max())
    if scale == 0:
        return ShuffledMeans(1.0, math.nan, SHUFFLES)
    centred /= scale  # sums of squares of large numbers lose digits
    drawn = _drawn_sums(centred, size, rng)
    if drawn is None:
        return None
    groups = centred[member == few], centred[member != few]
    first = np.array([groups[0].sum(), np.square(groups[0]).sum()])
    sums = np.vstack([first, drawn])  # the observed groups, then the shuffled ones
    total = np.array([centred.sum(), np.square(centred).sum()])
    n = np.array([len(values) - size, size], dtype=float)
    one, two = np.stack([total - sums, sums], axis=-1).transpose(1, 0, 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (two - one**2 / n) / (n - 1)
        variance = np.where(variance > ROUNDING * two / (n - 1), variance, 0 * variance)
    welch = welch_test(one / n, variance, np.broadcast_to(n, one.shape))
    t = np.minimum(np.abs(welch.dpt), LARGEST)
    gap = np.abs(one[:, 1] / n[1] - one[:, 0] / n[0])
    kinds = len(np.unique(centred))
    rare = (kinds <= THREE and size < SMALL_CELL) or any(map(_nearly_constant, groups))
    rare = rare or (labels is not None and _rare(labels, member))
    if rare or size == 1:
        pvalue = shuffling_pvalue(gap[0], gap[1:])
        if kinds > 2 and size > 1:  # of two values the mean gives the spread
            pvalue = max(pvalue, float(welch.pvalue[0]))
        return ShuffledMeans(pvalue, math.nan, len(drawn))
    pvalue = max(float(welch.pvalue[0]), shuffling_pvalue(t[0], t[1:]))
    margin, rank = math.nan, math.ceil(alpha * len(t)) - 1
    if rank > 0:
        # |t| beyond it has both p-values below alpha
        bound = max(np.partition(t[1:], -rank)[-rank], stdtrit(welch.dof[0], 1 - alpha / 2))
        margin = float(bound * welch.error[0] * scale)
    return ShuffledMeans(pvalue, margin, len(drawn))


def _drawn_sums(values: Floats, size: int, rng: np.random.Generator) -> Floats | None:
    """Return sums and sums of squares of shuffled groups of so many items, shape (shuffles, 2)."""
    kinds, of_kind = np.unique(values, return_counts=True)
    if len(kinds) <= MOST_VALUES:
        drawn = rng.multivariate_hypergeometric(of_kind, size, SHUFFLES, method="marginals")
        return np.asarray(drawn @ np.column_stack([kinds, kinds**2]))
    if size > MOST:
        return None
    number, at_once = SHUFFLES if size <= MANY else FEWER_SHUFFLES, max(1, CHUNK // size)
    sums = []
    for done in range(0, number, at_once):
        own = values[subsets(len(values), size, min(at_once, number - done), rng)]
        sums.append(np.column_stack([own.sum(axis=1), np.einsum("ij,ij->i", own, own)]))
    return np.concatenate(sums)


def subsets(n: int, size: int, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw sets of positions below n without repetition, each as likely as any other.

    Returns
    -------
    ndarray of shape (number, size)

    References
    ----------
    R. W. Floyd, in J. Bentley (1987), Programming pearls: a sample of brilliance.
    """
    if size > MANY:
        return np.stack([rng.choice(n, size, replace=False, shuffle=False) for _ in range(number)])
    drawn = np.empty((number, size), dtype=np.int64)
    for place, last in enumerate(range(n - size, n)):
        new = rng.integers(0, last + 1, number)
        taken = (drawn[:, :place] == new[:, None]).any(axis=1)
        drawn[:, place] = np.where(taken, last, new)
    return drawn
