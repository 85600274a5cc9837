"""Fairness of a ranking by a score: xAUC, balanced and conditional xAUC, xROC, Brier by group.

xAUC(a, b) = Pr[R_1^a > R_0^b] is the probability that a positive item of group a is ranked above a
negative one of group b. For binary labels that is TPR(a, b) of comparative separation, so all rates
and their covariance come from `pairs.binary`; within a group it is the AUC. The balanced xAUCs
compare a group with everyone: all items enter once more, as a further group. How differences are
tested is in `ranking_differences`.

References
----------
Kallus and Zhou (2019), *The Fairness of Risk Scores Beyond Classification: Bipartite Ranking and
the xAUC Metric*; DeLong, DeLong and Clarke-Pearson (1988). The derivations are in docs/ranking.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from fairpairs.arrays import Floats, Integers
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.pairs.binary import all_pairs_binary
from fairpairs.fairness.pairs.rates import NO_VARIANCE, PairRates, Ties, check_ties
from fairpairs.fairness.pairs.running_sums import sums_over_pairs
from fairpairs.fairness.ranking_differences import (
    differences_from_rates,
    rate_variances,
)
from fairpairs.fairness.rate_intervals import binary_intervals
from fairpairs.fairness.results import Correction, FairnessTestResult

#: What is compared between two groups: within-group AUC, xAUC, and the balanced xAUCs.
MEASURES = ("AUC", "xAUC", "xAUC_1", "xAUC_0")


@dataclass(frozen=True)
class RankingResult(FairnessTestResult):
    """How a score ranks positive above negative items, within and across K groups.

    Attributes
    ----------
    groups
        The K values of the sensitive attribute, sorted; tuples for several attributes.
    rates_of_all
        The rates with their covariance; the last of its K + 1 groups is everyone.
    """

    name: ClassVar[str] = "test of the ranking (xAUC)"
    groups: tuple[Any, ...]
    rates_of_all: PairRates

    @property
    def overall_auc(self) -> float:
        """AUC of all items, whatever their group."""
        return float(self.rates_of_all.tpr[-1, -1])

    @property
    def xauc(self) -> Floats:
        """xAUC(a, b) (Definition 2), shape (K, K): row the positive item's group; AUCs diagonal."""
        return self.rates_of_all.tpr[:-1, :-1]

    @property
    def auc(self) -> Floats:
        """AUC within each group, shape (K,)."""
        return np.diagonal(self.xauc)

    @property
    def xauc_1(self) -> Floats:
        """xAUC_1(a) = Pr[R_1^a > R_0] (Definition 3), shape (K,)."""
        return self.rates_of_all.tpr[:-1, -1]

    @property
    def xauc_0(self) -> Floats:
        """xAUC_0(a) = Pr[R_1 > R_0^a] (Definition 3), shape (K,)."""
        return self.rates_of_all.tpr[-1, :-1]

    def rates(self) -> pd.DataFrame:
        """Return one row a rate: measure, groups, estimate, DeLong's standard error, interval.

        Intervals cover 1 − alpha and lie between 0 and 1; a perfect rate has one, too. A rate of
        one positive or one negative item, or whose placements are all the same, has no standard
        error.
        """
        names = _with_everyone(self.groups)
        k = len(self.groups)
        low, high = binary_intervals(self.rates_of_all, alpha=self.alpha)
        variance = rate_variances(self.rates_of_all)
        with np.errstate(invalid="ignore"):
            error = np.where(variance > NO_VARIANCE, np.sqrt(variance), np.nan)
        sizes = self.rates_of_all.class_sizes.reshape(k + 1, 2)
        rows = [
            {
                "measure": _measure(a, b, k),
                "positive": names[a],
                "negative": names[b],
                "estimate": self.rates_of_all.tpr[a, b],
                "standard_error": error[a, b],
                "ci_low": low[a, b],
                "ci_high": high[a, b],
                "positives": int(sizes[a, 0]),
                "negatives": int(sizes[b, 1]),
            }
            for a, b in np.ndindex(k + 1, k + 1)
        ]
        return pd.DataFrame(rows)

    def decomposition(self) -> dict[str, float]:
        """Return the AUC and the three sums that Proposition 1 says it is, by name.

        They are equal up to rounding, for groups of any number that have both labels.
        """
        return {name: float(value) for name, value in decomposition(self.rates_of_all).items()}


