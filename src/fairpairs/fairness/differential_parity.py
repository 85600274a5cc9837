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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.permutation import PermutationResult, permutation_test
from fairpairs.fairness.proportions import Floats, ProportionDifference
from fairpairs.fairness.results import Correction, FairnessTestResult, adjusted

EffectSize = Literal["pooled", "overall"]
#: Table 1 of the paper: the smallest |d| of each word.
MAGNITUDES = {
    0.0: "none",
    0.01: "very small",
    0.2: "small",
    0.5: "medium",
    0.8: "large",
    1.2: "very large",
    2.0: "huge",
}
#: A difference or a standard deviation below this share of the scale of the decisions is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class WelchTest:
    """Welch's comparison of the means of two groups; fields have one shape.

    Attributes
    ----------
    estimate
        Mean of group 1 less mean of group 0.
    error
        Its standard error.
    dpt, dof
        Welch's t and its degrees of freedom (equation 2).
    pvalue, pvalue_one_sided
        Two-sided, and of the side of the sign, P(T > |t|), which the paper takes.
    dpd
        The estimate over a standard deviation (equation 3).
    constant
        Whether neither group varies. Equal means then give t = 0, p = 1 (one-sided ½) and d = 0, as
        for a decision against itself; other means give infinite t and d and p = 0.
    n
        Items in the groups, shape (..., 2).
    """

    estimate: Floats
    error: Floats
    dpt: Floats
    dof: Floats
    pvalue: Floats
    pvalue_one_sided: Floats
    dpd: Floats
    constant: NDArray[np.bool_]
    n: Floats


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
        Of Welch's test that no group differs; that of the one hypothesis for two groups.
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


def magnitude(dpd: ArrayLike) -> NDArray[np.str_]:
    """Say an effect size in the words of Table 1, by its size whatever its sign."""
    bounds, words = np.array(list(MAGNITUDES)), np.array([*MAGNITUDES.values()])
    size = np.abs(np.asarray(dpd, dtype=float))
    place = np.searchsorted(bounds, size, side="right") - 1
    return np.where(np.isnan(size), "unknown", words[place])


def welch_test(
    mean: Floats,
    variance: Floats,
    n: Floats,
    *,
    effect_size: EffectSize = "pooled",
    scale: float = 1.0,
) -> WelchTest:
    """Compare two groups by Welch's t, from their moments (Definitions 3 and 4).

    Parameters
    ----------
    mean, variance, n
        Mean, sample variance (ddof = 1) and number of items of groups 0 and 1, shape (..., 2).
    effect_size
        "pooled": over the pooled standard deviation within the groups (Definition 4). "overall":
        over the standard deviation of all items, which fits the published numbers slightly better.
    scale
        Typical size of a decision; a difference or a spread below 10⁻¹² of it is rounding.

    Returns
    -------
    WelchTest
        NaN where a group has fewer than two items.
    """
    variance = np.where(variance > np.square(ROUNDING * scale), variance, 0 * variance)
    estimate = mean[..., 1] - mean[..., 0]
    estimate = np.where(np.abs(estimate) > ROUNDING * scale, estimate, 0 * estimate)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_mean = np.where(n >= 2, variance / n, np.nan)
        total = of_mean.sum(axis=-1)
        dof = total**2 / (of_mean**2 / (n - 1)).sum(axis=-1)
        within = ((n - 1) * variance).sum(axis=-1)
        if effect_size == "pooled":
            spread = np.sqrt(within / (n.sum(axis=-1) - 2))
        else:
            between = estimate**2 * n.prod(axis=-1) / n.sum(axis=-1)
            spread = np.sqrt((within + between) / (n.sum(axis=-1) - 1))
        constant = total == 0
        dpt, dpd = estimate / np.sqrt(total), estimate / spread
    same = constant & (estimate == 0)
    dpt, dpd = (np.where(same, 0.0, value) for value in (dpt, dpd))
    dof = np.where(constant, n.sum(axis=-1) - 2, dof)
    one_sided = stdtr(dof, -np.abs(dpt))
    return WelchTest(
        estimate=np.where(np.isnan(total), np.nan, estimate),
        error=np.sqrt(total),
        dpt=dpt,
        dof=dof,
        pvalue=2 * one_sided,
        pvalue_one_sided=one_sided,
        dpd=dpd,
        constant=constant,
        n=n,
    )


