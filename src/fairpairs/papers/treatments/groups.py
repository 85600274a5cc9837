"""Sizes of the joint groups that the weights are made of."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.base import inputs, tables


def joint_groups(sensitive_features: ArrayLike) -> NDArray[np.int64]:
    """Give each joint group of attributes of shape (n,) or (n, k) a number, from 0 on."""
    codes: NDArray[np.int64] | None = None
    for name, values in tables.columns(sensitive_features, "sensitive_features"):
        levels, level = inputs.levels(values, name)
        codes = level if codes is None else inputs.levels(codes * len(levels) + level, name)[1]
    assert codes is not None
    return codes


def group_label_counts(
    y: ArrayLike, sensitive_features: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count, for each item, the items of its group, of its label, and of both."""
    levels, label = inputs.levels(y, "y")
    group = joint_groups(sensitive_features)
    inputs.same_items(y=y, sensitive_features=sensitive_features)
    both = group * len(levels) + label
    return np.bincount(group)[group], np.bincount(label)[label], np.bincount(both)[both]
