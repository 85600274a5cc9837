"""Repeated training: the predictions of many random splits of one data set, or of its folds."""

import inspect
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from fairpairs.base.arrays import Array, Floats, Mask
from fairpairs.base.errors import InputError, failures, shortened
from fairpairs.base.plain_values import Content
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments import treated
from fairpairs.papers.experiments.parts import built, found, is_path, name_of, spec_of
from fairpairs.papers.experiments.search import Point, search_of, searched
from fairpairs.papers.experiments.seeds import Draw, stratified_folds, stratified_split, stream
from fairpairs.papers.experiments.steps import Named, Step, specs_of, steps_of
from fairpairs.papers.registry import module
from fairpairs.papers.treatments.contract import Kind
from fairpairs.papers.treatments.groups import joint_groups

#: How far a mean of probabilities may lie outside 0 and 1, by rounding.
ROUNDING = 1e-6


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


def _train(
    dataset: PreparedDataset,
    tested: Sequence[Mask],
    draws: Sequence[Draw],
    repeats: Sequence[int],
    model: str | Content,
    treatment: Named,
    extensions: list[str | Path],
) -> pd.DataFrame:
    specs = spec_of(model), specs_of(treatment)
    if search_of(*specs):

        def of_some(some: Sequence[int], tested: Sequence[Mask], point: Point) -> pd.DataFrame:
            of = [draws[i] for i in some], [repeats[i] for i in some]
            return _train(dataset, tested, *of, *point, extensions)

        return searched(of_some, dataset, tested, draws, _strata(dataset), *specs)
    name, steps = name_of(spec_of(model)), steps_of(treatment, extensions)
    build, spec, is_ours = model_of(model, steps, extensions)
    predicts = bool(steps) and steps[-1].kind in (Kind.AROUND, Kind.ESTIMATOR)
    who = f"The treatment {steps[-1].name}" if predicts else f"The model {name}"
    failed, remedy = f"{who} failed on the data set {dataset.name}", "correct it, or name another"
    with threadpool_limits(limits=1):  # the number of threads can change the last bits
        if is_ours:
            with failures(failed, remedy):
                predicted = _of_our_model(dataset, tested, draws, name, build, spec, steps)
        else:
            rows = treated.Rows(dataset.frame[[*dataset.kinds]], dataset.label, dataset.groups)
            predicted = []
            for repeat, test, draw in zip(repeats, tested, draws, strict=True):
                fit = treated.Fit(name, build, spec, dataset.kinds, draw, dataset.is_binary)
                with failures(f"{failed} in repeat {repeat}", remedy):
                    predicted.append(treated.fit_predict(fit, steps, rows.of(~test), rows.of(test)))
    return _frame(dataset, tested, repeats, predicted, who)


def model_of(
    model: str | Content, steps: Sequence[Step], extensions: Iterable[str | Path] = ()
) -> tuple[Any, Content, bool]:
    """Return what builds a model, its spec, and whether it is one of ours, for all repeats at once.

    Where a treatment does more than weigh and leave out rows, the file of a model of ours has an
    `ESTIMATOR` of scikit-learn that stands for it.
    """
    others = [step for step in steps if step.kind not in (Kind.FILTER, Kind.WEIGHTS)]
    spec, other = spec_of(model), next(iter(others), None)
    build, name = found("models", spec, extensions), name_of(spec)
    if hasattr(build, "get_params"):
        return build, spec, False
    try:
        inspect.signature(build).bind({}, {}, **spec.get("with", {}))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The model {name} cannot be built of features, their kinds and its parameters "
            f"({error}): name an estimator of scikit-learn, or write such a class."
        ) from error
    if "encode" in spec:
        raise InputError(f"The model {name} encodes the features itself: drop `encode`.")
    if other is None:
        return build, spec, True
    stand_in = (
        None if is_path(name) else getattr(module("models", name, extensions), "ESTIMATOR", None)
    )
    if stand_in is None or spec.get("with"):
        without = " with these parameters" if stand_in else ""
        raise InputError(
            f"The treatment {other.name} needs an estimator of scikit-learn, which {name}{without} "
            "is not: name one by its import path."
        )
    return found("models", stand_in), stand_in, False


