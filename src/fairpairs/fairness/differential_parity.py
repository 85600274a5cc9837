"""Differential parity: whether the difference of two sets of decisions depends on the group.

R_Δ = R_0 − R_1 is the difference of two decisions on the same item. Differential parity asks that
its distribution is the same in all groups; DPT tests the means by Welch's t, DPD says how far they
lie apart. A positive DPD means that R_0 prefers the group A = 1, more than R_1 does.

References
----------
Yu and Xi, *Differential Parity: Relative Fairness Between Two Sets of Decisions*, section 2; for
more than two groups Welch (1951) and Games and Howell (1976). Where the paper's text and its
numbers disagree, docs/differential-parity.md says what is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any, ClassVar, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from fairpairs.arrays import Floats
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.effect_sizes import magnitude
from fairpairs.fairness.estimates import Estimates
from fairpairs.fairness.permutation import PermutationResult, permutation_test
from fairpairs.fairness.results import FairnessTestResult
from fairpairs.fairness.shuffled_means import (
    MAX_SKEWNESS,
    SKEWED,
    ShuffledPair,
    shuffled_pair,
)
from fairpairs.fairness.slopes import Attribute, attribute_ranks
from fairpairs.fairness.studentized_range import range_pvalue, range_quantile
from fairpairs.fairness.welch import (
    ROUNDING,
    EffectSize,
    WelchTest,
    check_effect_size,
    welch_test,
)

CONSTANT = "constant differences"
#: Leverage of one item from which on the variance HC3 alone does not hold, and that leaves none.
MAX_LEVERAGE = 0.15
NO_LEVERAGE = 1 - 1e-6
LEVERAGE = "few items decide the slope: their attribute lies far from that of the others"
ONE_ITEM = "one item decides the slope: the others hardly differ in the attribute"
#: Stands for the infinite t of two groups that both do not vary, in permutations.
MAX_T = 1e3


@dataclass(frozen=True)
class DifferentialParityResult(FairnessTestResult):
    """The result of a test of differential parity.

    Attributes
    ----------
    groups
        The values of the sensitive attribute, sorted; none for a continuous one.
    dof
        Degrees of freedom of each hypothesis.
    pvalue_one_sided
        P(T > |t|) of each hypothesis, not adjusted: the paper's p, which rejects 2α of fair pairs.
    magnitude
        Table 1's word for each effect size.
    omnibus_pvalue
        Of Welch's test that no group differs; the smallest p-value for two groups, and where two
        groups are not compared by Welch's t.
    """

    name: ClassVar[str] = "differential parity test"
    groups: tuple[Any, ...]
    dof: Floats
    pvalue_one_sided: Floats
    magnitude: tuple[str, ...]
    omnibus_pvalue: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row a hypothesis, with the degrees of freedom, one-sided p and magnitude."""
        return super().to_frame().assign(
            dof=self.dof, pvalue_one_sided=self.pvalue_one_sided, magnitude=self.magnitude
        )  # fmt: skip


