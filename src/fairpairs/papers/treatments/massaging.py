"""Massaging: labels near the border are exchanged until the groups have equal shares.

See F. Kamiran and T. Calders (2012), Data preprocessing techniques for classification without
discrimination, section 4.1.
"""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array
from fairpairs.base.errors import InputError
from fairpairs.papers.treatments.rows import Rows, logits


def massaging(X: pd.DataFrame, y: Array, sensitive_features: pd.DataFrame) -> Rows:
    """Relabel rows of both groups of each attribute, in turn, so that label 1 is as frequent.

    Label 0 becomes 1 for rows of the group with fewer of label 1 that logistic regression scores
    highest, and 1 becomes 0 for as many of the other group that it scores lowest.
    """
    (score,), label = logits(X, y, np.ones(len(y), dtype=bool)), y.copy()
    for name in sensitive_features:
        group = sensitive_features[name].to_numpy()
        if set(group) != {0, 1}:
            raise InputError(
                f"The treatment massaging needs two groups, and {name} has {len(set(group))}: "
                "join groups on the card."
            )
        share = [label[group == code].mean() for code in (0, 1)]
        fewer = int(np.argmin(share))
        n = [np.count_nonzero(group == code) for code in (0, 1)]
        number = round(abs(share[1] - share[0]) * n[0] * n[1] / len(label))
        up, down = (np.flatnonzero((group == code) & (label == of))
                    for code, of in ((fewer, 0), (1 - fewer, 1)))  # fmt: skip
        label[up[np.argsort(-score[up], kind="stable")[:number]]] = 1
        label[down[np.argsort(score[down], kind="stable")[:number]]] = 0
    return X, label, sensitive_features


TREATMENT = massaging
BINARY_LABEL = True