def _of_our_model(
    dataset: PreparedDataset,
    tested: Sequence[Mask],
    draws: Sequence[Draw],
    model: str,
    build: Any,
    spec: Content,
    steps: Sequence[Step],
) -> list[treated.Predicted]:
    """Fit a model of ours in all repeats at once."""
    label, sensitive = dataset.label, dataset.sensitive
    rows = treated.Rows(dataset.frame[[*dataset.kinds]], label, dataset.groups)
    weights, left_out = [], []
    for test, draw in zip(tested, draws, strict=True):
        train, given = ~test, None
        for step in steps:
            if step.kind == Kind.FILTER:
                train[train] = treated.kept_by(step, rows.of(train), draw)
            else:
                given = treated.weights_by(step, label[train], sensitive[train])
        weights.append(np.ones(np.count_nonzero(train)) if given is None else given)
        left_out.append(~train)
    estimator = built(partial(build, dataset.frame, dataset.kinds), spec)
    if not callable(getattr(estimator, "fit_repeats", None)):
        raise InputError(
            f"The model {model} gives a {type(estimator).__name__}, which has no method "
            "`fit_repeats`: write `def fit_repeats(self, y, tested, weights, rngs)`."
        )
    scores = estimator.fit_repeats(label, left_out, weights, [draw("start") for draw in draws])
    scores = _of_shapes(scores, [(int(out.sum()),) for out in left_out], model)
    triples = zip(scores, tested, left_out, strict=True)
    return [treated.Predicted(score[test[out]]) for score, test, out in triples]


def _frame(
    dataset: PreparedDataset,
    tested: Sequence[Mask],
    repeats: Sequence[int],
    predicted: Sequence[treated.Predicted],
    who: str,
) -> pd.DataFrame:
    """Return the predictions of all repeats; InputError unless they are of the kind of the label.

    `who` predicted them, for the message.
    """
    numbers = dataset.frame["item"].to_numpy()
    items = [numbers[test] for test in tested]
    scores = [one.score for one in predicted if one.score is not None]
    score = np.concatenate(scores) if scores else np.empty(0)
    _check_scores(score, who, binary=dataset.is_binary)
    given = [one.prediction for one in predicted if one.prediction is not None]
    prediction = np.concatenate(given) if given else score
    item = np.concatenate(items)
    if prediction.shape != item.shape:
        raise InputError(
            f"{who} returned {len(prediction)} predictions: return one for each of the {len(item)} "
            "tested rows."
        )
    if dataset.is_binary:
        prediction = prediction if given else score > 0.5
        wrong = ~np.isin(prediction, (0, 1))
        if wrong.any():
            first = treated.first_wrong(prediction, wrong, "prediction")
            raise InputError(f"{who} returned {first}, and the label is 0 or 1: name a classifier.")
        prediction = prediction.astype(np.int8)
    frame = pd.DataFrame(
        {
            "repeat": np.repeat(np.asarray(repeats, dtype=np.int32), [len(i) for i in items]),
            "item": item,
            "score": score if scores else np.nan,
            "prediction": prediction,
        }
    )
    chances = [one.chance for one in predicted if one.chance is not None]
    return frame.assign(chance=np.concatenate(chances)) if chances else frame


def _of_shapes(scores: Any, shapes: list[tuple[int, ...]], model: str) -> list[Array]:
    """Return scores; InputError unless there is one for each tested item of each repeat."""
    try:
        arrays = list(map(np.asarray, scores))
    except (TypeError, ValueError):  # None, or lists of several lengths
        arrays = []
    found = [array.shape for array in arrays]
    if found != shapes:
        returned = f"arrays of the shapes {found}" if found else f"a {type(scores).__name__}"
        raise InputError(
            f"The model {model} returned {shortened(returned)}: return one array for each repeat, "
            f"here {len(shapes)}, with one number for each tested item, in their order, such as "
            f"{shapes[0][0]} for the first."
        )
    return arrays


def _check_scores(score: Floats, who: str, *, binary: bool) -> None:
    if score.dtype.kind not in "fiub":
        raise InputError(f"{who} returned scores of the type {score.dtype}: return floats.")
    wrong, why = ~np.isfinite(score), ": check for divisions by zero."
    if binary and not wrong.any():
        wrong = (score < -ROUNDING) | (score > 1 + ROUNDING)
        why = (
            ", and the score of a yes/no label is P(Y = 1), from 0 to 1: return probabilities, "
            "such as predict_proba(x)[:, 1] instead of decision_function(x)."
        )
    if wrong.any():
        raise InputError(f"{who} returned {treated.first_wrong(score, wrong, 'score')}{why}")
