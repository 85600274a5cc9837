"""Ridge regression whose penalty is chosen inside the fitting data.

See Rifkin and Lippert (2007), *Notes on regularized least squares*, sections 3 and 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Floats, Mask
from fairpairs.papers.models.contract import Model
from fairpairs.papers.models.features import numbers_of

PENALTIES = np.logspace(-1, 5, 13)


@dataclass(frozen=True)
class FittedRidge:
    """A fitted ridge regression; without targets the last axis of each field is missing."""

    #: Shape (p,).
    mean: Floats
    #: Shape (p, targets).
    slope: Floats
    #: Prediction at the mean, shape (targets,).
    intercept: Floats
    #: On the squared slopes of the standardised columns, shape (targets,).
    penalty: Floats

    def predict(self, x: Array) -> Floats:
        """Return the prediction for each item, shape (n,) or (n, targets)."""
        return np.asarray((x - self.mean) @ self.slope + self.intercept)


def fit_ridge(x: Array, y: Array, weights: Floats | None = None) -> FittedRidge:
    """Fit on standardised columns, each target with the penalty of least leave-one-out error.

    The estimator is scikit-learn's `RidgeCV` after `StandardScaler`. One eigendecomposition of the
    products of the columns (of the items, if there are fewer) gives the fits and the leave-one-out
    errors of all penalties. If penalties have the same error, the smallest is chosen. An item of
    weight 2 counts as two alike.
    """
    n, p = x.shape
    targets = np.reshape(y, (n, -1))
    weights = np.ones(n) if weights is None else weights
    total, root = weights.sum(), np.sqrt(weights)[:, None]
    mean = weights @ x / total
    z = x - mean
    z -= weights @ z / total  # the rounding error of a large mean
    z *= root
    spread = np.sqrt(np.einsum("ij,ij->j", z, z) / total)
    spread[spread <= n * np.finfo(float).eps * np.abs(mean)] = 1  # a constant column
    z /= spread
    centre = weights @ targets / total
    r = root * (targets - centre)

    wide = n < p
    values, vectors = np.linalg.eigh(z @ z.T if wide else z.T @ z)
    values = np.maximum(values, 0)
    scores = vectors * np.sqrt(values) if wide else z @ vectors
    inverse = 1 / (values[:, None] + PENALTIES)
    along = scores.T @ r
    slopes = inverse[:, :, None] * along[:, None]  # of the scores, for each penalty and target
    fits = scores @ slopes.reshape(len(values), -1)
    residuals = r[:, None] - fits.reshape(n, len(PENALTIES), -1)
    leverage = np.square(scores, out=scores) @ inverse + weights[:, None] / total
    errors = ((residuals / (1 - leverage)[:, :, None]) ** 2).sum(axis=0)
    best = errors.argmin(axis=0)
    if wide:
        slope = z.T @ (vectors @ (inverse[:, best] * (vectors.T @ r)))
    else:
        slope = vectors @ (inverse[:, best] * along)
    shape = np.shape(y)[1:]
    return FittedRidge(
        mean=mean,
        slope=(slope / spread[:, None]).reshape(p, *shape),
        intercept=centre.reshape(shape),
        penalty=PENALTIES[best].reshape(shape),
    )


class Ridge(Model):
    """Ridge regression of a label on all features."""

    def __init__(self, features: pd.DataFrame, kinds: Mapping[str, str]) -> None:
        self._x = numbers_of(features, kinds)

    def fit_repeat(self, y: Array, test: Mask, weight: Floats, rng: np.random.Generator) -> Floats:
        """Fit and predict, without randomness."""
        return fit_ridge(self._x[~test], y[~test], weight).predict(self._x[test])


MODEL = Ridge
NUMBER_LABEL = True
#: Stands for it where a treatment wants an estimator.
ESTIMATOR = {
    "call": "sklearn.linear_model.RidgeCV",
    "with": {"alphas": {"call": "numpy.logspace", "with": {"start": -1, "stop": 5, "num": 13}}},
}
