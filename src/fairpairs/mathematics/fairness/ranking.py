"""Fairness of a ranking by a score: AUC, xAUC and balanced xAUC by group, and its xROC curves.

xAUC(a, b) = Pr[R_1^a > R_0^b] is the probability that a positive item of group a is ranked above a
negative one of group b; within a group it is the AUC. All rates and their covariance come from
`ranking_rates`; how differences are tested is in `ranking_differences`.

References: Kallus and Zhou (2019), *The Fairness of Risk Scores Beyond Classification: Bipartite
Ranking and the xAUC Metric*, Definition 1 and section 6; DeLong, DeLong and Clarke-Pearson (1988).
The derivations are in docs/explanation/ranking.md.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.arguments.read import binary_items, group_pair_hypotheses, read_sample
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.estimates.pairs.all_pairs import sums_over_pairs
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairRates, Ties, check_ties
from fairpairs.mathematics.estimates.ranking_rates import (
    HYPOTHESES,
    decomposition,
    names_with_all,
    ranking_cells,
    ranking_hypotheses,
    ranking_rates,
)
from fairpairs.mathematics.inference.contrast import Contrast, ScaledContrast
from fairpairs.mathematics.inference.contrasts.score import anchored
from fairpairs.mathematics.inference.gap_variances import binary_trials
from fairpairs.mathematics.inference.ranking_differences import (
    difference_contrasts,
    differences_from_rates,
    rate_variances,
)
from fairpairs.mathematics.inference.rates import rate_limits
from fairpairs.mathematics.inference.results import Correction, FairnessTestResult
from fairpairs.mathematics.inference.sampling.comparative import RankedItems, sampled_ranking_rates
from fairpairs.mathematics.inference.sampling.estimates import gap_tests

#: The hypotheses as `xauc` tests them: the later group first.
TURNED = tuple(hypothesis.format(a="{b}", b="{a}") for hypothesis in HYPOTHESES)


@dataclass(frozen=True)
class RankingResult(FairnessTestResult):
    """How a score ranks positive above negative items, within and across K groups.

    Attributes
    ----------
    rates_of_all
        The rates with their covariance; the last of its K + 1 groups is all items.
    known
        Of items with clusters or weights the standard error and the ends of the interval of each
        rate, shape (3, K + 1, K + 1); None for others.
    """

    name: ClassVar[str] = "test of the ranking (xAUC)"
    rates_of_all: PairRates
    known: Floats | None = field(default=None, kw_only=True, repr=False)

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

    def rates(self) -> pd.DataFrame:
        """Return one row per rate: measure, groups, estimate, DeLong's standard error, interval.

        Intervals cover 1 − alpha and lie between 0 and 1; a perfect rate has one, too. A rate of
        one positive or one negative row, or whose placements are all the same, has no standard
        error.
        """
        return pd.DataFrame(rate_rows(self))

    def decomposition(self) -> dict[str, float]:
        """Return the AUC and its three decompositions by Proposition 1, by name.

        They are equal up to rounding, for groups of any number that have both labels.
        """
        return {name: float(value) for name, value in decomposition(self.rates_of_all).items()}


def rate_rows(result: RankingResult) -> list[Record]:
    """Return the rows of `RankingResult.rates`, whose table takes longer than they do."""
    names = names_with_all(result.groups)
    k = len(result.groups)
    if result.known is not None:
        error, low, high = result.known
    else:
        trials = binary_trials(result.rates_of_all)
        low, high = rate_limits(result.rates_of_all.tpr, trials, alpha=result.alpha)
        variance = rate_variances(result.rates_of_all)
        with np.errstate(invalid="ignore"):
            error = np.where(variance > NO_VARIANCE, np.sqrt(variance), np.nan)
    sizes = result.rates_of_all.class_sizes.reshape(k + 1, 2)
    return [
        {
            "measure": _measure(a, b, k),
            "positive": names[a],
            "negative": names[b],
            "estimate": result.rates_of_all.tpr[a, b],
            "standard_error": error[a, b],
            "ci_low": low[a, b],
            "ci_high": high[a, b],
            "positives": int(sizes[a, 0]),
            "negatives": int(sizes[b, 1]),
        }
        for a, b in np.ndindex(k + 1, k + 1)
    ]


@understood
def xauc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    ties: Ties = "half",
    alpha: float = 0.05,
    correction: Correction = "holm",
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_kind: WeightKind = "sampling",
) -> RankingResult:
    """Compare how a score ranks positive above negative items, within and across groups.

    For each two groups a < b four hypotheses are tested, each difference being b minus a:
    equal AUC within groups, xAUC(b, a) = xAUC(a, b), and equal balanced xAUC_1 and xAUC_0. The
    variance is DeLong's, with the covariance of rates that share items, where the two rates are
    equal, and no smaller than that of the placements of both groups' items together.

    Items must be independent, or `clusters` names those that are not.

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
    clusters, sample_weight, weight_kind
        As for `comparative_separation_test`.

    Returns
    -------
    RankingResult
        A hypothesis that cannot be tested (a group with fewer than two positive or two negative
        items) has NaN and a note with the reason; a constant or a perfect score has p = 1.

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
    labels, scores, group, names = binary_items(y_true, y_score, sensitive_features)
    inputs.level(alpha)
    check_ties(ties)
    sample = read_sample(clusters, sample_weight, weight_kind, y_true=y_true)
    labels, scores = sample.take(labels), sample.take(scores)
    group, names = sample.groups(group, names)
    if sample.design is not None:
        items = RankedItems(labels, group, len(names), score_order(scores), sample.design)
        gaps = [items.gap(*cells, ties=ties) for cells in ranking_cells(len(names))]
        difference, contrasts = gap_tests(gaps, sample.design, alpha=alpha)
        rates, known = sampled_ranking_rates(items, ties, alpha)
    else:
        rates, known = ranking_rates(labels, scores, group, len(names), ties=ties), None
        difference, contrasts = _tested(rates, alpha)
    return RankingResult(
        hypotheses=group_pair_hypotheses(names, TURNED),
        difference=difference.turned(),
        alpha=alpha,
        correction=correction,
        groups=names,
        rates_of_all=rates,
        known=known,
        contrasts=tuple(one and ScaledContrast(one, -1) for one in contrasts),
    )


