"""Comparative separation, C_ij ⟂ A_ij | Y_ij: on all pairs, on drawn pairs, on given judgments.

TPR(a, b) is the chance that an item of group a is ranked above one of group b when its label is
the higher one; on scores it is xAUC(a, b). Comparative separation asks all of them to be equal.

References: Xi, Capak, Stockwell and Yu, *Comparative Separation*, sections 3.1 and 3.3.2, equations
(2), (3) and (16) to (22). What differs from them, and why, is in
docs/explanation/comparative-separation.md.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError, shown
from fairpairs.base.guesses import understood
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.arguments.read import ONE_LABEL, read_sample
from fairpairs.mathematics.estimates.pairs.all_pairs import (
    all_pairs,
    balanced_given_pairs,
    balanced_pairs,
)
from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs, verdicts
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.fairness.comparative_result import (
    ComparativeSeparationResult,
    build_result,
    sampled_result,
    three_outcomes,
)
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.inference.sampling.comparative import LabelledItems

Variance = Literal["auto", "ustatistic", "dyadic", "binomial"]

#: What a tie of the scores counts as: wrong, half right, or an outcome of its own (Definition 3.1).
TernaryTies = Literal["wrong", "half", "outcome"]

#: The error message for any other `pairs`.
PAIRS = (
    "pairs must be 'all', a number of pairs or an integer array of shape (m, 2) of positions of "
    "rows"
)


@understood
def comparative_separation_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    pairs: Literal["all"] | int | ArrayLike = "all",
    variance: Variance = "auto",
    balance_labels: Literal["auto"] | bool = "auto",
    ties: TernaryTies = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
    random_state: int | np.random.Generator | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_kind: WeightKind = "sampling",
) -> ComparativeSeparationResult:
    """Test whether items of all groups are ranked equally well against one another.

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    y_true, y_score
        Labels and predictions or scores, shape (n,): binary or real. A pair counts when its
        labels differ; it is right when the scores differ in the same direction.
    sensitive_features
        As for `separation_test`.
    pairs
        "all" pairs of items; or the number of pairs to draw, both members with replacement from
        the n items (the paper draws 2n for binary labels); or the pairs themselves: positions of
        items, shape (m, 2).
    variance
        "ustatistic" (all pairs) or "dyadic" (drawn or given pairs) take into account that pairs
        share items. "binomial" (drawn or given pairs) is equation (20), as if no two pairs shared
        one: on pairs from few items its level is far above `alpha`. "auto" is "ustatistic" for all
        pairs, else "dyadic".
    balance_labels
        For labels that are not binary, separation does not imply comparative separation unless
        the groups' labels are distributed alike. True weighs the items so that they are: for a gap
        those of its two groups, for the table of rates and the joint test those of all groups.
        False tests the hypotheses of the paper; "auto" is True unless the variance is binomial. No
        effect on binary labels.
    ties
        Whether a tie of the scores counts as "wrong" (equation 16), as "half", or is an "outcome"
        of its own, as in Definition 3.1: the shares of concordant, of tied and of discordant pairs
        must not depend on the groups. Concordant and discordant pairs are then tested alike, as
        twice as many hypotheses, and the joint test is Bonferroni's of both.
    alpha
        Level.
    correction
        "none" (the paper: a family-wise error of up to 0.0975 at 0.05), "holm" or "sidak". For a
        single decision see also the `joint` test of the result.
    random_state
        Seed or generator for the draw.
    clusters, sample_weight, weight_kind
        Cluster and weight of each item, and what weights mean, as in `audit`; for all pairs only,
        and real labels are balanced. Except for frequencies alone, which are repeated rows,
        variances are Obuchowski's, from the sums over clusters, and pairs count by their weights.

    Returns
    -------
    ComparativeSeparationResult

    Raises
    ------
    InputError
        As for `separation_test`, but for labels and scores of any numbers; when `pairs` is no
        number of pairs nor positions of rows, and when `variance`, clusters or weights do not go
        with `pairs`.

    References
    ----------
    Xi, Capak, Stockwell and Yu, *Comparative Separation*, Definition 3.1 and section 3.3.2;
    docs/explanation/comparative-separation.md.

    Examples
    --------
    >>> y_true = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.2, 0.3, 0.1, 0.5, 0.4, 0.25]
    >>> sex = ["m", "m", "m", "f", "f", "f", "m", "m", "f", "f"]
    >>> result = comparative_separation_test(y_true, y_score, sensitive_features=sex)
    >>> result.to_frame()[["hypothesis", "estimate", "note"]].round(2)
                hypothesis  estimate             note
    0  TPR(m,f) = TPR(f,m)      0.33  a cell below 30
    1  TPR(m,m) = TPR(f,f)      0.50  a cell below 30

    A model that predicts 1 for everyone with label 0 has no concordant pair, whatever its rates of
    true positives; as outcomes, its ties show that these differ:

    >>> y_true = [1, 0] * 40
    >>> y_pred = [1] * 40 + [0, 1] * 20
    >>> sex = ["m"] * 40 + ["f"] * 40
    >>> comparative_separation_test(y_true, y_pred, sensitive_features=sex).violated
    False
    >>> result = comparative_separation_test(
    ...     y_true, y_pred, sensitive_features=sex, ties="outcome"
    ... )
    >>> result.violated
    True
    >>> result.rates()[["winner", "loser", "tpr", "discordant", "tied"]]
      winner loser  tpr  discordant  tied
    0      f     f  0.0         1.0   0.0
    1      f     m  0.0         1.0   0.0
    2      m     f  0.0         0.0   1.0
    3      m     m  0.0         0.0   1.0
    """
    inputs.one_of(ties, "ties", get_args(TernaryTies))
    tie: Ties = "half" if ties == "half" else "wrong"
    labels, scores = inputs.numeric(y_true, "y_true"), inputs.numeric(y_score, "y_score")
    group, names = inputs.groups(sensitive_features)
    inputs.level(alpha)
    inputs.one_of(variance, "variance", get_args(Variance))
    every = isinstance(pairs, str)
    if isinstance(pairs, str) and pairs != "all":
        raise InputError(f"{PAIRS}; it is {shown(pairs)}.")
    kind = {"auto": "ustatistic" if every else "dyadic"}.get(variance, variance)
    if (kind == "ustatistic") != every:
        raise InputError(
            f"variance={variance!r} does not go with pairs={'all' if every else 'drawn or given'!r}"
            ": all pairs take 'ustatistic', drawn or given pairs 'dyadic' or 'binomial'."
        )
    check_whole_ties(ties, kind)
    if not isinstance(balance_labels, bool | str) or balance_labels not in (True, False, "auto"):
        raise InputError(
            f"balance_labels must be True, False or 'auto', not {shown(balance_labels)}."
        )
    if balance_labels is True and kind == "binomial":
        raise InputError("balance_labels=True does not go with variance='binomial': take 'dyadic'.")
    given: Record = {"y_true": y_true, "y_score": y_score, "sensitive_features": sensitive_features}
    sample = read_sample(clusters, sample_weight, weight_kind, **given)
    labels, scores = sample.take(labels), sample.take(scores)
    group, names = sample.groups(group, names)
    if labels.min() == labels.max():
        raise InputError(ONE_LABEL)
    binary = bool(((labels == labels.min()) | (labels == labels.max())).all())
    balanced = not binary and kind != "binomial" and balance_labels in (True, "auto")
    k = len(names)
    if clusters is not None or sample_weight is not None:
        _check_sampled(every, binary=binary, balanced=balanced)
    positions = None if every else _positions(pairs, len(labels), inputs.generator(random_state))

    def test_scores(scores: Floats) -> ComparativeSeparationResult:
        if sample.design is not None:
            items = LabelledItems(labels, scores, group, k, sample.design, tie, balanced)
            return sampled_result(items, names, alpha=alpha, correction=correction)
        if positions is None:
            estimate = balanced_pairs if balanced else all_pairs
            rates = estimate(labels, scores, group, k, ties=tie)
        else:
            outcome, predicted = (verdicts(values, *positions) for values in (labels, scores))
            judgments = orient_pairs(outcome, predicted, *positions, ties=tie)
            if balanced:
                rates = balanced_given_pairs(labels, *judgments, group, k)
            else:
                rates = given_pairs(*judgments, group, k)
        return build_result(
            rates, names, kind, balanced=balanced, alpha=alpha, correction=correction
        )

    if ties != "outcome":
        return test_scores(scores)
    if positions is None:
        tied = _any_tie(labels, scores)
    else:
        one, other = positions
        tied = bool(((scores[one] == scores[other]) & (labels[one] != labels[other])).any())
    return three_outcomes(test_scores(scores), test_scores(-scores), tied=tied)


def _any_tie(labels: Floats, scores: Floats) -> bool:
    """Return whether two items with different labels have one score."""
    order = np.lexsort((labels, scores))
    labels, scores = labels[order], scores[order]
    return bool(((scores[1:] == scores[:-1]) & (labels[1:] != labels[:-1])).any())


def _check_sampled(every: bool, *, binary: bool, balanced: bool) -> None:
    """Raise where no variance allows for clusters and weights."""
    if not every:
        raise InputError(
            "clusters and sample_weight do not go with drawn or given pairs, nor with the binomial "
            "variance: leave out pairs and variance, which takes all pairs of rows."
        )
    if not (binary or balanced):
        raise InputError(
            "balance_labels=False does not go with clusters or sample_weight where labels are not "
            "binary: leave it out."
        )


def check_whole_ties(ties: str, variance: str) -> None:
    """Raise where ties count half and the variance is binomial."""
    if ties == "half" and variance == "binomial":
        raise InputError(
            "ties='half' does not go with variance='binomial', which counts whole pairs: take "
            "'dyadic'."
        )


def _positions(
    pairs: int | ArrayLike, n: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    if isinstance(pairs, int | np.integer) and not isinstance(pairs, bool):
        inputs.whole(pairs, "pairs", 1, inputs.MAX_PAIRS)
        left, right = rng.integers(n, size=(2, int(pairs)))
        return left, right
    try:
        positions = np.asarray(pairs)
    except Exception as error:  # whatever the conversion of a foreign object raises
        raise InputError(f"{PAIRS}; it is {shown(pairs)}.") from error
    if positions.ndim != 2 or positions.shape[1] != 2 or positions.dtype.kind not in "iu":
        raise InputError(f"{PAIRS}; it is {shown(pairs)}.")
    checked = checked_positions(positions, n, "pairs")
    return checked[:, 0], checked[:, 1]


def checked_positions(positions: Array, n: int, name: str) -> Integers:
    """Return positions among n items, checked."""
    if positions.dtype.kind not in "iu":
        raise InputError(f"{name} must hold whole numbers, the positions of rows.")
    if positions.size and not (positions.min() >= 0 and positions.max() < n):
        raise InputError(f"{name} holds a position outside 0 to {n - 1}.")
    return positions.astype(np.int64)
