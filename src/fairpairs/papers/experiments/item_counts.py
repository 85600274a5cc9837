"""Items of binary predictions, counted by cells, and the paper's test of separation on the counts.

Reference: Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.3.1.
"""

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base.arrays import Array, Integers
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.inference.rates import compared_counts, wald_difference

#: Equal true positive rates, equal false positive rates.
HYPOTHESES = ("H0t", "H0f")


def cell_counts(
    y_true: Array, y_pred: Array, group: Array, block: Array | int = 0, n_blocks: int = 1
) -> Integers:
    """Count the items in each cell (a, y, c) of each block (equation 12), as (blocks, 2, 2, 2)."""
    cell = np.multiply(4, group, dtype=np.int64)  # then in place: there may be millions of items
    cell += y_true
    cell += y_true
    cell += y_pred
    cell += 8 * block
    return np.bincount(cell, minlength=8 * n_blocks).reshape(n_blocks, 2, 2, 2)


def separation_from_counts(counts: ArrayLike, *, alpha: float = 0.05) -> Estimates:
    """Test H0t and H0f (equations 11 to 15) on tables of counts, shape (..., 2, 2, 2).

    The fields have the shape (..., 2): first TPR(A=1) − TPR(A=0), then FPR(A=1) − FPR(A=0).
    """
    return wald_difference(*compared_counts(counts), alpha=alpha)
