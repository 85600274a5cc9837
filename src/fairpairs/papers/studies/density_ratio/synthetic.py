"""The synthetic study of density-ratio measures: how they depend on their estimator."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Content
from fairpairs.mathematics.density_ratio.logistic import DensityRatioEstimator
from fairpairs.mathematics.density_ratio.measures import standardised
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.ratio_estimators.estimators import ESTIMATORS
from fairpairs.papers.ratio_estimators.kernel_logistic import KernelLogisticRatio
from fairpairs.papers.ratio_estimators.least_squares import LSIFRatio, RuLSIFRatio
from fairpairs.papers.studies.density_ratio.measured import Form, forms_of, measured

KERNEL_CLASSIFIERS = {
    "kernel_gaussian": KernelLogisticRatio("gaussian", width=1.0, strength=1.0),
    "kernel_polynomial": KernelLogisticRatio("polynomial", strength=1.0),
}
#: The estimators of the paper's synthetic tables; it does not state widths and penalties.
STUDIED: dict[str, DensityRatioEstimator] = {
    "logistic": ESTIMATORS["logistic"],
    "ridge": ESTIMATORS["ridge"],
    "lasso": ESTIMATORS["lasso"],
    **KERNEL_CLASSIFIERS,
}
#: Kernel classifiers with the defaults of the R package KLR, which the paper cites, but for the
#: penalty: exp(−|x − x'|²) and (1 + x·x')³, and no intercept.
AS_PUBLISHED: dict[str, KernelLogisticRatio] = {
    "kernel_gaussian_published": KernelLogisticRatio("gaussian", width=0.5**0.5, intercept=False),
    "kernel_polynomial_published": KernelLogisticRatio("polynomial", intercept=False),
}
#: The package's penalty on the mean loss.
PUBLISHED_PENALTY = 0.01
#: Estimators that match ratios; LSIF solves a programme for each grid point, so its grid is small.
MATCHING: dict[str, DensityRatioEstimator] = {
    "lsif": LSIFRatio(centres=50, widths=(0.3, 1.0, 3.0), penalties=(0.001, 0.01, 0.1)),
    "ulsif": RuLSIFRatio(0.0),
    "rulsif_0.25": RuLSIFRatio(0.25),
    "rulsif_0.5": RuLSIFRatio(0.5),
    "rulsif_0.75": RuLSIFRatio(0.75),
    "rulsif_1": RuLSIFRatio(1.0),
}
#: What is measured on synthetic data.
MEASURED = ("independence", "separation")
#: Names of the true values of independence: of the population, and the mean of the exact ratios.
TRUTHS = ("population", "sample")


def as_published(items: int) -> dict[str, KernelLogisticRatio]:
    """Return `AS_PUBLISHED` with the package's penalty on the mean loss over `items`."""
    strength = PUBLISHED_PENALTY * items
    return {name: replace(kernel, strength=strength) for name, kernel in AS_PUBLISHED.items()}


def synthetic_data(
    mean: float, n: int, unprivileged: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Draw labels N(0, 1), predictions N(mean, 1) in group 1 and N(0, 1) in group 0, and groups.

    Half of the n items are in each group, group 1 (the privileged one) first. Predictions of group
    0 are given: the public generator draws them once for all means.
    """
    y_pred = np.concatenate([rng.normal(mean, 1, n - len(unprivileged)), unprivileged])
    group = np.repeat([1, 0], [n - len(unprivileged), len(unprivileged)])
    return rng.normal(size=n), y_pred, group


def synthetic_sets(
    settings: Content, *, repeat: int, seed: int
) -> dict[float, tuple[Floats, Floats, NDArray[np.int64]]]:
    """Return the data sets of one repeat by the mean of group 1 (see `synthetic_data`).

    The repeat's unprivileged predictions are the same for all means.
    """
    rng, n = stream(seed, "density ratio", repeat), settings["items"]
    unprivileged = rng.normal(size=n // 2)
    return {mean: synthetic_data(mean, n, unprivileged, rng) for mean in settings["means"]}


def true_independence(mean: float, y_pred: Floats) -> dict[str, float]:
    """Return the independence of predictions N(mean, 1) and N(0, 1), half and half.

    That of the population is (1 + exp(mean²)) / 2; that of the sample is the mean of its exact
    ratios.
    """
    exact = np.exp(mean * y_pred - mean**2 / 2)
    return {"population": (1 + np.exp(mean**2)) / 2, "sample": float(exact.mean())}


def synthetic_study(settings: Content, *, repeats: Sequence[int], seed: int) -> pd.DataFrame:
    """Measure the fairness of synthetic data sets by several estimators and caps.

    A value is NaN if the estimator has none. The estimators `population` and `sample` are the true
    values of independence. Kernel classifiers and estimators that match ratios (in the first
    `matching_repeats` repeats only) are measured in the published form too, as `<name>_published`.
    """
    rows: list[tuple[Any, ...]] = []
    with threadpool_limits(limits=1):  # the number of threads may change the last bits
        for repeat in repeats:
            sets = synthetic_sets(settings, repeat=repeat, seed=seed)
            for mean, (y_true, y_pred, group) in sets.items():
                truths = true_independence(mean, y_pred)
                rows += [(repeat, mean, n, 0.0, "independence", truths[n], "") for n in TRUTHS]
                y, score = standardised(y_true), standardised(y_pred)
                matching = MATCHING if repeat < settings["matching_repeats"] else {}
                estimators = {**STUDIED, **as_published(len(y)), **matching}
                options: Any = {"measures": MEASURED, "caps": settings["caps"]}
                ratios = measured(y, score, group, estimators, **options)
                rows += [(repeat, mean, in_form(name, form), *row) for name, form, *row in ratios]
    columns = ["repeat", "mean", "estimator", "cap", "measure", "value", "note"]
    return pd.DataFrame(rows, columns=columns).astype({"cap": float, "mean": float})


def matching_forms() -> list[tuple[str, Form]]:
    """Return each estimator that matches ratios, with its forms."""
    return [(name, form) for name, estimator in MATCHING.items() for form in forms_of(estimator)]


def in_form(name: str, form: Form) -> str:
    """Return the name of an estimator in a form."""
    return name if form == "quotient" else f"{name}_{form}"