def differential_parity_test(
    decisions: ArrayLike,
    reference: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    effect_size: EffectSize = "pooled",
    alpha: float = 0.05,
) -> DifferentialParityResult:
    """Test whether the difference of two sets of decisions has the same mean in all groups.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

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

    Returns
    -------
    DifferentialParityResult
        A hypothesis for each two groups a < b. Its estimate is E[R_0 − R_1 | b] − E[R_0 − R_1 | a],
        its statistic DPT (equation 2), its effect size DPD (equation 3): positive where R_0 prefers
        b. p-values are two-sided; with more than two groups those of Games and Howell, which hold
        for all together, as the intervals do. Rare, skewed or hardly varying differences are
        compared by Fisher's exact test or shuffles of the groups (`shuffled_pair`), as the note
        says.

    Raises
    ------
    InputError
        Missing or infinite values, arrays of other lengths, one group only.

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
    check_effect_size(effect_size)
    inputs.level(alpha)
    k = len(names)
    sizes = np.bincount(group, minlength=k).astype(float)
    mean = np.bincount(group, difference, minlength=k) / sizes
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.bincount(group, (difference - mean[group]) ** 2, minlength=k) / (sizes - 1)
    pairs = list(combinations(range(k), 2))
    first_second = np.array(pairs)
    scale = _scale(decisions, reference)
    test = welch_test(
        mean[first_second], variance[first_second], sizes[first_second],
        effect_size=effect_size, scale=scale,
    )  # fmt: skip
    at = pair_level(alpha, k)
    shuffled = {}
    for row in np.flatnonzero(~np.isnan(test.error) & ~test.constant):
        either = np.isin(group, pairs[row])
        member = (group[either] == pairs[row][1]).astype(np.int64)
        if found := shuffled_pair(difference[either], member, at, scale=scale):
            shuffled[int(row)] = found
    hypotheses = tuple(
        f"Δ(A={inputs.group_name(names[b])}) = Δ(A={inputs.group_name(names[a])})" for a, b in pairs
    )
    result = result_of(test, hypotheses, names, alpha, shuffled=shuffled)
    # Welch's test of all groups at once does not hold where that of two does not
    simple = k == 2 or shuffled
    omnibus = result.pvalue if simple else _omnibus(mean, variance, sizes, scale)
    return replace(result, omnibus_pvalue=omnibus)


def differential_parity_slope_test(
    decisions: ArrayLike,
    reference: ArrayLike,
    *,
    sensitive_feature: ArrayLike,
    attribute: Attribute = "ranks",
    alpha: float = 0.05,
) -> DifferentialParityResult:
    """Test whether the difference of two sets of decisions rises or falls with an attribute.

    The paper leaves continuous attributes open (its limitation L1). Here it is the slope of the
    difference on the attribute by least squares, with the variance HC3, which allows the spread to
    depend on the attribute, as Welch's test does, and Bell and McCaffrey's degrees of freedom.

    Where few items decide the slope (one has a leverage of 0.15 and of 4 / n or more), or skewed
    differences meet a skewed attribute, p is the larger one of this and of least squares with one
    spread, which is nearly that of shuffles of the attribute. The interval has the slopes that
    neither rejects, and a note says why. Where all items but one have the same value there is no
    p-value.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    decisions, reference
        Decisions on the same items, shape (n,).
    sensitive_feature
        Value of the attribute of each item, shape (n,).
    attribute
        "ranks": the share of items with a lower value, from 0 to 1, for a slope from the lowest to
        the highest value. "values": the value itself, for a slope per unit; take it where the
        values have no long tail, such as ages.
    alpha
        Level of the test; the interval covers 1 − alpha.

    Returns
    -------
    DifferentialParityResult
        Its estimate is the slope per unit of the attribute, or of its ranks; its effect size the
        correlation.

    Raises
    ------
    InputError
        Missing or infinite values, arrays of other lengths, fewer than four items, an attribute
        that does not vary.

    References
    ----------
    R. M. Bell and D. F. McCaffrey (2002), Bias reduction in standard errors for linear regression
    with multi-stage samples; G. W. Imbens and M. Kolesár (2016), Robust standard errors in small
    samples: some practical advice.
    """
    one, two = inputs.moderate(decisions, "decisions"), inputs.moderate(reference, "reference")
    values = inputs.moderate(sensitive_feature, "sensitive_feature")
    inputs.same_items(decisions=decisions, reference=reference, sensitive_feature=sensitive_feature)
    inputs.level(alpha)
    if values.min() == values.max():
        raise InputError("sensitive_feature holds one value only: there is nothing to compare.")
    inputs.one_of(attribute, "attribute", get_args(Attribute))
    n = len(values)
    if n < 4:
        raise InputError(f"A slope needs at least four items; there are {n}.")
    difference = one - two
    coded = attribute_ranks(values) if attribute == "ranks" else values
    x = (coded - coded.mean()) / coded.std()
    constant = bool(np.ptp(difference) <= ROUNDING * _scale(one, two))
    centred = difference - difference.mean()
    slope = 0.0 if constant else float(centred @ x / n)
    residual, leverage = centred - slope * x, (1 + x**2) / n
    lone = bool(leverage.max() > NO_LEVERAGE)
    doubt = ONE_ITEM if lone else _slope_doubt(x, residual, leverage)
    weight = x**2 / np.maximum(1 - leverage, 1 - NO_LEVERAGE) ** 2
    error = np.nan if lone else float(np.sqrt(weight @ residual**2)) / n
    dof = np.nan if lone else _slope_dof(x, leverage, weight)
    error, dof = (0.0, n - 2.0) if constant else (error, dof)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = 0.0 if constant else float(np.divide(slope, error))
        correlation = 0.0 if constant else float(np.corrcoef(difference, x)[0, 1])
    one_sided = float(stdtr(dof, -abs(t)))
    per_unit = 1 / coded.std()
    test = WelchTest(
        estimate=np.array([slope * per_unit]),
        error=np.array([error * per_unit]),
        dpt=np.array([t]),
        dof=np.array([dof]),
        pvalue=np.array([2 * one_sided]),
        pvalue_one_sided=np.array([one_sided]),
        dpd=np.array([correlation]),
        constant=np.array([constant]),
        n=np.array([[n, n]], dtype=float),
    )
    hypotheses = ("no slope of Δ on the attribute",)
    found = {}
    if doubt and not constant:
        alike = float(np.sqrt(residual @ residual / (n - 2) / n))  # the error with one spread
        with np.errstate(divide="ignore"):
            one_sided = float(np.maximum(one_sided, stdtr(n - 2, -abs(np.divide(slope, alike)))))
        quantile = stdtrit([dof, n - 2], 1 - alpha / 2)
        margin = float(np.max(quantile * [error, alike]))
        found[0] = ShuffledPair(
            doubt,
            2 * one_sided,
            one_sided,
            (slope - margin) * per_unit,
            (slope + margin) * per_unit,
        )
    result = result_of(test, hypotheses, (), alpha, shuffled=found)
    return replace(result, difference=replace(result.difference, n=np.array([n])))


def _slope_doubt(x: Floats, residual: Floats, leverage: Floats) -> str:
    """Say why HC3 does not hold for the slope on x, standardised; empty where it does."""
    if leverage.max() >= max(MAX_LEVERAGE, 4 / len(x)):  # that of evenly spread values is less
        return LEVERAGE
    # of the slope, if the residuals were alike: their third moment times that of x
    alike = np.abs((x**3).sum() * (residual**3).mean()) / len(x) ** 1.5
    # and as they are: skewed ones may be spread more at one end of the attribute
    apart, square = np.abs((x**3 * residual**3).sum()), ((x * residual) ** 2).sum()
    bounds = MAX_SKEWNESS * np.mean(residual**2) ** 1.5, MAX_SKEWNESS * square**1.5
    return SKEWED if alike > bounds[0] or apart > bounds[1] else ""


def _slope_dof(x: Floats, leverage: Floats, weight: Floats) -> float:
    """Return Bell and McCaffrey's degrees of freedom of the sum of weighted squared residuals."""
    # tr(B)² / tr(B²) with B = M diag(weight) M, and M the projection on the residuals
    trace = weight @ (1 - leverage)
    products = sum((weight @ x**k) ** 2 * times for k, times in enumerate((1, 2, 1)))
    squares = weight**2 @ (1 - 2 * leverage) + products / len(x) ** 2
    return float(np.clip(trace**2 / squares, 1, len(x) - 2))


