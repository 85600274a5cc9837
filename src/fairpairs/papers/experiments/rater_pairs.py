"""Differential parity of every rater over every other, as in the tables of the paper on it.

Reference: Yu and Xi, *Differential Parity: Relative Fairness Between Two Sets of Decisions*.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs, tables
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.base.printed import Printed
from fairpairs.mathematics.estimates.estimates import magnitude
from fairpairs.mathematics.inference.results import Correction, adjusted
from fairpairs.mathematics.inference.welch import ROUNDING, EffectSize, WelchTest, welch_test


@dataclass(frozen=True)
class RaterPairs(Printed):
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

    name: ClassVar[str] = "differential parity of raters"
    names: tuple[Any, ...]
    test: WelchTest
    overlap: Integers

    def _printed(self) -> pd.DataFrame:
        rows = self.to_frame()
        return rows.assign(
            hypothesis=rows["decisions"] + " over " + rows["reference"],
            pvalue=rows["pvalue_adjusted"],
        )

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
                "magnitude": magnitude(self.test.dpd[first, second], "d"),
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


@understood
def differential_parity_of_raters(
    ratings: ArrayLike, *, sensitive_features: ArrayLike, effect_size: EffectSize = "pooled"
) -> RaterPairs:
    """Compare every rater with every other, all pairs in one go.

    The means and variances of all R² differences follow from sums of products of the ratings, so
    the work is a few products of matrices.

    Items must be independent: with clusters it rejects too often (docs/explanation/questions.md).

    Parameters
    ----------
    ratings
        One column per rater, shape (n, R); a DataFrame names them. NaN where a rater has not rated
        an item: a pair is compared on the items that both have rated.
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
    table = tables.table(ratings, "ratings")
    if table is None or table.empty:
        raise InputError("ratings must be a table of numbers, shape (n, R): one column per rater.")
    values = np.column_stack(
        [
            inputs.moderate(table.iloc[:, i], f"ratings, column {name}", missing=True)
            for i, name in enumerate(table.columns)
        ]
    )
    group, _ = inputs.two_groups(sensitive_features)
    inputs.same_items(ratings=table, sensitive_features=sensitive_features)
    inputs.one_of(effect_size, "effect_size", get_args(EffectSize))
    scale = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    moments = [_pair_moments(values[group == code]) for code in (0, 1)]
    mean, variance, n = (np.stack(parts, axis=-1) for parts in zip(*moments, strict=True))
    return RaterPairs(
        names=tuple(table.columns),
        test=welch_test(mean, variance, n, effect_size=effect_size, scale=max(scale, 1e-300)),
        overlap=n.min(axis=-1).astype(np.int64),
    )


def _pair_moments(values: Floats) -> tuple[Floats, Floats, Floats]:
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
        # rounding error of sums of squares that cancel
        variance = np.where(variance * n > ROUNDING * (squares + squares.T), variance, 0 * variance)
    return mean + centre[:, None] - centre, variance, n
