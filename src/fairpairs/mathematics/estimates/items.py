"""Labels, scores and groups of items, checked as arguments of a test."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.pairs.rates import check_ties

#: The error message where no two labels differ.
ONE_LABEL = "y_true has only one value: no pair of items has different labels."


def labelled_items(
    y_true: ArrayLike, y_score: ArrayLike, sensitive_features: ArrayLike, ties: str, alpha: float
) -> tuple[Floats, Floats, NDArray[np.int64], tuple[Any, ...]]:
    """Return labels, scores, groups and the names of these, checked."""
    labels = inputs.numeric(y_true, "y_true")
    scores = inputs.numeric(y_score, "y_score")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_score=y_score, sensitive_features=sensitive_features)
    inputs.level(alpha)
    check_ties(ties)
    if labels.min() == labels.max():
        raise InputError(ONE_LABEL)
    return labels, scores, group, names


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
