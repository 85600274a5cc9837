"""Fairway: without the rows on which models of the two groups disagree.

See J. Chakraborty, S. Majumder, Z. Yu and T. Menzies (2020), Fairway.
"""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array
from fairpairs.papers.treatments.rows import Rows, classifier, kept


def fairway(X: pd.DataFrame, y: Array, sensitive_features: pd.DataFrame) -> Rows:
    """Drop the rows to which models of the groups of an attribute give different decisions.

    For each attribute a logistic regression is fitted on each of its groups; a group with one label
    decides for that label.
    """
    same = np.ones(len(y), dtype=bool)
    for name in sensitive_features:
        decisions = []
        for group in np.unique(sensitive_features[name]):
            rows = (sensitive_features[name] == group).to_numpy()
            if len(np.unique(y[rows])) < 2:
                decisions.append(np.full(len(y), y[rows][0]))
            else:
                decisions.append(classifier(X[rows], y[rows]).predict(X))
        same &= np.ptp(decisions, axis=0) == 0
    return kept(same, X, y, sensitive_features)


TREATMENT = fairway
BINARY_LABEL = True
