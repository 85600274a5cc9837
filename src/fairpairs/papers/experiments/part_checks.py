"""Checks of the parts of an experiment for which they are imported, built and tried."""

import inspect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairpairs.base.errors import InputError, failures, within
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import meant
from fairpairs.papers.experiments.arms import Arm
from fairpairs.papers.experiments.checks import numeric_labels
from fairpairs.papers.experiments.estimators import estimator, pipeline, weights_of
from fairpairs.papers.experiments.measures import SCORES, Measure, Repeat, direction, measure_of
from fairpairs.papers.experiments.parts import built, check_parameters, name_of
from fairpairs.papers.experiments.search import measures_of, points, search_of
from fairpairs.papers.experiments.steps import LAST, Step, steps_of, takes
from fairpairs.papers.experiments.train import model_of
from fairpairs.papers.treatments.contract import GIVEN, Kind

#: Kinds of estimators of scikit-learn → the labels that they are for.
LABELS = {"classifier": "yes or no", "regressor": "a number"}


def check_arms(
    arms: Iterable[Arm],
    numeric: Mapping[str, bool],
    measures: Sequence[Measure],
    extensions: Iterable[str | Path] = (),
) -> None:
    """Import and build what arms name; InputError for parts that do not go together.

    `numeric` says of each data set whether its label is a number; `extensions` are the files of the
    user's project that the arms name.
    """
    extensions = list(extensions)
    for arm in arms:
        asked = list(measures)
        if search := search_of(arm.spec, arm.steps):
            of_search = [*measures_of(search).values()]
            check_measures(of_search, numeric)
            asked += of_search
        of_scores = next((measure.name for measure in asked if measure.of == SCORES), None)
        for spec, steps in points(arm.spec, arm.steps).values():
            _check_arm(spec, steps_of(steps, extensions), numeric, of_scores, extensions)


def _check_arm(
    model: Content,
    steps: Sequence[Step],
    numeric: Mapping[str, bool],
    of_scores: str | None,
    extensions: Sequence[str | Path],
) -> None:
    build, spec, is_ours = model_of(model, steps, extensions)
    check_parameters(build, spec, ("features", "kinds") if is_ours else ())
    for step in steps:
        check_parameters(step.target, step.spec, GIVEN)
    kinds = [step.kind for step in steps]
    if not is_ours:
        made, name = _model(build, spec), name_of(spec)
        _check_label(made, name, numeric)
        around = steps[-1].target if Kind.AROUND in kinds else None
        if Kind.WEIGHTS in kinds or (around and takes(around, "sample_weight_name")):
            weights_of(made, np.ones(1), name)
        _check_scores(made, name, steps, None if all(numeric.values()) else of_scores)
    for step in steps:
        _check_step(step, spec, build)


def _model(build: Any, spec: Content) -> Any:
    """Build a model; InputError if it cannot be, or cannot predict."""
    name = name_of(spec)
    with failures(f"The model {name} cannot be built", "correct its parameters, or name another"):
        made = estimator(build, spec, 0)
        if hasattr(made, "_parameter_constraints"):  # of scikit-learn, which checks them in `fit`
            made._validate_params()
    if not (hasattr(made, "fit") and hasattr(made, "predict")):
        raise InputError(f"The model {name} has no `fit` and `predict`: name another.")
    return made


def _check_label(model: Any, name: str, numeric: Mapping[str, bool]) -> None:
    tags = getattr(model, "__sklearn_tags__", None)
    kind = tags().estimator_type if tags else getattr(model, "_estimator_type", None)
    what = f"for a label that is {LABELS[kind]}" if kind in LABELS else f"of the kind {kind}"
    for dataset, is_number in numeric.items():
        label = LABELS["regressor" if is_number else "classifier"]
        if kind is not None and LABELS.get(kind) != label:
            raise InputError(
                f"the model {name} is {what}, and that of the data set {dataset} is {label}: name "
                "another."
            )


def _check_scores(model: Any, name: str, steps: Sequence[Step], measure: str | None) -> None:
    """Raise InputError if a measure or a treatment needs scores that a model does not give."""
    what = f"measure {measure}" if measure else None
    if steps and steps[-1].kind in LAST:
        what = f"treatment {steps[-1].name}" if steps[-1].kind == Kind.DECISIONS else None
    if what and not hasattr(model, "predict_proba"):
        raise InputError(
            f"The {what} needs scores, and the model {name} has no `predict_proba`: name another "
            f"model, or drop the {what.partition(' ')[0]}."
        )


