"""Comparative separation, C_ij ⟂ A_ij | Y_ij: on all pairs, on drawn pairs, on given judgments.

TPR(a, b) is the chance that an item of group a is ranked above one of group b when its label is
the higher one; on scores it is xAUC(a, b). Comparative separation asks all of them to be equal.

References
----------
Xi, Capak, Stockwell and Yu, *Comparative Separation*, sections 3.1 and 3.3.2, equations (2),
(3) and (16) to (22). What differs from them, and why, is in
docs/explanation/comparative-separation.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats
from fairpairs.base.errors import InputError, shown
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.arguments.read import read_sample
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.estimates.items import ONE_LABEL, labelled_items
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.balanced import balanced_given_pairs, balanced_pairs
from fairpairs.mathematics.estimates.pairs.drawn import PairCounts
from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, PairRates, Ties
from fairpairs.mathematics.inference.contrasts.gaps import gap_contrasts
from fairpairs.mathematics.inference.gap_variances import (
    related_covariance,
    smallest_trials,
    trials_left,
)
from fairpairs.mathematics.inference.gaps import (
    comparative_separation_from_counts,
    comparative_separation_from_rates,
    gap_hypotheses,
)
from fairpairs.mathematics.inference.joint_test import JointTest
from fairpairs.mathematics.inference.rate_intervals import binary_trials, rate_limits
from fairpairs.mathematics.inference.results import Correction, FairnessTestResult
from fairpairs.mathematics.inference.sampling.comparative import (
    LabelledItems,
    comparative_gaps,
    sampled_pair_rates,
)
from fairpairs.mathematics.inference.sampling.estimates import gap_tests

Variance = Literal["auto", "ustatistic", "dyadic", "binomial"]

#: What a tie of the scores counts as: wrong, half right, or an outcome of its own (Definition 3.1).
TernaryTies = Literal["wrong", "half", "outcome"]

#: The note on shares of discordant pairs where no pair is tied.
NO_TIES = "no tied pair: the same as the hypothesis on concordant pairs"

#: The error message for any other `pairs`.
PAIRS = (
    "pairs must be 'all', a number of pairs or an integer array of shape (m, 2) of positions of "
    "items"
)


@dataclass(frozen=True)
class ComparativeSeparationResult(FairnessTestResult):
    """The result of a test of comparative separation on K groups.

    Attributes
    ----------
    groups
        The K values of the sensitive attribute, sorted; tuples for several attributes.
    usable, right
        (Weighted) pairs with different labels, and those that are ranked right, in each cell
        (group of the higher label, group of the lower), shape (K, K).
    tpr
        TPR(a, b) of equation (16), shape (K, K), NaN where a cell has no pair.
    tpr_covariance
        Covariance of the K² rates, in the order (0, 0), (0, 1), …, shape (K², K²).
    trials
        Independent trials that each rate counts for in its interval, shape (K, K).
    joint
        The joint test; None with the binomial variance, clusters or weights.
    variance
        "ustatistic", "dyadic" or "binomial".
    balanced
        Whether pairs were weighted so that all groups have one distribution of labels.
    limits
        Of items with clusters or weights the ends of the interval of each rate, shape (2, K, K);
        None for others.
    heterogeneity
        Of judgments in strata the p-value of each hypothesis that its gap is the same in all of
        them; None for others.
    discordant
        With `ties="outcome"` the test of the discordant pairs alone, whose `right` and `tpr` are
        those that the scores order against the labels. `hypotheses`, `difference`, `joint` and
        what follows from them are then of both; all else is of the concordant pairs. Otherwise
        None.
    """

    name: ClassVar[str] = "comparative separation test"
    groups: tuple[Any, ...]
    usable: Floats
    right: Floats
    tpr: Floats
    tpr_covariance: Floats
    trials: Floats
    joint: JointTest | None
    variance: str
    balanced: bool
    limits: Floats | None = field(default=None, kw_only=True, repr=False)
    heterogeneity: Floats | None = field(default=None, kw_only=True)
    discordant: ComparativeSeparationResult | None = field(default=None, kw_only=True, repr=False)

    @property
    def tied(self) -> Floats | None:
        """The share of tied pairs in each cell, shape (K, K); None unless ties are an outcome."""
        return None if self.discordant is None else 1 - self.tpr - self.discordant.tpr

    def rates(self) -> pd.DataFrame:
        """Return one row for each TPR(a, b): groups, estimate, Wilson's interval, (weighted) pairs.

        Wilson's interval has `trials` trials, so it stays between 0 and 1: as many as would give
        the rate its variance. For all pairs of binary labels the items limit this number
        (docs/explanation/ranking.md), for given pairs the variance of the rate under separation
        does. A cell without a pair has no interval. If ties are an outcome, the share of discordant
        pairs with its interval and that of tied pairs are further columns.
        """
        if self.limits is not None:
            low, high = self.limits.reshape(2, -1)
        else:
            low, high = rate_limits(self.tpr.ravel(), self.trials.ravel(), alpha=self.alpha)
        k = len(self.groups)
        names = [inputs.group_name(name) for name in self.groups]
        table = pd.DataFrame(
            {
                "winner": np.repeat(names, k),
                "loser": np.tile(names, k),
                "tpr": self.tpr.ravel(),
                "ci_low": low,
                "ci_high": high,
                "pairs": self.usable.ravel(),
            }
        )
        if self.discordant is None or self.tied is None:
            return table
        discordant = self.discordant.rates()
        return table.assign(
            discordant=discordant["tpr"],
            discordant_low=discordant["ci_low"],
            discordant_high=discordant["ci_high"],
            tied=self.tied.ravel(),
        )


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
        Group of each item, values of any kind, shape (n,); or several attributes, shape
        (n, columns), whose combinations are the groups.
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
        When the arrays differ in length or hold a missing value, when there is one group or one
        cluster only, when `pairs` is no number of pairs nor positions of items, when `variance`,
        clusters or weights do not go with `pairs`, when a weight is negative, or a frequency no
        whole number.

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
    labels, scores, group, names = labelled_items(y_true, y_score, sensitive_features, tie, alpha)
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
    if not isinstance(balance_labels, bool) and not (
        isinstance(balance_labels, str) and balance_labels == "auto"
    ):
        raise InputError(
            f"balance_labels must be True, False or 'auto', not {shown(balance_labels)}."
        )
    if balance_labels is True and kind == "binomial":
        raise InputError("balance_labels=True does not go with variance='binomial': take 'dyadic'.")
    sample = read_sample(
        clusters,
        sample_weight,
        weight_kind,
        y_true=y_true,
        y_score=y_score,
        sensitive_features=sensitive_features,
    )
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
            items = LabelledItems(labels, scores, group, k, sample.design, tie)
            return _sampled_result(
                items, names, balanced=balanced, alpha=alpha, correction=correction
            )
        if positions is None:
            estimate = balanced_pairs if balanced else all_pairs
            rates = estimate(labels, scores, group, k, ties=tie)
        else:
            outcome = np.sign(labels[positions[0]] - labels[positions[1]])
            judgments = orient_pairs(outcome, scores, *positions, ties=tie)
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


def three_outcomes(
    concordant: ComparativeSeparationResult, discordant: ComparativeSeparationResult, *, tied: bool
) -> ComparativeSeparationResult:
    """Test the shares of concordant and of discordant pairs together (Definition 3.1).

    `discordant` is the test of the scores with the opposite sign. If no pair is tied, each of its
    shares is 1 minus that of concordant pairs, and only these are tested.
    """
    difference, joint = discordant.difference, concordant.joint
    if not tied:
        shape = difference.pvalue.shape
        untested: Record = dict.fromkeys(
            ("ci_low", "ci_high", "statistic", "pvalue"), np.full(shape, np.nan)
        )
        difference = replace(difference, **untested, reason=np.full(shape, NO_TIES))
    elif joint is not None and discordant.joint is not None:
        joint = _either(joint, discordant.joint)
    return replace(
        concordant,
        hypotheses=(*concordant.hypotheses, *gap_hypotheses(concordant.groups, share="discordant")),
        difference=Estimates.joined([concordant.difference, difference]),
        contrasts=(*concordant.contrasts, *discordant.contrasts),
        joint=joint,
        heterogeneity=(
            None
            if concordant.heterogeneity is None or discordant.heterogeneity is None
            else np.concatenate([concordant.heterogeneity, discordant.heterogeneity])
        ),
        discordant=discordant,
    )


def _either(one: JointTest, other: JointTest) -> JointTest:
    """Return the joint test with the smaller p-value, doubled; NaN where one could not be made."""
    smaller = other if other.pvalue < one.pvalue else one
    both = np.fmin(2 * np.minimum(one.pvalue, other.pvalue), 1)  # Bonferroni
    return replace(smaller, pvalue=np.where(np.isnan(one.pvalue + other.pvalue), np.nan, both))


def _check_sampled(every: bool, *, binary: bool, balanced: bool) -> None:
    """Raise where no variance allows for clusters and weights."""
    if not every:
        raise InputError(
            "clusters and sample_weight do not go with drawn or given pairs, nor with the binomial "
            "variance: leave out pairs and variance, which takes all pairs of items."
        )
    if not (binary or balanced):
        raise InputError(
            "balance_labels=False does not go with clusters or sample_weight where labels are not "
            "binary: leave it out."
        )


def _sampled_result(
    items: LabelledItems,
    names: tuple[Any, ...],
    *,
    balanced: bool,
    alpha: float,
    correction: Correction,
) -> ComparativeSeparationResult:
    """Test all pairs of items with clusters or weights."""
    tests = gap_tests(comparative_gaps(items, balanced=balanced), items.design, alpha=alpha)
    rates = sampled_pair_rates(items, balanced=balanced, alpha=alpha)
    return ComparativeSeparationResult(
        hypotheses=gap_hypotheses(names),
        difference=tests.estimates,
        alpha=alpha,
        correction=correction,
        groups=names,
        usable=rates.usable,
        right=rates.right,
        tpr=rates.tpr,
        tpr_covariance=rates.covariance,
        trials=rates.trials,
        joint=None,
        variance="ustatistic",
        balanced=balanced,
        limits=rates.limits,
        contrasts=tests.contrasts,
    )


def check_whole_ties(ties: str, variance: str) -> None:
    """Raise where ties count half and the variance is binomial."""
    if ties == "half" and variance == "binomial":
        raise InputError(
            "ties='half' does not go with variance='binomial', which counts whole pairs: take "
            "'dyadic'."
        )


def build_result(
    rates: PairRates,
    names: tuple[Any, ...],
    kind: str,
    *,
    balanced: bool,
    alpha: float,
    correction: Correction,
) -> ComparativeSeparationResult:
    """Test the gaps of a table of rates; `kind` is the variance."""
    k = len(names)
    joint = None
    if kind == "binomial":
        counts = PairCounts(*(x.astype(np.int64) for x in (rates.concordant, rates.comparable)))
        difference = comparative_separation_from_counts(counts, alpha=alpha)
        with np.errstate(invalid="ignore", divide="ignore"):
            variances = rates.tpr * (1 - rates.tpr) / rates.comparable
        covariance = np.diag(variances.ravel())
    else:
        difference, joint = comparative_separation_from_rates(rates, alpha=alpha)
        covariance = related_covariance(rates)
    return ComparativeSeparationResult(
        hypotheses=gap_hypotheses(names),
        difference=difference,
        alpha=alpha,
        correction=correction,
        groups=names,
        usable=rates.comparable,
        right=rates.concordant,
        tpr=rates.tpr.reshape(k, k),
        tpr_covariance=covariance,
        trials=_interval_trials(rates, covariance, kind) * trials_left(rates, alpha),
        joint=joint,
        variance=kind,
        balanced=balanced,
        contrasts=gap_contrasts(rates) if kind == "ustatistic" else (),
    )


def _interval_trials(rates: PairRates, covariance: Floats, kind: str) -> Floats:
    """Return the independent trials that each rate counts for in its interval, shape (K, K)."""
    k = rates.concordant.shape[-1]
    if kind == "ustatistic" and rates.class_sizes.shape[-1] == 2 * k:  # binary labels
        return binary_trials(rates)
    variance, least = np.diagonal(covariance).reshape(k, k), smallest_trials(rates)
    with np.errstate(invalid="ignore", divide="ignore"):
        trials = rates.tpr * (1 - rates.tpr) / variance
    trials = np.where(variance > NO_VARIANCE, trials, least)
    return np.fmin(trials, least) if kind == "dyadic" else trials


def _positions(
    pairs: int | ArrayLike, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


def checked_positions(positions: Array, n: int, name: str) -> NDArray[np.int64]:
    """Return positions among n items, checked."""
    if positions.dtype.kind not in "iu":
        raise InputError(f"{name} must hold whole numbers, the positions of items.")
    if positions.size and not (positions.min() >= 0 and positions.max() < n):
        raise InputError(f"{name} holds a position outside 0 to {n - 1}.")
    return positions.astype(np.int64)
