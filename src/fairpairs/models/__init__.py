"""Models. A model is built on the features of a data set and fitted on parts of it."""

from fairpairs.models.contract import BuildsModel, Model
from fairpairs.models.linear_mae import LinearMAE
from fairpairs.models.logistic_regression import LogisticRegression
from fairpairs.models.rankboost import RankBoost, RankBoostClassifier
from fairpairs.models.ridge import Ridge

__all__ = [
    "BuildsModel",
    "LinearMAE",
    "LogisticRegression",
    "Model",
    "RankBoost",
    "RankBoostClassifier",
    "Ridge",
]
