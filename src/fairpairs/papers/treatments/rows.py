"""What treatments of rows share: a logistic regression."""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Floats, Mask
from fairpairs.papers.models.features import kinds_of
from fairpairs.papers.models.logistic_regression import LogisticRegression

#: Rows of a data set: features, labels, sensitive attributes.
Rows = tuple[pd.DataFrame, Array, pd.DataFrame]


def logits(X: pd.DataFrame, y: Array, *groups: Mask) -> list[Floats]:
    """Fit logistic regression on each of some groups of rows, and return the logits of all rows.

    A group with one label is sure of it. Rows that follow those of y are in no group. Numbers are
    standardised on all rows of y.
    """
    model = LogisticRegression(X, kinds_of(X))
    label = np.pad(np.asarray(y, np.int64), (0, len(X) - len(y)))
    of_y, found = np.arange(len(X)) < len(y), []
    for group in groups:
        labels = y[group]
        if len(np.unique(labels)) == 1:
            found.append(np.full(len(X), np.inf if labels[0] == 1 else -np.inf))
        else:
            rows = np.pad(group, (0, len(X) - len(y)))
            found.append(model.fit_logits(label, rows, np.ones(len(labels)), of_y))
    return found