def ranking_result(rates: PairRates, names: tuple[Any, ...], *, alpha: float) -> RankingResult:
    """Test the differences of rates of groups, and of all items; a − b for a < b, not corrected."""
    difference, contrasts = _tested(rates, alpha)
    return RankingResult(
        hypotheses=ranking_hypotheses(names),
        difference=difference,
        alpha=alpha,
        correction="none",
        groups=names,
        rates_of_all=rates,
        contrasts=contrasts,
    )


def _tested(rates: PairRates, alpha: float) -> tuple[Estimates, tuple[Contrast | None, ...]]:
    tests = differences_from_rates(rates, alpha=alpha)
    return anchored(tests, difference_contrasts(rates), alpha=alpha)


def _measure(a: int, b: int, all_items: int) -> str:
    if a == b:
        return "AUC"
    return "xAUC_1" if b == all_items else "xAUC_0" if a == all_items else "xAUC"


@understood
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
        The group of the positive items, a, and of the negative ones, b; None stands for all items.
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

    labels, scores, group, names = binary_items(y_true, y_score, sensitive_features)
    chosen = np.zeros(len(labels), dtype=bool)
    for label, asked, word in ((1, positive, "positive"), (0, negative, "negative")):
        member = labels == label
        if asked is not None:
            member &= group == inputs.known_group(asked, word, names)
        if not member.any():
            raise InputError(f"The group {asked!r} has no {word} row, so there is no curve.")
        chosen |= member
    fpr, tpr, thresholds = roc_curve(labels[chosen], scores[chosen], drop_intermediate=False)
    return fpr, tpr, thresholds


@understood
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
        One row per item, in their order: `group`, `label`, and for each group a column "against
        <group>", NaN where the group has no item with the other label.
    """
    labels, scores, group, names = binary_items(y_true, y_score, sensitive_features)
    check_ties(ties)
    words = np.array([inputs.group_name(name) for name in names])
    shares = conditional_shares(labels[None], scores[None], group[None], len(names), ties=ties)[0]
    items = pd.DataFrame({"group": words[group], "label": labels})
    against = pd.DataFrame(shares, columns=[f"against {word}" for word in words])
    return pd.concat([items, against], axis=1)


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
