"""One fit of an experiment: treat the training rows, fit a model on them, predict the tested rows.

A treatment is one or several steps, one after the other. The kind of a step is told from its
signature (`kind_of`). Randomness comes from streams of the data set and the repeat, so that all
treatments share held-out rows and random numbers.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Floats, Series
from fairpairs.base.errors import InputError
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
from fairpairs.papers.experiments.parts import built, values
from fairpairs.papers.treatments.contract import (
    AROUND,
    DECISIONS,
    ESTIMATOR,
    ROWS,
    TRANSFORMER,
    WEIGHTS,
    kind_by,
)

#: The argument of fairlearn and of treatments with the groups.
GROUPS = "sensitive_features"
#: What a treatment function takes, for the message.
FORMS = "(y, sensitive_features) for weights, or (X, y, sensitive_features, rng) for other rows"


@dataclass(frozen=True)
class Rows:
    """Some rows of a data set: features, labels, and sensitive attributes by name."""

    X: pd.DataFrame
    y: Array
    groups: pd.DataFrame

    def of(self, rows: NDArray[np.bool_]) -> "Rows":
        """Return those of the rows in a mask."""
        X, groups = (part[rows].reset_index(drop=True) for part in (self.X, self.groups))
        return Rows(X, self.y[rows], groups)

    @property
    def joint(self) -> Series:
        """The joint group of each row, in words."""
        named = (f"{name}=" + self.groups[name].astype(str) for name in self.groups)
        return reduce(lambda one, other: one + ", " + other, named).rename("group")


@dataclass(frozen=True)
class Step:
    """A treatment, or one of several: its name, its class, function or object, and its spec."""

    name: str
    target: Any
    spec: Content = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Its kind (see `contract`): as the spec has it, or by the signature."""
        return str(self.spec.get("as") or kind_of(self.target, self.name))

    @property
    def function(self) -> Any:
        """The treatment of rows or weights, with the parameters of its spec."""
        return partial(self.target, **values(self.spec))

    @property
    def needs_held_out(self) -> bool:
        """Whether it is fitted on rows that the model has not seen."""
        return self.kind == DECISIONS


@dataclass(frozen=True)
class Predicted:
    """The tested rows: score or None, the chance of 1 of a drawn decision or None, prediction."""

    score: Floats | None
    chance: Floats | None
    prediction: Array


def kind_of(target: Any, name: str) -> str:
    """Tell the kind of a treatment from what it takes.

    Raises
    ------
    InputError
        When it takes something else.
    """
    methods = None
    if inspect.isclass(target):
        named = [method for method in ("fit", "predict", "transform") if hasattr(target, method)]
        methods = {
            method: inspect.signature(getattr(target, method)).parameters for method in named
        }
    try:
        kind = kind_by(inspect.signature(target).parameters, methods)
    except ValueError:  # of a type that is built in
        kind = None
    if kind is not None:
        return kind
    raise InputError(
        f"The treatment {name} is neither a class with `fit` nor a function of {FORMS}: write one "
        "of these, or say what it is with `as`."
    )


def check_steps(steps: Sequence[Step]) -> None:
    """Raise InputError when steps do not go together."""
    kinds = [step.kind for step in steps]
    for place, (step, kind) in enumerate(zip(steps, kinds, strict=True)):
        held_out = step.spec.get("held_out")
        if kind in (AROUND, ESTIMATOR, DECISIONS) and step is not steps[-1]:
            raise InputError(f"The treatment {step.name} must be the last of its steps.")
        if kind == ROWS and WEIGHTS in kinds[:place]:
            raise InputError(
                f"The treatment {step.name} changes rows that have been weighted: put it first."
            )
        if step.needs_held_out and not held_out:
            raise InputError(
                f"The treatment {step.name} is fitted on rows that the model has not seen: give "
                "it a share of the training rows, as `held_out: 0.3`."
            )
        if held_out and not step.needs_held_out and not _takes(step.target, "prefit"):
            raise InputError(
                f"The treatment {step.name} takes no rows that are held out: drop `held_out`."
            )
        if kind == AROUND and WEIGHTS in kinds and not held_out:
            raise InputError(
                f"The treatment {step.name} gives the model weights of its own, so other weights "
                "are lost: drop one of the two."
            )
    if kinds.count(WEIGHTS) > 1:
        raise InputError("Only one step of a treatment may give weights: drop the others.")
    if kinds and kinds[-1] in (AROUND, ESTIMATOR) and TRANSFORMER in kinds:
        raise InputError(f"No transformer goes before {steps[-1].name}: drop one of the two.")


def _takes(target: Any, parameter: str) -> bool:
    return parameter in inspect.signature(target).parameters