def xauc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    ties: Ties = "half",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> RankingResult:
    """Compare how a score ranks positive above negative items, within and across groups.

    For each two groups a < b four hypotheses are tested, each difference that of a less that of b:
    equal AUC within groups, xAUC(a, b) = xAUC(b, a), and equal balanced xAUC_1 and xAUC_0. The
    variance is DeLong's, with the covariance of rates that share items, where the two rates are
    equal, and no smaller than that of the placements of both groups' items together.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_true
        Outcomes, 0 or 1, shape (n,).
    y_score
        Scores, higher for what should be 1; any monotone scale, shape (n,).
    sensitive_features
        Group of each item, shape (n,), or several attributes, shape (n, attributes).
    ties
        What a tie of two scores counts: "half", which is the area under the xROC curve, or "wrong",
        as in the paper's sample statistic.
    alpha
        Level of the test; intervals cover 1 − alpha.
    correction
        "holm", "sidak" or "none", over all hypotheses that could be tested.

    Returns
    -------
    RankingResult
        A hypothesis that cannot be tested (a group with fewer than two positive or two negative
        items) has NaN and says why in its note; a constant or a perfect score has p = 1.

    Raises
    ------
    InputError
        Missing or infinite values, outcomes other than 0 and 1 or of one kind only, one group only.

    References
    ----------
    Kallus and Zhou (2019), Definitions 2 and 3, Proposition 1; DeLong et al. (1988), section 3.

    Examples
    --------
    >>> result = xauc([1, 1, 0, 0, 1, 1, 0, 0], [0.9, 0.6, 0.5, 0.1, 0.8, 0.3, 0.4, 0.2],
    ...               sensitive_features=list("aaaabbbb"))
    >>> result.xauc
    array([[1.  , 1.  ],
           [0.75, 0.75]])
    """
    labels, scores, group, names = _items(y_true, y_score, sensitive_features)
    inputs.level(alpha)
    check_ties(ties)
    rates = ranking_rates(labels, scores, group, len(names), ties=ties)
    return RankingResult(
        hypotheses=ranking_hypotheses(names),
        difference=differences_from_rates(rates, alpha=alpha),
        alpha=alpha,
        correction=correction,
        groups=names,
        rates_of_all=rates,
    )


def ranking_rates(
    y_true: Integers, y_score: Floats, group: Integers, n_groups: int, *, ties: Ties = "half"
) -> PairRates:
    """Return xAUC(a, b) of all pairs of groups, with everyone as group K, and its covariance.

    Parameters
    ----------
    y_true, y_score, group
        Outcomes, scores and groups 0 to K − 1, shape (n,).
    n_groups
        K.
    ties
        "half" or "wrong".

    Returns
    -------
    PairRates
        Of K + 1 groups. The components of its covariance are right for rates of one row or one
        column; a rate of a group and one of everyone covary by more, which they leave out.
    """
    everyone = np.full(len(group), n_groups)
    return all_pairs_binary(
        np.tile(y_true == 1, 2),
        np.tile(y_score, 2),
        np.concatenate([group, everyone]),
        n_groups + 1,
        ties,
    )


def ranking_hypotheses(groups: Sequence[Any]) -> tuple[str, ...]:
    """Name the four hypotheses of each two groups, in the order of `MEASURES`."""
    names = [inputs.group_name(group) for group in groups]
    return tuple(
        text
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        for text in (
            f"AUC({a}) = AUC({b})",
            f"xAUC({a},{b}) = xAUC({b},{a})",
            f"xAUC_1({a}) = xAUC_1({b})",
            f"xAUC_0({a}) = xAUC_0({b})",
        )
    )


