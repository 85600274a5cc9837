"""Empirical Bayes estimates of many differences, whose mean is 0.

References: B. Efron and C. Morris (1975), Data analysis using Stein's estimator and its
generalizations; R. C. Paule and J. Mandel (1982), Consensus values and weighting factors.
"""

import numpy as np

from fairpairs.base.arrays import Floats

#: Halvings of the interval that holds tau².
STEPS = 60


def between_variance(estimates: Floats, variances: Floats) -> float:
    """Return the variance tau² of true differences around 0, by Paule and Mandel's moments.

    It solves Σ estimate² / (variance + tau²) = m, and is 0 where estimates vary as by chance.
    """
    squares, m = np.square(estimates), len(estimates)
    if not m or (squares / variances).sum() <= m:
        return 0.0
    low, high = 0.0, float(squares.max())  # at which each share is below 1
    for _ in range(STEPS):
        middle = (low + high) / 2
        larger = (squares / (variances + middle)).sum() > m
        low, high = (middle, high) if larger else (low, middle)
    return (low + high) / 2


def shrunken(estimates: Floats, variances: Floats) -> tuple[Floats, float]:
    """Return estimates that are shrunken towards 0, each by how uncertain it is, and tau.

    The mean of true given the estimate is estimate · tau² / (tau² + variance).
    """
    known = np.isfinite(estimates) & (variances > 0)
    tau_squared = between_variance(estimates[known], variances[known])
    result = np.where(np.isfinite(estimates), 0.0, np.nan)
    result[known] = estimates[known] * tau_squared / (tau_squared + variances[known])
    return result, float(np.sqrt(tau_squared))
