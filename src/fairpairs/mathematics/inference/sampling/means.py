"""Rates and means of items with clusters and weights.

References
----------
C.-E. Särndal, B. Swensson and J. Wretman (1992), *Model Assisted Survey Sampling*, section 5.7.
"""

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.linear import Linear


def mean(
    values: Floats, inside: NDArray[np.bool_], classes: Integers, design: SamplingDesign
) -> Linear:
    """Return the weighted mean of the values where `inside`, such as a rate of zeros and ones."""
    n = len(values)
    items = np.flatnonzero(inside if design.weight is None else inside & (design.weight > 0))
    influence, mean_classes = np.zeros(n), np.full(n, -1, dtype=classes.dtype)
    if not len(items):
        return Linear(np.nan, influence, mean_classes)
    weight, counted = design.weights[items], values[items]
    total = weight.sum()
    # the mean of equal values is that value, whatever the rounding
    estimate = float(np.clip(weight @ counted / total, counted.min(), counted.max()))
    influence[items], mean_classes[items] = weight * (counted - estimate) / total, classes[items]
    return Linear(estimate, influence, mean_classes)
