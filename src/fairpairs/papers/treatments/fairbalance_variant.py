"""FairBalanceVariant: every group has the same weight in every class.

See Z. Yu, J. Chakraborty and T. Menzies (2024), FairBalance.
"""

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base.arrays import Floats
from fairpairs.papers.treatments.groups import group_label_counts


def fairbalance_variant_weights(y: ArrayLike, sensitive_features: ArrayLike) -> Floats:
    """Weigh each item by 1 / |A=a, Y=y|, rescaled to sum to the number of items, shape (n,).

    Arguments and errors are those of `fairbalance_weights`.
    """
    weights = 1 / group_label_counts(y, sensitive_features)[2]
    return np.asarray(weights * len(weights) / weights.sum())


TREATMENT = fairbalance_variant_weights