def decomposition(rates: PairRates) -> dict[str, Floats]:
    """Return the AUC and the sums that Proposition 1 says it is, each of shape (...).

    Every sum weighs by the groups' shares of the positive and of the negative items. A group
    without positive or without negative items has weight zero.
    """
    theta = np.nan_to_num(rates.tpr)
    sizes = rates.class_sizes.reshape(*rates.right.shape[:-1], 2)[..., :-1, :]
    with np.errstate(invalid="ignore"):
        shares = np.nan_to_num(sizes / sizes.sum(axis=-2, keepdims=True))
    positive, negative = shares[..., 0], shares[..., 1]
    return {
        "AUC": theta[..., -1, -1],
        "sum of xAUC": np.einsum("...a,...b,...ab->...", positive, negative, theta[..., :-1, :-1]),
        "sum of xAUC_1": np.einsum("...a,...a->...", positive, theta[..., :-1, -1]),
        "sum of xAUC_0": np.einsum("...b,...b->...", negative, theta[..., -1, :-1]),
    }


def xroc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    positive: Any = None,
    negative: Any = None,
) -> tuple[Floats, Floats, Floats]:
    """Return the xROC curve: the TPR of one group against the FPR of another (Definition 1).

    Parameters
    ----------
    y_true, y_score, sensitive_features
        As for `xauc`.
    positive, negative
        The group of the positive items, a, and of the negative ones, b; None stands for everyone.
        So (a, a) is the ROC curve of a group, (a, b) xROC(a, b), (a, None) the balanced xROC_1(a)
        and (None, b) the balanced xROC_0(b).

    Returns
    -------
    fpr, tpr, thresholds
        As `sklearn.metrics.roc_curve` returns them; the area under the curve is the xAUC with ties
        counted half.

    Raises
    ------
    InputError
        As for `xauc`; an unknown group, or one without such items.
    """
    from sklearn.metrics import roc_curve  # noqa: PLC0415  (slow)

    labels, scores, group, names = _items(y_true, y_score, sensitive_features)
    chosen = np.zeros(len(labels), dtype=bool)
    for label, asked, word in ((1, positive, "positive"), (0, negative, "negative")):
        own = labels == label
        if asked is not None:
            own &= group == inputs.known_group(asked, word, names)
        if not own.any():
            raise InputError(f"The group {asked!r} has no {word} item, so there is no curve.")
        chosen |= own
    fpr, tpr, thresholds = roc_curve(labels[chosen], scores[chosen], drop_intermediate=False)
    return fpr, tpr, thresholds


def conditional_xauc(
    y_true: ArrayLike, y_score: ArrayLike, *, sensitive_features: ArrayLike, ties: Ties = "half"
) -> pd.DataFrame:
    """Return how often each item is ranked right against a random item of each group (section 6).

    For a negative item of group b the column of group a is xAUC(a, b; R_0^b), the share of the
    positive items of a that outscore it; for a positive item it is the share of the negative items
    of that group which it outscores. So xAUC(a, b) is the mean of the column a over the negative
    items of b, and the mean of the column b over the positive items of a.

    Parameters
    ----------
    y_true, y_score, sensitive_features, ties
        As for `xauc`.

    Returns
    -------
    DataFrame
        One row an item, in their order: `group`, `label`, and for each group a column "against
        <group>", NaN where the group has no item with the other label.

    Raises
    ------
    InputError
        As for `xauc`.
    """
    labels, scores, group, names = _items(y_true, y_score, sensitive_features)
    check_ties(ties)
    words = np.array([inputs.group_name(name) for name in names])
    shares = conditional_shares(labels[None], scores[None], group[None], len(names), ties=ties)[0]
    about = pd.DataFrame({"group": words[group], "label": labels})
    against = pd.DataFrame(shares, columns=[f"against {word}" for word in words])
    return pd.concat([about, against], axis=1)


def conditional_shares(
    y_true: Integers, y_score: Floats, group: Integers, n_groups: int, *, ties: Ties = "half"
) -> Floats:
    """Return the conditional xAUCs of r data sets, from arrays of shape (r, n), as (r, n, K)."""
    member = (np.arange(n_groups)[:, None, None] == group).astype(float)
    beaten, beating = sums_over_pairs(y_true.astype(float), y_score, member, ties=ties)
    negatives = (member * (y_true == 0)).sum(axis=-1, keepdims=True)
    positives = (member * (y_true == 1)).sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(y_true == 1, beaten / negatives, beating / positives)
    return np.moveaxis(shares, 0, -1)


