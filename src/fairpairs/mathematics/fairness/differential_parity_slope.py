"""Differential parity on a continuous attribute: whether decisions drift apart along it."""

from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError, renamed
from fairpairs.mathematics.fairness.differential_parity import (
    DifferentialParityResult,
    build_result,
    decision_scale,
)
from fairpairs.mathematics.fairness.slopes import Attribute, attribute_ranks
from fairpairs.mathematics.inference.shuffled_means import MAX_SKEWNESS, SKEWED, ShuffledPair
from fairpairs.mathematics.inference.welch import ROUNDING, WelchTest

#: Leverage of one item from which on HC3 alone is invalid, and that of an item that decides alone.
MAX_LEVERAGE = 0.15
NO_LEVERAGE = 1 - 1e-6
LEVERAGE = "few items decide the slope: their attribute lies far from that of the others"
ONE_ITEM = "one item decides the slope: the others hardly differ in the attribute"


@renamed(sensitive_feature="sensitive_features")
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

    Where few items decide the slope (one has a leverage of 0.15 and of 4 / n or more), or skewed
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
        raise InputError(f"A slope needs at least four items; there are {n}.")
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
