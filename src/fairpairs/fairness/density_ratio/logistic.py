"""Density ratios by logistic regression of 1 against 0: the odds times n_0 / n_1.

References
----------
Sugiyama, Suzuki and Kanamori (2012), *Density Ratio Estimation in Machine Learning*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from scipy.optimize import linprog

from fairpairs.arrays import Floats
from fairpairs.errors import InputError
from fairpairs.fairness.density_ratio.base import LARGEST_SLOPE, Ratio, SeparableGroupsError

#: Log odds above it are refused: sums of such odds would overflow.
LARGEST_LOG = 500.0
#: Log odds above which a boundary is looked for that separates the samples.
SUSPICIOUS = 5.0


@dataclass(frozen=True)
class LogisticRatio:
    """Logistic regression of 1 against 0.

    Attributes
    ----------
    penalty
        "none", "l2" (ridge) or "l1" (lasso).
    strength
        Weight of the penalty, 1 / C of scikit-learn. The intercept is free, but "l1" penalises it
        slightly.
    """

    penalty: Literal["none", "l2", "l1"] = "none"
    strength: float = 1.0

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit (see `DensityRatioEstimator`)."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)

        x, a = stacked(one, zero)
        if self.strength <= 0:
            raise InputError(
                f"strength must be above 0; it is {self.strength}: use penalty='none' instead."
            )
        if self.penalty == "l1":
            model = LogisticRegression(
                C=1 / self.strength, l1_ratio=1, solver="liblinear", intercept_scaling=100.0,
                max_iter=10_000, random_state=0,
            )  # fmt: skip
        else:
            c = np.inf if self.penalty == "none" else 1 / self.strength
            model = LogisticRegression(
                C=c, solver="newton-cholesky", tol=LARGEST_SLOPE, max_iter=200
            )
        if self.penalty == "none" and np.linalg.matrix_rank(x - x.mean(axis=0)) < x.shape[1]:
            model = _WithoutCollinear(model)
        fitted = fit_quietly(model, x, a)
        separated = self.penalty == "none" and _separates(x, fitted.decision_function(x), a)
        return ratio_from_odds(fitted.decision_function, len(zero) / len(one), separated=separated)


@dataclass
class _WithoutCollinear:
    """A classifier on the directions in which the points differ; without any, the share of 1."""

    model: Any

    def fit(self, x: Floats, a: NDArray[np.int64]) -> _WithoutCollinear:
        self.centre = x.mean(axis=0)
        _, spreads, directions = np.linalg.svd(x - self.centre, full_matrices=False)
        rank = int(np.linalg.matrix_rank(x - self.centre))
        self.directions = directions[:rank].T / spreads[:rank] * np.sqrt(len(x))
        self.constant = float(np.log(a.sum() / (len(a) - a.sum())))
        if rank:
            self.model.fit((x - self.centre) @ self.directions, a)
        return self

    def decision_function(self, x: Floats) -> Floats:
        if not self.directions.size:
            return np.full(len(x), self.constant)
        return np.asarray(self.model.decision_function((x - self.centre) @ self.directions))


def stacked(one: Floats, zero: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the points of both samples, and 1 or 0 for the sample of each."""
    return np.vstack([one, zero]), np.repeat([1, 0], [len(one), len(zero)])


def fit_quietly(model: Any, x: Floats, a: NDArray[np.int64]) -> Any:
    """Fit without a warning where separable groups keep a capped fit from converging.

    The solver then goes on with L-BFGS, and `_separates` finds such groups.
    """
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415  (slow)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", LinAlgWarning)
        return model.fit(x, a)


def _separates(x: Floats, score: Floats, a: NDArray[np.int64]) -> bool:
    """Return whether a hyperplane separates the classes, with some items off the hyperplane.

    Then there is no finite fit: the log odds of these grow without end.
    """
    if np.abs(score).max() < SUSPICIOUS:
        return False
    side = np.where(a == 1, 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(x)), x])
    solution = linprog(-side.mean(axis=0), A_ub=-side, b_ub=np.zeros(len(x)), bounds=(-1, 1))
    return bool(solution.status == 0 and solution.fun is not None and solution.fun < -1e-9)


def ratio_from_odds(
    log_odds: Callable[[Floats], Floats], balance: float, *, separated: bool = False
) -> Ratio:
    """Return the ratio that a classifier's log odds give; `balance` is n_0 / n_1."""

    def ratio(points: Floats, cap: float | None = None) -> Floats:
        if cap is None and separated:
            raise SeparableGroupsError(
                "The two groups can be separated perfectly, so an unpenalised ratio has no end: "
                "give a cap, such as 0.999, or another estimator, such as 'ridge'."
            )
        most = np.inf if cap is None else float(np.log(cap / (1 - cap)))
        logarithm = np.minimum(log_odds(points), most)
        if logarithm.max() > LARGEST_LOG:
            raise SeparableGroupsError(
                "The ratio of the densities overflows, because the groups hardly overlap: give a "
                "cap, such as 0.999."
            )
        return np.asarray(np.exp(logarithm) * balance)

    return ratio
