"""The calibration slope of probabilities: logistic regression of labels on their log odds.

A slope of 1 with an intercept of 0 is that of calibrated probabilities; a slope below 1 means that
these are too extreme.

References: D. R. Cox (1958), Two further applications of a model for binary regression; B. Van
Calster et al. (2019), Calibration: the Achilles heel of predictive analytics; H. White (1982),
Maximum likelihood estimation of misspecified models, for the robust variance.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from fairpairs.base.arrays import Array, Floats
from fairpairs.base.errors import InputError

#: Steps of Newton's method; typically seven.
MAX_STEPS = 100
#: Change of a coefficient, of standardised log odds, in the last step.
LAST_STEP = 1e-10


@dataclass(frozen=True)
class CalibrationSlope:
    """The calibration slope of one group of n items."""

    #: Change of the log odds of a positive label per unit of the log odds of the probability.
    slope: float
    #: Variance of the slope by the model, and without it (White 1982, with n / (n − 2)).
    model: float
    robust: float
    #: What each item adds to the slope, shape (n,).
    influence: Floats

    @property
    def variance(self) -> float:
        """The larger of both variances.

        That of the model is too small where the log odds are not linear, the robust one where there
        are few labels of a kind.
        """
        return max(self.model, self.robust)


def inner_log_odds(probability: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return log odds, and which probabilities are 0 or 1; InputError if all are.

    These are replaced by the smallest and the largest of the others, and so weigh no more.
    """
    outside = (probability <= 0) | (probability >= 1)
    if outside.all():
        raise InputError("All scores are 0 or 1: their log odds are infinite.")
    inner = probability[~outside]
    return np.asarray(logit(np.clip(probability, inner.min(), inner.max()))), outside


def calibration_slope(
    labels: Floats, log_odds: Floats, weight: Array | None = None, *, equal: bool = False
) -> CalibrationSlope:
    """Fit labels, zeros and ones, on log odds; InputError if there is no finite slope.

    With `equal`, a weight is the number of equal items that an item stands for.
    """
    weights = np.ones(len(labels)) if weight is None else weight
    some = weights > 0
    ends = [log_odds[some & (labels == label)] for label in (0, 1)]
    if not all(map(len, ends)):
        raise InputError("A group has labels of one kind only: no calibration slope.")
    (low_0, high_0), (low_1, high_1) = ((x.min(), x.max()) for x in ends)
    if min(low_0, low_1) == max(high_0, high_1):
        raise InputError("A group has one score only: no calibration slope.")
    if low_1 >= high_0 or low_0 >= high_1:
        raise InputError("The scores of a group separate its labels: no finite calibration slope.")
    total = weights.sum()
    centre = weights @ log_odds / total
    spread = np.sqrt(weights @ (log_odds - centre) ** 2 / total)
    x = (log_odds - centre) / spread
    intercept, slope = float(logit(weights @ labels / total)), 0.0
    loss = np.inf
    step = np.zeros(2)
    for _ in range(MAX_STEPS):
        line = intercept + slope * x
        after = float(weights @ (np.logaddexp(0, line) - labels * line))
        if after > loss * (1 + 1e-12):  # a step too far
            step = step / 2
            intercept, slope = intercept - step[0], slope - step[1]
            continue
        loss, fitted = after, expit(line)
        gradient, curvature = weights * (labels - fitted), weights * fitted * (1 - fitted)
        a, b, c = curvature.sum(), curvature @ x, curvature @ x**2
        inverse = np.array([[c, -b], [-b, a]]) / (a * c - b * b)
        step = inverse @ [gradient.sum(), gradient @ x]
        intercept, slope = intercept + step[0], slope + step[1]
        if np.abs(step).max() < LAST_STEP:
            break
    influence = gradient * (inverse[1, 0] + inverse[1, 1] * x) / spread
    n = int(weights.sum() if equal else some.sum())
    squares = influence**2 / (weights if equal else 1)
    return CalibrationSlope(
        slope=float(slope / spread),
        model=float(inverse[1, 1] / spread**2),
        robust=float(squares.sum() * n / max(n - 2, 1)),
        influence=influence,
    )
