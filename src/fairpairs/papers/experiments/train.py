"""Repeated training: the predictions of many random splits of one data set, or of its folds."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.experiments.split import stratified_folds, stratified_split
from fairpairs.papers.models.contract import BuildsModel
from fairpairs.papers.registry import load
from fairpairs.papers.treatments.contract import Treatment
from fairpairs.papers.treatments.groups import joint_groups

#: How far a mean of probabilities may lie outside 0 and 1, by rounding.
ROUNDING = 1e-6


def train_repeats(
    dataset: PreparedDataset,
    *,
    model: str,
    treatment: str,
    repeats: Sequence[int],
    seed: int,
    test_fraction: float,
    rounds: int | None = None,
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
    rngs = [stream(seed, "start", dataset.name, repeat) for repeat in repeats]
    return _train(dataset, tested, rngs, repeats, model, treatment, rounds, list(extensions))


def train_folds(
    dataset: PreparedDataset,
    *,
    model: str,
    treatment: str,
    folds: int,
    seed: int,
    rounds: int | None = None,
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
    rngs = [stream(seed, "start of a fold", dataset.name, number) for number in numbers]
    tested = [fold == number for number in numbers]
    return _train(dataset, tested, rngs, numbers, model, treatment, rounds, list(extensions))


def _strata(dataset: PreparedDataset) -> NDArray[np.int64]:
    """Return the joint group of each item: all sensitive attributes and a binary label."""
    label, sensitive = dataset.label, dataset.sensitive
    return joint_groups(np.column_stack([sensitive, label]) if dataset.is_binary else sensitive)


def _train(
    dataset: PreparedDataset,
    tested: Sequence[NDArray[np.bool_]],
    rngs: Sequence[np.random.Generator],
    repeats: Sequence[int],
    model: str,
    treatment: str,
    rounds: int | None,
    extensions: list[str | Path],
) -> pd.DataFrame:
    weigh: Treatment = load("treatments", treatment, extensions)
    build: BuildsModel = load("models", model, extensions)
    label, sensitive = dataset.label, dataset.sensitive
    weights = [
        _weights(weigh(label[~test], sensitive[~test]), (~test).sum(), treatment) for test in tested
    ]
    with threadpool_limits(limits=1):  # the number of threads can change the last bits
        options = {} if rounds is None else {"rounds": rounds}
        estimator = build(dataset.frame, dataset.kinds, **options)
        if not callable(getattr(estimator, "fit_repeats", None)):
            raise InputError(
                f"The model {model} gives a {type(estimator).__name__}, which has no method "
                "`fit_repeats`: write `def fit_repeats(self, y, tested, weights, rngs)`."
            )
        scores = estimator.fit_repeats(label, tested, weights, rngs)
    numbers = dataset.frame["item"].to_numpy()
    items = [numbers[test] for test in tested]
    score = _scores(scores, items, model, is_binary=dataset.is_binary)
    return pd.DataFrame(
        {
            "repeat": np.repeat(np.asarray(repeats, dtype=np.int32), [len(i) for i in items]),
            "item": np.concatenate(items),
            "score": score,
            "prediction": (score > 0.5).astype(np.int8) if dataset.is_binary else score,
        }
    )


def _weights(weights: object, n: int, treatment: str) -> Floats:
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
        returned = _first(values, wrong, "weight") if wrong.any() else "weights that are all 0"
    raise InputError(
        f"The treatment {treatment} returned {returned}: return one weight for each of its {n} "
        f"training items, of shape ({n},), none below 0 and not all 0."
    )


def _scores(
    scores: Sequence[Floats] | None,
    items: Sequence[NDArray[np.int64]],
    model: str,
    *,
    is_binary: bool,
) -> Floats:
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
        raise InputError(f"{prefix}{_first(score, wrong, 'score')}: check for divisions by zero.")
    wrong = (score < -ROUNDING) | (score > 1 + ROUNDING)
    if is_binary and wrong.any():
        raise InputError(
            f"{prefix}{_first(score, wrong, 'score')}, and the score of a yes/no label is "
            "P(Y = 1), from 0 to 1: return probabilities, such as predict_proba(x)[:, 1] instead "
            "of decision_function(x)."
        )
    return score


def _shapes(scores: Sequence[Floats] | None) -> list[tuple[int, ...]] | str:
    """Return the shape of the scores of each repeat, or what was returned instead."""
    if scores is None or not hasattr(scores, "__len__"):
        return "None" if scores is None else f"a {type(scores).__name__}"
    try:
        return [np.shape(part) for part in scores]
    except ValueError:
        return "lists of several lengths"


def _first(values: Floats, wrong: NDArray[np.bool_], what: str) -> str:
    i = int(np.argmax(wrong))
    return f"the {what} {values[i]:g} at index {i} ({wrong.sum():,} of {len(values):,} are wrong)"
