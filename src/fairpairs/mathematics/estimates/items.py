"""Labels, scores and groups of items, checked as arguments of a test."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError

#: The error message where no two labels differ.
ONE_LABEL = "y_true has only one value: no pair of items has different labels."


def binary_items(
    y_true: ArrayLike, y_score: ArrayLike, sensitive_features: ArrayLike
) -> tuple[Integers, Floats, Integers, tuple[Any, ...]]:
    """Return labels, scores, groups and the names of these, checked."""
    labels = inputs.binary(y_true, "y_true")
    values: NDArray[np.float64] = inputs.numeric(y_score, "y_score")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_score=y_score, sensitive_features=sensitive_features)
    if labels.min() == labels.max():
        raise InputError(
            f"y_true holds {labels[0]} only: a ranking has positive (1) and negative (0) items."
        )
    return labels, values, group, names
