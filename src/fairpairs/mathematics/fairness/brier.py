"""The Brier score by group.

References: Kallus and Zhou (2019), *The Fairness of Risk Scores Beyond Classification: Bipartite
Ranking and the xAUC Metric*, section 5.1.
"""

import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base.errors import InputError, renamed
from fairpairs.mathematics.estimates.items import binary_items
from fairpairs.mathematics.estimates.ranking_rates import names_with_all


@renamed(y_prob="y_score")
def brier_scores(
    y_true: ArrayLike, y_score: ArrayLike, *, sensitive_features: ArrayLike
) -> pd.DataFrame:
    """Return the Brier score, the mean of (R − Y)², within each group and of all (section 5.1).

    Parameters
    ----------
    y_true, sensitive_features
        As for `xauc`.
    y_score
        Predicted P(Y = 1), shape (n,).

    Returns
    -------
    DataFrame
        A row for each group and for all: `group`, `brier`, its `standard_error` (NaN for one
        item), `n`.

    Raises
    ------
    InputError
        As for `xauc`, and where a prediction lies outside 0 to 1.
    """
    labels, scores, group, names = binary_items(y_true, y_score, sensitive_features)
    if scores.min() < 0 or scores.max() > 1:
        raise InputError(
            "y_score must lie between 0 and 1, as probabilities: calibrate the scores first, for "
            "instance with sklearn.calibration.CalibratedClassifierCV."
        )
    loss = pd.Series((scores - labels) ** 2)
    parts = [loss[group == code] for code in range(len(names))] + [loss]
    return pd.DataFrame(
        {
            "group": names_with_all(names),
            "brier": [part.mean() for part in parts],
            "standard_error": [part.sem() for part in parts],
            "n": [len(part) for part in parts],
        }
    )
