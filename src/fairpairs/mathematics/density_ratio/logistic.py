"""Density ratios, p_1(x) / p_0(x): the contract of their estimators, and logistic regression.

The regression is of 1 against 0, and the ratio is its odds times n_0 / n_1.

References: Sugiyama, Suzuki and Kanamori (2012), *Density Ratio Estimation in Machine Learning*.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.logistic_fits import fit_groups

#: Slope of the loss at which a classifier stops; scikit-learn's 1e-4 is one or two steps early.
LARGEST_SLOPE = 1e-10


class SeparableGroupsError(InputError):
    """A boundary separates the samples, and without a cap the ratio is unbounded."""


class Ratio(Protocol):
    """A fitted ratio."""

    def __call__(self, points: Floats, cap: float | None = None) -> Floats:
        """Return the ratio at points.

        Parameters
        ----------
        points
            Shape (m, d).
        cap
            The largest probability of 1 that a classifier may state; None for no cap.

        Raises
        ------
        SeparableGroupsError
            When a boundary separates the samples and `cap` is None.
        InputError
            When `cap` is set for an estimator without probabilities.
        """


class DensityRatioEstimator(Protocol):
    """Estimates p_1(x) / p_0(x)."""

    def fit(self, one: Floats, zero: Floats) -> Ratio:
        """Fit on a sample of each density, shapes (n_1, d) and (n_0, d).

        Raises
        ------
        InputError
            When a sample is too small for cross-validation.
        """


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
        self._check()
        x, a = stacked(one, zero)
        balance = len(zero) / len(one)
        if self.penalty == "l1":
            return OddsRatio(_scikit_learn("l1", self.strength, x, a), balance)
        coordinates = self._coordinates(x)
        x = coordinates(x)
        fitted = fit_groups(x, a[None], self._weight)
        if fitted.converged[0]:
            return OddsRatio(lambda at: fitted.log_odds(coordinates(at))[0], balance)
        log_odds = _scikit_learn(self.penalty, self.strength, x, a)
        separated = self.penalty == "none" and _separates(x, log_odds(x), a)
        return OddsRatio(lambda at: log_odds(coordinates(at)), balance, separated)

    def fit_groups(self, points: Floats, groups: Integers, cap: float | None) -> Floats:
        """Return ratios at points (n, d) by groups, (b, n); a NaN row must be fitted alone."""
        self._check()
        if self.penalty == "l1":
            return np.full(groups.shape, np.nan)
        x = self._coordinates(points)(points)
        fitted = fit_groups(x, groups, self._weight)
        log_odds = fitted.log_odds(x)
        if cap is not None:
            log_odds = np.minimum(log_odds, np.log(cap / (1 - cap)))
        alone = ~fitted.converged | (log_odds.max(axis=1) > LARGEST_LOG)
        log_odds[alone] = np.nan
        n_one = groups.sum(axis=1, keepdims=True)
        return np.asarray(np.exp(log_odds) * ((groups.shape[1] - n_one) / n_one))

    def _check(self) -> None:
        if self.strength <= 0:
            raise InputError(
                f"strength must be above 0; it is {self.strength}: use penalty='none' instead."
            )

    @property
    def _weight(self) -> float:
        return 0.0 if self.penalty == "none" else self.strength

    def _coordinates(self, x: Floats) -> Callable[[Floats], Floats]:
        """Return a map of points on the directions in which x differ, if nothing is penalised."""
        if self.penalty != "none":
            return lambda at: at
        centre = x.mean(axis=0)
        rank = int(np.linalg.matrix_rank(x - centre))
        if rank == x.shape[1]:
            return lambda at: at
        _, spreads, directions = np.linalg.svd(x - centre, full_matrices=False)
        kept = directions[:rank].T / spreads[:rank] * np.sqrt(len(x))
        return lambda at: np.asarray((at - centre) @ kept)


def _scikit_learn(
    penalty: str, strength: float, x: Floats, a: Integers
) -> Callable[[Floats], Floats]:
    """Return the log odds of scikit-learn's logistic regression.

    Separable groups, which `_separates` finds, do not converge; this gives no warning.
    """
    from scipy.linalg import LinAlgWarning  # noqa: PLC0415  (slow)
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415  (slow)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)

    if penalty == "l1":
        model = LogisticRegression(
            C=1 / strength,
            l1_ratio=1,
            solver="liblinear",
            intercept_scaling=100.0,
            max_iter=10_000,
            random_state=0,
        )
    else:
        c = np.inf if penalty == "none" else 1 / strength
        model = LogisticRegression(C=c, solver="newton-cholesky", tol=LARGEST_SLOPE, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", LinAlgWarning)
        log_odds: Callable[[Floats], Floats] = model.fit(x, a).decision_function
    return log_odds


def stacked(one: Floats, zero: Floats) -> tuple[Floats, Integers]:
    """Return the points of both samples, and 1 or 0 for the sample of each."""
    return np.vstack([one, zero]), np.repeat([1, 0], [len(one), len(zero)])


def _separates(x: Floats, score: Floats, a: Integers) -> bool:
    """Return whether a hyperplane separates the classes, so that no fit is finite."""
    from scipy.optimize import linprog  # noqa: PLC0415  (slow)

    if np.abs(score).max() < SUSPICIOUS:
        return False
    side = np.where(a == 1, 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(x)), x])
    solution = linprog(-side.mean(axis=0), A_ub=-side, b_ub=np.zeros(len(x)), bounds=(-1, 1))
    return bool(solution.status == 0 and solution.fun is not None and solution.fun < -1e-9)


@dataclass(frozen=True)
class OddsRatio:
    """The ratio that a classifier's log odds give."""

    #: from points to the log odds of 1
    log_odds: Callable[[Floats], Floats]
    #: n_0 / n_1
    balance: float
    #: whether a boundary separates the samples, so that there is no ratio without a cap
    separated: bool = False

    def __call__(self, points: Floats, cap: float | None = None) -> Floats:
        """Return the ratio at points (see `Ratio`)."""
        if self.separated and cap is None:
            raise SeparableGroupsError(
                "The two groups can be separated perfectly, so an unpenalised ratio has no end: "
                "give a cap, such as 0.999, or another estimator, such as 'ridge'."
            )
        most = np.inf if cap is None else float(np.log(cap / (1 - cap)))
        logarithm = np.minimum(self.log_odds(points), most)
        if logarithm.max() > LARGEST_LOG:
            raise SeparableGroupsError(
                "The ratio of the densities overflows, because the groups hardly overlap: give a "
                "cap, such as 0.999."
            )
        return np.asarray(np.exp(logarithm) * self.balance)


#: Name of an estimator → the estimator with its defaults.
NAMED = {"logistic": LogisticRatio(), "ridge": LogisticRatio("l2"), "lasso": LogisticRatio("l1")}
