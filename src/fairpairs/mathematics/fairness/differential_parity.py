"""Differential parity: whether the difference of two sets of decisions depends on the group.

R_Δ = R_0 − R_1 is the difference of two decisions on the same item. Differential parity requires
the same distribution of R_Δ in all groups. DPT tests the means by Welch's t, DPD is the effect
size. A positive DPD means that R_0 favours the group A = 1 more than R_1 does.

References: Yu and Xi, *Differential Parity: Relative Fairness Between Two Sets of Decisions*,
section 2; for more than two groups Games and Howell (1976). Where the paper's text
and its numbers disagree, docs/explanation/differential-parity.md documents the choice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any, ClassVar, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtrit

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.arguments.read import group_pair_hypotheses, read_sample
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.estimates.estimates import Estimates, magnitude
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.means import WelchContrast, mean_contrast
from fairpairs.mathematics.inference.permutation import PermutationResult, permutation_test
from fairpairs.mathematics.inference.results import FairnessTestResult
from fairpairs.mathematics.inference.sampling.estimates import sampled_welch_test
from fairpairs.mathematics.inference.shuffled_means import MAX_SKEWNESS, ShuffledPair, shuffled_pair
from fairpairs.mathematics.inference.welch import (
    ROUNDING,
    EffectSize,
    WelchTest,
    range_pvalue,
    range_quantile,
    welch_contrasts,
    welch_test,
)

#: The hypothesis on two groups a before b.
HYPOTHESIS = "Δ(A={b}) = Δ(A={a})"
CONSTANT = "constant differences"
#: Replaces the infinite t of two groups without variance, in permutations.
MAX_T = 1e3


@dataclass(frozen=True)
class DifferentialParityResult(FairnessTestResult):
    """The result of a test of differential parity.

    Attributes
    ----------
    dof
        Degrees of freedom of each hypothesis.
    pvalue_one_sided
        P(T > |t|) of each hypothesis, not adjusted: the paper's p, which rejects 2α of fair pairs.
    magnitude
        Table 1's word for each effect size.
    """

    name: ClassVar[str] = "differential parity test"
    dof: Floats
    pvalue_one_sided: Floats
    magnitude: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hypothesis, with the degrees of freedom, one-sided p and magnitude."""
        table = super().to_frame()
        return table.assign(
            dof=self.dof, pvalue_one_sided=self.pvalue_one_sided, magnitude=self.magnitude
        )


