"""What is trained. A model is built on the features of a data set and fitted on parts of it."""

from fairpairs.models.linear_mae import LinearMAE
from fairpairs.models.logistic_regression import LogisticRegression

#: Name of a model in the config → class with `fit_repeats(y, tested, weights, rngs)`.
MODELS: dict[str, type[LogisticRegression] | type[LinearMAE]] = {
    "logistic_regression": LogisticRegression,
    "linear_mae": LinearMAE,
}

__all__ = ["MODELS", "LinearMAE", "LogisticRegression"]
