"""What treatments of rows share: a logistic regression of scikit-learn on encoded features."""

from typing import Any

import pandas as pd

from fairpairs.base.arrays import Array, Mask
from fairpairs.base.errors import InputError
from fairpairs.papers.models.features import encoder as encoder_of

#: Rows of a data set: features, labels, sensitive attributes.
Rows = tuple[pd.DataFrame, Array, pd.DataFrame]


def classifier(X: pd.DataFrame, y: Array) -> Any:
    """Fit logistic regression with scikit-learn's settings on one-hot and standardised features."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow)
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415

    return make_pipeline(encoder(X), LogisticRegression()).fit(X, y)


def encoder(X: pd.DataFrame) -> Any:
    """Return an unfitted encoder of the columns of X: one-hot, or standardised if numeric."""
    kinds = {str(name): "numeric" if column.dtype.kind in "iufb" else "categorical"
             for name, column in X.items()}  # fmt: skip
    return encoder_of("one_hot", kinds)


def kept(rows: Mask, X: pd.DataFrame, y: Array, groups: pd.DataFrame) -> Rows:
    """Return the rows of a mask."""
    return X[rows], y[rows], groups[rows]


def of_two_groups(groups: pd.DataFrame, treatment: str) -> None:
    """Raise InputError unless every attribute has the groups 0 and 1."""
    for name in groups:
        if set(groups[name]) != {0, 1}:
            raise InputError(
                f"The treatment {treatment} needs two groups, and {name} has "
                f"{groups[name].nunique()}: join groups on the card."
            )
