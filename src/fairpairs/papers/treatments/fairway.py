"""Fairway: without the rows on which models of the two groups disagree.

See J. Chakraborty, S. Majumder, Z. Yu and T. Menzies (2020), Fairway.
"""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Mask
from fairpairs.papers.treatments.rows import logits


def fairway(X: pd.DataFrame, y: Array, sensitive_features: pd.DataFrame) -> Mask:
    """Drop the rows to which models of the groups of an attribute give different decisions.

    For each attribute a logistic regression is fitted on each of its groups; a group with one label
    decides for that label. Returns which rows are kept, shape (n,).
    """
    same = np.ones(len(y), dtype=bool)
    for name in sensitive_features:
        group = sensitive_features[name].to_numpy()
        of = logits(X, y, *(group == code for code in np.unique(group)))
        same &= np.ptp(np.greater(of, 0).astype(int), axis=0) == 0
    return same


TREATMENT = fairway
KIND = "filter"
BINARY_LABEL = True