def _check_step(step: Step, spec: Content, build: Any) -> None:
    """Build a treatment around a model; InputError if it cannot be, or lacks a method."""
    failed = failures(
        f"The treatment {step.name} cannot be called with its parameters",
        "correct them, or its kind, `as`",
    )
    with failed:
        if step.kind == Kind.WEIGHTS:
            inspect.signature(step.function).bind(0, 0)
        elif step.kind in (Kind.FILTER, Kind.ROWS):
            inspect.signature(step.function).bind(**step.given(dict.fromkeys(GIVEN)))
        elif step.kind == Kind.AROUND:
            built(step.target, step.spec, estimator=pipeline(build, spec, {}, 0))
        else:
            estimator(step.target, step.spec, 0)
    methods = {Kind.TRANSFORMER: ("fit", "transform"), **dict.fromkeys(LAST, ("fit", "predict"))}
    for method in methods.get(step.kind, ()):
        if not hasattr(step.target, method):
            raise InputError(f"The treatment {step.name} has no `{method}`: name another.")


def check_measures(measures: Sequence[Measure], numeric: Mapping[str, bool]) -> None:
    """Raise InputError for a measure that the label of a data set has not, or that fails."""
    names = [measure.name for measure in measures]
    for measure in measures:
        if names.count(measure.name) > 1:
            raise InputError(f"two measures have the name `{measure.name}`: drop one of them.")
        for dataset, is_number in numeric.items():
            if not (measure.numbers if is_number else measure.classes):
                label, other = ("a number", "0 and 1")[:: 1 if is_number else -1]
                raise InputError(
                    f"`{measure.name}` is for a label of {other}, and that of the data set "
                    f"{dataset} is {label}: drop the measure, or the data set."
                )
        if measure.numbers and measure.classes:  # of a user
            for is_number in set(numeric.values()):
                _try(measure, is_number)


def _try(measure: Measure, is_number: bool) -> None:
    """Measure twenty made-up rows."""
    rows = np.arange(20)
    y, predicted = (rows / 10 + 1, rows / 9 + 1) if is_number else (rows % 2, rows % 3 % 2)
    if measure.of == SCORES and not is_number:
        predicted = rows * 7 % 20 / 20
    with (
        warnings.catch_warnings(action="ignore"),
        failures(f"`{measure.name}` cannot be measured", "correct its parameters, or name another"),
    ):
        measure.function(Repeat(y, predicted, rows // 10, 2))


def check_parts(
    name: str,
    experiment: Content,
    arms: Sequence[Arm],
    cards: Mapping[str, Content],
    extensions: Iterable[str | Path] = (),
) -> None:
    """Raise InputError unless what an experiment of the config names can be used together."""
    where, compare = f"config: experiments.{name}", experiment.get("compare", {})
    numeric = numeric_labels({dataset: cards[dataset] for dataset in experiment["datasets"]})
    with within(f"{where}.measures"):
        measures = list(map(measure_of, experiment.get("measures", [])))
        names = [measure.name for measure in measures]
        for unknown in [name for name in names if name not in compare.get("better", {})]:
            direction(unknown)
        check_measures(measures, numeric)
    with within(where):
        check_arms(arms, numeric, measures, extensions)
    treatments = list(dict.fromkeys(arm.treatment for arm in arms))
    if "compare" in experiment and (len(treatments) < 2 or not names):
        raise InputError(
            f"{where}.compare: there is nothing to compare: name two or more treatments, and "
            "`measures`."
        )
    against = compare.get("against", treatments[0])
    if against not in treatments:
        raise InputError(
            f"{where}.compare.against: there is no treatment `{against}`"
            f"{meant(against, treatments)}: name one of {', '.join(treatments)}."
        )
    for key in ("margin", "better"):
        for named in compare.get(key, {}):
            if named not in names:
                raise InputError(
                    f"{where}.compare.{key}: there is no measure `{named}`{meant(named, names)}: "
                    f"name one of {', '.join(names) or 'those in `measures`'}."
                )
