"""Separation of regressions whose dependence on the group is known, measured and tested.

The label of group a is N(a / 2, 1), the prediction is the label plus gap · a plus noise of standard
deviation 1 in group 0 and `noise` in group 1. Given the label, predictions of the groups are thus
N(y, 1) and N(y + gap, noise²), and separation, the mean ratio of their densities over as many items
of both groups, is (1 + exp(gap² / (2 − noise²)) / (noise · sqrt(2 − noise²))) / 2.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.mathematics.density_ratio.measures import (
    mean_ratios,
    permuted_mean_ratios,
    standardised,
)
from fairpairs.mathematics.estimates.cell_measures import shuffling_pvalue
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.mathematics.fairness.separation import separation_permutation_test
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.ratio_estimators.estimators import ESTIMATORS
from fairpairs.papers.studies.density_ratio.measured import measured
from fairpairs.papers.studies.density_ratio.synthetic import MATCHING, STUDIED, in_form

#: Difference of the groups' labels, in standard deviations: base rates differ in practice.
LABEL_GAP = 0.5
#: Estimators of the first repeats only, because they choose their settings by cross-validation.
TUNED = {"kernel_gaussian_tuned": ESTIMATORS["kernel_gaussian"]}
#: The estimator of the permutation test of the ratio, and what is measured.
TESTED, OF = "logistic", ("separation",)


def true_separation(gap: float, noise: float) -> float:
    """Return the mean ratio of the design, infinite if noise² is 2 or more."""
    if noise**2 >= 2:
        return float("inf")
    ratio_1 = np.exp(gap**2 / (2 - noise**2)) / (noise * np.sqrt(2 - noise**2))
    return float((1 + ratio_1) / 2)


def regression_data(
    gap: float, noise: float, n: int, rng: np.random.Generator
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Draw labels, predictions and groups, each of shape (n,), half in each group."""
    group = np.arange(n) % 2
    y_true = rng.normal(size=n) + LABEL_GAP * group
    y_pred = y_true + gap * group + np.where(group == 1, noise, 1) * rng.normal(size=n)
    return y_true, y_pred, group


def known_separation_study(settings: Content, *, repeats: Sequence[int], seed: int) -> pd.DataFrame:
    """Measure and test separation of data whose truth is known, by repeat, design and estimator.

    Slow estimators are measured in the first `matching_repeats` repeats. The tests are those of
    `TESTED` (permutation), of I_sep (permutation) and of comparative separation (joint, all pairs,
    balanced); a value or p-value that does not exist is NaN.
    """
    rows: list[tuple[Any, ...]] = []
    with threadpool_limits(limits=1):  # the number of threads may change the last bits
        for repeat in repeats:
            rng = stream(seed, "known separation", repeat)
            for design in settings["designs"]:
                gap, noise = design["gap"], design["noise"]
                data = regression_data(gap, noise, settings["items"], rng)
                key = (repeat, gap, noise, true_separation(gap, noise))
                slow = repeat < settings["matching_repeats"]
                found = _rows(*data, slow, settings["permutations"], rng)
                rows += [(*key, *row) for row in found]
    columns = ["repeat", "gap", "noise", "truth", "estimator", "value", "pvalue", "note"]
    return pd.DataFrame(rows, columns=columns)


def _rows(
    y_true: Floats,
    y_pred: Floats,
    group: NDArray[np.int64],
    slow: bool,
    permutations: int,
    rng: Any,
) -> Iterator[tuple[str, float, float, str]]:
    """Yield estimator or test, value, p-value (NaN without a test) and note."""
    y, score = standardised(y_true), standardised(y_pred)
    estimators = {name: estimator for name, estimator in STUDIED.items() if name != TESTED}
    if slow:
        estimators |= {**TUNED, **MATCHING}
    rows = measured(y, score, group, estimators, measures=OF)
    for name, form, _, _, value, note in rows:
        yield in_form(name, form), value, np.nan, note
    data: Any = (y, score, group, STUDIED[TESTED])
    try:
        value = float(mean_ratios(*data, measures=OF)[0])
        shuffled = permuted_mean_ratios(*data, size=permutations, rng=rng, measures=OF)
        yield TESTED, value, shuffling_pvalue(value, shuffled[:, 0]), ""
    except InputError as error:
        yield TESTED, np.nan, np.nan, str(error)
    options: Any = {"statistic": "information_separation", "n_permutations": permutations}
    information = separation_permutation_test(
        y_true, y_pred, sensitive_features=group, random_state=rng, **options
    )
    yield "information", float(information.statistic[0]), information.pvalue, ""
    comparative = comparative_separation_test(y_true, y_pred, sensitive_features=group)
    joint = comparative.joint
    gap = float(np.abs(comparative.difference.estimate).max())
    yield "comparative_separation", gap, np.nan if joint is None else float(joint.pvalue), ""