@understood
def differential_parity_test(
    decisions: ArrayLike,
    reference: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    effect_size: EffectSize = "pooled",
    alpha: float = 0.05,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_kind: WeightKind = "sampling",
) -> DifferentialParityResult:
    """Test whether the difference of two sets of decisions has the same mean in all groups.

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    decisions, reference
        R_0 and R_1, decisions on the same items, 0 and 1 or numbers, shape (n,).
    sensitive_features
        Group of each item, shape (n,), or several attributes, shape (n, attributes).
    effect_size
        "pooled" (Definition 4) or "overall".
    alpha
        Level of the test; intervals cover 1 − alpha.
    clusters, sample_weight, weight_kind
        Cluster and weight of each item, and what weights mean, as in `audit`. Except for
        frequencies alone, which are repeated rows, Student's t has variances from the sums over
        clusters and Satterthwaite's degrees of freedom.

    Returns
    -------
    DifferentialParityResult
        A hypothesis for each two groups a < b. Its estimate is E[R_0 − R_1 | b] − E[R_0 − R_1 | a],
        its statistic DPT (equation 2), its effect size DPD (equation 3): positive where R_0 prefers
        b. p-values are two-sided; with more than two groups those of Games and Howell, which are
        simultaneous, as the intervals are. Rare, skewed or nearly constant differences of
        independent items are compared by Fisher's exact test or shuffles of the groups
        (`shuffled_pair`), which `note` reports.

    Raises
    ------
    InputError
        Missing or infinite values, arrays of other lengths, one group or one cluster only,
        negative weights, frequencies that are not whole.

    References
    ----------
    Yu and Xi, *Differential Parity*, Definitions 3 and 4.

    Examples
    --------
    >>> hr_0, hr_1 = [4, 3, 5, 2, 1, 2, 1, 3], [3, 2, 4, 2, 2, 4, 3, 4]
    >>> sex = ["female"] * 4 + ["male"] * 4
    >>> result = differential_parity_test(hr_0, hr_1, sensitive_features=sex)
    >>> result.to_frame()[["hypothesis", "estimate", "effect_size", "magnitude"]].round(2)
                    hypothesis  estimate  effect_size magnitude
    0  Δ(A=male) = Δ(A=female)     -2.25        -4.17      huge
    """
    difference, group, names = _differences(decisions, reference, sensitive_features)
    sample = read_sample(clusters, sample_weight, weight_kind, decisions=decisions)
    inputs.one_of(effect_size, "effect_size", get_args(EffectSize))
    inputs.level(alpha)
    difference = sample.take(difference)
    group, names = sample.groups(group, names)
    k, scale = len(names), decision_scale(decisions, reference)
    pairs = list(combinations(range(k), 2))
    hypotheses = group_pair_hypotheses(names, [HYPOTHESIS])
    if sample.design is not None:
        test = sampled_welch_test(
            difference, group, sample.design, effect_size=effect_size, scale=scale
        )
        few = "rows" if sample.design.cluster is None else "clusters"
        result = build_result(test, hypotheses, names, alpha, few=few)
        return replace(result, contrasts=welch_contrasts(test))
    moments = Moments.of(difference, group, k)
    two = moments[np.array(pairs)]
    test = welch_test(two.mean, two.variance, two.n, effect_size=effect_size, scale=scale)
    level = pair_level(alpha, k)
    shuffled = {}
    contrasts: list[Contrast | None] = [None] * len(pairs)
    for row in np.flatnonzero(~np.isnan(test.error) & ~test.constant):
        either = np.isin(group, pairs[row])
        member = (group[either] == pairs[row][1]).astype(np.int64)
        pair = shuffled_pair(difference[either], member, level, scale=scale)
        contrasts[row] = mean_contrast(difference[either], member, pair, scale=scale)
        if pair:
            shuffled[int(row)] = pair
    result = build_result(test, hypotheses, names, alpha, shuffled=shuffled)
    return replace(result, contrasts=tuple(contrasts))


def compare_means(
    moments: Moments, *, alpha: float, scale: float = 1.0
) -> DifferentialParityResult | None:
    """Test the difference of two means by Welch's t from moments; None where it is too skewed."""
    row = moments[None]
    test = welch_test(row.mean, row.variance, row.n, scale=scale)
    result = build_result(test, ("",), (0, 1), alpha)
    if np.isnan(test.error[0]) or test.constant[0]:
        return replace(result, contrasts=(None,))
    contrast = WelchContrast(moments, scale)
    if contrast.skewness > MAX_SKEWNESS:
        return None
    return replace(result, contrasts=(contrast,))


@understood
def differential_parity_permutation_test(
    decisions: ArrayLike,
    reference: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    n_permutations: int = 999,
    alpha: float = 0.05,
    random_state: int | np.random.Generator | None = None,
    clusters: ArrayLike | None = None,
) -> PermutationResult:
    """Test differential parity by shuffling the groups, for few items or skewed differences.

    The statistic is the vector of the groups' means of R_0 − R_1, Studentized by Welch's standard
    errors, which keeps the test valid for large groups where the spreads differ.

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    decisions, reference, sensitive_features
        As for `differential_parity_test`.
    n_permutations, alpha, random_state, clusters
        As in `permutation_test`: clusters of one size are shuffled as a whole, and standard errors
        are those of items.

    Returns
    -------
    PermutationResult
        Its statistic is DPT of each two groups with two items or more, at most ±1,000.

    Raises
    ------
    InputError
        As for `differential_parity_test`, and if fewer than two groups have two items, or all
        differences are equal.
    """
    difference, group, names = _differences(decisions, reference, sensitive_features)
    k = len(names)
    if np.ptp(difference) <= ROUNDING * decision_scale(decisions, reference):
        raise InputError(
            "decisions − reference is the same for all rows: there is nothing to shuffle."
        )
    large = np.flatnonzero(np.bincount(group) >= 2)
    if len(large) < 2:
        raise InputError("Two groups must have two rows or more: one row has no spread.")
    pairs = np.array(list(combinations(large, 2)))
    difference = difference - difference.mean()  # sums of squares of large numbers lose digits
    squares, scale = difference**2, float(np.abs(difference).max())

    def dpt(groups: Array) -> Floats:
        member = (groups[:, None, :] == np.arange(k)[:, None]).astype(float)
        n = member.sum(axis=-1)
        mean = member @ difference / n
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = (member @ squares - n * mean**2) / (n - 1)
        t = welch_test(mean[:, pairs], variance[:, pairs], n[:, pairs], scale=scale).dpt
        return np.clip(t, -MAX_T, MAX_T)

    return permutation_test(
        dpt,
        group,
        n_permutations=n_permutations,
        alpha=alpha,
        random_state=random_state,
        clusters=clusters,
    )


