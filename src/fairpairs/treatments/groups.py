"""Sizes of the joint groups that the weights are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.fairness import inputs


def joint_groups(sensitive_features: ArrayLike) -> NDArray[np.int64]:
    """Give each joint group of attributes of shape (n,) or (n, k) a number, from 0 on."""
    features = np.asarray(sensitive_features)
    codes = np.zeros(len(features), dtype=np.int64)
    for column in features.reshape(len(features), -1).T:
        values = inputs.one_dimensional(column, "sensitive_features")
        levels, own = np.unique(values, return_inverse=True)
        codes = np.unique(codes * len(levels) + own, return_inverse=True)[1]
    return codes


def group_label_counts(
    y: ArrayLike, sensitive_features: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count, for each item, the items of its group, of its label, and of both."""
    levels, label = np.unique(inputs.one_dimensional(y, "y"), return_inverse=True)
    group = joint_groups(sensitive_features)
    inputs.same_length(y=label, sensitive_features=group)
    both = group * len(levels) + label
    return np.bincount(group)[group], np.bincount(label)[label], np.bincount(both)[both]