def differential_parity_permutation_test(
    decisions: ArrayLike,
    reference: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    n_permutations: int = 999,
    alpha: float = 0.05,
    random_state: int | np.random.Generator | None = None,
) -> PermutationResult:
    """Test differential parity by shuffling the groups, for few items or skewed differences.

    The statistic is the vector of the groups' means of R_0 − R_1, Studentized by Welch's standard
    errors, which keeps the test valid for large groups where the spreads differ.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    decisions, reference, sensitive_features
        As for `differential_parity_test`.
    n_permutations
        Number of permutations.
    alpha
        Level.
    random_state
        Seed or generator.

    Returns
    -------
    PermutationResult
        Its statistic is DPT of each two groups with two items or more, at most ±1,000.

    Raises
    ------
    InputError
        As for `differential_parity_test`, and where fewer than two groups have two items, or
        nothing varies.
    """
    difference, group, names = _differences(decisions, reference, sensitive_features)
    k = len(names)
    if np.ptp(difference) <= ROUNDING * _scale(decisions, reference):
        raise InputError(
            "decisions and reference differ by the same everywhere: there is nothing to shuffle."
        )
    large = np.flatnonzero(np.bincount(group) >= 2)
    if len(large) < 2:
        raise InputError("Two groups must have two items or more: one item has no spread.")
    pairs = np.array(list(combinations(large, 2)))
    difference = difference - difference.mean()  # sums of squares of large numbers lose digits
    squares, scale = difference**2, float(np.abs(difference).max())

    def dpt(groups: NDArray[Any]) -> Floats:
        member = (groups[:, None, :] == np.arange(k)[:, None]).astype(float)
        n = member.sum(axis=-1)
        mean = member @ difference / n
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = (member @ squares - n * mean**2) / (n - 1)
        t = welch_test(mean[:, pairs], variance[:, pairs], n[:, pairs], scale=scale).dpt
        return np.clip(t, -MAX_T, MAX_T)

    return permutation_test(
        dpt, group, n_permutations=n_permutations, alpha=alpha, random_state=random_state
    )


