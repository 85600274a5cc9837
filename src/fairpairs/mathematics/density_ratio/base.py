"""The contract of estimators of the ratio of two densities, p_1(x) / p_0(x)."""

from typing import Protocol

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError

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