def xauc_of_normal_scores(mean: ArrayLike, sd: ArrayLike) -> Floats:
    """Return xAUC(a, b) of normally distributed scores (section 6).

    xAUC(a, b) = Φ((μ_a1 − μ_b0) / √(σ²_a1 + σ²_b0)).

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of the scores of each group (row) and outcome 0 and 1 (column),
        shape (K, 2).

    Returns
    -------
    ndarray, shape (K, K)
        Row the group of the positive item; within-group AUCs on the diagonal.

    Raises
    ------
    InputError
        When there are no numbers or other shapes, or a standard deviation is not positive.

    Examples
    --------
    Equal AUCs and unequal xAUCs: the scores of the second group are shifted.

    >>> xauc_of_normal_scores([[0, 1], [0.5, 1.5]], [[1, 1], [1, 1]]).round(3)
    array([[0.76 , 0.638],
           [0.856, 0.76 ]])
    """
    mu, sigma = (inputs.numbers(values, "mean and sd") for values in (mean, sd))
    inputs.same_index(mean=mean, sd=sd)
    if mu.ndim != 2 or mu.shape[1] != 2 or sigma.shape != mu.shape:
        raise InputError(
            "mean and sd must have a row for each group and a column for outcomes 0 and 1; their "
            f"shapes are {mu.shape} and {sigma.shape}."
        )
    if not (np.isfinite(mu).all() and np.isfinite(sigma).all() and (sigma > 0).all()):
        raise InputError("mean and sd must be finite, and every sd above 0.")
    spread = np.hypot(sigma[:, None, 1], sigma[None, :, 0])
    with np.errstate(over="ignore"):  # an infinite distance has the probability 0 or 1
        return np.asarray(ndtr((mu[:, None, 1] - mu[None, :, 0]) / spread))


def brier_scores(
    y_true: ArrayLike, y_prob: ArrayLike, *, sensitive_features: ArrayLike
) -> pd.DataFrame:
    """Return the Brier score, the mean of (R − Y)², within each group and of all (section 5.1).

    Parameters
    ----------
    y_true
        Outcomes, 0 or 1, shape (n,).
    y_prob
        Predicted P(Y = 1), shape (n,).
    sensitive_features
        Group of each item.

    Returns
    -------
    DataFrame
        A row for each group and for all: `group`, `brier`, its `standard_error` (NaN for one
        item), `n`.

    Raises
    ------
    InputError
        As for `xauc`, and where a prediction lies outside 0 to 1.
    """
    labels, scores, group, names = _items(y_true, y_prob, sensitive_features, scores="y_prob")
    if scores.min() < 0 or scores.max() > 1:
        raise InputError(
            "y_prob must lie between 0 and 1, as probabilities: calibrate the scores first, for "
            "instance with sklearn.calibration.CalibratedClassifierCV."
        )
    loss = pd.Series((scores - labels) ** 2)
    parts = [loss[group == code] for code in range(len(names))] + [loss]
    return pd.DataFrame(
        {
            "group": _with_everyone(names),
            "brier": [part.mean() for part in parts],
            "standard_error": [part.sem() for part in parts],
            "n": [len(part) for part in parts],
        }
    )


def _measure(a: int, b: int, everyone: int) -> str:
    if a == b:
        return "AUC"
    return "xAUC_1" if b == everyone else "xAUC_0" if a == everyone else "xAUC"


def _with_everyone(groups: Sequence[Any]) -> list[str]:
    """Name the groups, and everyone, which is called "all" unless a group is."""
    names = [inputs.group_name(group) for group in groups]
    return [*names, "all" if "all" not in names else "all groups"]


def _items(
    y_true: ArrayLike, y_score: ArrayLike, sensitive_features: ArrayLike, scores: str = "y_score"
) -> tuple[Integers, Floats, Integers, tuple[Any, ...]]:
    """Return labels, scores, groups and the names of these, checked."""
    labels = inputs.binary(y_true, "y_true")
    values: NDArray[np.float64] = inputs.numeric(y_score, scores)
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(
        **{"y_true": y_true, scores: y_score, "sensitive_features": sensitive_features}
    )
    if labels.min() == labels.max():
        raise InputError(
            f"y_true holds {labels[0]} only: a ranking has positive (1) and negative (0) items."
        )
    return labels, values, group, names
