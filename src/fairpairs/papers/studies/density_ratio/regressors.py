"""The real study (Tables 1, 2, 8 and 9): many regressors, measured by many estimators."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from fairpairs.base.arrays import Floats, Mask
from fairpairs.base.plain_values import Content
from fairpairs.mathematics.density_ratio.logistic import DensityRatioEstimator, SeparableGroupsError
from fairpairs.mathematics.density_ratio.measures import (
    MEASURES,
    mean_ratios,
    means_of_groups,
    ratios_of_groups,
    shuffled_groups,
    standardised,
)
from fairpairs.mathematics.estimates.cell_measures import shuffling_pvalue
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.papers.datasets.prepared import PreparedDataset, positions
from fairpairs.papers.experiments.estimators import estimator
from fairpairs.papers.experiments.information import information_fairness
from fairpairs.papers.experiments.parts import imported
from fairpairs.papers.experiments.seeds import stratified_split, stream
from fairpairs.papers.models.features import numbers_of
from fairpairs.papers.studies.density_ratio.measured import measured, ratios_at
from fairpairs.papers.studies.density_ratio.synthetic import MATCHING, STUDIED, as_published

#: Estimator of the permutation test of separation.
TESTED = "logistic"


def train_regressors(
    dataset: PreparedDataset, regressors: Mapping[str, Content], *, test_fraction: float, seed: int
) -> pd.DataFrame:
    """Fit regressors once on a fixed split, and predict its test part.

    `regressors` have the import path of an estimator, its parameters, and `most`, the number of
    items that it is fitted on at most; `test_fraction` is the share of each group that is tested.
    `fitted` is the number of items that a regressor was fitted on.
    """
    x, y = numbers_of(dataset.frame, dataset.kinds), dataset.label.astype(np.float64)
    strata = dataset.sensitive @ (2 ** np.arange(len(dataset.attributes)))
    rng = stream(seed, "regressors", dataset.name)
    tested = stratified_split(strata, test_fraction, rng)
    model_seed = int(rng.integers(2**31))
    items = dataset.frame["item"].to_numpy()[tested]
    frames = []
    with threadpool_limits(limits=1):  # the number of threads may change the last bits
        for name, spec in tqdm(regressors.items(), desc=dataset.name, unit=" regressors"):
            predicted, fitted = _fit_predict(spec, x, y, tested, model_seed)
            found = {"regressor": name, "item": items, "prediction": predicted, "fitted": fitted}
            frames.append(pd.DataFrame(found))
    return pd.concat(frames, ignore_index=True)


def _fit_predict(
    spec: Content, x: Floats, y: Floats, tested: Mask, seed: int
) -> tuple[Floats, int]:
    """Return predictions of the tested items, and the number of items that were fitted on."""
    items = np.flatnonzero(~tested)
    if len(items) > (most := spec.get("most", len(items))):
        items = np.sort(np.random.default_rng(seed).choice(items, most, replace=False))
    steps = make_pipeline(StandardScaler(), estimator(imported(spec["call"]), spec, seed))
    model = TransformedTargetRegressor(steps, transformer=StandardScaler())
    predicted = model.fit(x[items], y[items]).predict(x[tested])
    return np.asarray(predicted, dtype=np.float64).ravel(), len(items)


def measure_regressors(
    predictions: pd.DataFrame,
    dataset: PreparedDataset,
    *,
    caps: Sequence[float],
    permutations: int,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure the fairness of regressors by every estimator, for the first sensitive attribute.

    Besides the ratios there are, as estimators, `accuracy` (R²), `permutation` (the p-value of
    separation by `TESTED`, groups shuffled within labels), `information` (I_ind, I_sep, I_suf,
    cross-fitted) and `comparative_separation` (the joint p-value on all pairs, balanced, and the
    gaps). The second table are the probabilities of `stated_probabilities`.
    """
    scores = {
        name: rows["prediction"].to_numpy()
        for name, rows in predictions.groupby("regressor", sort=False)
    }
    items = positions(predictions.iloc[: len(predictions) // len(scores)], dataset)
    y_true, group = dataset.label[items].astype(np.float64), dataset.sensitive[items, 0]
    y = standardised(y_true)
    rows: list[tuple[Any, ...]] = []
    with threadpool_limits(limits=1):
        standard_scores = [standardised(y_pred) for y_pred in scores.values()]
        rng = stream(seed, "permutations")
        pvalues = _separation_pvalues(y, standard_scores, group, permutations, rng)
        estimators = {**STUDIED, **as_published(len(y)), **MATCHING}
        label_ratios = ratios_at(y[:, None], group, estimators, caps)
        for (regressor, y_pred), pvalue in zip(
            tqdm(scores.items(), desc=dataset.name, unit=" regressors"), pvalues, strict=True
        ):
            options: Any = {"measures": MEASURES, "caps": caps, "label_ratios": label_ratios}
            ratios = measured(y, standardised(y_pred), group, estimators, **options)
            rows += [(regressor, *row) for row in ratios]
            beside = [("permutation", "separation", pvalue), *_beside(y_true, y_pred, group)]
            rows += [(regressor, name, "", 0.0, *measure, "") for name, *measure in beside]
    columns = ["regressor", "estimator", "form", "cap", "measure", "value", "note"]
    return pd.DataFrame(rows, columns=columns), stated_probabilities(predictions, dataset)


def stated_probabilities(predictions: pd.DataFrame, dataset: PreparedDataset) -> pd.DataFrame:
    """Return the probability of group 1, by logistic regression on the first regressor."""
    rows = predictions[predictions["regressor"] == predictions["regressor"].iloc[0]]
    group = dataset.sensitive[positions(rows, dataset), 0]
    points = standardised(rows["prediction"].to_numpy())[:, None]
    try:
        ratio = STUDIED[TESTED].fit(points[group == 1], points[group == 0])(points)
    except SeparableGroupsError:
        ratio = np.full(len(points), np.nan)
    odds = ratio * group.sum() / (len(group) - group.sum())
    frame: pd.DataFrame = rows[["regressor", "item"]].assign(probability=odds / (1 + odds))
    return frame


def _separation_pvalues(
    y: Floats, scores: Sequence[Floats], group: NDArray[np.int64], n: int, rng: np.random.Generator
) -> list[float]:
    """Return the p-value of separation of each regressor, all by the same shuffles within labels.

    It is NaN if the groups can be separated.
    """
    observed = np.full(len(scores), np.nan)
    for k, score in enumerate(scores):
        with suppress(SeparableGroupsError):
            measured = mean_ratios(y, score, group, STUDIED[TESTED], measures=("separation",))
            observed[k] = measured[0]
    shuffled = permuted_separations(y, scores, group, STUDIED[TESTED], size=n, rng=rng)
    return [shuffling_pvalue(value, shuffled[:, k]) for k, value in enumerate(observed)]


def permuted_separations(
    y_true: Floats,
    predictions: Sequence[Floats],
    group: NDArray[np.int64],
    estimator: DensityRatioEstimator,
    *,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Return `permuted_mean_ratios` of the separation of p predictions, by the same shuffles."""
    shuffled = np.empty((size, len(predictions)))
    for rows, groups in shuffled_groups(group, y_true, size, rng):
        label_ratios = ratios_of_groups(y_true[:, None], groups, estimator)
        for k, y_pred in enumerate(predictions):
            joint_ratios = ratios_of_groups(np.column_stack([y_true, y_pred]), groups, estimator)
            shuffled[rows, k] = means_of_groups([joint_ratios, label_ratios])
    return shuffled


def _beside(
    y_true: Floats, y_pred: Floats, group: NDArray[np.int64]
) -> Iterator[tuple[str, str, float]]:
    """Yield the other measures than ratios: estimator, measure and value."""
    yield "accuracy", "R²", float(1 - ((y_pred - y_true) ** 2).mean() / y_true.var())
    information = information_fairness(y_true, y_pred, sensitive_features=group, cross_fitted=True)
    for measure in MEASURES:
        yield "information", measure, float(getattr(information, measure))
    result = comparative_separation_test(y_true, y_pred, sensitive_features=group)
    if result.joint is not None:
        yield "comparative_separation", "p", float(result.joint.pvalue)
    for hypothesis, gap in zip(result.hypotheses, result.difference.estimate, strict=True):
        yield "comparative_separation", hypothesis, float(gap)
