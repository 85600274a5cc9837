"""Rates and means of items with clusters and weights.

References
----------
C.-E. Särndal, B. Swensson and J. Wretman (1992), *Model Assisted Survey Sampling*, section 5.7.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness.sampling.design import SamplingDesign
from fairpairs.fairness.sampling.linear import Linear


def mean(
    values: Floats, inside: NDArray[np.bool_], classes: Integers, design: SamplingDesign
) -> Linear:
    """Return the weighted mean of the values of some items, such as a rate of zeros and ones.

    Parameters
    ----------
    values
        Shape (n,).
    inside
        The items whose mean it is, shape (n,).
    classes
        Class of each item, shape (n,).
    design
        Clusters and weights of the items.
    """
    weight = np.where(inside, design.weights, 0.0)
    total = weight.sum()
    if total == 0:
        return Linear(np.nan, np.zeros(len(values)), np.full(len(values), -1))
    counted = values[weight > 0]
    # the mean of equal values is that value, whatever the rounding
    estimate = float(np.clip(weight @ values / total, counted.min(), counted.max()))
    influence = weight * (values - estimate) / total
    return Linear(estimate, influence, np.where(weight > 0, classes, -1))
