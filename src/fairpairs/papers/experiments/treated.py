"""One fit of an experiment: treat the training rows, fit a model on them, predict the tested rows.

A treatment is one or several steps, one after the other. The kind of a step is told from its
signature (`kind_of`). Randomness comes from streams of the data set and the repeat, so that all
treatments share held-out rows and random numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Floats, Mask, Series
from fairpairs.base.errors import InputError, failures
from fairpairs.base.plain_values import Content
from fairpairs.papers.experiments.estimators import (
    ENCODE,
    MODEL,
    chance_of,
    estimator,
    pipeline,
    probabilities,
    weights_of,
)
from fairpairs.papers.experiments.parts import built
from fairpairs.papers.experiments.seeds import Draw
from fairpairs.papers.experiments.steps import LAST, Step, takes
from fairpairs.papers.treatments.contract import Kind

#: The argument of fairlearn and of treatments with the groups.
GROUPS = "sensitive_features"


@dataclass(frozen=True)
class Rows:
    """Some rows of a data set: features, labels, and sensitive attributes by name."""

    X: pd.DataFrame
    y: Array
    groups: pd.DataFrame

    def of(self, rows: Mask) -> "Rows":
        """Return those of the rows in a mask."""
        X, groups = (part[rows].reset_index(drop=True) for part in (self.X, self.groups))
        return Rows(X, self.y[rows], groups)

    @property
    def joint(self) -> Series:
        """The joint group of each row, in words."""
        named = (f"{name}=" + self.groups[name].astype(str) for name in self.groups)
        return reduce(lambda one, other: one + ", " + other, named).rename("group")


@dataclass(frozen=True)
class Predicted:
    """The tested rows: score or None, the chance of 1 of a drawn decision or None, prediction.

    Without a prediction the score is a number, or the decision is 1 if it exceeds 0.5.
    """

    score: Floats | None
    chance: Floats | None = None
    prediction: Array | None = None


@dataclass(frozen=True)
class Fit:
    """What one fit has besides rows and steps."""

    #: Name, class and spec of the model.
    model: str
    target: Any
    spec: Content
    #: Kind of each feature.
    kinds: Mapping[str, str]
    #: Random generator of a purpose, the same for all treatments.
    draw: Draw
    #: Whether the label is 0 or 1.
    binary: bool

    @property
    def seed(self) -> int:
        """The random state of every estimator."""
        return int(self.draw("start").integers(2**31))

    def new(self) -> Any:
        """Return the encoder and the model, unfitted."""
        return pipeline(self.target, self.spec, self.kinds, self.seed)


def fit_predict(fit: Fit, steps: Sequence[Step], train: Rows, test: Rows) -> Predicted:
    """Treat and fit on the training rows, and predict the others."""
    last = steps[-1] if steps and steps[-1].kind in LAST else None
    later = weights = None
    if last is not None and last.spec.get("held_out"):
        held = fit.draw("held out").random(len(train.y)) < last.spec["held_out"]
        later, train = train.of(held), train.of(~held)
    for step in steps:
        if step.kind == Kind.FILTER:
            train = train.of(kept_by(step, train, fit.draw))
        elif step.kind == Kind.ROWS:
            train = _other_rows(step, train, fit)
        elif step.kind == Kind.WEIGHTS:
            weights = weights_by(step, train.y, train.groups.to_numpy())
    if fit.binary and len(np.unique(train.y)) < 2:
        raise InputError(
            f"The training part has only the label {train.y[0] if len(train.y) else 'of no row'}: "
            "use a data set with both, or another treatment."
        )
    if last is not None:
        _check_groups(last, train if later is None else later, test)
    if last is None or last.kind == Kind.DECISIONS:
        predict = _fitted(fit, steps, train, weights)
        return predict(test) if last is None else _decided(last, fit, predict, later, test)
    if last.kind == Kind.ESTIMATOR:
        return _in_place(last, fit, train, test)
    return _around(last, fit, train, weights, later, test)


def _check_groups(step: Step, fitted: Rows, test: Rows) -> None:
    """Raise InputError for a group that a treatment needs at prediction and was not fitted on."""
    needs = step.kind == Kind.DECISIONS or takes(step.target.predict, GROUPS)
    if needs and (unseen := sorted(set(test.joint) - set(fitted.joint))):
        raise InputError(
            f"The treatment {step.name} has not seen the group {unseen[0]} in training: leave the "
            "group out, or give it more rows or a larger `held_out`."
        )


def _treated(step: Step, train: Rows, draw: Draw) -> Any:
    """Return what a treatment makes of training rows."""
    rows = {"X": train.X, "y": train.y, GROUPS: train.groups, "rng": draw("rows")}
    with failures(
        f"The treatment {step.name} failed on {len(train.y)} training rows",
        "X and sensitive_features are data frames, y is an array, all in the same order",
    ):
        return step.function(**step.given(rows))


def kept_by(step: Step, train: Rows, draw: Draw) -> Mask:
    """Return which training rows a treatment keeps; InputError unless it says so of each."""
    kept, n = np.asarray(_treated(step, train, draw)), len(train.y)
    if kept.dtype != bool or kept.shape != (n,):
        raise InputError(
            f"The treatment {step.name} returned {kept.dtype} of shape {kept.shape}: return True "
            f"or False for each of its {n} training rows, of shape ({n},)."
        )
    labels = np.unique(train.y[kept])
    if len(labels) < 2 <= len(np.unique(train.y)):
        which = f"only rows with the label {labels[0]}" if len(labels) else "none"
        raise InputError(
            f"The treatment {step.name} keeps {which} of its {n} training rows: keep rows with "
            "different labels."
        )
    return kept


def _other_rows(step: Step, train: Rows, fit: Fit) -> Rows:
    returned = _treated(step, train, fit.draw)
    try:
        X, y, groups = returned
        made = Rows(X.reset_index(drop=True), np.asarray(y), groups.reset_index(drop=True))
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"The treatment {step.name} returned a {type(returned).__name__}: return X, y and "
            "sensitive_features of the new rows."
        ) from error
    if not len(made.X) == len(made.y) == len(made.groups):
        sizes = f"{len(made.X)}, {len(made.y)} and {len(made.groups)}"
        raise InputError(
            f"The treatment {step.name} returned X, y and sensitive_features of {sizes} rows: "
            "return as many of each."
        )
    if list(made.X) != list(train.X) or list(made.groups) != list(train.groups):
        raise InputError(f"The treatment {step.name} returned other columns: keep those of X.")
    if fit.binary and not np.isin(made.y, (0, 1)).all():
        other = made.y[~np.isin(made.y, (0, 1))][0]
        raise InputError(f"The treatment {step.name} returned the label {other}: return 0 or 1.")
    return made


def weights_by(step: Step, y: Array, groups: Array) -> Floats:
    """Return the weights of a treatment for training rows, shape (n,); InputError unless it can."""
    with failures(
        f"The treatment {step.name} failed on {len(y)} training rows",
        "y and sensitive_features are arrays, in the same order",
    ):
        weights = step.function(y, groups)
    return _checked_weights(weights, len(y), step.name)


def _checked_weights(weights: object, n: int, treatment: str) -> Floats:
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):  # text, or rows of several lengths
        values = np.array(np.nan)
        returned = f"a {type(weights).__name__} that is no array of numbers"
    else:
        returned = "None" if weights is None else f"weights of shape {values.shape}"
    if values.shape == (n,):
        wrong = ~(np.isfinite(values) & (values >= 0))
        if not wrong.any() and values.any():
            return values
        returned = first_wrong(values, wrong, "weight") if wrong.any() else "weights that are all 0"
    raise InputError(
        f"The treatment {treatment} returned {returned}: return one weight for each of its {n} "
        f"training items, of shape ({n},), none below 0 and not all 0."
    )


def first_wrong(values: Array, wrong: Mask, what: str) -> str:
    """Say which of some values is the first wrong one."""
    i = int(np.argmax(wrong))
    return f"the {what} {values[i]:g} at index {i} ({wrong.sum():,} of {len(values):,} are wrong)"


def _fitted(
    fit: Fit, steps: Sequence[Step], train: Rows, weights: Floats | None
) -> Callable[[Rows], Predicted]:
    """Fit the transformers among some steps and the model, and return what predicts rows."""
    encode, model = (step for _, step in fit.new().steps)
    numbers, transformers = encode.fit_transform(train.X), []
    for step in steps:
        if step.kind == Kind.TRANSFORMER:
            made = estimator(step.target, step.spec, fit.seed)
            if "sensitive_feature_ids" in getattr(made, "get_params", dict)():
                made.set_params(sensitive_feature_ids=list(train.groups))
            made.fit(_given(made, numbers, train), train.y)
            numbers = np.asarray(made.transform(_given(made, numbers, train)))
            transformers.append(made)
    model.fit(numbers, train.y, **weights_of(model, weights, fit.model))

    def predict(rows: Rows) -> Predicted:
        features = encode.transform(rows.X)
        for made in transformers:
            features = np.asarray(made.transform(_given(made, features, rows)))
        score = probabilities(model, features) if fit.binary else None
        if score is not None:
            return Predicted(score)
        return _predicted(fit, model.predict(features))

    return predict


def _predicted(fit: Fit, predicted: Any, score: Floats | None = None) -> Predicted:
    """Return what `predict` returned; numbers are their own score."""
    values = np.ravel(predicted)
    return Predicted(score, None, values) if fit.binary else Predicted(values.astype(np.float64))


def _given(transformer: Any, numbers: Array, rows: Rows) -> Any:
    """Return the features for a transformer, with the sensitive attributes if it names them."""
    named = getattr(transformer, "sensitive_feature_ids", None)
    if named is None:
        return numbers
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(numbers.shape[1])])
    return pd.concat([frame, rows.groups], axis=1)


def _decided(
    step: Step, fit: Fit, predict: Callable[[Rows], Predicted], later: Rows | None, test: Rows
) -> Predicted:
    assert later is not None
    held, tested = predict(later).score, predict(test).score
    if held is None or tested is None:
        raise InputError(
            f"The treatment {step.name} needs scores, and the model {fit.model} has no "
            "probabilities: name another model."
        )
    made = built(step.target, step.spec)
    made.fit(held, later.y, later.groups)
    return _drawn(np.asarray(made.predict(tested, test.groups)), fit, len(test.y), step.name)


def _in_place(step: Step, fit: Fit, train: Rows, test: Rows) -> Predicted:
    encode = fit.new()[ENCODE]
    made = estimator(step.target, step.spec, fit.seed)
    groups = {GROUPS: train.joint} if takes(made.fit, GROUPS) else {}
    made.fit(encode.fit_transform(train.X), train.y, **groups)
    return _by_predict(made, fit, encode.transform(test.X), test)


def _around(
    step: Step, fit: Fit, train: Rows, weights: Floats | None, later: Rows | None, test: Rows
) -> Predicted:
    model, more = fit.new(), dict[str, Any]()
    if later is not None:
        given = weights_of(model[MODEL], weights, fit.model)
        model.fit(train.X, train.y, **{f"{MODEL}__{name}": w for name, w in given.items()})
        train, more = later, {"prefit": True}
    if takes(step.target, "sample_weight_name"):
        weights_of(model[MODEL], np.ones(1), fit.model)
        more["sample_weight_name"] = f"{MODEL}__sample_weight"
    made = built(step.target, step.spec, estimator=model, **more)
    with failures(
        f"The treatment {step.name} cannot be fitted on {len(train.y)} rows",
        "correct its parameters, join small groups on the card, or name another treatment",
    ):
        made.fit(train.X, train.y, sensitive_features=train.joint)
    chance = chance_of(made, test.X, test.joint) if fit.binary else None
    if chance is not None:
        return _drawn(chance, fit, len(test.y), step.name)
    return _by_predict(made, fit, test.X, test)


def _by_predict(made: Any, fit: Fit, features: Any, test: Rows) -> Predicted:
    """Predict by a method that may want a seed, and groups, of which no score is known."""
    wanted = {"random_state": fit.seed, GROUPS: test.joint}
    given = {name: value for name, value in wanted.items() if takes(made.predict, name)}
    score = probabilities(made, features) if fit.binary and GROUPS not in given else None
    return _predicted(fit, made.predict(features, **given), score)


def _drawn(chance: Floats, fit: Fit, n: int, name: str) -> Predicted:
    """Draw decisions by their chances, with the random numbers that all treatments share."""
    wrong = ~((chance >= -1e-9) & (chance <= 1 + 1e-9))
    if chance.shape != (n,) or wrong.any():
        what = first_wrong(chance, wrong, "chance") if chance.shape == (n,) else chance.shape
        raise InputError(
            f"The treatment {name} returned {what}: return a chance from 0 to 1 for each row."
        )
    u = fit.draw("decision").random(n)
    return Predicted(None, chance, chance > u)
