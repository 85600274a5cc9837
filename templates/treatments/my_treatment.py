"""My treatment: one sentence on what it does.

References
----------
Who proposed it, and where.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def my_weights(y: ArrayLike, sensitive_features: ArrayLike) -> NDArray[np.float64]:
    """Weigh each training item.

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
    return np.ones(len(np.asarray(y)))


TREATMENT = my_weights
