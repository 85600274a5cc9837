"""Situation testing: without the rows whose decision depends on their group.

See J. Chakraborty, S. Majumder and T. Menzies (2021), Bias in Machine Learning Software: Why? How?
What to Do?
"""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Mask
from fairpairs.base.errors import InputError
from fairpairs.papers.treatments.rows import logits


def fairsituation(X: pd.DataFrame, y: Array, sensitive_features: pd.DataFrame) -> Mask:
    """Drop the rows whose decision by logistic regression changes with a sensitive feature.

    Returns which rows are kept, shape (n,).
    """
    features = [f"sensitive_{name}" for name in sensitive_features]
    if not set(features) & set(X):
        raise InputError(
            "The treatment fairsituation changes sensitive features, and the card has none: make "
            "an attribute a feature there, or name another treatment."
        )
    asked = [X]
    for feature in [name for name in features if name in X]:
        groups, code = np.unique(X[feature], return_inverse=True)
        for step in range(1, len(groups)):
            asked.append(X.assign(**{feature: groups[(code + step) % len(groups)]}))
    (of,) = logits(pd.concat(asked, ignore_index=True), y, np.ones(len(y), dtype=bool))
    decided = of.reshape(len(asked), len(y)) > 0
    return np.asarray((decided == decided[0]).all(axis=0))


TREATMENT = fairsituation
KIND = "filter"
BINARY_LABEL = True
