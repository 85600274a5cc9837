"""An experiment on a data frame: models × treatments over repeated splits, measured."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Series
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.guesses import understood
from fairpairs.base.texts import meant
from fairpairs.papers.datasets.prepared import RESERVED, Levels, PreparedDataset
from fairpairs.papers.experiments.arms import Arm, arms
from fairpairs.papers.experiments.checks import check_labels
from fairpairs.papers.experiments.measures import Measure, measure_of, measure_predictions, together
from fairpairs.papers.experiments.part_checks import check_arms, check_measures
from fairpairs.papers.experiments.train import train_folds, train_repeats
from fairpairs.papers.models.features import kinds_of
from fairpairs.papers.registry import find

#: Measures by default, of a label of two values and of numbers.
OF_CLASSES = ("accuracy", "balanced_accuracy", "auc", "tpr_gap", "fpr_gap")
OF_NUMBERS = ("mae", "r2", "mean_error_gap")
#: Repeats whose predictions are held at once.
CHUNK = 20
#: Repeats at the most.
MOST = 100_000


@understood
def experiment(
    data: pd.DataFrame,
    *,
    label: str,
    sensitive_features: str | Sequence[str],
    models: Sequence[Any] | Mapping[str, Any],
    treatments: Sequence[Any] | Mapping[str, Any] = ("none",),
    measures: Sequence[Any] | None = None,
    positive: Any = None,
    reference: Mapping[str, Any] | None = None,
    features: Sequence[str] | None = None,
    repeats: int = 30,
    test_fraction: float = 0.3,
    seed: int = 0,
    name: str = "data",
) -> pd.DataFrame:
    """Train models under treatments on random splits of a data frame, and measure each repeat.

    The splits, held-out rows and random numbers are the same for all models and treatments, and the
    result is that of the workflow with the same config.

    Parameters
    ----------
    data
        One row per item.
    label
        The column of the label: two values, or numbers.
    sensitive_features
        The columns of the groups.
    models, treatments
        Names, import paths, mappings with `call` (see docs/how-to/experiment.md), classes,
        functions or estimators; or a mapping from names of your own to these. A treatment that is a
        list is applied one step after the other.
    measures
        Names, import paths or mappings; by default accuracy, balanced accuracy, AUC and the gaps of
        TPR and FPR, or MAE, R² and the gap of the mean error.
    positive
        The value of the label that is 1; not needed for 0 and 1, or False and True.
    reference
        The reference group by attribute; by default the largest.
    features
        The columns that models see; by default all others, and the groups.
    repeats, test_fraction, seed
        Number of random splits, the share of each joint group that is tested, and the root of all
        randomness.
    name
        The name of the data set: that of its card draws the splits of the workflow.

    Returns
    -------
    DataFrame
        Columns dataset, attribute, groups, model, treatment, repeat, measure, value, n_train and
        n_test; and setting, if one is searched. A gap of two groups is the rate of the reference
        less that of the other.

    Raises
    ------
    InputError
        When a column is missing or has missing values, or parts do not go together.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> data = pd.DataFrame({"x": rng.normal(size=200), "sex": rng.choice(["f", "m"], 200)})
    >>> data["repaid"] = (data["x"] + rng.normal(size=200) > 0).map({True: "yes", False: "no"})
    >>> found = experiment(
    ...     data, label="repaid", positive="yes", sensitive_features="sex", repeats=3,
    ...     models=["logistic_regression"], treatments=["none", "fairbalance"],
    ... )
    >>> found.groupby(["treatment", "measure"])["value"].mean().unstack().shape
    (2, 5)
    """
    inputs.whole(repeats, "repeats", 1, MOST)
    inputs.whole(seed, "seed", 0)
    inputs.between(test_fraction, "test_fraction", 0, 1)
    dataset = _dataset(data, label, sensitive_features, positive, reference, features, name)
    default = OF_CLASSES if dataset.is_binary else OF_NUMBERS
    measured = list(default) if measures is None else _listed(measures)
    _check_given(measures=measured)
    asked = [measure_of(name) for name in measured]
    check_measures(asked, {"data": not dataset.is_binary})
    trained = _arms(dataset, models, treatments, asked).values()
    frames = []
    for arm in tqdm(trained, unit=" arms"):
        for first in range(0, repeats, CHUNK):
            predictions = train_repeats(
                dataset,
                model=arm.spec,
                treatment=arm.steps,
                repeats=range(first, min(first + CHUNK, repeats)),
                seed=seed,
                test_fraction=test_fraction,
            )
            of = {"model": arm.model, "treatment": arm.treatment}
            frames.append(measure_predictions(predictions, dataset, asked, **of))
    return together(frames)


@understood
def score_once(
    data: pd.DataFrame,
    *,
    label: str,
    sensitive_features: str | Sequence[str],
    models: Sequence[Any] | Mapping[str, Any],
    treatments: Sequence[Any] | Mapping[str, Any] = ("none",),
    positive: Any = None,
    reference: Mapping[str, Any] | None = None,
    features: Sequence[str] | None = None,
    folds: int = 10,
    seed: int = 0,
    as_scores: bool = False,
    name: str = "data",
) -> pd.DataFrame:
    """Predict every row of a data frame once, by a model that was fitted on the other folds.

    Random splits speak of training on data like these. Of these rows speak the exact tests of
    `compare`, which take two predictions of each row.

    Parameters
    ----------
    data, label, sensitive_features, models, treatments, positive, reference, features, seed, name
        As in `experiment`.
    folds
        Number of folds, of which each has its share of every joint group.
    as_scores
        Whether the columns are scores (of a label of two values P(Y = 1)), not decisions.

    Returns
    -------
    DataFrame
        A column for each treatment, `model+treatment` with several models, in the rows of data; of
        a label of two values these.

    Raises
    ------
    InputError
        As `experiment`, for fewer rows than folds, and for scores of what has none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> data = pd.DataFrame({"x": rng.normal(size=200), "sex": rng.choice(["f", "m"], 200)})
    >>> data["repaid"] = (data["x"] + rng.normal(size=200) > 0).map({True: "yes", False: "no"})
    >>> once = score_once(
    ...     data, label="repaid", positive="yes", sensitive_features="sex",
    ...     models=["logistic_regression"], treatments=["none", "fairbalance"],
    ... )
    >>> once.shape, sorted(set(once["none"]))
    ((200, 2), ['no', 'yes'])
    """
    inputs.whole(folds, "folds", 2, MOST)
    inputs.whole(seed, "seed", 0)
    inputs.of_type(as_scores, "as_scores", bool, "True or False")
    dataset = _dataset(data, label, sensitive_features, positive, reference, features, name)
    found = {}
    for column, arm in tqdm(_arms(dataset, models, treatments, ()).items(), unit=" arms"):
        predicted = train_folds(
            dataset, model=arm.spec, treatment=arm.steps, folds=folds, seed=seed
        ).sort_values("item")
        found[column] = predicted["score" if as_scores else "prediction"].to_numpy()
        if as_scores and np.isnan(found[column]).any():
            raise InputError(
                f"{column} makes decisions without scores: leave it out, or as_scores=False."
            )
        if dataset.is_binary and not as_scores:
            values = dict(zip(dataset.label, data[label], strict=True))
            found[column] = np.array([values[decision] for decision in found[column]])
    return pd.DataFrame(found, index=data.index)


def _arms(
    dataset: PreparedDataset, models: Any, treatments: Any, measures: Sequence[Measure]
) -> dict[str, Arm]:
    """Return the arms by name, checked."""
    config: dict[str, dict[str, Any]] = {}
    named: dict[str, list[Any]] = {}
    for key, parts in (("models", models), ("treatments", treatments)):
        config[key] = dict(parts) if isinstance(parts, Mapping) else {}
        named[key] = list(parts) if isinstance(parts, Mapping) else _listed(parts)
    _check_given(**named)
    trained, numeric = arms("experiment", named, config), {"data": not dataset.is_binary}
    check_arms(trained.values(), numeric, measures)
    files = {
        part: find(*part, where="experiment") for arm in trained.values() for part in arm.parts
    }
    check_labels(files, numeric)
    return trained


def _check_given(**named: Sequence[Any]) -> None:
    for key, values in named.items():
        if not values:
            raise InputError(f"{key} is empty: name one or more.")


def _listed(parts: Any) -> list[Any]:
    """Return one part, or several, as a list."""
    if isinstance(parts, set):
        return sorted(parts, key=str)  # in the same order in every process
    return list(parts) if isinstance(parts, list | tuple) else [parts]


def _check_names(**columns: Iterable[Any]) -> None:
    for key, names in columns.items():
        for name in names:
            inputs.of_type(name, key, str, "the name of a column")


def _dataset(
    data: pd.DataFrame,
    label: str,
    sensitive_features: str | Sequence[str],
    positive: Any,
    reference: Mapping[str, Any] | None,
    features: Sequence[str] | None,
    called: str,
) -> PreparedDataset:
    reference = {} if reference is None else reference
    inputs.of_type(data, "data", pd.DataFrame, "a data frame of pandas")
    inputs.of_type(reference, "reference", Mapping, "a mapping")
    inputs.of_type(called, "name", str, "a text")
    attributes = _listed(sensitive_features)
    _check_names(label=[label], sensitive_features=attributes)
    others: list[Any] = [name for name in data if name not in (label, *attributes)]
    given = others if features is None else _listed(features)
    _check_names(features=given)
    features = [*given, *attributes] if features is None else given
    _check_given(sensitive_features=attributes, features=features)
    if not len(data):
        raise InputError("data has no rows: give some.")
    for name in (label, *attributes, *features):
        if (number := list(data).count(name)) != 1:
            near = meant(name, map(str, data)) if number == 0 else ""
            several = f"{number} columns" if number else "no column"
            raise InputError(f"data has {several} `{shortened(name)}`{near}.")
    for name in (*attributes, *reference):
        if (number := attributes.count(name)) != 1:
            times = "twice" if number else "not"
            raise InputError(
                f"`{shortened(name)}` is {times} in sensitive_features: name it there once."
            )
    used = [name for name in features if name not in attributes]
    for name in used:
        if name == label:
            raise InputError(f"The label {shortened(label)} is among the features: leave it out.")
        if name in (*RESERVED, *(f"sensitive_{attribute}" for attribute in attributes)):
            raise InputError(f"The feature {name} has a name of experiments: rename the column.")
    columns: dict[str, Any] = {"item": np.arange(len(data), dtype=np.int32)}
    kinds, levels = kinds_of(data[used]), {}
    columns |= {name: data[name].to_numpy() for name in used}
    numeric = [name for name in used if kinds[name] == "numeric"]
    _check_complete(data, [label, *attributes, *numeric])
    columns["label"] = _label(data[label], positive)
    for name in attributes:
        groups = _groups(data[name], reference.get(name))
        levels[name] = Levels(tuple(map(str, groups)), len(groups) - 1)
        codes = {group: code for code, group in enumerate(groups)}
        columns[f"sensitive_{name}"] = data[name].map(codes).to_numpy(np.int64)
        if name in features:
            kinds[f"sensitive_{name}"] = "numeric" if len(groups) == 2 else "categorical"
    return PreparedDataset(called, pd.DataFrame(columns), kinds, tuple(attributes), levels=levels)


def _groups(values: Series, reference: Any) -> list[Any]:
    """Return the groups of an attribute, the reference last."""
    counts = values.value_counts()
    reference = counts.index[0] if reference is None else reference
    if reference not in counts.index or len(counts) < 2:
        raise InputError(
            f"{values.name} has the groups {', '.join(map(str, counts.index))}: name one of two or "
            "more as the `reference`."
        )
    return [*sorted((group for group in counts.index if group != reference), key=str), reference]


def _label(values: Series, positive: Any) -> Array:
    found = set(values)
    if not isinstance(positive, Hashable):
        raise InputError(f"positive is {shown(positive)}: give a value of the label.")
    if positive is None and found <= {0, 1}:
        positive = 1
    if positive is not None or len(found) == 2:
        if positive not in found or len(found) != 2:
            given = "" if positive is None else f", and `positive` is {shown(positive)}"
            join = "join them to two, and " * (len(found) > 2)
            raise InputError(
                f"The label {values.name} holds {', '.join(sorted(map(repr, found))[:5])}{given}: "
                f"{join}name which of two values is `positive`."
            )
        return np.asarray(values == positive, np.int8)
    if values.dtype.kind not in "iuf":
        raise InputError(f"The label {values.name} has more than two values, and no numbers.")
    return np.asarray(values, np.float64)


def _check_complete(data: pd.DataFrame, names: Sequence[str]) -> None:
    missing = data[list(names)].isna().sum()
    if missing.any():
        raise InputError(
            f"data has {missing.max():,} missing values of `{missing.idxmax()}`: fill or drop them."
        )
    for name in names:
        if data[name].dtype.kind == "f" and np.isinf(data[name].to_numpy(np.float64)).any():
            raise InputError(f"data has infinite values of `{name}`: give finite numbers.")