def differential_parity_test(
    decisions: ArrayLike,
    reference: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    effect_size: EffectSize = "pooled",
    alpha: float = 0.05,
) -> DifferentialParityResult:
    """Test whether the difference of two sets of decisions has the same mean in all groups.

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
        for all together, as the intervals do.

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
    _check_effect_size(effect_size)
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
    hypotheses = tuple(
        f"Δ(A={inputs.group_name(names[b])}) = Δ(A={inputs.group_name(names[a])})" for a, b in pairs
    )
    return result_of(test, hypotheses, names, alpha, _omnibus(mean, variance, sizes, test, scale))


def differential_parity_slope_test(
    decisions: ArrayLike, reference: ArrayLike, *, sensitive_feature: ArrayLike, alpha: float = 0.05
) -> DifferentialParityResult:
    """Test whether the difference of two sets of decisions rises or falls with an attribute.

    The paper leaves continuous attributes open (its limitation L1). Here it is the slope of the
    difference on the attribute by least squares, with the variance HC3, which allows the spread to
    depend on the attribute, as Welch's test does.

    Parameters
    ----------
    decisions, reference
        Decisions on the same items, shape (n,).
    sensitive_feature
        Value of the attribute of each item, shape (n,).
    alpha
        Level of the test; the interval covers 1 − alpha.

    Returns
    -------
    DifferentialParityResult
        Its estimate is the slope per unit of the attribute; its effect size the correlation.

    Raises
    ------
    InputError
        Missing or infinite values, arrays of other lengths, fewer than four items, an attribute
        that does not vary.
    """
    from statsmodels.regression.linear_model import OLS  # noqa: PLC0415  (slow)

    one, two = inputs.moderate(decisions, "decisions"), inputs.moderate(reference, "reference")
    values = inputs.moderate(sensitive_feature, "sensitive_feature")
    inputs.same_items(decisions=decisions, reference=reference, sensitive_feature=sensitive_feature)
    inputs.level(alpha)
    if values.min() == values.max():
        raise InputError("sensitive_feature holds one value only: there is nothing to compare.")
    n = len(values)
    if n < 4:
        raise InputError(f"A slope needs at least four items; there are {n}.")
    difference = one - two
    x = (values - values.mean()) / values.std()
    constant = bool(np.ptp(difference) <= ROUNDING * _scale(one, two))
    if constant:
        slope, error, dof = 0.0, 0.0, float(n - 2)
    else:
        fit = OLS(difference, np.column_stack([np.ones(n), x])).fit(cov_type="HC3")
        slope, error, dof = float(fit.params[1]), float(fit.bse[1]), float(n - 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = 0.0 if constant else slope / error
        correlation = 0.0 if constant else float(np.corrcoef(difference, x)[0, 1])
    one_sided = float(stdtr(dof, -abs(t)))
    per_unit = 1 / values.std()
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
    result = result_of(test, hypotheses, (), alpha, 2 * one_sided)
    return replace(result, difference=replace(result.difference, n=np.array([n])))


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
        Its statistic is DPT of each two groups.

    Raises
    ------
    InputError
        As for `differential_parity_test`, and where no group has two items or nothing varies.
    """
    difference, group, names = _differences(decisions, reference, sensitive_features)
    k = len(names)
    if np.ptp(difference) <= ROUNDING * _scale(decisions, reference):
        raise InputError(
            "decisions and reference differ by the same everywhere: there is nothing to shuffle."
        )
    pairs = np.array(list(combinations(range(k), 2)))
    difference = difference - difference.mean()  # sums of squares of large numbers lose digits
    squares, scale = difference**2, float(np.abs(difference).max())

    def dpt(groups: NDArray[Any]) -> Floats:
        member = (groups[:, None, :] == np.arange(k)[:, None]).astype(float)
        n = member.sum(axis=-1)
        mean = member @ difference / n
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = (member @ squares - n * mean**2) / (n - 1)
        return welch_test(mean[:, pairs], variance[:, pairs], n[:, pairs], scale=scale).dpt

    return permutation_test(
        dpt, group, n_permutations=n_permutations, alpha=alpha, random_state=random_state
    )


