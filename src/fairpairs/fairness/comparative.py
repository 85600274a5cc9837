"""Comparative separation, C_ij ⟂ A_ij | Y_ij, tested on pairs of items.

References
----------
Xi, Capak, Stockwell and Yu, *Comparative Separation*, sections 3.1 and 3.3.2, equations (2),
(3) and (16) to (22).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.pairs import PairCounts, count_pairs, draw_pair_counts
from fairpairs.fairness.proportions import Floats, ProportionDifference, wald_difference
from fairpairs.fairness.results import Correction, FairnessTestResult
from fairpairs.fairness.separation import cell_counts

#: Across groups, within groups: equations (21) and (22).
HYPOTHESES = ("H0c", "H0w")


@dataclass(frozen=True)
class ComparativeSeparationResult(FairnessTestResult):
    """The result of `comparative_separation_test`.

    Attributes
    ----------
    groups
        The values of the sensitive attribute: group 0, group 1.
    usable, right
        Pairs with different labels, and those that are ranked right, in each cell (group of the
        higher label, group of the lower), shape (2, 2).
    tpr
        TPR(a, b) of equation (16), shape (2, 2), NaN where a cell has no pair.
    """

    groups: tuple[Any, Any]
    usable: NDArray[np.int64]
    right: NDArray[np.int64]
    tpr: Floats


def comparative_separation_from_counts(
    pairs: PairCounts, *, alpha: float = 0.05
) -> ProportionDifference:
    """Test H0c and H0w, equations (21) and (22), on any number of tables of counts.

    The variance is the binomial one of equation (20), which treats the pairs as independent.

    Parameters
    ----------
    pairs
        Counts of shape (..., 2, 2).
    alpha
        The intervals cover 1 − alpha.

    Returns
    -------
    ProportionDifference
        Fields of shape (..., 2): first TPR(1,0) − TPR(0,1), then TPR(1,1) − TPR(0,0).
    """
    first, second = ([1, 1], [0, 1]), ([0, 0], [1, 0])  # cells (1,0), (1,1) less (0,1), (0,0)
    return wald_difference(
        pairs.right[..., *first], pairs.usable[..., *first],
        pairs.right[..., *second], pairs.usable[..., *second],
        alpha=alpha,
    )  # fmt: skip


def comparative_separation_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    pairs: int | ArrayLike,
    variance: Literal["binomial"] = "binomial",
    alpha: float = 0.05,
    correction: Correction = "holm",
    random_state: int | np.random.Generator | None = None,
) -> ComparativeSeparationResult:
    """Test whether items of two groups are ranked equally well against one another.

    Parameters
    ----------
    y_true, y_score
        Labels and predictions or scores, shape (n,): binary or real. A pair counts when its
        labels differ; it is right when the scores differ in the same direction. For labels that
        are not binary, separation does not imply comparative separation unless the label is
        independent of the group: a model that satisfies separation may be found to violate this.
    sensitive_features
        Group of each item: two different values of any kind, shape (n,).
    pairs
        The number of pairs to draw, both members with replacement from the n items (the paper
        draws 2n for binary labels), or the pairs themselves: positions of items, shape (m, 2).
    variance
        "binomial": equation (20), as if no two pairs shared an item. When pairs are drawn from
        few items, the test then rejects more often than `alpha` says.
    alpha
        Level.
    correction
        "none" (the paper), "holm" or "sidak".
    random_state
        Seed or generator for the draw.

    Returns
    -------
    ComparativeSeparationResult

    Raises
    ------
    InputError
        When the arrays differ in length or hold a missing value, when there are not exactly two
        groups, or when `pairs` is neither a number of pairs nor positions of items.

    References
    ----------
    Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.3.2.
    """
    labels = inputs.numeric(y_true, "y_true")
    scores = inputs.numeric(y_score, "y_score")
    group, names = inputs.two_groups(sensitive_features)
    inputs.same_length(y_true=labels, y_score=scores, sensitive_features=group)
    inputs.level(alpha)
    if variance != "binomial":
        raise InputError(f"variance must be 'binomial'; it is {variance!r}.")
    counts = _counts(labels, scores, group, pairs, np.random.default_rng(random_state))
    with np.errstate(invalid="ignore"):
        tpr = counts.right / counts.usable
    return ComparativeSeparationResult(
        hypotheses=(
            f"TPR({names[1]},{names[0]}) = TPR({names[0]},{names[1]})",
            f"TPR({names[1]},{names[1]}) = TPR({names[0]},{names[0]})",
        ),
        difference=comparative_separation_from_counts(counts, alpha=alpha),
        alpha=alpha,
        correction=correction,
        groups=names,
        usable=counts.usable,
        right=counts.right,
        tpr=tpr,
    )


def _counts(
    labels: Floats,
    scores: Floats,
    group: NDArray[np.int64],
    pairs: int | ArrayLike,
    rng: np.random.Generator,
) -> PairCounts:
    if isinstance(pairs, int | np.integer) and not isinstance(pairs, bool):
        if pairs < 1:
            raise InputError(f"pairs must be at least 1; it is {pairs}.")
        if np.isin(labels, [0, 1]).all() and np.isin(scores, [0, 1]).all():
            cells = cell_counts(labels.astype(int), scores.astype(int), group)[0]
            return draw_pair_counts(cells / len(labels), int(pairs), rng)
        drawn = rng.integers(len(labels), size=(2, int(pairs)))
        return count_pairs(labels, scores, group, drawn[0], drawn[1])
    positions = np.asarray(pairs)
    if positions.ndim != 2 or positions.shape[1] != 2 or positions.dtype.kind not in "iu":
        raise InputError(
            "pairs must be a number of pairs or an integer array of shape (m, 2) of positions of "
            f"items; it is {pairs!r}."
        )
    if positions.size and not (positions.min() >= 0 and positions.max() < len(labels)):
        raise InputError(f"pairs holds a position outside 0 to {len(labels) - 1}.")
    return count_pairs(labels, scores, group, positions[:, 0], positions[:, 1])
