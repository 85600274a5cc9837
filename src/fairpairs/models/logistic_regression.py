"""Logistic regression with scikit-learn's default penalty, encoded once for many fits.

The fit is the optimum that `sklearn.linear_model.LogisticRegression()` approaches (C = 1, an
intercept without penalty). It is found by Newton's method. What makes thousands of fits cheap: the
data set is encoded once, and the categorical column with the most levels never becomes a matrix.
Its part of the Hessian is diagonal, so it is eliminated (a Schur complement), and a step costs a
small dense system instead of one with a row for every level.

One-hot columns do not depend on the split: a level that the training part does not have keeps the
coefficient 0 under the penalty, which is to ignore it.

References
----------
Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.special import expit

from fairpairs.arrays import Floats
from fairpairs.errors import InputError
from fairpairs.models.contract import BuildsModel
from fairpairs.models.features import check_binary_label, numbers_and_codes, one_hot

#: The largest element of the gradient, per unit of weight, at which Newton's method stops.
TOLERANCE = 1e-9
MAX_STEPS = 100


class LogisticRegression:
    """A logistic regression that is fitted again and again on parts of one data set.

    Numeric columns are standardised on the training part, categorical ones are one-hot with a
    missing value as a separate level.

    Parameters
    ----------
    features
        One row per item.
    kinds
        "numeric" or "categorical" for each column that is used.
    """

    def __init__(self, features: pd.DataFrame, kinds: Mapping[str, str]) -> None:
        self._numeric, codes = numbers_and_codes(features, kinds)
        # one level for all where there is none: the penalty leaves its coefficient at 0
        codes = sorted(codes, key=np.max) or [np.zeros(len(features), dtype=np.int64)]
        self._level = codes.pop()
        self._n_levels = int(self._level.max()) + 1
        self._fixed = np.hstack([np.ones((len(features), 1)), *map(one_hot, codes)])

    def fit_repeats(
        self,
        y: NDArray[np.int64],
        tested: Sequence[NDArray[np.bool_]],
        weights: Sequence[Floats],
        rngs: Sequence[np.random.Generator],
    ) -> list[Floats]:
        """Fit and score once per repeat (see `fairpairs.models.Model`): P(Y = 1) of tested items.

        Raises
        ------
        InputError
            When the labels are not binary, or a training part has one label only.
        """
        check_binary_label(y, "logistic_regression")
        return [
            self.fit_scores(y, ~test, weight) for test, weight in zip(tested, weights, strict=True)
        ]

    def fit_scores(self, y: NDArray[np.int64], train: NDArray[np.bool_], weights: Floats) -> Floats:
        """Fit on a part of the items and score the others.

        Parameters
        ----------
        y
            Labels, 0 or 1, of all items, shape (n,).
        train
            Whether an item is in the training part, shape (n,).
        weights
            Weight of each training item, in their order.

        Returns
        -------
        ndarray
            P(Y = 1) of each item that is not in the training part, in their order.

        Raises
        ------
        InputError
            When the training part has one label only.
        """
        if y[train].min() == y[train].max():
            raise InputError(
                f"The training part has only the label {y[train][0]}: use a data set with both."
            )
        fitted = self._numeric[train]
        mean, spread = fitted.mean(axis=0), fitted.std(axis=0)
        # as StandardScaler does with a constant column, whose spread may be a rounding error
        spread[fitted.min(axis=0) == fitted.max(axis=0)] = 1
        dense = np.hstack([self._fixed, (self._numeric - mean) / spread])
        beta, gamma = _fit(dense[train], self._level[train], self._n_levels, y[train], weights)
        return np.asarray(expit(dense[~train] @ beta + gamma[self._level[~train]]))


def _fit(
    dense: Floats, level: NDArray[np.int64], n_levels: int, y: NDArray[np.int64], weights: Floats
) -> tuple[Floats, Floats]:
    """Minimise the weighted log loss + (|beta without the intercept|² + |gamma|²) / 2."""
    order = np.argsort(level, kind="stable")
    dense, level, y, weights = dense[order], level[order], y[order], weights[order]
    starts = np.concatenate([[0], np.cumsum(np.bincount(level, minlength=n_levels))])
    rows = np.arange(len(y))
    penalty = np.ones(dense.shape[1])
    penalty[0] = 0
    sign = 2 * y - 1

    def loss(beta: Floats, gamma: Floats, eta: Floats) -> float:
        fit = (weights * np.logaddexp(0, -sign * eta)).sum()
        return float(fit + (penalty * beta**2).sum() / 2 + (gamma**2).sum() / 2)

    beta, gamma, eta = np.zeros(dense.shape[1]), np.zeros(n_levels), np.zeros(len(y))
    current = loss(beta, gamma, eta)
    for _ in range(MAX_STEPS):
        p = expit(eta)
        residual, curvature = weights * (p - y), weights * p * (1 - p)
        by_level = np.bincount(level, residual, minlength=n_levels)
        g_beta, g_gamma = dense.T @ residual + penalty * beta, by_level + gamma
        if max(np.abs(g_beta).max(), np.abs(g_gamma).max()) <= TOLERANCE * weights.sum():
            return beta, gamma
        h_gamma = np.bincount(level, curvature, minlength=n_levels) + 1
        cross = sparse.csr_matrix((curvature, rows, starts), (n_levels, len(y))) @ dense
        h_beta = dense.T @ (curvature[:, None] * dense) + np.diag(penalty)
        schur = h_beta - cross.T @ (cross / h_gamma[:, None])
        d_beta = -linalg.solve(schur, g_beta - cross.T @ (g_gamma / h_gamma), assume_a="pos")
        d_gamma = -(g_gamma + cross @ d_beta) / h_gamma
        d_eta = dense @ d_beta + d_gamma[level]
        slope = float(g_beta @ d_beta + g_gamma @ d_gamma)
        size = 1.0
        while True:
            moved = beta + size * d_beta, gamma + size * d_gamma, eta + size * d_eta
            reached = loss(*moved)
            # the last steps change the loss by less than its rounding error
            if reached <= current + 1e-4 * size * slope + 1e-12 * abs(current):
                break
            size /= 2
        (beta, gamma, eta), current = moved, reached
    raise InputError(
        f"Logistic regression did not converge in {MAX_STEPS} steps: look for a numeric feature "
        "with extreme values."
    )


MODEL: BuildsModel = LogisticRegression
BINARY_LABEL = True
