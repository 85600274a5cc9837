"""Whether rows of one id are more alike than other rows of the same cells.

Residuals of ranks from the means of cells are multiplied for each two rows of an id, with the
signed weights of a difference. The sum has the mean 0 if rows are independent; a Pearson type III
distribution has its variance and third moment, as for other quadratic forms: D. A. Bodenham and N.
M. Adams (2016), A comparison of efficient approximations for a weighted sum of chi-squared random
variables. Ids with as many rows of both groups do no harm, however alike their rows are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import gammaincc, ndtr

from fairpairs.base.arrays import Floats, Integers

#: Times that the means of several partitions into cells are taken out in turn.
SWEEPS = 5
#: A distribution that is less skewed is taken for normal, and a variance below this for 0.
SKEWED, VARYING = 1e-6, 1e-9


class Resemblance(NamedTuple):
    """The share of the variance that rows of one id have in common, and the p of none.

    `effect` is the design effect: the variance of the difference by that of independent rows.
    """

    icc: float
    pvalue: float
    effect: float


def residuals(values: Floats, cells: Sequence[Integers], counts: Floats | None = None) -> Floats:
    """Return ranks minus the means of their cells, whose codes are from 0 on.

    With several partitions into cells, the means of each are taken out, but not those of their
    combinations. `counts` are how many equal rows each one stands for, by default one.
    """
    rows = np.ones(len(values)) if counts is None else counts
    residual = pd.Series(values).rank().to_numpy()
    residual = residual / residual.std() if np.ptp(residual) else np.zeros(len(residual))
    for cell in [*cells] * (SWEEPS if len(cells) > 1 else 1):
        residual = residual - _mean_in(cell, residual, rows)
    return residual


def resemblance(
    ids: Integers,
    residual: Floats,
    cell: Integers,
    counts: Floats | None = None,
    weights: Floats | None = None,
) -> Resemblance:
    """Return how alike the residuals of rows of one id are; codes of ids and cells are from 0 on.

    `counts` are how many equal rows each one stands for, by default one; `weights`, equal in a
    cell, are those of a difference, by default of a mean.

    >>> ids, cell = np.arange(60) // 3, np.arange(60) % 2
    >>> alike = residuals((ids % 4 == 1).astype(float), [cell])
    >>> round(resemblance(ids, alike, cell).icc, 2)
    0.95
    >>> apart = residuals((np.arange(60) % 4 == 1).astype(float), [cell])
    >>> round(resemblance(ids, apart, cell).pvalue, 2)
    1.0
    >>> resemblance(ids, alike, cell, weights=np.where(cell, 1.0, -1.0)).effect < 1
    True
    """
    rows = np.ones(len(ids)) if counts is None else counts
    if weights is not None:
        residual = residual * weights
    square = residual**2
    squares = np.bincount(ids, rows * square)
    products = float((np.bincount(ids, rows * residual) ** 2 - squares).sum())
    largest = float(((np.bincount(ids, rows) - 1) * squares).sum())
    in_cells = (_mean_in(cell, residual**power, rows) for power in (2, 3))
    moments = [
        _moments(ids, rows, square, np.zeros(len(ids))),
        _moments(ids, rows, *in_cells),
    ]
    variance, third = (max(both) for both in zip(*moments, strict=True))
    if variance < VARYING:
        return Resemblance(0.0, 1.0, 1.0)
    icc, effect = products / largest, 1 + products / float(squares.sum())
    z, skewness = products / variance**0.5, third / variance**1.5
    if skewness < SKEWED:
        return Resemblance(icc, float(ndtr(-z)), effect)
    shape = 4 / skewness**2
    pvalue = gammaincc(shape, max(shape + z * shape**0.5, 0))
    return Resemblance(icc, float(pvalue), effect)


def _mean_in(cell: Integers, values: Floats, rows: Floats) -> Floats:
    """Return the mean of the cell of each row."""
    return (np.bincount(cell, rows * values) / np.maximum(np.bincount(cell, rows), 1))[cell]


def _moments(ids: Integers, rows: Floats, square: Floats, cube: Floats) -> tuple[float, float]:
    """Return the variance and the third moment of the sum, by those of the residual of each row."""
    one, two, three = (np.bincount(ids, rows * square**power) for power in (1, 2, 3))
    of_cubes = np.bincount(ids, rows * cube) ** 2 - np.bincount(ids, rows * cube**2)
    triples = one**3 - 3 * one * two + 2 * three
    return 2 * float((one**2 - two).sum()), float((8 * triples + 4 * of_cubes).sum())
