"""Checks of the parts of an experiment for which they are imported."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import meant
from fairpairs.papers.experiments.arms import Arm
from fairpairs.papers.experiments.estimators import weights_of
from fairpairs.papers.experiments.measures import direction, measure_of
from fairpairs.papers.experiments.parts import check_parameters
from fairpairs.papers.experiments.search import measures_of, points, search_of
from fairpairs.papers.experiments.train import model_of, steps_of
from fairpairs.papers.treatments.contract import WEIGHTS


def check_arms(
    name: str,
    experiment: Content,
    arms: Iterable[Arm],
    cards: Mapping[str, Content],
    extensions: Iterable[str | Path] = (),
) -> None:
    """Import what the arms of an experiment name; InputError for parts that do not go together.

    `extensions` are the files of the user's project that it names.
    """
    numbers = {d for d in experiment["datasets"] if cards[d]["label"].get("numeric")}
    for arm in arms:
        try:
            steps = steps_of(arm.steps, extensions)
            build, spec, is_ours = model_of(arm.spec, steps, extensions)
            targets = [build, *(step.target for step in steps)]
            for of_model, of_steps in points(spec, [step.spec for step in steps]).values():
                for target, given in zip(targets, [of_model, *of_steps], strict=True):
                    check_parameters(target, given)
            if search := search_of(spec, arm.steps):
                check_measures(name, {**experiment, "measures": [*measures_of(search)]}, cards)
            if is_ours:
                continue
            if WEIGHTS in [step.kind for step in steps]:
                weights_of(build, np.ones(1), spec["call"])
            of = {"a number": RegressorMixin, "yes or no": ClassifierMixin}
            for dataset in experiment["datasets"]:
                label, other = sorted(of, reverse=dataset not in numbers)
                if issubclass(build, of[other]) and not issubclass(build, of[label]):
                    raise InputError(
                        f"the model {spec['call']} is for a label that is {other}, and that of "
                        f"the data set {dataset} is {label}: name another."
                    )
        except InputError as error:
            raise InputError(f"config: experiments.{name}: {error}") from None


def check_compare(name: str, experiment: Content, arms: Iterable[Arm]) -> None:
    """Raise InputError for a baseline or a measure in `compare` that the experiment has not."""
    compare, where = experiment.get("compare", {}), f"config: experiments.{name}.compare"
    treatments = list(dict.fromkeys(arm.treatment for arm in arms))
    against = compare.get("against", treatments[0])
    if against not in treatments:
        raise InputError(
            f"{where}.against: there is no treatment `{against}`{meant(against, treatments)}: name "
            f"one of {', '.join(treatments)}."
        )
    measures = [measure_of(named).name for named in experiment.get("measures", [])]
    for key in ("margin", "better"):
        for measure in compare.get(key, {}):
            if measure not in measures:
                raise InputError(
                    f"{where}.{key}: there is no measure `{measure}`{meant(measure, measures)}: "
                    f"name one of {', '.join(measures) or 'those in `measures`'}."
                )


def check_measures(name: str, experiment: Content, cards: Mapping[str, Content]) -> None:
    """Raise InputError for a measure that there is not, or that the label of a data set has not."""
    where, compare = f"config: experiments.{name}", experiment.get("compare", {})
    for named in experiment.get("measures", []):
        try:
            measure = measure_of(named)
            if measure.name not in compare.get("better", {}):
                direction(measure.name)
        except InputError as error:
            raise InputError(f"{where}.measures: {error}") from None
        for dataset in experiment["datasets"]:
            is_number = bool(cards[dataset]["label"].get("numeric"))
            if not (measure.numbers if is_number else measure.classes):
                label, other = ("a number", "0 and 1")[:: 1 if is_number else -1]
                raise InputError(
                    f"{where}.measures: `{measure.name}` is for a label of {other}, and that of "
                    f"the data set {dataset} is {label}: drop the measure, or the data set."
                )
