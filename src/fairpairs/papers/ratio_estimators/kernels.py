"""What estimators of density ratios share."""

import numpy as np

from fairpairs.base.arrays import Floats

#: Folds of a cross-validation.
FOLDS = 5
#: Names of the estimators that state a probability, which a cap bounds.
CLASSIFIERS = ("logistic", "ridge", "lasso", "kernel_gaussian", "kernel_polynomial")


def gaussian_kernels(points: Floats, centres: Floats, width: float) -> Floats:
    """Return exp(−|x − c|² / (2 width²)) of points (n, d) and centres (b, d), shape (n, b)."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415  (slow)

    return np.asarray(np.exp(-cdist(points, centres, "sqeuclidean") / (2 * width**2)))
