"""What is trained. A model is built on the features of a data set and fitted on parts of it."""

from fairpairs.models.logistic_regression import LogisticRegression

#: Name of a model in the config → class with `fit_scores(y, train, weights)`.
MODELS = {"logistic_regression": LogisticRegression}

__all__ = ["MODELS", "LogisticRegression"]
