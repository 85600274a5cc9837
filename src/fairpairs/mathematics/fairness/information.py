"""How much information predictions have on the group beyond that of the label, I_sep.

References: D. Steinberg, A. Reid and S. O'Callaghan (2020), Fairness measures for regression via
probabilistic classification; Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 4.2.2
and Table VIII.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_expit

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.mathematics.estimates.logistic_fits import fit_groups

#: The error message if the regression does not converge.
NOT_CONVERGED = (
    "The logistic regression of I_sep did not converge: give labels and predictions of moderate "
    "size, for instance standardised."
)


@understood
def information_separation(
    y_true: ArrayLike, y_pred: ArrayLike, *, sensitive_features: ArrayLike, normalize: bool = True
) -> float:
    """Estimate I_sep, the information of the prediction on the group beyond that of the label.

    Two logistic regressions (with scikit-learn's default penalty) of the group, on (y, ŷ) and on
    y, are fitted and evaluated on the same items.

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, real, shape (n,).
    sensitive_features
        Group of each item, shape (n,), two groups.
    normalize
        True: mean log ratio over the estimated conditional entropy, −mean log ρ(a | y), which is
        what Table VIII holds. False: the mean log ratio, mean log ρ(a | y, ŷ) / ρ(a | y), as it
        is printed in section 4.2.2.

    Returns
    -------
    float
        0 where the prediction is independent of the group given the label.

    Raises
    ------
    InputError
        When the arrays differ in length or hold a missing value, or there are not two groups.
    """
    labels, predictions = inputs.moderate(y_true, "y_true"), inputs.moderate(y_pred, "y_pred")
    group, _ = inputs.two_groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features)
    inputs.flag(normalize, "normalize")
    values = information_separation_of_groups(labels, predictions, group[None], normalize=normalize)
    return float(values[0])


def information_separation_of_groups(
    y_true: Floats, y_pred: Floats, groups: Integers, *, normalize: bool = True
) -> Floats:
    """Estimate I_sep for many assignments of groups, zeros and ones of shape (b, n), at once."""
    given_label = _mean_log_probability(y_true[:, None], groups)
    given_both = _mean_log_probability(np.column_stack([y_true, y_pred]), groups)
    ratio = given_both - given_label
    return ratio / -given_label if normalize else ratio


def _mean_log_probability(features: Floats, groups: Integers) -> Floats:
    """Return the mean log ρ(a | x) of each row of groups, (b,), with scikit-learn's penalty."""
    fits = fit_groups(features, groups, 1.0)
    if not fits.converged.all():
        raise InputError(NOT_CONVERGED)
    sign = 2.0 * groups - 1
    return np.asarray(log_expit(sign * fits.log_odds(features)).mean(axis=1))
