"""Comparative separation on comparative judgments alone, without labels."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.comparative import (
    ComparativeSeparationResult,
    build_result,
    check_whole_ties,
    checked_positions,
)
from fairpairs.fairness.pairs.given import given_pairs, orient_pairs
from fairpairs.fairness.pairs.rates import Ties, check_ties
from fairpairs.fairness.results import Correction


def comparative_separation_from_judgments(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    variance: Literal["auto", "dyadic", "binomial"] = "auto",
    ties: Ties = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> ComparativeSeparationResult:
    """Test comparative separation from comparative judgments alone; no item needs a label.

    Judgments may share items, may recur, and repeated ones may contradict each other. Without
    labels, a model that treats groups differently cannot be distinguished from groups whose labels
    are distributed differently, unless labels are binary: see docs/calibration.md.

    Wrong judgments make violations where the groups have other base rates, even if the mistakes and
    the scores favour no group: with rates of 0.5 and 0.3 and 10 % of 3,000 judgments wrong, fair
    scores are reported as a violation in 0.35 of the data sets (docs/judgments.md). To conclude
    that separation is violated, judgments must be right or base rates equal.

    Judgments of one judge count as independent. With few judges, each with a different bias, the
    test rejects too often: at the level 0.05 in 0.09 with 5 judges, in 0.07 with 10
    (docs/judgments.md).

    Items must be independent: clusters of one group make it reject too often. docs/questions.md
    lists the tests that take clusters.

    Parameters
    ----------
    left, right
        Positions of the two items of each judgment, shape (m,).
    outcome
        +1 where the left item has the higher label, −1 where the right one has. 0, a tie, is no
        judgment and is left out, as is an item against itself.
    y_score
        Prediction or score of each item, shape (n,).
    sensitive_features
        Group of each item, shape (n,) or (n, columns).
    variance
        "dyadic" ("auto"): judgments that share an item are correlated. "binomial": equation (20).
    ties, alpha, correction
        As in `comparative_separation_test`.

    Returns
    -------
    ComparativeSeparationResult

    Raises
    ------
    InputError
        When the arrays do not go together, hold a missing value or another outcome, when a
        position is none of an item, when no judgment is left, or when there is one group only.

    Examples
    --------
    >>> result = comparative_separation_from_judgments(
    ...     [0, 2, 1], [1, 3, 2], [1, -1, 1], [3.0, 1.0, 0.5, 2.0],
    ...     sensitive_features=["a", "b", "a", "b"],
    ... )
    >>> result.right.tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    scores = inputs.numeric(y_score, "y_score")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(y_score=y_score, sensitive_features=sensitive_features)
    inputs.level(alpha)
    check_ties(ties)
    inputs.one_of(variance, "variance", ("auto", "dyadic", "binomial"))
    check_whole_ties(ties, variance)
    one, two = inputs.one_dimensional(left, "left"), inputs.one_dimensional(right, "right")
    signs = inputs.numeric(outcome, "outcome")
    inputs.same_items(left=left, right=right, outcome=outcome)
    other = signs[~np.isin(signs, [-1, 0, 1])]
    if other.size:
        raise InputError(
            f"outcome must be 1 (left is higher), -1 (right is higher) or 0 (a tie); it holds "
            f"{other[0]:g}."
        )
    both = np.column_stack(
        [checked_positions(side, len(scores), "left and right") for side in (one, two)]
    )
    if not ((signs != 0) & (both[:, 0] != both[:, 1])).any():
        raise InputError("outcome holds ties only: give at least one judgment of two items.")
    kind = "binomial" if variance == "binomial" else "dyadic"
    winner, loser, hit = orient_pairs(signs, scores, both[:, 0], both[:, 1], ties=ties)
    rates = given_pairs(winner, loser, hit, group, len(names))
    return build_result(rates, names, kind, balanced=False, alpha=alpha, correction=correction)
