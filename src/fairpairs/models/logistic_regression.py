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
        numeric, codes = numbers_and_codes(features, kinds)
        # one level for all where there is none: the penalty leaves its coefficient at 0
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
        training = train[self._order]
        part = np.flatnonzero(training)
        fitted = self._numeric.take(part, axis=1)
        mean, spread = fitted.mean(axis=1), fitted.std(axis=1)
        # as StandardScaler does with a constant column, whose spread may be a rounding error
        spread[(fitted == fitted[:, :1]).all(axis=1)] = 1
        weight = np.empty(len(y))
        weight[train] = weights
        beta, gamma = _fit(
            np.vstack([self._fixed.take(part, axis=1), _scaled(fitted, mean, spread)]),
            self._level[part], self._n_levels, self._penalty,
            y[self._order[part]], weight[self._order[part]],
        )  # fmt: skip
        n_fixed = len(self._fixed)
        eta = beta[:n_fixed] @ self._fixed + gamma[self._level]
        eta += beta[n_fixed:] @ _scaled(self._numeric, mean, spread)
        scores = np.empty(len(y))
        scores[self._order] = eta
        return np.asarray(expit(scores[~train]))


def _scaled(numeric: Floats, mean: Floats, spread: Floats) -> Floats:
    return np.asarray((numeric - mean[:, None]) / spread[:, None])


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
    of_ones = weights * y
    beta, gamma, eta = np.zeros(len(dense)), np.zeros(n_levels), np.zeros(len(y))
    d_beta, d_gamma, d_eta = beta, gamma, eta
    slope, size = 0.0, 1.0
    for _ in range(MAX_STEPS):
        p = expit(eta)
        expected = weights * p
        residual = expected - of_ones
        g_beta = dense @ residual + penalty @ beta
        g_gamma = np.bincount(level, residual, minlength=n_levels) + gamma
        if max(np.abs(g_beta).max(), np.abs(g_gamma).max()) <= TOLERANCE * weights.sum():
            return beta, gamma
        if g_beta @ d_beta + g_gamma @ d_gamma > -slope / 2:
            # far beyond the minimum on the line, where the slope is 0: go half of the way back
            size /= 2
            beta, gamma, eta = beta - size * d_beta, gamma - size * d_gamma, eta - size * d_eta
            continue
        by_level.data = expected * (1 - p)
        h_gamma = np.bincount(level, by_level.data, minlength=n_levels) + 1
        h_beta = (by_level.data * dense) @ rows + penalty
        cross = by_level @ rows
        schur = h_beta - cross.T @ (cross / h_gamma[:, None])
        d_beta = -np.linalg.solve(schur, g_beta - cross.T @ (g_gamma / h_gamma))
        d_gamma = -(g_gamma + cross @ d_beta) / h_gamma
        d_eta = d_beta @ dense + d_gamma[level]
        slope, size = float(g_beta @ d_beta + g_gamma @ d_gamma), 1.0
        beta, gamma, eta = beta + d_beta, gamma + d_gamma, eta + d_eta
    raise InputError(
        f"Logistic regression did not converge in {MAX_STEPS} steps: look for a numeric feature "
        "with extreme values."
    )


MODEL: BuildsModel = LogisticRegression
BINARY_LABEL = True
