"""What a test returns: frozen, in scipy's style, with one tidy row a hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.errors import InputError
from fairpairs.fairness.proportions import SMALL_CELL, Floats, ProportionDifference

Correction = Literal["none", "holm", "sidak"]


@dataclass(frozen=True)
class FairnessTestResult:
    """The hypotheses of one fairness notion, tested on one set of predictions.

    Attributes
    ----------
    hypotheses
        Names of the null hypotheses, one for each element of `difference`.
    difference
        Estimates, intervals, statistics and unadjusted p-values.
    alpha
        Level at which the notion is called violated.
    correction
        Adjustment of the p-values for the number of hypotheses that could be tested.
    """

    hypotheses: tuple[str, ...]
    difference: ProportionDifference
    alpha: float
    correction: Correction

    def __post_init__(self) -> None:
        _check(self.correction)

    @property
    def statistic(self) -> Floats:
        """The z of each hypothesis, NaN where it could not be computed."""
        return self.difference.statistic

    @cached_property
    def pvalues(self) -> Floats:
        """The adjusted p-value of each hypothesis, NaN where it could not be computed."""
        return adjusted(self.difference.pvalue, self.correction)

    @property
    def pvalue(self) -> float:
        """The smallest adjusted p-value; NaN when no hypothesis could be tested."""
        pvalues = self.pvalues
        return float(np.nanmin(pvalues)) if np.isfinite(pvalues).any() else float("nan")

    @property
    def violated(self) -> bool | None:
        """Whether any hypothesis is rejected at `alpha`; None when none could be tested."""
        return None if np.isnan(self.pvalue) else self.pvalue < self.alpha

    def to_frame(self) -> pd.DataFrame:
        """Return one row a hypothesis: estimate, interval, effect size (Cohen's h) and p-value.

        The intervals are of each hypothesis alone, the p-values adjusted: an interval may leave out
        0 where the adjusted p-value is above the level.
        """
        return pd.DataFrame(
            {
                "hypothesis": self.hypotheses,
                "estimate": self.difference.estimate,
                "ci_low": self.difference.ci_low,
                "ci_high": self.difference.ci_high,
                "effect_size": self.difference.effect_size,
                "statistic": self.difference.statistic,
                "pvalue": self.pvalues,
                "n": self.difference.n,
                "smallest_cell": self.difference.smallest_cell,
                "note": notes(self.difference),
            }
        )


def adjusted(pvalues: Floats, correction: Correction) -> Floats:
    """Adjust p-values along the last axis, by Holm or Šidák; NaN stays NaN and does not count.

    Šidák's correction takes the hypotheses to be independent, as those of separation and those on
    fresh pairs are; Holm's does not. statsmodels adjusts one family at a time; this, many.
    """
    _check(correction)
    if correction == "none":
        return pvalues
    number = np.isfinite(pvalues).sum(axis=-1, keepdims=True)
    if correction == "sidak":
        with np.errstate(divide="ignore"):  # a p-value of 1
            return np.asarray(-np.expm1(number * np.log1p(-pvalues)))
    order = np.argsort(pvalues, axis=-1)  # NaN last
    times = number - np.arange(pvalues.shape[-1])
    stepped = np.maximum.accumulate(np.take_along_axis(pvalues, order, axis=-1) * times, axis=-1)
    result = np.empty_like(pvalues)
    np.put_along_axis(result, order, np.minimum(stepped, 1), axis=-1)
    return result


def notes(difference: ProportionDifference) -> NDArray[np.str_]:
    """Say why a test could not be made, or that its smallest cell is below 30."""
    small = np.where(difference.smallest_cell < SMALL_CELL, f"a cell below {SMALL_CELL}", "")
    return np.where(difference.reason != "", difference.reason, small)


def _check(correction: str) -> None:
    if correction not in get_args(Correction):
        raise InputError(f"correction must be none, holm or sidak; it is {correction!r}.")