def _omnibus(mean: Floats, variance: Floats, n: Floats, scale: float) -> float:
    """Return the p-value of Welch's test that no group differs."""
    if not ((n >= 2) & (variance > (ROUNDING * scale) ** 2)).all():
        return float("nan")
    from statsmodels.stats.oneway import anova_generic  # noqa: PLC0415  (slow)

    return float(anova_generic(mean, variance, n, use_var="unequal").pvalue)


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


def result_of(
    test: WelchTest,
    hypotheses: tuple[str, ...],
    names: Sequence[Any],
    alpha: float,
    *,
    shuffled: Mapping[int, ShuffledPair] | None = None,
    note: str = "",
) -> DifferentialParityResult:
    """Turn a comparison into a result, with the p-values and intervals of Games and Howell.

    `shuffled` has other p-values and intervals of some hypotheses, `note` is of all others.
    """
    k = max(2, len(names))
    # Games and Howell: the range of k means, for two of them Student's t itself
    pvalue, one_sided = test.pvalue.copy(), test.pvalue_one_sided.copy()
    if k > 2:
        of_range = range_pvalue(np.sqrt(2) * np.abs(test.dpt), k, test.dof)
        pvalue = np.where(test.constant, in_family(test.pvalue, k), of_range)
        quantile = range_quantile(alpha, k, test.dof) / np.sqrt(2)
    else:
        quantile = np.asarray(stdtrit(test.dof, 1 - alpha / 2))
    low, high = test.estimate - quantile * test.error, test.estimate + quantile * test.error
    reason = np.select(
        [np.isnan(test.error), test.constant],
        ["a group with fewer than two items", CONSTANT],
        default=note,
    ).astype(object)
    for row, found in (shuffled or {}).items():
        reason[row], one_sided[row], low[row], high[row] = (
            found.note, found.pvalue_one_sided, found.ci_low, found.ci_high
        )  # fmt: skip
        pvalue[row] = in_family(found.pvalue, k)
    # constants say nothing of how far another sample would lie, nor do infinite quantiles
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
        omnibus_pvalue=float(np.nanmin(pvalue)) if np.isfinite(pvalue).any() else float("nan"),
    )


def _differences(
    decisions: ArrayLike, reference: ArrayLike, sensitive_features: ArrayLike
) -> tuple[Floats, NDArray[np.int64], tuple[Any, ...]]:
    one, two = inputs.moderate(decisions, "decisions"), inputs.moderate(reference, "reference")
    group, names = inputs.groups(sensitive_features)
    inputs.same_items(
        decisions=decisions, reference=reference, sensitive_features=sensitive_features
    )
    return one - two, group, names


def _scale(*decisions: ArrayLike) -> float:
    """Return the largest size of a decision, against which rounding is judged."""
    return max(float(np.abs(np.asarray(values, dtype=float)).max()) for values in decisions) or 1.0
