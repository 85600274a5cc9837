"""Situation testing: without the rows whose decision depends on their group.

See J. Chakraborty, S. Majumder and T. Menzies (2021), Bias in Machine Learning Software: Why? How?
What to Do?
"""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array
from fairpairs.base.errors import InputError
from fairpairs.papers.treatments.rows import Rows, classifier, kept


def fairsituation(X: pd.DataFrame, y: Array, sensitive_features: pd.DataFrame) -> Rows:
    """Drop the rows whose decision by logistic regression changes with a sensitive feature."""
    features = [f"sensitive_{name}" for name in sensitive_features]
    if not set(features) & set(X):
        raise InputError(
            "The treatment fairsituation changes sensitive features, and the card has none: make "
            "an attribute a feature there, or name another treatment."
        )
    model = classifier(X, y)
    before, same = model.predict(X), np.ones(len(y), dtype=bool)
    for feature in [name for name in features if name in X]:
        for group in np.unique(X[feature]):
            same &= model.predict(X.assign(**{feature: group})) == before
    return kept(same, X, y, sensitive_features)


TREATMENT = fairsituation
BINARY_LABEL = True
