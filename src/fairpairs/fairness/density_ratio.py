"""Measures of separation by density ratios.

References
----------
D. Steinberg, A. Reid and S. O'Callaghan (2020), Fairness measures for regression via probabilistic
classification; Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 4.2.2 and Table VIII.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression

from fairpairs.fairness import inputs


def information_separation(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    normalize: bool = True,
) -> float:
    """Estimate I_sep, the information of the prediction on the group beyond that of the label.

    Two logistic regressions (scikit-learn's default penalty) of the group, on (y, ŷ) and on y, are
    fitted and evaluated on the same items.

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, real, shape (n,).
    sensitive_features
        Group of each item: two different values of any kind, shape (n,).
    normalize
        True: mean log ratio over the estimated conditional entropy, −mean log ρ(a | y), which is
        what Table VIII holds. False: the mean log ratio, mean log ρ(a | y, ŷ) / ρ(a | y), as it
        is printed in section 4.2.2.

    Returns
    -------
    float
        0 where the prediction says nothing about the group beyond the label.

    Raises
    ------
    InputError
        When the arrays differ in length or hold a missing value, or there are not two groups.
    """
    labels = inputs.numeric(y_true, "y_true")
    predictions = inputs.numeric(y_pred, "y_pred")
    group, _ = inputs.two_groups(sensitive_features)
    inputs.same_length(y_true=labels, y_pred=predictions, sensitive_features=group)

    def log_probability(*features: np.ndarray) -> np.ndarray:
        columns = np.column_stack(features)
        chances = LogisticRegression().fit(columns, group).predict_log_proba(columns)
        return np.asarray(chances[np.arange(len(group)), group])

    given_label = log_probability(labels)
    ratio = float((log_probability(labels, predictions) - given_label).mean())
    return ratio / float(-given_label.mean()) if normalize else ratio
