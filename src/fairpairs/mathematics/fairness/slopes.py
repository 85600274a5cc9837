"""Comparative separation, and differential parity, for a continuous sensitive attribute.

Whether a pair is ranked right does then not depend on the difference of the attributes of its
winner and its loser (across), nor on their sum (within). For two groups coded 0 and 1 the
differences of −1, 0 and 1 and the sums of 0, 1 and 2 are the cells of H0c and H0w. The paper names
continuous attributes as open (its section on validity); the definition is ours, and so is the
variance: docs/explanation/comparative-separation.md. Differential parity asks whether decisions
drift apart along the attribute.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtri, stdtr, stdtrit

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.estimates.estimates import UNVARYING, Estimates, two_sided
from fairpairs.mathematics.estimates.pairs.all_pairs import sums_over_labels, sums_over_pairs
from fairpairs.mathematics.estimates.pairs.rates import NO_VARIANCE, Ties, check_ties
from fairpairs.mathematics.fairness.differential_parity import (
    DifferentialParityResult,
    build_result,
    decision_scale,
)
from fairpairs.mathematics.inference.gaps import JointTest
from fairpairs.mathematics.inference.results import Correction, FairnessTestResult
from fairpairs.mathematics.inference.shuffled_means import MAX_SKEWNESS, SKEWED, ShuffledPair
from fairpairs.mathematics.inference.welch import ROUNDING, WelchTest

Attribute = Literal["ranks", "values"]

#: Weights of the winner's and of the loser's attribute: across, within.
CONTRASTS = ((1.0, -1.0), (1.0, 1.0))


@dataclass(frozen=True)
class ComparativeSlopesResult(FairnessTestResult):
    """The result of `comparative_separation_slopes_test`.

    Attributes
    ----------
    rate
        Share of all pairs with different labels that are ranked right.
    joint
        Wald test of both slopes, by the variance of the two that rejects less.
    """

    name: ClassVar[str] = "comparative separation slopes test"
    rate: float
    joint: JointTest


@understood
def comparative_separation_slopes_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    attribute: Attribute = "ranks",
    ties: Ties = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> ComparativeSlopesResult:
    """Test whether being ranked right depends on a continuous attribute, over all pairs.

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

    Parameters
    ----------
    y_true, y_score
        Labels and scores, shape (n,).
    sensitive_features
        Value of the attribute of each item, shape (n,).
    attribute
        "ranks": the share of items with a lower value, from 0 to 1, for a slope from the lowest to
        the highest value. "values": the value itself, for a slope per unit; take it where the
        values have no long tail, such as ages. A few large incomes would decide everything.
    ties
        Whether a tie of the scores counts as "wrong" or as "half".
    alpha
        Level.
    correction
        "none", "holm" or "sidak".

    Returns
    -------
    ComparativeSlopesResult
        Estimates are the slopes of the chance of being ranked right, per unit of the difference
        a_winner − a_loser, and of the sum a_winner + a_loser; effect sizes are slopes per standard
        deviation of these. The mean of a among items of like labels is subtracted, which has no
        effect for two labels. The smallest cell has the items that can win a pair, or those that
        can lose one: for two labels those of the rarer label.

    Raises
    ------
    InputError
        When the arrays differ in length or hold a missing value, or the attribute or the label
        does not vary.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> age, y = rng.uniform(20, 70, 300), rng.integers(0, 2, 300)
    >>> score = y * (70 - age) / 10 + rng.normal(size=300)
    >>> result = comparative_separation_slopes_test(y, score, sensitive_features=age)
    >>> result.violated
    True
    """
    labels = inputs.numeric(y_true, "y_true")
    scores = inputs.numeric(y_score, "y_score")
    values = inputs.moderate(sensitive_features, "sensitive_features")
    inputs.same_items(y_true=y_true, y_score=y_score, sensitive_features=sensitive_features)
    inputs.level(alpha)
    check_ties(ties)
    for name, array in (("y_true", labels), ("sensitive_features", values)):
        if array.min() == array.max():
            raise InputError(f"{name} has only one value: there is nothing to compare.")
    inputs.one_of(attribute, "attribute", get_args(Attribute))
    n, strata = len(labels), label_strata(labels)
    coded = attribute_ranks(values) if attribute == "ranks" else values - values.mean()
    a = coded - _stratum_means(coded, strata)
    powers = np.stack([np.ones(n), a, a**2])[:, None]
    hits = [x[:, 0] for x in sums_over_pairs(labels[None], scores[None], powers[:2], ties=ties)]
    pairs = [x[:, 0] for x in sums_over_labels(labels[None], powers)]
    total = pairs[0][0].sum()
    rate = hits[0][0].sum() / total
    slopes, added, weights, spread = [], [], [], []
    for winner, loser in CONTRASTS:
        x, xx = _moments(winner * a, loser, pairs[0])
        hx = winner * a * hits[0][0] + loser * hits[0][1]
        mean = x.sum() / total
        squares = xx.sum() - total * mean**2
        if squares <= 0:
            raise InputError(
                "All pairs with different labels are alike in sensitive_features: no slope."
            )
        slope = (hx.sum() - rate * total * mean) / squares
        score_sums = np.zeros(n)
        for first, second, hit, pair in zip(
            (winner, loser), (loser, winner), hits, pairs, strict=True
        ):
            x, xx = _moments(first * a, second, pair)
            hx = first * a * hit[0] + second * hit[1]
            level = rate - slope * mean
            # the sum over an item's pairs of (hit − level − slope x)(x − mean)
            score_sums += (
                hx - mean * hit[0] - level * (x - mean * pair[0]) - slope * (xx - mean * x)
            )
        slopes.append(slope)
        added.append(score_sums / squares)
        # the slope is the sum of these times the attribute, and they do not depend on it
        won, lost = (hit[0] - rate * pair[0] for hit, pair in zip(hits, pairs, strict=True))
        weights.append((winner * won + loser * lost) / squares)
        spread.append(np.sqrt(squares / total))
    estimate = np.array(slopes)
    ones = np.ones(n)
    covariances = np.stack([_covariance(ones, added, strata), _covariance(a, weights, strata)])
    error = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2).max(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        varies = (error * np.array(spread)) ** 2 > NO_VARIANCE
        statistic = np.where(varies, estimate / error, np.nan)
    margin = np.where(varies, ndtri(1 - alpha / 2) * error, np.nan)
    inverses = np.linalg.pinv(covariances, hermitian=True)
    wald = float(np.einsum("i,cij,j->c", estimate, inverses, estimate).min())
    wald = wald if varies.all() else np.nan
    return ComparativeSlopesResult(
        hypotheses=("no slope on a_winner - a_loser", "no slope on a_winner + a_loser"),
        difference=Estimates(
            estimate=estimate,
            ci_low=estimate - margin,
            ci_high=estimate + margin,
            statistic=statistic,
            pvalue=two_sided(statistic),
            n=np.full(2, total, dtype=np.int64),
            smallest_cell=np.full(2, min((pair[0] > 0).sum() for pair in pairs)),
            reason=np.where(np.isfinite(statistic), "", UNVARYING),
            effect_size=estimate * np.array(spread),
        ),
        alpha=alpha,
        correction=correction,
        rate=float(rate),
        joint=JointTest(np.asarray(wald), 2, np.asarray(chdtrc(2, wald))),
    )


def attribute_ranks(values: Floats) -> Floats:
    """Return the share of items with a lower value, ties counting half, minus one half."""
    return (pd.Series(values).rank().to_numpy() - 0.5) / len(values) - 0.5


def _stratum_means(values: Floats, strata: Integers) -> Floats:
    return np.asarray((np.bincount(strata, values) / np.bincount(strata))[strata])


def _covariance(a: Floats, weights: list[Floats], strata: Integers) -> Floats:
    """Return the covariance of sums of weights times `a` over all shuffles within strata."""
    n = np.bincount(strata)
    mean_squares = np.bincount(strata, a**2) / n
    centred = np.stack([weight - _stratum_means(weight, strata) for weight in weights])
    return np.asarray((centred * (mean_squares * n / np.maximum(n - 1, 1))[strata]) @ centred.T)


def _moments(a: Floats, weight: float, sums: Floats) -> tuple[Floats, Floats]:
    """Sum x = a + weight · a_other, and x², over the others, from the sums of 1, a and a²."""
    first = a * sums[0] + weight * sums[1]
    return first, a**2 * sums[0] + 2 * a * weight * sums[1] + weight**2 * sums[2]


#: Leverage of one item from which on HC3 alone is invalid, and that of an item that decides alone.
MAX_LEVERAGE = 0.15
NO_LEVERAGE = 1 - 1e-6
LEVERAGE = "few rows decide the slope: their attribute lies far from that of the others"
ONE_ITEM = "one row decides the slope: the others hardly differ in the attribute"


@understood
def differential_parity_slope_test(
    decisions: ArrayLike,
    reference: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    attribute: Attribute = "ranks",
    alpha: float = 0.05,
) -> DifferentialParityResult:
    """Test whether the difference of two sets of decisions rises or falls with an attribute.

    The paper leaves continuous attributes open (its limitation L1). Here it is the slope of the
    difference on the attribute by least squares, with the variance HC3, which allows the spread to
    depend on the attribute, as Welch's test does, and Bell and McCaffrey's degrees of freedom.

    Where few rows decide the slope (one has a leverage of 0.15 and of 4 / n or more), or skewed
    differences meet a skewed attribute, p is the larger one of this and of least squares with one
    spread, which is nearly that of shuffles of the attribute. The interval has the slopes that
    neither rejects, and a note gives the reason. If all items but one have the same value, the
    p-value is NaN.

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

    Parameters
    ----------
    decisions, reference
        Decisions on the same items, shape (n,).
    sensitive_features
        Value of the attribute of each item, shape (n,).
    attribute
        "ranks" or "values", as for `comparative_separation_slopes_test`.
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
    values = inputs.moderate(sensitive_features, "sensitive_features")
    inputs.same_items(
        decisions=decisions, reference=reference, sensitive_features=sensitive_features
    )
    inputs.level(alpha)
    if values.min() == values.max():
        raise InputError("sensitive_features has only one value: there is nothing to compare.")
    inputs.one_of(attribute, "attribute", get_args(Attribute))
    n = len(values)
    if n < 4:
        raise InputError(f"A slope needs at least four rows; there are {n}.")
    difference = one - two
    coded = attribute_ranks(values) if attribute == "ranks" else values
    x = (coded - coded.mean()) / coded.std()
    constant = bool(np.ptp(difference) <= ROUNDING * decision_scale(one, two))
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
    per_unit = 1 / coded.std()
    test = WelchTest.of_one(
        estimate=slope * per_unit,
        error=error * per_unit,
        dpt=t,
        dof=dof,
        dpd=correlation,
        constant=constant,
        n=np.array([n, n], dtype=float),
    )
    hypotheses = ("no slope of Δ on the attribute",)
    cautious = {}
    if doubt and not constant:
        alike = float(np.sqrt(residual @ residual / (n - 2) / n))  # the error with one spread
        with np.errstate(divide="ignore"):
            tail = stdtr(n - 2, -abs(np.divide(slope, alike)))
        one_sided = float(np.maximum(test.pvalue_one_sided[0], tail))
        quantile = stdtrit([dof, n - 2], 1 - alpha / 2)
        margin = float(np.max(quantile * [error, alike]))
        low, high = (slope - margin) * per_unit, (slope + margin) * per_unit
        cautious[0] = ShuffledPair(doubt, 2 * one_sided, one_sided, low, high)
    result = build_result(test, hypotheses, (), alpha, shuffled=cautious)
    return replace(result, difference=replace(result.difference, n=np.array([n])))


def _slope_doubt(x: Floats, residual: Floats, leverage: Floats) -> str:
    """Return why HC3 does not hold for the slope on x, standardised; empty where it does."""
    if leverage.max() >= max(MAX_LEVERAGE, 4 / len(x)):  # evenly spread values have less
        return LEVERAGE
    # skewness of the slope if all residuals had one distribution
    alike = np.abs((x**3).sum() * (residual**3).mean()) / len(x) ** 1.5
    # and as they are: skewed residuals may vary more at one end of the attribute
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
