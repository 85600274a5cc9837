"""Repeated training: the predictions of many random splits of one data set, or of its folds."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.parts import found, is_path, name_of, spec_of
from fairpairs.papers.experiments.search import Mask, Point, search_of, searched
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.experiments.split import stratified_folds, stratified_split
from fairpairs.papers.experiments.treated import (
    Fit,
    Predicted,
    Rows,
    Step,
    check_steps,
    checked_weights,
    first_wrong,
    fit_predict,
)
from fairpairs.papers.registry import module
from fairpairs.papers.treatments.contract import WEIGHTS
from fairpairs.papers.treatments.groups import joint_groups

#: How far a mean of probabilities may lie outside 0 and 1, by rounding.
ROUNDING = 1e-6
#: A model or a treatment: its name or spec, or the specs of several steps.
Named = str | Content | Sequence[str | Content]


def train_repeats(
    dataset: PreparedDataset,
    *,
    model: str | Content,
    treatment: Named,
    repeats: Sequence[int],
    seed: int,
    test_fraction: float,
    extensions: Iterable[str | Path] = (),
) -> pd.DataFrame:
    """Split, weight, fit and predict, once per repeat.

    The split of a repeat depends on the seed, the data set and the repeat alone, so it is the same
    for every treatment. `test_fraction` is the share of every joint group (all sensitive attributes
    × label; the attributes alone if the label is real) in the test part, rounded down; if the data
    set defines a split, every repeat uses it. The rows are of each repeat and test item, in order:
    `repeat`, `item`, `score` (P(Y = 1), or the predicted number) and `prediction` (0 or 1, or the
    same number).
    """
    strata, tested = _strata(dataset), []
    for repeat in repeats:
        if "test" in dataset.frame:
            test = dataset.frame["test"].to_numpy(dtype=bool)
        else:
            rng = stream(seed, "split", dataset.name, repeat)
            test = stratified_split(strata, test_fraction, rng)
        if not test.any():
            raise InputError(
                f"No item of the data set {dataset.name} falls into the test part: every group is "
                f"smaller than 1 / {test_fraction:g} items; raise `test_fraction` or give more."
            )
        tested.append(test)
    draws = [partial(_draw, seed, "", dataset.name, repeat) for repeat in repeats]
    return _train(dataset, tested, draws, repeats, model, treatment, list(extensions))


def train_folds(
    dataset: PreparedDataset,
    *,
    model: str | Content,
    treatment: Named,
    folds: int,
    seed: int,
    extensions: Iterable[str | Path] = (),
) -> pd.DataFrame:
    """Score every item of a data set once, by a model that was fitted on the other folds.

    The result is that of `train_repeats` with the fold as `repeat`; a split that the data set
    defines is not used.
    """
    if len(dataset.frame) < folds:
        raise InputError(
            f"The data set {dataset.name} has {len(dataset.frame)} items, fewer than {folds} "
            "folds: ask for fewer."
        )
    fold = stratified_folds(_strata(dataset), folds, stream(seed, "folds", dataset.name))
    numbers = range(folds)
    draws = [partial(_draw, seed, " of a fold", dataset.name, number) for number in numbers]
    tested = [fold == number for number in numbers]
    return _train(dataset, tested, draws, numbers, model, treatment, list(extensions))


def _draw(seed: int, of: str, dataset: str, number: int, what: str) -> np.random.Generator:
    return stream(seed, f"{what}{of}", dataset, number)


def _strata(dataset: PreparedDataset) -> NDArray[np.int64]:
    """Return the joint group of each item: all sensitive attributes and a binary label."""
    label, sensitive = dataset.label, dataset.sensitive
    return joint_groups(np.column_stack([sensitive, label]) if dataset.is_binary else sensitive)


def _specs(treatment: Named) -> list[Content]:
    named = treatment if isinstance(treatment, list | tuple) else [treatment]
    return [spec_of(part) for part in named]


def steps_of(treatment: Named, extensions: Iterable[str | Path] = ()) -> list[Step]:
    """Return the steps of a treatment, imported and checked; `none` is no step."""
    specs = [spec for spec in _specs(treatment) if spec["call"] != "none"]
    steps = [Step(name_of(spec), found("treatments", spec, extensions), spec) for spec in specs]
    check_steps(steps)
    return steps


def _train(
    dataset: PreparedDataset,
    tested: Sequence[Mask],
    draws: Sequence[Callable[[str], np.random.Generator]],
    repeats: Sequence[int],
    model: str | Content,
    treatment: Named,
    extensions: list[str | Path],
) -> pd.DataFrame:
    specs = spec_of(model), _specs(treatment)
    if search_of(*specs):

        def of_some(some: Sequence[int], tested: Sequence[Mask], point: Point) -> pd.DataFrame:
            of = [draws[i] for i in some], [repeats[i] for i in some]
            return _train(dataset, tested, *of, *point, extensions)

        return searched(of_some, dataset, tested, draws, _strata(dataset), *specs)
    name, steps = name_of(spec_of(model)), steps_of(treatment, extensions)
    build, spec, is_ours = model_of(model, steps, extensions)
    with threadpool_limits(limits=1):  # the number of threads can change the last bits
        if is_ours:
            predicted = _of_our_model(dataset, tested, draws, name, build, spec, steps)
        else:
            rows = Rows(dataset.frame[[*dataset.kinds]], dataset.label, dataset.groups)
            predicted = [
                fit_predict(
                    Fit(name, build, spec, dataset.kinds, draw, dataset.is_binary),
                    steps,
                    rows.of(~test),
                    rows.of(test),
                )
                for test, draw in zip(tested, draws, strict=True)
            ]
    return _frame(dataset, tested, repeats, predicted, name)


def model_of(
    model: str | Content, steps: Sequence[Step], extensions: Iterable[str | Path] = ()
) -> tuple[Any, Content, bool]:
    """Return what builds a model, its spec, and whether it is one of ours, for all repeats at once.

    Where a treatment is more than weights, the file of a model of ours has an `ESTIMATOR` of
    scikit-learn that stands for it.
    """
    spec, other = spec_of(model), next((step for step in steps if step.kind != WEIGHTS), None)
    build, name = found("models", spec, extensions), name_of(spec)
    if hasattr(build, "get_params"):
        return build, spec, False
    if other is None:
        return build, spec, True
    stand_in = (
        None if is_path(name) else getattr(module("models", name, extensions), "ESTIMATOR", None)
    )
    if stand_in is None:
        raise InputError(
            f"The treatment {other.name} needs an estimator of scikit-learn, which {name} is not: "
            "name one by its import path."
        )
    return found("models", stand_in), stand_in, False


def _of_our_model(
    dataset: PreparedDataset,
    tested: Sequence[Mask],
    draws: Sequence[Callable[[str], np.random.Generator]],
    model: str,
    build: Any,
    spec: Content,
    steps: Sequence[Step],
) -> list[Predicted]:
    """Fit a model of ours in all repeats at once."""
    label, sensitive = dataset.label, dataset.sensitive
    weights = []
    for test in tested:
        given = np.ones(np.count_nonzero(~test))
        for step in steps:
            returned = step.function(label[~test], sensitive[~test])
            given = checked_weights(returned, len(given), step.name)
        weights.append(given)
    try:
        estimator = build(dataset.frame, dataset.kinds, **spec.get("with", {}))
    except TypeError as error:
        raise InputError(
            f"The model {model} cannot be built of features, their kinds and its parameters "
            f"({error}): name an estimator of scikit-learn, or write such a class."
        ) from error
    if not callable(getattr(estimator, "fit_repeats", None)):
        raise InputError(
            f"The model {model} gives a {type(estimator).__name__}, which has no method "
            "`fit_repeats`: write `def fit_repeats(self, y, tested, weights, rngs)`."
        )
    scores = estimator.fit_repeats(label, tested, weights, [draw("start") for draw in draws])
    checked = _scores(scores, [np.flatnonzero(test) for test in tested], model, dataset)
    return [
        Predicted(score, None, (score > 0.5).astype(np.int8) if dataset.is_binary else score)
        for score in checked
    ]


def _frame(
    dataset: PreparedDataset,
    tested: Sequence[Mask],
    repeats: Sequence[int],
    predicted: Sequence[Predicted],
    model: str,
) -> pd.DataFrame:
    numbers = dataset.frame["item"].to_numpy()
    items = [numbers[test] for test in tested]
    score = [
        np.full(len(item), np.nan) if one.score is None else one.score
        for one, item in zip(predicted, items, strict=True)
    ]
    frame = pd.DataFrame(
        {
            "repeat": np.repeat(np.asarray(repeats, dtype=np.int32), [len(i) for i in items]),
            "item": np.concatenate(items),
            "score": np.concatenate(score),
            "prediction": np.concatenate([one.prediction for one in predicted]),
        }
    )
    chances = [one.chance for one in predicted if one.chance is not None]
    return frame.assign(chance=np.concatenate(chances)) if chances else frame


def _scores(
    scores: Sequence[Floats] | None,
    items: Sequence[NDArray[np.int64]],
    model: str,
    dataset: PreparedDataset,
) -> list[Floats]:
    prefix = f"The model {model} returned "
    expected, actual = [np.shape(part) for part in items], _shapes(scores)
    if actual != expected or scores is None:
        n = len(items)
        if isinstance(actual, str):
            returned = actual
        elif len(actual) != n:
            returned = f"{len(actual)} array(s) for {n} repeat(s)"
        else:
            i = next(i for i in range(n) if actual[i] != expected[i])
            returned = (
                f"scores of shape {actual[i]} for the {expected[i][0]} tested items of a repeat"
            )
        raise InputError(
            f"{prefix}{returned}: return one array for each repeat, here {n}, with one number for "
            "each tested item, in their order."
        )
    score = np.concatenate(scores)
    if score.dtype.kind not in "fiub":
        raise InputError(f"{prefix}scores of the type {score.dtype}: return floats.")
    wrong = ~np.isfinite(score)
    if wrong.any():
        raise InputError(
            f"{prefix}{first_wrong(score, wrong, 'score')}: check for divisions by zero."
        )
    wrong = (score < -ROUNDING) | (score > 1 + ROUNDING)
    if dataset.is_binary and wrong.any():
        raise InputError(
            f"{prefix}{first_wrong(score, wrong, 'score')}, and the score of a yes/no label is "
            "P(Y = 1), from 0 to 1: return probabilities, such as predict_proba(x)[:, 1] instead "
            "of decision_function(x)."
        )
    return np.split(score, np.cumsum([len(part) for part in items])[:-1])


def _shapes(scores: Sequence[Floats] | None) -> list[tuple[int, ...]] | str:
    """Return the shape of the scores of each repeat, or what was returned instead."""
    if scores is None or not hasattr(scores, "__len__"):
        return "None" if scores is None else f"a {type(scores).__name__}"
    try:
        return [np.shape(part) for part in scores]
    except ValueError:
        return "lists of several lengths"
