"""Wilson's interval of TPR(a, b), or xAUC(a, b), over all pairs of items with binary labels.

A placement is the share of the items with label 0 that one with label 1 outscores, or of those with
label 1 that outscore one with label 0. The variances of its placements give the number of
independent trials that a rate is worth.

References: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under
two or more correlated receiver operating characteristic curves; E. B. Wilson (1927), Probable
inference, the law of succession, and statistical inference.
"""

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairRates
from fairpairs.mathematics.inference.mover import rate_limits

#: To n items of a label an interval adds some whose placements are 0 and 1 only: at least the first
#: number, and up to the second times √n for a score that ranks nearly all right, or all wrong. Few
#: placements, or few wrong ones, tell too little of their spread. Chosen by simulation.
ADDED = 3, 1.5

#: Placements that are all the same count as if they had this share of the largest variance that is
#: possible, θ(1 − θ). So n such items are worth 2 n trials at the most. Chosen by simulation.
UNVARYING_SHARE = 0.5


def binary_trials(rates: PairRates) -> Floats:
    """Return how many independent trials each rate is worth, shape (..., K, K); NaN without pairs.

    It is θ(1 − θ) by DeLong's variance, with items `ADDED` and `UNVARYING_SHARE`.
    """
    theta = rates.tpr
    sizes = rates.class_sizes.reshape(*theta.shape[:-1], 2)
    parts = np.diagonal(rates.components, axis1=-2, axis2=-1)  # by class of items, then rate
    parts = parts.reshape(*sizes.shape, *theta.shape[-2:])
    by_label = (
        (np.einsum("...aab->...ab", parts[..., 0, :, :]), sizes[..., :, None, 0]),
        (np.einsum("...bab->...ab", parts[..., 1, :, :]), sizes[..., None, :, 1]),
    )
    largest = theta * (1 - theta)
    inverse = np.zeros(theta.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        for part, items in by_label:
            varying = (part > NO_VARIANCE) & (largest > 0)
            share = np.where(varying, items * part / largest, UNVARYING_SHARE)
            added = np.maximum(ADDED[0], ADDED[1] * np.sqrt(items) * (2 * theta - 1) ** 2)
            inverse += (items * share + added) / (items + added) / items
        return np.asarray(1 / inverse)


def binary_intervals(rates: PairRates, *, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of Wilson's interval of each rate, shape (..., K, K); a perfect one, too."""
    return rate_limits(rates.tpr, binary_trials(rates), alpha=alpha)
