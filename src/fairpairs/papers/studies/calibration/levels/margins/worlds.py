"""Worlds: data sets whose true difference is the margin, and which tests reject.

Whether a difference lies within ±margin is tested from both sides; only the hypothesis on the side
of the true difference is true. Its rejections are counted: they bound those of the equivalence
test, and a test of non-inferiority consists of them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.binomial import BinomialContrast

#: The margin of rates.
MARGIN = 0.05
#: Whether the side of the true difference is rejected, and whether the difference is shown to lie
#: within the margin, shape (sets, 2); NaN where nothing can be tested.
Sides = Floats
#: Estimates of some data sets, shape (r,), NaN if there is none, and the tests of one of them.
Batch = tuple[Floats, Callable[[int], Contrast | None]]


@dataclass(frozen=True)
class MarginWorld:
    """A design whose true difference is the margin."""

    case: str
    measure: str
    #: draws a number of data sets with a generator, and tests them at a level
    count: Callable[[np.random.Generator, int, float], Sides]


def counting(
    draw: Callable[[np.random.Generator, int], Iterable[Batch]], sign: int
) -> Callable[[np.random.Generator, int, float], Sides]:
    """Return a function that tests what is drawn, of a true difference of sign · MARGIN."""

    def count(rng: np.random.Generator, sets: int, alpha: float) -> Sides:
        parts = [
            count_contrasts(estimate, contrast_at, MARGIN, sign, alpha)
            for estimate, contrast_at in draw(rng, sets)
        ]
        return np.concatenate(parts)

    return count


def signed(sign: int, margin: float = MARGIN) -> str:
    """Write the true difference of a world."""
    return f"{'+' if sign > 0 else '−'}{margin:g}"


def count_contrasts(
    estimate: Floats,
    contrast_at: Callable[[int], Contrast | None],
    margin: float,
    sign: int,
    alpha: float,
) -> Sides:
    """Test the data sets of a true difference of sign · margin.

    `estimate` is the difference in each data set, shape (r,), NaN if there is none; `contrast_at`
    returns the tests of one.
    """
    found = np.where(np.isfinite(estimate)[:, None], [0.0, 0.0], np.nan)
    # an estimate beyond the margin is never shown to be within
    for index in np.flatnonzero(sign * estimate < margin):
        contrast = contrast_at(int(index))
        if contrast is not None:
            rejected = (
                contrast.pvalue_above(-margin) < alpha,
                contrast.pvalue_below(margin) < alpha,
            )
            found[index] = rejected[sign > 0], all(rejected)
    return found


def side(contrast: Contrast, margin: float, sign: int) -> float:
    """Return the p-value of: the difference is ≥ margin (sign 1), or ≤ −margin (sign −1)."""
    return contrast.pvalue_below(margin) if sign > 0 else contrast.pvalue_above(-margin)


def count_rates(
    successes: tuple[Integers, Integers],
    trials: tuple[int, int],
    margin: float,
    sign: int,
    alpha: float,
) -> Sides:
    """Test as `count_contrasts` does two rates of samples of the same sizes in all data sets.

    With the other count fixed, more successes of a sample reject one side and fewer the other, so
    that a threshold decides (Röhmel and Mansmann 1999). It is found by bisection.
    """
    tables, number = np.unique(np.stack(successes), axis=1, return_counts=True)
    near = decided(tables, trials, margin, sign, alpha)
    far = near & decided(tables, trials, margin, -sign, alpha)
    return np.repeat(np.column_stack([near, far]).astype(float), number, axis=0)


def decided(
    tables: Integers, trials: tuple[int, int], margin: float, sign: int, alpha: float
) -> NDArray[np.bool_]:
    """Return whether a side is rejected for each table, successes of both samples, shape (2, r)."""
    rejected = np.zeros(tables.shape[1], dtype=bool)
    for other in np.unique(tables[1]):
        here = np.flatnonzero(tables[1] == other)
        # from the tables that are rejected most clearly
        order = here[np.argsort(sign * tables[0, here])]
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            counts = int(tables[0, order[middle]]), int(other)
            if side(BinomialContrast(counts, trials), margin, sign) < alpha:
                low = middle + 1
            else:
                high = middle
        rejected[order[:low]] = True
    return rejected


def drawn_rates(
    rng: np.random.Generator, sets: int, sizes: ArrayLike, rates: ArrayLike
) -> Integers:
    """Draw the successes of samples of these sizes, shape (sets, samples)."""
    items = np.asarray(sizes, dtype=np.int64)
    chances = np.asarray(rates, dtype=float)
    return rng.binomial(items, chances, size=(sets, *items.shape))