@dataclass(frozen=True)
class RaterPairs:
    """Differential parity of every rater over every other.

    Attributes
    ----------
    names
        Names of the raters.
    test
        Fields of shape (R, R): row R_0, column R_1.
    overlap
        Number of items of the smaller group that both have rated, shape (R, R).
    """

    names: tuple[Any, ...]
    test: WelchTest
    overlap: NDArray[np.int64]

    def to_frame(self, *, correction: Correction | Literal["fdr_bh"] = "holm") -> pd.DataFrame:
        """Return one row for each two raters i < j, p-values adjusted over all of them.

        Parameters
        ----------
        correction
            "none", "holm", "sidak", or "fdr_bh" (Benjamini and Hochberg, the false discovery rate).
        """
        first, second = np.triu_indices(len(self.names), 1)
        pvalue = self.test.pvalue[first, second]
        names = np.array(list(map(str, self.names)))
        return pd.DataFrame(
            {
                "decisions": names[first],
                "reference": names[second],
                "estimate": self.test.estimate[first, second],
                "dpt": self.test.dpt[first, second],
                "dof": self.test.dof[first, second],
                "pvalue": pvalue,
                "pvalue_adjusted": adjusted_over(pvalue, correction),
                "dpd": self.test.dpd[first, second],
                "magnitude": magnitude(self.test.dpd[first, second]),
                "overlap": self.overlap[first, second],
            }
        )


def adjusted_over(pvalues: Floats, correction: Correction | Literal["fdr_bh"]) -> Floats:
    """Adjust p-values of many pairs; NaN stays NaN and does not count."""
    if correction != "fdr_bh":
        return adjusted(pvalues, correction)
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415  (slow)

    known = np.isfinite(pvalues)
    result = np.full_like(pvalues, np.nan)
    if known.any():
        result[known] = multipletests(pvalues[known], method="fdr_bh")[1]
    return result


def differential_parity_of_raters(
    ratings: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    effect_size: EffectSize = "pooled",
) -> RaterPairs:
    """Compare every rater with every other, all pairs in one go.

    The means and variances of all R² differences follow from sums of products of the ratings, so
    the work is a few products of matrices.

    Parameters
    ----------
    ratings
        One column a rater, shape (n, R); a DataFrame names them. NaN where a rater has not rated an
        item: a pair is compared on the items that both have.
    sensitive_features
        Group of each item, two groups, shape (n,).
    effect_size
        "pooled" (Definition 4) or "overall".

    Returns
    -------
    RaterPairs
        NaN for two raters who share fewer than two items of a group.

    Raises
    ------
    InputError
        When the ratings are no table of numbers, or there are not two groups.

    Examples
    --------
    >>> ratings = pd.DataFrame({"P1": [1, 2, 3, 4], "P2": [2, 2, 3, 3]})
    >>> pairs = differential_parity_of_raters(ratings, sensitive_features=[0, 0, 1, 1])
    >>> pairs.to_frame()[["decisions", "reference", "estimate", "dpd"]].round(2)
      decisions reference  estimate   dpd
    0        P1        P2       1.0  1.41
    """
    table = inputs.table(ratings, "ratings")
    if table is None or table.empty:
        raise InputError("ratings must be a table of numbers, shape (n, R): a column a rater.")
    values = np.column_stack(
        [
            inputs.moderate(table.iloc[:, i], f"ratings, column {name}", missing=True)
            for i, name in enumerate(table.columns)
        ]
    )
    group, _ = inputs.two_groups(sensitive_features)
    inputs.same_items(ratings=table, sensitive_features=sensitive_features)
    _check_effect_size(effect_size)
    scale = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    moments = [_of_pairs(values[group == code]) for code in (0, 1)]
    mean, variance, n = (np.stack(parts, axis=-1) for parts in zip(*moments, strict=True))
    return RaterPairs(
        names=tuple(table.columns),
        test=welch_test(mean, variance, n, effect_size=effect_size, scale=max(scale, 1e-300)),
        overlap=n.min(axis=-1).astype(np.int64),
    )


