"""The information of real predictions on the group: I_ind, I_sep and I_suf.

References: D. Steinberg, A. Reid and S. O'Callaghan (2020), Fairness measures for regression via
probabilistic classification; Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 4.2.2
and Table VIII.
"""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.base.printed import Printed
from fairpairs.mathematics.density_ratio.logistic import LARGEST_SLOPE
from fairpairs.papers.ratio_estimators.least_squares import FOLDS


@dataclass(frozen=True)
class InformationFairness(Printed):
    """How much of the information on the group predictions tell.

    Attributes
    ----------
    independence
        I(A; Ŷ), or its share of H(A).
    separation
        I(A; Ŷ | Y), or its share of H(A | Y): I_sep.
    sufficiency
        I(A; Y | Ŷ), or its share of H(A | Ŷ).
    """

    name: ClassVar[str] = "information on the group"
    independence: float
    separation: float
    sufficiency: float


@understood
def information_fairness(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    normalize: bool = True,
    cross_fitted: bool = False,
) -> InformationFairness:
    """Estimate I_ind, I_sep and I_suf by logistic regressions of the group.

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, real, shape (n,).
    sensitive_features
        Group of each item, shape (n,).
    normalize
        Whether each is divided by the entropy that there is to tell.
    cross_fitted
        False: probabilities on the items that the regressions were fitted on, as published, which
        tells too much. True: each of five folds is predicted by the regressions on the others; the
        result can be below 0.

    Returns
    -------
    InformationFairness
        Zeros where the notions hold.

    Raises
    ------
    InputError
        As for `density_ratio_fairness`, where a group has fewer items than there are folds, and
        where labels or predictions are too large for the regressions.

    References
    ----------
    Steinberg et al. (2020); *Comparative Separation*, section 4.2.2.
    """
    from scipy.linalg import LinAlgWarning  # noqa: PLC0415  (slow)
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415  (slow)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)
    from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: PLC0415

    labels, predictions = inputs.moderate(y_true, "y_true"), inputs.moderate(y_pred, "y_pred")
    group, _ = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features)
    inputs.flag(normalize, "normalize")
    inputs.flag(cross_fitted, "cross_fitted")
    sizes = np.bincount(group)
    if cross_fitted and sizes.min() < FOLDS:
        raise InputError(f"Cross-fitting needs {FOLDS} items in each group: give more items.")

    def log_probability(features: Floats) -> float:
        model = LogisticRegression(solver="newton-cholesky", tol=LARGEST_SLOPE, max_iter=200)
        if cross_fitted:
            split = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
            p = cross_val_predict(model, features, group, cv=split, method="predict_log_proba")
        else:
            p = model.fit(features, group).predict_log_proba(features)
        return float(p[np.arange(len(group)), group].mean())

    share = sizes / sizes.sum()
    baseline = float(xlogy(share, share).sum())  # mean log probability without any feature
    label, score = labels[:, None], predictions[:, None]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", LinAlgWarning)
            # scikit-learn then takes another solver, as for a label of one value
            warnings.filterwarnings("ignore", "Line search of Newton", ConvergenceWarning)
            with np.errstate(over="raise", invalid="raise"):
                given_label, given_score = log_probability(label), log_probability(score)
                given_both = log_probability(np.hstack([label, score]))
    except (LinAlgWarning, FloatingPointError) as error:
        raise InputError(
            "y_true and y_pred are too large for the logistic regressions: rescale them."
        ) from error
    parts = (given_score, baseline), (given_both, given_label), (given_both, given_score)
    return InformationFairness(
        *((more - less) / (-less if normalize else 1) for more, less in parts)
    )