@dataclass(frozen=True)
class Fit:
    """What one fit has besides rows and steps.

    Attributes
    ----------
    model, target, spec
        Name, class and spec of the model.
    kinds
        Kind of each feature.
    draw
        Random generator of a purpose, the same for all treatments.
    binary
        Whether the label is 0 or 1.
    """

    model: str
    target: Any
    spec: Content
    kinds: Mapping[str, str]
    draw: Callable[[str], np.random.Generator]
    binary: bool

    @property
    def seed(self) -> int:
        """The random state of every estimator."""
        return int(self.draw("start").integers(2**31))

    def new(self) -> Any:
        """Return the encoder and the model, unfitted."""
        return pipeline(self.target, self.spec, self.kinds, self.seed)


def fit_predict(fit: Fit, steps: Sequence[Step], train: Rows, test: Rows) -> Predicted:
    """Treat and fit on the training rows, and predict the others.

    Raises
    ------
    InputError
        When a part returns what it should not, or cannot be used with another.
    """
    last = steps[-1] if steps and steps[-1].kind in (AROUND, ESTIMATOR, DECISIONS) else None
    later = None
    if last is not None and last.spec.get("held_out"):
        held = fit.draw("held out").random(len(train.y)) < last.spec["held_out"]
        later, train = train.of(held), train.of(~held)
    weights = None
    for step in steps:
        if step.kind == ROWS:
            train = _other_rows(step, train, fit.draw("rows"))
        elif step.kind == WEIGHTS:
            given = step.function(y=train.y, sensitive_features=train.groups)
            weights = checked_weights(given, len(train.y), step.name)
    _check_labels(fit, train)
    if last is None or last.kind == DECISIONS:
        base = _Base(fit, [step for step in steps if step.kind == TRANSFORMER], train, weights)
        predicted = base.predict(test)
        return predicted if last is None else _decided(last, fit, base, later, test)
    if last.kind == ESTIMATOR:
        return _in_place(last, fit, train, test)
    return _around(last, fit, train, weights, later, test)


def _other_rows(step: Step, train: Rows, rng: np.random.Generator) -> Rows:
    rows = {"X": train.X, "y": train.y, "sensitive_features": train.groups, "rng": rng}
    try:
        returned = step.function(**{key: rows[key] for key in rows if _takes(step.target, key)})
    except InputError:
        raise
    except Exception as error:  # of a user's function
        text = " ".join(str(error).split())[:200]
        raise InputError(
            f"The treatment {step.name} failed on {len(train.y)} training rows "
            f"({type(error).__name__}: {text}): X and sensitive_features are data frames, y is an "
            "array, all in the same order."
        ) from error
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
    return made


def checked_weights(weights: object, n: int, treatment: str) -> Floats:
    """Return weights as an array, shape (n,); InputError unless they are."""
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


def first_wrong(values: Floats, wrong: NDArray[np.bool_], what: str) -> str:
    """Say which of some values is the first wrong one."""
    i = int(np.argmax(wrong))
    return f"the {what} {values[i]:g} at index {i} ({wrong.sum():,} of {len(values):,} are wrong)"


def _check_labels(fit: Fit, train: Rows) -> None:
    if fit.binary and len(np.unique(train.y)) < 2:
        raise InputError(
            f"The training part has only the label {train.y[0] if len(train.y) else 'of no row'}: "
            "use a data set with both, or another treatment."
        )


class _Base:
    """A model, with transformers of its features, fitted on training rows."""

    def __init__(
        self, fit: Fit, transformers: Sequence[Step], train: Rows, weights: Floats | None
    ) -> None:
        self._fit = fit
        made = fit.new()
        self._encode, self._model = made[ENCODE], made[MODEL]
        numbers = self._encode.fit_transform(train.X)
        self._transformers = []
        for step in transformers:
            made = estimator(step.target, step.spec, fit.seed)
            if "sensitive_feature_ids" in getattr(made, "get_params", dict)():
                made.set_params(sensitive_feature_ids=list(train.groups))
            made.fit(_given(made, numbers, train), train.y)
            numbers = np.asarray(made.transform(_given(made, numbers, train)))
            self._transformers.append(made)
        weights_given = weights_of(self._model, weights, fit.model)
        self._model.fit(numbers, train.y, **weights_given)

    def _features(self, rows: Rows) -> Any:
        numbers = self._encode.transform(rows.X)
        for made in self._transformers:
            numbers = np.asarray(made.transform(_given(made, numbers, rows)))
        return numbers

    def predict(self, rows: Rows) -> Predicted:
        """Return score and prediction; of a yes/no label a score is a probability, or missing."""
        features = self._features(rows)
        if not self._fit.binary:
            return _of_numbers(self._model.predict(features))
        score = probabilities(self._model, features)
        if score is None:
            return Predicted(None, None, np.ravel(self._model.predict(features)).astype(np.int8))
        return Predicted(score, None, (score > 0.5).astype(np.int8))