def _of_pairs(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean and variance of every difference of two columns, and the number of its rows."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        centre = np.nan_to_num(np.where(known, values, 0).sum(axis=0) / known.sum(axis=0))
    x, m = np.where(known, values - centre, 0), known.astype(float)
    n = m.T @ m
    total, squares = x.T @ m, (x**2).T @ m
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (total - total.T) / n
        variance = (squares + squares.T - 2 * x.T @ x - n * mean**2) / (n - 1)
        # what is left of sums of squares that cancel
        variance = np.where(variance * n > ROUNDING * (squares + squares.T), variance, 0 * variance)
    return mean + centre[:, None] - centre, variance, n


def _omnibus(mean: Floats, variance: Floats, n: Floats, test: WelchTest, scale: float) -> float:
    """Return the p-value of Welch's test that no group differs."""
    if len(mean) == 2:
        return float(test.pvalue[0])
    if not ((n >= 2) & (variance > (ROUNDING * scale) ** 2)).all():
        return float("nan")
    from statsmodels.stats.oneway import anova_generic  # noqa: PLC0415  (slow)

    return float(anova_generic(mean, variance, n, use_var="unequal").pvalue)


def result_of(
    test: WelchTest,
    hypotheses: tuple[str, ...],
    names: Sequence[Any],
    alpha: float,
    omnibus: float,
) -> DifferentialParityResult:
    """Turn a comparison into a result, with the p-values and intervals of Games and Howell."""
    k = max(2, len(names))
    # Games and Howell: the range of k means, for two of them Student's t itself
    pvalue, quantile = test.pvalue, np.asarray(stdtrit(test.dof, 1 - alpha / 2))
    if k > 2:
        from scipy.stats import studentized_range  # noqa: PLC0415  (slow)

        pvalue = np.asarray(studentized_range.sf(np.sqrt(2) * np.abs(test.dpt), k, test.dof))
        quantile = np.asarray(studentized_range.ppf(1 - alpha, k, test.dof)) / np.sqrt(2)
    margin = quantile * test.error
    reason = np.select(
        [np.isnan(test.error), test.constant],
        ["a group with fewer than two items", "constant differences"],
        default="",
    )
    return DifferentialParityResult(
        hypotheses=hypotheses,
        difference=ProportionDifference(
            estimate=test.estimate,
            ci_low=test.estimate - margin,
            ci_high=test.estimate + margin,
            statistic=test.dpt,
            pvalue=pvalue,
            n=test.n.sum(axis=-1).astype(np.int64),
            smallest_cell=test.n.min(axis=-1).astype(np.int64),
            reason=reason,
            effect_size=test.dpd,
        ),
        alpha=alpha,
        correction="none",
        groups=tuple(names),
        dof=test.dof,
        pvalue_one_sided=test.pvalue_one_sided,
        magnitude=tuple(magnitude(test.dpd)),
        omnibus_pvalue=omnibus,
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


def _check_effect_size(effect_size: str) -> None:
    inputs.one_of(effect_size, "effect_size", get_args(EffectSize))