def in_family(pvalue: ArrayLike, k: int) -> Floats:
    """Adjust the p-value of two of k groups for all pairs, as that of a normal deviate."""
    if k == 2:
        return np.asarray(pvalue, dtype=float)
    deviate = -ndtri(np.asarray(pvalue, dtype=float) / 2)
    return range_pvalue(np.sqrt(2) * deviate, k, np.inf)


@cache
def pair_level(alpha: float, k: int) -> float:
    """Return the p-value of two of k groups that `in_family` adjusts to `alpha`."""
    return alpha if k == 2 else float(2 * ndtr(-range_quantile(alpha, k, np.inf) / np.sqrt(2)))


def build_result(
    test: WelchTest,
    hypotheses: tuple[str, ...],
    names: Sequence[Any],
    alpha: float,
    *,
    shuffled: Mapping[int, ShuffledPair] | None = None,
    note: str = "",
    few: str = "rows",
) -> DifferentialParityResult:
    """Turn a comparison into a result, with the p-values and intervals of Games and Howell.

    `shuffled` replaces p-values and intervals of some hypotheses, by row; `note` is that of all
    others, and `few` names what a group needs two of.
    """
    k = max(2, len(names))
    # Games and Howell: the range of k means, for two of them Student's t itself
    pvalue, one_sided = test.pvalue.copy(), test.pvalue_one_sided.copy()
    if k > 2:
        adjusted = range_pvalue(np.sqrt(2) * np.abs(test.dpt), k, test.dof)
        pvalue = np.where(test.constant, in_family(test.pvalue, k), adjusted)
        quantile = range_quantile(alpha, k, test.dof) / np.sqrt(2)
    else:
        quantile = np.asarray(stdtrit(test.dof, 1 - alpha / 2))
    low, high = test.estimate - quantile * test.error, test.estimate + quantile * test.error
    reason = np.select(
        [np.isnan(test.error), test.constant],
        [f"a group with fewer than two {few}", CONSTANT],
        default=note,
    ).astype(object)
    for row, pair in (shuffled or {}).items():
        reason[row], low[row], high[row] = pair.note, pair.ci_low, pair.ci_high
        pvalue[row], one_sided[row] = in_family(pair.pvalue, k), pair.pvalue_one_sided
    # no interval for constants or infinite quantiles
    known = np.isfinite(low) & np.isfinite(high) & ~test.constant
    return DifferentialParityResult(
        hypotheses=hypotheses,
        difference=Estimates(
            estimate=test.estimate,
            ci_low=np.where(known, low, np.nan),
            ci_high=np.where(known, high, np.nan),
            statistic=test.dpt,
            pvalue=pvalue,
            n=test.n.sum(axis=-1).astype(np.int64),
            smallest_cell=test.n.min(axis=-1).astype(np.int64),
            reason=reason.astype(str),
            effect_size=test.dpd,
        ),
        alpha=alpha,
        correction="none",
        groups=tuple(names),
        dof=test.dof,
        pvalue_one_sided=one_sided,
        magnitude=tuple(magnitude(test.dpd, "d")),
    )


def _differences(
    decisions: ArrayLike, reference: ArrayLike, sensitive_features: ArrayLike
) -> tuple[Floats, Integers, tuple[Any, ...]]:
    one, two = inputs.moderate(decisions, "decisions"), inputs.moderate(reference, "reference")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(
        decisions=decisions, reference=reference, sensitive_features=sensitive_features
    )
    return one - two, group, names


def decision_scale(*decisions: ArrayLike) -> float:
    """Return the largest size of a decision, against which rounding is judged."""
    return max(float(np.abs(np.asarray(values, dtype=float)).max()) for values in decisions) or 1.0
