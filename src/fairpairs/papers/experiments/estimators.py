"""Estimators of scikit-learn's interface as models: for every fit a new one, encoded and seeded."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.papers.experiments.parts import built
from fairpairs.papers.models.features import encoder

#: Steps of the pipeline of a model, as names of scikit-learn's parameters have them.
ENCODE, MODEL = "encode", "model"


def estimator(target: Any, spec: Content, seed: int) -> Any:
    """Build a new estimator, whose random states are the seed and whose threads are one."""
    made = built(target, spec)
    if not hasattr(made, "get_params"):
        return made
    is_sklearns, ours = type(made).__module__.startswith("sklearn."), dict[str, int]()
    for name, value in made.get_params().items():
        parameter = name.rpartition("__")[2]
        if parameter == "random_state":
            ours[name] = seed
        # None is one thread in scikit-learn, and all of them elsewhere
        elif parameter == "n_jobs" and not (value is None and is_sklearns):
            ours[name] = 1
    return made.set_params(**ours)


def pipeline(target: Any, spec: Content, kinds: Mapping[str, str], seed: int) -> Any:
    """Return the encoder and the estimator of a model, as an unfitted pipeline of scikit-learn."""
    from sklearn.pipeline import Pipeline  # noqa: PLC0415  (slow)

    return Pipeline(
        [
            (ENCODE, encoder(spec.get("encode", "one_hot"), kinds)),
            (MODEL, estimator(target, spec, seed)),
        ]
    )


def weights_of(fitted: Any, weights: Floats | None, name: str) -> dict[str, Floats]:
    """Return what hands weights to the `fit` of an estimator; InputError if it takes none."""
    if weights is None:
        return {}
    from sklearn.utils.validation import has_fit_parameter  # noqa: PLC0415  (slow)

    if not has_fit_parameter(fitted, "sample_weight"):
        raise InputError(
            f"The model {name} takes no weights, which the treatment gives: name another model, or "
            "a treatment that changes rows."
        )
    return {"sample_weight": weights}


def probabilities(fitted: Any, X: pd.DataFrame | Array) -> Floats | None:
    """Return P(Y = 1) of each row; None where the estimator has no probabilities."""
    if not hasattr(fitted, "predict_proba"):
        return None
    classes = list(getattr(fitted, "classes_", (0, 1)))
    return np.asarray(fitted.predict_proba(X)[:, classes.index(1)], np.float64)


def chance_of(fitted: Any, X: pd.DataFrame, groups: pd.Series) -> Floats | None:
    """Return the chance of 1 of each row by a method that draws decisions, as two of fairlearn do.

    None if it draws none that can be told: `ExponentiatedGradient` draws one of its `predictors_`,
    `ThresholdOptimizer` one of two thresholds of the group.
    """
    if hasattr(fitted, "predictors_") and hasattr(fitted, "weights_"):
        drawn = ((fitted.weights_[i], one) for i, one in enumerate(fitted.predictors_))
        return np.asarray(sum(w * np.ravel(one.predict(X)) for w, one in drawn if w), np.float64)
    if not hasattr(fitted, "interpolated_thresholder_"):
        return None
    score = _soft(fitted.estimator_, fitted.predict_method, X)
    chance = np.zeros(len(score))
    for group, rule in fitted.interpolated_thresholder_.interpolation_dict.items():
        drawn = rule.p0 * rule.operation0(score) + rule.p1 * rule.operation1(score)
        if "p_ignore" in rule:
            drawn = rule.p_ignore * rule.prediction_constant + (1 - rule.p_ignore) * drawn
        chance = np.where(groups == group, drawn, chance)
    return chance


def _soft(fitted: Any, method: str, X: pd.DataFrame) -> Floats:
    """Return the scores that `ThresholdOptimizer` has thresholds of."""
    known = ("predict_proba", "decision_function", "predict")
    if method == "auto":
        method = next(name for name in known if hasattr(fitted, name))
    values = np.asarray(getattr(fitted, method)(X), np.float64)
    return values[:, 1] if values.ndim > 1 else values
