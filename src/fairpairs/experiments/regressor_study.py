"""The real study of density-ratio measures: many regressors, measured by many estimators.

References
----------
*A Comprehensive Evaluation of the Sensitivity of Density-Ratio Estimation Based Fairness
Measurement in Regression*, Tables 1, 2, 8 and 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from fairpairs.datasets.prepare import PreparedDataset
from fairpairs.experiments.density_ratio_study import STUDIED, measured_with_caps
from fairpairs.experiments.seeds import stream
from fairpairs.experiments.split import stratified_split
from fairpairs.fairness.comparative import comparative_separation_test
from fairpairs.fairness.density_ratio import (
    MEASURES,
    Form,
    chosen_estimator,
    standardised,
)
from fairpairs.fairness.density_ratio_estimators import (
    CLASSIFIERS,
    DensityRatioEstimator,
    LSIFRatio,
    RuLSIFRatio,
)
from fairpairs.fairness.information import information_fairness
from fairpairs.fairness.proportions import Floats
from fairpairs.models.features import numbers_and_codes, one_hot
from fairpairs.models.regressors import fit_predict

#: Estimators of the real study; LSIF solves a programme for each of its grid, so its grid is small.
MATCHING: dict[str, DensityRatioEstimator] = {
    "lsif": LSIFRatio(centres=50, widths=(0.3, 1.0, 3.0), penalties=(0.001, 0.01, 0.1)),
    "ulsif": RuLSIFRatio(0.0),
    "rulsif_0.25": RuLSIFRatio(0.25),
    "rulsif_0.5": RuLSIFRatio(0.5),
    "rulsif_0.75": RuLSIFRatio(0.75),
    "rulsif_1": RuLSIFRatio(1.0),
}
FORMS: tuple[Form, ...] = ("quotient", "published")


def train_regressors(
    dataset: PreparedDataset, regressors: Sequence[str], *, test_fraction: float, seed: int
) -> pd.DataFrame:
    """Fit regressors once on a fixed split, and predict its test part.

    Parameters
    ----------
    dataset
        A data set with a real label.
    regressors
        Names in `fairpairs.models.regressors.REGRESSORS`.
    test_fraction
        Share of each group that is tested.
    seed
        Root seed.

    Returns
    -------
    DataFrame
        A row for each regressor and test item: `regressor`, `item`, `prediction`, and `fitted`, the
        number of items that it was fitted on.
    """
    numbers, codes = numbers_and_codes(dataset.frame, dataset.kinds)
    x, y = np.hstack([numbers, *map(one_hot, codes)]), dataset.label.astype(np.float64)
    strata = dataset.sensitive @ (2 ** np.arange(len(dataset.attributes)))
    rng = stream(seed, "regressors", dataset.name)
    tested = stratified_split(strata, test_fraction, rng)
    own_seed = int(rng.integers(2**31))
    items = dataset.frame["item"].to_numpy()[tested]
    frames = []
    with threadpool_limits(limits=1):  # the number of threads may change the last bits
        for name in tqdm(regressors, desc=dataset.name, unit=" regressors"):
            predicted, fitted = fit_predict(name, x, y, tested, own_seed)
            frames.append(
                pd.DataFrame(
                    {"regressor": name, "item": items, "prediction": predicted, "fitted": fitted}
                )
            )
    return pd.concat(frames, ignore_index=True)


def measure_regressors(
    predictions: pd.DataFrame, dataset: PreparedDataset, *, caps: Sequence[float]
) -> pd.DataFrame:
    """Measure the fairness of the predictions of regressors, by every estimator.

    Parameters
    ----------
    predictions
        What `train_regressors` returned.
    dataset
        Their data set, whose first sensitive attribute is looked at.
    caps
        The largest probabilities that classifiers may state, besides no cap.

    Returns
    -------
    DataFrame
        A row for each regressor, estimator, form, cap (0 for none) and measure, with its `value`
        (NaN where there is none) and a `note`. Beside the ratios stand, with estimators of these
        names: `accuracy` (R²), `information` (I_ind, I_sep, I_suf, cross-fitted) and
        `comparative_separation` (the joint p-value on all pairs, balanced).
    """
    known = dataset.frame.set_index("item")
    attribute = f"sensitive_{dataset.attributes[0]}"
    rows: list[tuple[Any, ...]] = []
    with threadpool_limits(limits=1):
        for regressor, own in tqdm(
            predictions.groupby("regressor", sort=False), desc=dataset.name, unit=" regressors"
        ):
            y_true = known.loc[own["item"], "label"].to_numpy(dtype=np.float64)
            group = known.loc[own["item"], attribute].to_numpy(dtype=np.int64)
            y_pred = own["prediction"].to_numpy()
            y, score = standardised(y_true), standardised(y_pred)
            for name, estimator in {**STUDIED, **MATCHING}.items():
                of_form = FORMS if name in MATCHING and name != "lsif" else FORMS[:1]
                for form in of_form:
                    chosen, multiply = chosen_estimator(estimator, form)
                    measured = measured_with_caps(
                        y, score, group, chosen, caps=caps if name in CLASSIFIERS else (),
                        measures=MEASURES, multiply=multiply,
                    )  # fmt: skip
                    rows += [(regressor, name, form, *row) for row in measured]
            rows += [
                (regressor, estimator, "", 0.0, measure, value, "")
                for estimator, measure, value in _beside(y_true, y_pred, group)
            ]
    columns = ["regressor", "estimator", "form", "cap", "measure", "value", "note"]
    return pd.DataFrame(rows, columns=columns)


def _beside(
    y_true: Floats, y_pred: Floats, group: NDArray[np.int64]
) -> Iterator[tuple[str, str, float]]:
    """Yield what stands beside the ratios: estimator, measure and value."""
    yield "accuracy", "R²", float(1 - ((y_pred - y_true) ** 2).mean() / y_true.var())
    information = information_fairness(y_true, y_pred, sensitive_features=group, cross_fitted=True)
    for measure in MEASURES:
        yield "information", measure, float(getattr(information, measure))
    result = comparative_separation_test(y_true, y_pred, sensitive_features=group)
    if result.joint is not None:
        yield "comparative_separation", "p", float(result.joint.pvalue)
    for hypothesis, gap in zip(result.hypotheses, result.difference.estimate, strict=True):
        yield "comparative_separation", hypothesis, float(gap)