def _of_numbers(predicted: Any) -> Predicted:
    """Return predicted numbers, which are their own score."""
    numbers = np.ravel(predicted).astype(np.float64)
    return Predicted(numbers, None, numbers)


def _given(transformer: Any, numbers: Array, rows: Rows) -> Any:
    """Return the features for a transformer, with the sensitive attributes if it names them."""
    named = getattr(transformer, "sensitive_feature_ids", None)
    if named is None:
        return numbers
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(numbers.shape[1])])
    return pd.concat([frame, rows.groups], axis=1)


def _decided(step: Step, fit: Fit, base: _Base, later: Rows | None, test: Rows) -> Predicted:
    assert later is not None
    held, tested = base.predict(later), base.predict(test)
    if held.score is None or tested.score is None:
        raise InputError(
            f"The treatment {step.name} needs scores, and the model {fit.model} has no "
            "probabilities: name another model."
        )
    made = built(step.target, step.spec)
    made.fit(held.score, later.y, later.groups)
    return _drawn(np.asarray(made.predict(tested.score, test.groups)), fit, len(test.y), step.name)


def _in_place(step: Step, fit: Fit, train: Rows, test: Rows) -> Predicted:
    encode = fit.new()[ENCODE]
    made = estimator(step.target, step.spec, fit.seed)
    groups = {GROUPS: train.joint} if _takes(made.fit, GROUPS) else {}
    made.fit(encode.fit_transform(train.X), train.y, **groups)
    features = encode.transform(test.X)
    more = _at_prediction(made, step, fit, train, test)
    score = probabilities(made, features) if fit.binary and GROUPS not in more else None
    predicted = made.predict(features, **more)
    if not fit.binary:
        return _of_numbers(predicted)
    return Predicted(score, None, np.ravel(predicted).astype(np.int8))


def _around(
    step: Step, fit: Fit, train: Rows, weights: Floats | None, later: Rows | None, test: Rows
) -> Predicted:
    model, more = fit.new(), dict[str, Any]()
    if later is not None:
        given = weights_of(model[MODEL], weights, fit.model)
        model.fit(train.X, train.y, **{f"{MODEL}__{name}": w for name, w in given.items()})
        train, more = later, {"prefit": True}
    if _takes(step.target, "sample_weight_name"):
        weights_of(model[MODEL], np.ones(1), fit.model)
        more["sample_weight_name"] = f"{MODEL}__sample_weight"
    made = built(step.target, step.spec, estimator=model, **more)
    try:
        made.fit(train.X, train.y, sensitive_features=train.joint)
    except ValueError as error:  # such as a group with one label
        raise InputError(
            f"The treatment {step.name} cannot be fitted on {len(train.y)} rows ({error}): join "
            "small groups on the card, or name another treatment."
        ) from error
    with_rows = _at_prediction(made, step, fit, train, test)
    if not fit.binary:
        return _of_numbers(made.predict(test.X, **with_rows))
    chance = chance_of(made, test.X, test.joint)
    if chance is not None:
        return _drawn(chance, fit, len(test.y), step.name)
    predicted = np.ravel(made.predict(test.X, **with_rows)).astype(np.int8)
    return Predicted(None if GROUPS in with_rows else probabilities(made, test.X), None, predicted)


def _at_prediction(made: Any, step: Step, fit: Fit, train: Rows, test: Rows) -> dict[str, Any]:
    """Return what `predict` of a method takes besides rows: seed, groups that it has all seen."""
    given: dict[str, Any] = {"random_state": fit.seed, GROUPS: test.joint}
    given = {name: value for name, value in given.items() if _takes(made.predict, name)}
    if GROUPS in given and (unseen := sorted(set(test.joint) - set(train.joint))):
        raise InputError(
            f"The treatment {step.name} has not seen the group {unseen[0]} in training: leave the "
            "group out, or give it more rows."
        )
    return given


def _drawn(chance: Floats, fit: Fit, n: int, name: str) -> Predicted:
    """Draw decisions by their chances, with the random numbers that all treatments share."""
    wrong = ~((chance >= -1e-9) & (chance <= 1 + 1e-9))
    if chance.shape != (n,) or wrong.any():
        what = first_wrong(chance, wrong, "chance") if chance.shape == (n,) else chance.shape
        raise InputError(
            f"The treatment {name} returned {what}: return a chance from 0 to 1 for each row."
        )
    u = fit.draw("decision").random(n)
    return Predicted(None, chance, (chance > u).astype(np.int8))
