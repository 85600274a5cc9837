"""No treatment: every item weighs the same."""

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base.arrays import Floats


def no_weights(y: ArrayLike, sensitive_features: ArrayLike) -> Floats:
    """Weigh each item by 1, shape (n,)."""
    return np.ones(len(np.asarray(y)))


TREATMENT = no_weights
