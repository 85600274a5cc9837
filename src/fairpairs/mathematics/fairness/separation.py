"""Separation (equalized odds) of binary predictions: C ⟂ A | Y.

Everything is computed from the counts of the eight cells (A, Y, C): arrays whose last three axes
are the group a, the label y and the prediction c, each 0 or 1.

Reference: Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.3.1, equations (11) to
(15).
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.arguments.hypotheses import group_pair_hypotheses
from fairpairs.mathematics.arguments.read import read_sample
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.inference.contrasts.binomial import (
    binomial_contrasts,
    binomial_differences,
)
from fairpairs.mathematics.inference.proportions import (
    FEW_EVENTS,
    compared_counts,
    few_events,
    wald_difference,
)
from fairpairs.mathematics.inference.results import Correction, FairnessTestResult
from fairpairs.mathematics.inference.sampling.estimates import gap_tests, mean_gaps

Method = Literal["auto", "wald"]

#: The hypotheses: equal true positive rates, equal false positive rates.
TEMPLATES = "TPR(A={b}) = TPR(A={a})", "FPR(A={b}) = FPR(A={a})"


@dataclass(frozen=True)
class SeparationResult(FairnessTestResult):
    """The result of `separation_test` on K groups.

    Attributes
    ----------
    counts
        Items in each cell (group, label, prediction), shape (K, 2, 2), not weighted.
    tpr, fpr
        Rates of each group, by their weights, shape (K,), NaN where a group has no such label.
    """

    name: ClassVar[str] = "separation test"
    counts: Integers
    tpr: Floats
    fpr: Floats


def separation_test(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    alpha: float = 0.05,
    correction: Correction = "holm",
    method: Method = "auto",
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_kind: WeightKind = "sampling",
) -> SeparationResult:
    """Test whether the true and the false positive rate are the same in all groups.

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, 0 or 1, shape (n,).
    sensitive_features
        Group of each item, values of any kind, shape (n,); or several attributes, shape
        (n, columns), whose combinations are the groups. Every two groups are compared.
    alpha
        Level.
    correction
        "none" (the paper: a family-wise error of 0.0975 at 0.05 for two groups), "holm" or
        "sidak", over all hypotheses that could be tested.
    method
        "auto": the score test and its interval, as in `audit`, both exact where fewer than 400
        positive or negative predictions of a cell are expected. "wald": the paper's z and interval,
        which reject far too often in small cells and with few events
        (docs/explanation/calibration.md).
    clusters, sample_weight, weight_kind
        Cluster and weight of each item, and what weights mean, as in `audit`. Except for
        frequencies alone, which are repeated rows, the test and the interval are by the score
        statistic with Student's t, and variances from the sums over clusters; "wald" takes none.

    Returns
    -------
    SeparationResult
        Two hypotheses for each two groups a < b, whose estimates are the rates of b minus those of
        a. `note` reports an expected count below 10, without a `statistic`, and a cell below 30;
        with "wald" also 5 or fewer positive or negative predictions in a cell.

    Raises
    ------
    InputError
        When the arrays differ in length, hold a missing value or another value than 0 and 1, when
        there is one group or one cluster only, when a weight is negative, or a frequency no whole
        number, when an option is unknown, and when "wald" is asked for clusters or weights.

    References
    ----------
    Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.3.1.

    Examples
    --------
    >>> y_true = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    >>> y_pred = [1, 1, 0, 1, 0, 0, 0, 1, 0, 1]
    >>> sex = ["m", "m", "m", "f", "f", "f", "m", "m", "f", "f"]
    >>> result = separation_test(y_true, y_pred, sensitive_features=sex)
    >>> result.to_frame()[["hypothesis", "estimate", "pvalue"]].round(2)
                hypothesis  estimate  pvalue
    0  TPR(A=m) = TPR(A=f)      0.33     1.0
    1  FPR(A=m) = FPR(A=f)      0.00     1.0
    >>> result.to_frame()["note"][0]
    'an expected count below 10: exact test; a cell below 30'
    """
    labels = inputs.binary(y_true, "y_true")
    predictions = inputs.binary(y_pred, "y_pred")
    group, names = inputs.groups(sensitive_features)
    items: Record = {"y_true": y_true, "y_pred": y_pred, "sensitive_features": sensitive_features}
    sample = read_sample(clusters, sample_weight, weight_kind, **items)
    inputs.level(alpha)
    inputs.one_of(method, "method", get_args(Method))
    labels, predictions = sample.take(labels), sample.take(predictions)
    group, names = sample.groups(group, names)
    k = len(names)
    cell = 4 * group + 2 * labels + predictions
    counts = np.bincount(cell, minlength=4 * k).reshape(k, 2, 2)
    shares: Floats | Integers = counts
    if sample.design is not None:
        if method == "wald":
            raise InputError(
                "method='wald' takes items to be independent and of equal weight: take 'auto' with "
                "clusters or weights."
            )
        shares = np.bincount(cell, sample.design.weights, minlength=4 * k).reshape(k, 2, 2)
        cells = 2 * np.arange(k)[:, None] + np.array([1, 0])  # label 1 (TPR) first, then 0 (FPR)
        gaps = mean_gaps(predictions.astype(float), cell // 2, cells, sample.design)
        difference, contrasts = gap_tests(gaps, sample.design, alpha=alpha)
    else:
        pairs = counts[np.array(list(combinations(range(k), 2)))]
        compared = [array.ravel() for array in compared_counts(pairs)]
        if method == "auto":
            difference, contrasts = binomial_differences(*compared, alpha=alpha)
        else:
            contrasts = binomial_contrasts(*compared)
            difference = wald_difference(*compared, alpha=alpha)
            few = few_events(*compared) & (difference.reason == "")
            few &= difference.smallest_cell >= SMALL_CELL
            difference = replace(difference, reason=np.where(few, FEW_EVENTS, difference.reason))
    with np.errstate(invalid="ignore"):
        rates = shares[:, :, 1] / shares.sum(axis=-1)
    return SeparationResult(
        hypotheses=group_pair_hypotheses(names, TEMPLATES),
        difference=difference,
        alpha=alpha,
        correction=correction,
        groups=names,
        counts=counts,
        tpr=rates[:, 1],
        fpr=rates[:, 0],
        contrasts=contrasts,
    )
