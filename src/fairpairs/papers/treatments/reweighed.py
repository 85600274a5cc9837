"""An estimator of scikit-learn that is trained with the weights of a treatment."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_array, column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from fairpairs.base.errors import InputError
from fairpairs.papers.registry import load

Method = TypeVar("Method", bound=Callable[..., Any])
#: Treatments that give weights.
WEIGHTS = ("fairbalance", "fairbalance_variant", "reweighing", "fair_reweighing")


def _has(name: str) -> Callable[[Method], Method]:
    def check(self: Reweighed) -> bool:
        return hasattr(getattr(self, "estimator_", self._model), name)

    made: Callable[[Method], Method] = available_if(check)
    return made


class Reweighed(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """Train an estimator with weights that balance groups and labels.

    Parameters
    ----------
    estimator
        A classifier or regressor of scikit-learn's interface whose `fit` takes `sample_weight`; by
        default `LogisticRegression()`.
    weights
        "fairbalance" (Yu, Chakraborty and Menzies 2024), "fairbalance_variant", "reweighing"
        (Kamiran and Calders 2012), or "fair_reweighing" for a label that is a number (Xi and Yu
        2024).

    Attributes
    ----------
    estimator_
        The fitted estimator.
    sample_weight_
        The weights that it was fitted with, shape (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> model = Reweighed(LogisticRegression(), weights="reweighing")
    >>> model.fit(X, y, sensitive_features=list("aaaabbbb")).sample_weight_.round(2)
    array([0.67, 0.67, 0.67, 2.  , 2.  , 0.67, 0.67, 0.67])
    """

    def __init__(self, estimator: Any = None, *, weights: str = "fairbalance") -> None:
        self.estimator = estimator
        self.weights = weights

    @property
    def _model(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Any:
        """Return the tags of the estimator."""
        tags = super().__sklearn_tags__()
        of = get_tags(self._model)
        tags.estimator_type, tags.input_tags = of.estimator_type, of.input_tags
        tags.classifier_tags, tags.regressor_tags = of.classifier_tags, of.regressor_tags
        tags.target_tags, tags.non_deterministic = of.target_tags, of.non_deterministic
        tags.target_tags.multi_output = False
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, *, sensitive_features: ArrayLike | None = None
    ) -> Self:
        """Fit the estimator with the weights of the labels and groups.

        Parameters
        ----------
        X, y
            Features, shape (n, p), and labels, shape (n,).
        sensitive_features
            Groups, shape (n,) or (n, k) of k attributes, whose joint groups count. Without them all
            rows are one group, so that only the labels are balanced.

        Raises
        ------
        InputError
            When the weights are unknown, the estimator takes none, or lengths differ.
        """
        if self.weights not in WEIGHTS:
            raise InputError(f"weights is {self.weights!r}: name one of {', '.join(WEIGHTS)}.")
        model = clone(self._model)
        if not has_fit_parameter(model, "sample_weight"):
            raise InputError(
                f"{type(model).__name__} takes no `sample_weight`: give another estimator."
            )
        validate_data(self, X, y, skip_check_array=True)
        label = column_or_1d(check_array(y, ensure_2d=False, dtype=None), warn=True)
        one_group = sensitive_features is None
        if one_group:
            warnings.warn(
                "fit got no sensitive_features: all rows are one group, so that no group is "
                "balanced against another.",
                stacklevel=2,
            )
        groups = np.zeros(len(label)) if one_group else sensitive_features
        if one_group and self.weights == "fair_reweighing":
            self.sample_weight_ = np.ones(len(label))
        else:
            self.sample_weight_ = load("treatments", self.weights)(label, groups)
        self.estimator_ = model.fit(X, label, sample_weight=self.sample_weight_)
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_
        return self

    def predict(self, X: ArrayLike) -> Any:
        """Predict by the fitted estimator."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @_has("predict_proba")
    def predict_proba(self, X: ArrayLike) -> Any:
        """Return the probabilities of the fitted estimator."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    @_has("decision_function")
    def decision_function(self, X: ArrayLike) -> Any:
        """Return the decision function of the fitted estimator."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Return the score of the fitted estimator."""
        check_is_fitted(self)
        return self.estimator_.score(X, y, sample_weight=sample_weight)
