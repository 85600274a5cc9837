"""Separation (equalized odds), C ⟂ A | Y: of binary predictions by counts, of any by shuffles.

Binary predictions are tested from the counts of the eight cells (A, Y, C): arrays whose last three
axes are the group a, the label y and the prediction c, each 0 or 1. Shuffling the groups within
strata of the label leaves the distribution of any statistic as it is under separation.

Reference: Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.3.1, equations (11) to
(15).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError, shown
from fairpairs.base.guesses import understood
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.arguments.read import group_pair_hypotheses, read_sample
from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.estimates.pairs.all_pairs import sums_over_labels, sums_over_pairs
from fairpairs.mathematics.estimates.pairs.rates import Ties, check_ties
from fairpairs.mathematics.fairness.information import information_separation_of_groups
from fairpairs.mathematics.inference.conditional_shuffles import (
    HARDLY_OVERLAP,
    differ_within,
    hardly_overlap,
    shuffles_within,
)
from fairpairs.mathematics.inference.contrasts.binomial import (
    binomial_contrasts,
    binomial_differences,
)
from fairpairs.mathematics.inference.gaps import gap_cells
from fairpairs.mathematics.inference.permutation import (
    PermutationResult,
    Statistic,
    run_permutation_test,
)
from fairpairs.mathematics.inference.rates import (
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


@understood
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
                "method='wald' takes rows to be independent and of equal weight: take 'auto' with "
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


@understood
def separation_permutation_test(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    statistic: Literal["comparative_separation", "rates", "information_separation"]
    | Statistic = "comparative_separation",
    ties: Ties = "wrong",
    n_permutations: int = 999,
    alpha: float = 0.05,
    random_state: int | np.random.Generator | None = None,
    clusters: ArrayLike | None = None,
) -> PermutationResult:
    """Test separation, for any kind of label, by shuffling the groups among items of like labels.

    These are the items of one level of the label, which are exchangeable under separation: the test
    is exact. Or bins of ten items where fewer than three share a level; up to 2,000 items are then
    shuffled by the chances of the groups given the label, which makes the test approximate.

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions or scores, binary or real, shape (n,).
    sensitive_features
        Group of each item, values of any kind, shape (n,) or (n, columns).
    statistic
        "comparative_separation": the gaps TPR(b, a) − TPR(a, b) and TPR(b, b) − TPR(a, a) over all
        pairs. "rates": gaps of the mean prediction among items of each label, which for binary
        labels and predictions are those of TPR and FPR. "information_separation": I_sep. Or a
        function of groups, coded 0, 1, …, of shape (b, n), as in `permutation_test`.
    ties
        For "comparative_separation": "wrong" or "half".
    n_permutations, alpha, random_state
        As in `permutation_test`.
    clusters
        As in `permutation_test`, with labels as strata: the test is exact however much the items of
        a cluster depend on each other. Where one cluster in ten has none of another group with as
        many items of each label, those of like size (between powers of two) and mean label are
        shuffled, as `note` reports.

    Returns
    -------
    PermutationResult

    Raises
    ------
    InputError
        As `permutation_test`, and when a statistic is not known or is for two groups only.

    Examples
    --------
    >>> points = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    >>> predicted = [1.1, 1.2, 1.6, 1.7, 2.1, 2.0, 2.7, 2.6, 3.2, 3.1, 3.9, 3.8]
    >>> team = ["a", "a", "b", "b"] * 3
    >>> result = separation_permutation_test(
    ...     points, predicted, sensitive_features=team, random_state=1, statistic="rates"
    ... )
    >>> result.pvalue < 0.05
    True
    """
    uses_moments = isinstance(statistic, str) and statistic != "comparative_separation"
    check = inputs.moderate if uses_moments else inputs.numeric
    labels, predictions = check(y_true, "y_true"), check(y_pred, "y_pred")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features)
    k = len(names)
    strata = label_strata(labels)
    known: dict[str, Callable[[], Statistic]] = {
        "comparative_separation": lambda: gap_statistic(labels, predictions, k, ties),
        "rates": lambda: rate_statistic(labels, predictions, k),
        "information_separation": lambda: partial(
            information_separation_of_groups, labels, predictions
        ),
    }
    if not callable(statistic) and not (isinstance(statistic, str) and statistic in known):
        raise InputError(
            f"statistic must be a function or one of {', '.join(known)}; it is {shown(statistic)}."
        )
    one_sided = statistic == "information_separation"  # it is 0 under separation, else more
    if one_sided and k != 2:
        raise InputError(f"information_separation is for two groups; there are {k}.")
    by_chances = differ_within(labels, strata)
    result = run_permutation_test(
        statistic if callable(statistic) else known[statistic](),
        group,
        strata=strata,
        n_permutations=n_permutations,
        alternative="greater" if one_sided else "two-sided",
        alpha=alpha,
        rng=inputs.generator(random_state),
        clusters=clusters,
        labels=labels,
        shuffles=shuffles_within,
        doubt=HARDLY_OVERLAP if by_chances and hardly_overlap(labels, group) else "",
    )
    return replace(result, hypothesis="C ⟂ A | Y")


def gap_statistic(y_true: Floats, y_score: Floats, k: int, ties: Ties = "wrong") -> Statistic:
    """Return the function of groups (b, n) that computes all gaps of comparative separation."""
    check_ties(ties)
    first, second = gap_cells(k)

    def gaps(groups: Integers) -> Floats:
        member = (np.arange(k)[:, None, None] == groups).astype(float)
        many = member.reshape(-1, 1, len(y_true))
        beaten, _ = sums_over_pairs(y_true[None], y_score[None], many, ties=ties)
        lower, _ = sums_over_labels(y_true[None], many)
        right, usable = (
            np.einsum("abn,cbn->bac", member, total.reshape(member.shape))
            for total in (beaten, lower)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            rate = (right / usable).reshape(len(groups), k * k)
        return np.asarray(rate[:, first] - rate[:, second])

    return gaps


def rate_statistic(y_true: Floats, y_pred: Floats, k: int) -> Statistic:
    """Return the function of groups (b, n) that computes the gaps of the means in each label."""
    levels = np.unique(y_true)
    if len(levels) > len(y_true) / 2:
        raise InputError(
            "y_true is continuous, so no two rows share a label: take the statistic "
            "'comparative_separation' or 'information_separation'."
        )

    def gaps(groups: Integers) -> Floats:
        columns = []
        for level in levels:
            groups_of_level, value = groups[:, y_true == level], y_pred[y_true == level]
            members = [groups_of_level == g for g in range(k)]
            with np.errstate(invalid="ignore", divide="ignore"):
                means = [(m @ value) / m.sum(axis=1) for m in members]
            # shuffles leave an empty cell empty
            present = [mean for mean in means if np.isfinite(mean).all()]
            columns += [mean - present[0] for mean in present[1:]]
        if not columns:
            raise InputError("No label has rows of two groups, so there is no gap to compute.")
        return np.stack(columns, axis=1)

    return gaps
