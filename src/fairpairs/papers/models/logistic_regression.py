"""Logistic regression with scikit-learn's default penalty, encoded once for many fits.

The fit is the optimum that `sklearn.linear_model.LogisticRegression()` approaches (C = 1, an
intercept without penalty). It is found by Newton's method. What makes thousands of fits cheap: the
data set is encoded once, and the categorical column with the most levels never becomes a matrix.
Its part of the Hessian is diagonal, so it is eliminated (a Schur complement), and a step costs a
small dense system instead of one with a row for every level.

The other categorical columns lose their last level, which the intercept takes over. At the optimum
of one-hot columns the coefficients of a column sum to 0, since the intercept is free, so that their
squares sum to Σ (δ_l − mean of δ)² for the contrasts δ with the last level: that is the penalty.

The coding does not depend on the split: a level that the training part does not have keeps the
coefficient 0 under the penalty, which is to ignore it.

See Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 4.2.1.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.special import expit

from fairpairs.base.arrays import Array, Floats, Mask
from fairpairs.base.errors import InputError
from fairpairs.papers.models.contract import Model
from fairpairs.papers.models.features import numbers_and_codes, one_hot

#: The largest element of the gradient, per unit of weight, at which Newton's method stops.
TOLERANCE = 1e-9
#: The largest slope at the end of a step, as a share of that at its beginning.
OVERSHOOT = 0.1
#: Largest number of steps, halvings of steps included.
MAX_STEPS = 200
#: Numbers that are handled at once, so that the work stays in the cache.
CHUNK = 1 << 16


class LogisticRegression(Model):
    """A logistic regression that is fitted again and again on parts of one data set.

    Numeric columns are standardised on the training part, categorical ones are one-hot with a
    missing value as a separate level.
    """

    def __init__(self, features: pd.DataFrame, kinds: Mapping[str, str]) -> None:
        numeric, codes = numbers_and_codes(features, kinds)
        # without a categorical column, one level for all: the penalty keeps its coefficient at 0
        codes = sorted(codes, key=np.max) or [np.zeros(len(features), dtype=np.int64)]
        level = codes.pop()
        self._order = np.argsort(level, kind="stable")
        self._level, self._n_levels = level[self._order], int(level.max()) + 1
        contrasts = [one_hot(code)[:, :-1] for code in codes]
        intercept = np.ones((len(features), 1))
        self._fixed = np.hstack([intercept, *contrasts])[self._order].T.copy()
        self._numeric = numeric[self._order].T.copy()
        self._penalty = linalg.block_diag(
            np.zeros((1, 1)),
            *(np.eye(k) - 1 / (k + 1) for k in (part.shape[1] for part in contrasts)),
            np.eye(len(self._numeric)),
        )

    def fit_repeat(
        self, y: Array, test: Mask, weight: Floats, rng: np.random.Generator | None = None
    ) -> Floats:
        """Return P(Y = 1) of tested items, without randomness."""
        return np.asarray(expit(self.fit_logits(y, ~test, weight)[test]))

    def fit_logits(
        self,
        y: NDArray[np.int64],
        train: Mask,
        weights: Floats,
        scaled_on: Mask | None = None,
    ) -> Floats:
        """Fit on the items in `train`, shape (n,), and return the logit of P(Y = 1) of all items.

        `weights` has an element for each training item, in their order. Numbers are standardised on
        the items in `scaled_on`, by default those in `train`.
        """
        if y[train].min() == y[train].max():
            raise InputError(
                f"The training part has only the label {y[train][0]}: use a data set with both."
            )
        training = train[self._order]
        part = np.flatnonzero(training)
        n_fixed = len(self._fixed)
        dense = np.empty((n_fixed + len(self._numeric), len(part)))
        np.take(self._fixed, part, axis=1, out=dense[:n_fixed], mode="clip")
        numeric = np.take(self._numeric, part, axis=1, out=dense[n_fixed:], mode="clip")
        on = numeric if scaled_on is None else self._numeric[:, scaled_on[self._order]]
        mean, constant = on.mean(axis=1), on.min(axis=1) == on.max(axis=1)
        if on is not numeric:
            on = on - mean[:, None]
        numeric -= mean[:, None]
        # as StandardScaler does with a constant column, whose spread may be a rounding error
        spread = np.where(constant, 1, np.sqrt(np.vecdot(on, on) / on.shape[1]))
        numeric /= spread[:, None]
        weight = np.empty(len(y))
        weight[train] = weights
        items = self._order[part]
        beta, gamma = _fit(
            dense, self._level[part], self._n_levels, self._penalty, y[items], weight[items]
        )
        slopes = beta[n_fixed:] / spread
        eta = beta[:n_fixed] @ self._fixed + slopes @ self._numeric + gamma[self._level]
        logits = np.empty(len(y))
        logits[self._order] = eta - slopes @ mean
        return logits


def _fit(
    dense: Floats,
    level: NDArray[np.int64],
    n_levels: int,
    penalty: Floats,
    y: NDArray[np.int64],
    weights: Floats,
) -> tuple[Floats, Floats]:
    """Minimise the weighted log loss + (beta'·penalty·beta + |gamma|²) / 2.

    The columns of `dense` are the items, sorted by level.
    """
    rows = np.ascontiguousarray(dense.T)
    starts = np.concatenate([[0], np.cumsum(np.bincount(level, minlength=n_levels))])
    by_level = sparse.csr_matrix((np.empty(len(y)), np.arange(len(y)), starts))
    curvature = by_level.data
    beta, gamma, eta = np.zeros(len(dense)), np.zeros(n_levels), np.zeros(len(y))
    d_beta, d_gamma, d_eta = beta, gamma, eta
    p, residual = np.empty_like(eta), np.empty_like(eta)
    tolerance = TOLERANCE * weights.sum()
    slope, size = 0.0, 1.0
    for _ in range(MAX_STEPS):
        expit(eta, out=p)
        np.subtract(p, y, out=residual)
        residual *= weights
        g_beta = dense @ residual + penalty @ beta
        g_gamma = np.bincount(level, residual, minlength=n_levels) + gamma
        if max(np.abs(g_beta).max(), np.abs(g_gamma).max()) <= tolerance:
            return beta, gamma
        if g_beta @ d_beta + g_gamma @ d_gamma > -OVERSHOOT * slope:
            # beyond the minimum on the line, where the slope is 0: go half of the way back
            size /= 2
            beta, gamma, eta = beta - size * d_beta, gamma - size * d_gamma, eta - size * d_eta
            continue
        np.subtract(1, p, out=curvature)
        curvature *= p
        curvature *= weights
        h_gamma = np.bincount(level, curvature, minlength=n_levels) + 1
        cross = by_level @ rows
        scaled = cross / h_gamma[:, None]
        schur = _weighted_products(dense, curvature) + penalty - cross.T @ scaled
        d_beta = np.asarray(np.linalg.solve(schur, g_gamma @ scaled - g_beta), np.float64)
        d_gamma = -(g_gamma + cross @ d_beta) / h_gamma
        d_eta = d_beta @ dense + d_gamma[level]
        slope, size = float(g_beta @ d_beta + g_gamma @ d_gamma), 1.0
        beta, gamma = beta + d_beta, gamma + d_gamma
        eta += d_eta
    raise InputError(
        f"Logistic regression did not converge in {MAX_STEPS} steps: look for a numeric feature "
        "with extreme values."
    )


def _weighted_products(dense: Floats, weights: Floats) -> Floats:
    """Return dense·diag(weights)·dense', in parts of the items that stay in the cache."""
    total = np.zeros((len(dense), len(dense)))
    step = max(1, CHUNK // len(dense))
    roots, work = np.sqrt(weights), np.empty((len(dense), min(step, len(weights))))
    for start in range(0, len(weights), step):
        part = slice(start, start + step)
        weighted = np.multiply(dense[:, part], roots[part], out=work[:, : len(weights) - start])
        total += weighted @ weighted.T  # half the work of other products
    return total


MODEL = LogisticRegression
BINARY_LABEL = True
#: Stands for it where a treatment wants an estimator; it comes as close as its tolerance.
ESTIMATOR = {
    "call": "sklearn.linear_model.LogisticRegression",
    "with": {"solver": "newton-cholesky", "tol": 1e-10, "max_iter": 1000},
}
