"""Welch's t of two means from their moments, and the paper's effect size (DPT and DPD)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, stdtr

from fairpairs.base.arrays import Floats
from fairpairs.mathematics.inference.contrast import StudentContrast

EffectSize = Literal["pooled", "overall"]
#: A difference or a standard deviation below this share of the scale of the decisions is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class WelchTest:
    """Welch's comparison of the means of groups 1 and 0; fields have one shape."""

    estimate: Floats
    error: Floats
    #: Welch's t and its degrees of freedom (equation 2).
    dpt: Floats
    dof: Floats
    pvalue: Floats
    #: Of the side of the sign, P(T > |t|), which the paper takes.
    pvalue_one_sided: Floats
    #: The estimate over a standard deviation (equation 3).
    dpd: Floats
    #: Whether neither group varies. Equal means then give t = 0, p = 1 (one-sided ½) and d = 0, as
    #: for a decision against itself; other means give infinite t and d, and the p-value of all
    #: shuffles of the groups: for two groups of two items 1/3.
    constant: NDArray[np.bool_]
    #: Items in the groups, shape (..., 2).
    n: Floats

    @classmethod
    def of_one(cls, *, dpt: float, dof: float, n: Floats, **others: float) -> WelchTest:
        """Return one comparison by Student's t, whose fields have the shape (1,)."""
        tail = stdtr(dof, -np.abs(dpt))
        fields = {"dpt": dpt, "dof": dof, "pvalue": 2 * tail, "pvalue_one_sided": tail} | others
        return cls(n=n[None], **{name: np.array([value]) for name, value in fields.items()})


def welch_test(
    mean: Floats,
    variance: Floats,
    n: Floats,
    *,
    effect_size: EffectSize = "pooled",
    scale: float = 1.0,
) -> WelchTest:
    """Compare two groups by Welch's t, from their moments (Definitions 3 and 4), shape (..., 2).

    A group with fewer than two items leaves NaN. The effect size is over the "pooled" standard
    deviation (Definition 4), or the "overall" one, which fits the published numbers better. What is
    below 10⁻¹² of the scale is rounding.
    """
    variance, estimate, total, same = _moments(mean, variance, n, scale)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_variance = np.where(n >= 2, variance / n, np.nan)
        dof = total**2 / (mean_variance**2 / (n - 1)).sum(axis=-1)
        within = ((n - 1) * variance).sum(axis=-1)
        if effect_size == "pooled":
            spread = np.sqrt(within / (n.sum(axis=-1) - 2))
        else:
            between = estimate**2 * n.prod(axis=-1) / n.sum(axis=-1)
            spread = np.sqrt((within + between) / (n.sum(axis=-1) - 1))
        constant = total == 0
        dpt, dpd = estimate / np.sqrt(total), estimate / spread
    dpt, dpd = (np.where(same, 0.0, value) for value in (dpt, dpd))
    dof = np.where(constant, n.sum(axis=-1) - 2, dof)
    # only one shuffle of two different constants has groups as far apart on the same side
    items = n.sum(axis=-1)
    log_shuffles = gammaln(items + 1) - gammaln(n + 1).sum(axis=-1)
    exact = np.minimum(np.exp(-log_shuffles), 0.5)
    one_sided = np.where(constant & ~same, exact, stdtr(dof, -np.abs(dpt)))
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


def welch_contrasts(test: WelchTest) -> tuple[StudentContrast | None, ...]:
    """Return the tests of the differences, in one row, against any value; None where constant."""
    columns = (field.tolist() for field in (test.estimate, test.error, test.dof, test.constant))
    return tuple(
        None if constant or np.isnan(error) else StudentContrast(estimate, error, dof)
        for estimate, error, dof, constant in zip(*columns, strict=True)
    )


def welch_t(mean: Floats, variance: Floats, n: Floats, *, scale: float = 1.0) -> Floats:
    """Return `dpt` of `welch_test` alone, for many shuffles."""
    _, estimate, total, same = _moments(mean, variance, n, scale)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(same, 0.0, estimate / np.sqrt(total))


def _moments(
    mean: Floats, variance: Floats, n: Floats, scale: float
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return variances and differences without rounding, their variance, and where both are 0."""
    variance = np.where(variance > np.square(ROUNDING * scale), variance, 0 * variance)
    estimate = mean[..., 1] - mean[..., 0]
    estimate = np.where(np.abs(estimate) > ROUNDING * scale, estimate, 0 * estimate)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_variance = np.where(n >= 2, variance / n, np.nan)
    total = mean_variance[..., 0] + mean_variance[..., 1]
    return variance, estimate, total, (total == 0) & (estimate == 0)
