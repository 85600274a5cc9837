"""Measures of predictions in every repeat: performance, and gaps and ratios between groups.

A measure of the config is a name of `MEASURES` or the import path of a function of scikit-learn or
fairlearn. Gaps of two groups are those of group 1, the reference, less group 0; those of more
groups, and of intersections, are the largest less the smallest, as in Yu, Chakraborty and Menzies
(2024), *FairBalance*. A ratio is the smallest over the largest.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError, failures, shortened, shown
from fairpairs.base.files import Pieces
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import listed, meant
from fairpairs.papers.datasets.prepared import PreparedDataset, positions
from fairpairs.papers.experiments.parts import check_parameters, imported, is_path, short, values
from fairpairs.papers.treatments.groups import joint_groups

#: Columns of the measures of an experiment, one row for each value.
COLUMNS = (
    *("dataset", "attribute", "groups", "model", "treatment", "repeat", "measure", "value"),
    *("n_train", "n_test"),
)
#: `of` of a measure: of decisions, or of scores.
DECISIONS, SCORES = "decisions", "scores"
#: `groups` of a measure: of each attribute, or of all combinations of attributes.
ATTRIBUTES, INTERSECTIONS = "attributes", "intersections"

#: What of a measure is better.
HIGHER, LOWER, NEARER_0 = "higher", "lower", "nearer 0"
#: What is better by names of measures, the first that fits.
DIRECTIONS = (
    ("", r"_gap_ratio|_ratio_gap"),  # may be either
    (NEARER_0, r"(_gap|difference)(_|$)"),
    (HIGHER, r"_ratio(_|$)|^[dr]2(_|$)"),
    (NEARER_0, r"^mean_error"),
    (LOWER, r"loss|error"),
    (HIGHER, r"accuracy|auc|f1|fbeta|score|precision|recall|pearson|spearman"),
    (LOWER, r"brier|mae|rmse|mse|deviance"),
)


@dataclass(frozen=True)
class Repeat:
    """The tested rows of a repeat: labels, predictions (decisions or scores), and groups from 0."""

    y: Array
    predicted: Array
    group: Integers
    #: Number of groups of the data set; what has none of one of them is NaN.
    groups: int

    def mean(self, values: Array, rows: Array | None = None) -> Floats:
        """Return the mean of values in each group, over some rows; NaN for a group without any."""
        kept = np.ones(len(self.y)) if rows is None else rows.astype(np.float64)
        n = np.bincount(self.group, kept, self.groups)
        total = np.bincount(self.group, kept * values, self.groups)
        with np.errstate(invalid="ignore"):
            return np.asarray(total / np.where(n > 0, n, np.nan))


def _tpr(rows: Repeat) -> Floats:
    return rows.mean(rows.predicted, rows.y == 1)


def _fpr(rows: Repeat) -> Floats:
    return rows.mean(rows.predicted, rows.y == 0)


def _auc(rows: Repeat) -> Floats:
    parts = [rows.group == group for group in range(rows.groups)]
    of_all = imported(PERFORMANCE["auc"].path)
    known = [len(np.unique(rows.y[part])) == 2 for part in parts]  # NaN without a warning
    both = zip(parts, known, strict=True)
    return np.array([of_all(rows.y[p], rows.predicted[p]) if k else np.nan for p, k in both])


#: What is known of each group → its value in each of them. Of decisions unless it says so.
RATES: Mapping[str, Callable[[Repeat], Floats]] = {
    "selection_rate": lambda rows: rows.mean(rows.predicted),
    "tpr": _tpr,
    "fpr": _fpr,
    "tnr": lambda rows: 1 - _fpr(rows),
    "fnr": lambda rows: 1 - _tpr(rows),
    "ppv": lambda rows: rows.mean(rows.y, rows.predicted == 1),
    "npv": lambda rows: rows.mean(1 - rows.y, rows.predicted == 0),
    "accuracy": lambda rows: rows.mean(rows.y == rows.predicted),
    "average_odds": lambda rows: (_tpr(rows) + _fpr(rows)) / 2,
    "auc": _auc,
    "mean_error": lambda rows: rows.mean(rows.predicted - rows.y),
    "mae": lambda rows: rows.mean(np.abs(rows.predicted - rows.y)),
}


@dataclass(frozen=True)
class Performance:
    """A measure of all rows: its function, what it is of, and parameters of the function."""

    path: str
    of: str = DECISIONS
    parameters: Mapping[str, Any] = field(default_factory=dict)


#: Performance on a label of 0 and 1.
OF_CLASSES: Mapping[str, Performance] = {
    "accuracy": Performance("sklearn.metrics.accuracy_score"),
    "balanced_accuracy": Performance("sklearn.metrics.balanced_accuracy_score"),
    "f1": Performance("sklearn.metrics.f1_score", parameters={"zero_division": np.nan}),
    "auc": Performance("sklearn.metrics.roc_auc_score", SCORES),
    "brier": Performance("sklearn.metrics.brier_score_loss", SCORES),
    "log_loss": Performance("sklearn.metrics.log_loss", SCORES, {"labels": [0, 1]}),
}
#: Performance on a label that is a number.
OF_NUMBERS: Mapping[str, Performance] = {
    "mae": Performance("sklearn.metrics.mean_absolute_error"),
    "rmse": Performance("sklearn.metrics.root_mean_squared_error"),
    "r2": Performance("sklearn.metrics.r2_score"),
    "pearson": Performance("scipy.stats.pearsonr"),
    "spearman": Performance("scipy.stats.spearmanr"),
}
PERFORMANCE = {**OF_CLASSES, **OF_NUMBERS}
#: Rates of groups that also have a meaning for a label that is a number.
NUMBERS_TOO = ("mean_error", "mae")
MEASURES = (*PERFORMANCE, *(f"{rate}_{form}" for rate in RATES for form in ("gap", "ratio")))


@dataclass(frozen=True)
class Measure:
    """A measure of the config: its name there, what it is of, and of which groups ("" of none)."""

    name: str
    of: str
    groups: str
    function: Callable[[Repeat], float]
    numbers: bool
    classes: bool


def measure_of(named: str | Content) -> Measure:
    """Return the measure that a config names: a name, an import path, or a mapping with options.

    >>> measure_of({"tpr_gap": {"groups": "intersections", "of": "scores"}}).name
    'tpr_gap_intersections_scores'
    """
    name, options = _name_and_options(named)
    if is_path(name):
        return _by_path(name, options)
    if name not in MEASURES:
        raise InputError(
            f"there is no measure `{shortened(name)}`{meant(name, MEASURES)}: name one of "
            f"{listed(MEASURES)}, or the import path of a function."
        )
    rate, _, form = name.rpartition("_")
    by_group = form in ("gap", "ratio") and rate in RATES
    takes = ("groups", "of") if by_group and rate != "auc" else ("groups",) if by_group else ()
    _check_options(name, options, takes)
    if not by_group:
        known = PERFORMANCE[name]
        plain = partial(_called, known.path, known.parameters, "")
        return Measure(name, known.of, "", plain, name in OF_NUMBERS, name in OF_CLASSES)
    of = options.get("of", SCORES if rate == "auc" else DECISIONS)
    groups = options.get("groups", ATTRIBUTES)
    words = [name, *(str(options[key]) for key in takes if key in options)]
    compare = partial(_gap if form == "gap" else _ratio, RATES[rate], groups == INTERSECTIONS)
    in_classes = rate not in NUMBERS_TOO
    return Measure("_".join(words), of, groups, compare, not in_classes, classes=in_classes)


def _check_options(name: str, options: Mapping[str, Any], takes: Iterable[str]) -> None:
    if other := [key for key in options if key not in takes]:
        raise InputError(f"the measure `{name}` takes no `{other[0]}`: drop it.")
    inputs.one_of(options.get("of", SCORES), "of", (DECISIONS, SCORES))
    inputs.one_of(options.get("groups", ATTRIBUTES), "groups", (ATTRIBUTES, INTERSECTIONS))


def _called(path: str, parameters: Mapping[str, Any], groups: str, rows: Repeat) -> float:
    given = {"sensitive_features": rows.group} if groups else {}
    found = imported(path)(rows.y, rows.predicted, **given, **parameters)
    return float(getattr(found, "statistic", found))  # of a correlation


def _gap(rate: Callable[[Repeat], Floats], without_sign: bool, rows: Repeat) -> float:
    found = rate(rows)
    if len(found) == 2 and not without_sign:
        return float(found[1] - found[0])
    return float(np.ptp(found)) if len(found) else np.nan


def _ratio(rate: Callable[[Repeat], Floats], _: bool, rows: Repeat) -> float:
    found = rate(rows)
    return float(found.min() / found.max()) if found.max() > 0 else np.nan


def direction(measure: str) -> str:
    """Tell what of a measure is better, by its name.

    >>> direction("accuracy"), direction("log_loss"), direction("tpr_gap")
    ('higher', 'lower', 'nearer 0')
    """
    better = next((better for better, names in DIRECTIONS if re.search(names, measure)), "")
    if not better:
        raise InputError(
            f"whether more or less of the measure `{measure}` is better is not known: say so in "
            f"`better`, as {{{measure}: higher}}."
        )
    return better


def _name_and_options(named: str | Content) -> tuple[str, dict[str, Any]]:
    if isinstance(named, str):
        return named, {}
    if not isinstance(named, Mapping) or ("call" not in named and len(named) != 1):
        raise InputError(f"{shown(named)} is no measure: give a name, or a mapping with one.")
    if "call" in named:
        return named["call"], {key: value for key, value in named.items() if key != "call"}
    ((name, options),) = named.items()
    return str(name), dict(options) if isinstance(options, Mapping) else {}


def _by_path(path: str, options: Mapping[str, Any]) -> Measure:
    """Return a function of scikit-learn or fairlearn: of scores where it takes them."""
    _check_options(path, options, ("with", "of"))
    target = imported(path)
    check_parameters(target, {"call": path, **options})
    with failures(f"`{path}` is no measure", "name a function of labels and predictions"):
        takes = inspect.signature(target).parameters
    scores = {"y_score", "y_proba", "y_prob", "probas_pred"} & set(takes)
    of, parameters = options.get("of", SCORES if scores else DECISIONS), values(options)
    groups = ATTRIBUTES if "sensitive_features" in takes else ""
    name = "_".join([short(path), *(f"{key}={value}" for key, value in parameters.items())])
    function = partial(_called, path, parameters, groups)
    return Measure(name, of, groups, function, numbers=True, classes=True)


def measure_predictions(
    predictions: pd.DataFrame,
    dataset: PreparedDataset,
    measures: Iterable[Measure],
    *,
    model: str,
    treatment: str,
) -> pd.DataFrame:
    """Measure every repeat of the result of `train_repeats`.

    The rows have `COLUMNS`, and `setting` where one was chosen in each repeat; what cannot be
    measured, as the AUC without scores, is NaN.
    """
    item = positions(predictions, dataset)
    label, repeat = dataset.label[item], predictions["repeat"].to_numpy()
    of = {DECISIONS: predictions["prediction"].to_numpy(), SCORES: predictions["score"].to_numpy()}
    groups = dict(_groupings(dataset))
    starts = np.flatnonzero(np.diff(repeat, prepend=repeat[0] - 1))
    rows: list[tuple[Any, ...]] = []
    for start, end in zip(starts, [*starts[1:], len(repeat)], strict=True):
        part = slice(start, end)
        for measure in measures:
            predicted = of[measure.of][part]
            for (kind, attribute), codes in groups.items():
                if kind != measure.groups:
                    continue
                value = np.nan
                if not np.isnan(predicted).any():
                    of_rows = codes[item[part]]
                    repeated = Repeat(label[part], predicted, of_rows, int(codes.max()) + 1)
                    with failures(
                        f"`{measure.name}` cannot be measured in repeat {repeat[start]} of the "
                        f"data set {dataset.name}",
                        "drop it, or name another",
                    ):
                        value = measure.function(repeated)
                named = (dataset.name, attribute, kind, model, treatment)
                sizes = (len(dataset.frame) - (end - start), end - start)
                rows.append((*named, repeat[start], measure.name, value, *sizes))
    types = {"value": "float64"} | dict.fromkeys(["repeat", "n_train", "n_test"], "int32")
    frame = pd.DataFrame(rows, columns=[*COLUMNS]).astype(types)
    if "setting" in predictions:
        of_repeats = predictions.drop_duplicates("repeat").set_index("repeat")["setting"]
        frame["setting"] = frame["repeat"].map(of_repeats)
    return frame


def measure_files(
    files: Sequence[str | Path],
    datasets: Iterable[PreparedDataset],
    *,
    measures: Sequence[str | Content],
    arms: Mapping[str, tuple[str, str]],
) -> pd.DataFrame:
    """Measure the predictions in files `…/<dataset>/<arm>/<chunk>.parquet`, one after the other.

    `arms` has the model and the treatment of each arm.
    """
    asked, known = [measure_of(named) for named in measures], {d.name: d for d in datasets}
    frames = []
    for file in tqdm(list(map(Path, files)), unit=" files"):
        model, treatment = arms[file.parent.name]
        dataset = known[file.parent.parent.name]
        frames += [
            measure_predictions(read, dataset, asked, model=model, treatment=treatment)
            for read in Pieces(file).each()
        ]
    return together(frames)


def together(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the measures of several arms in one frame; what has no setting has an empty one."""
    frame = pd.concat(frames, ignore_index=True)
    return frame.fillna({"setting": ""}) if "setting" in frame else frame


def _groupings(dataset: PreparedDataset) -> Iterator[tuple[tuple[str, str], Integers]]:
    """Yield kind and name of each way to form groups, and the group of each item, from 0."""
    sensitive: Integers = dataset.sensitive
    yield ("", ""), np.zeros(len(sensitive), np.int64)
    of_two = {contrast.name: contrast.group for contrast in dataset.contrasts}
    for column, attribute in enumerate(dataset.attributes):
        yield (ATTRIBUTES, attribute), of_two.get(attribute, sensitive[:, column])
    yield (INTERSECTIONS, " × ".join(dataset.attributes)), joint_groups(sensitive)
