"""My treatment: one sentence on what it does.

References
----------
Who proposed it, and where.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.papers.treatments.groups import joint_groups


def my_weights(y: ArrayLike, sensitive_features: ArrayLike) -> NDArray[np.float64]:
    """Weigh each training item: here, every group has the same total.

    Parameters
    ----------
    y
        Labels of the training items, shape (n,).
    sensitive_features
        Their attributes, 0 or 1, shape (n, k).

    Returns
    -------
    ndarray of shape (n,)
        Weights, not negative.
    """
    group = joint_groups(sensitive_features)  # one number for each combination of attributes
    size = np.bincount(group)
    return len(group) / (len(size) * size[group])


TREATMENT = my_weights
