"""Differences of items with clusters and weights as `Estimates`, the results of the tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness.contrasts import Contrast
from fairpairs.fairness.estimates import ROUNDING, UNVARYING, Estimates
from fairpairs.fairness.inputs import Alternative
from fairpairs.fairness.sampling.design import SamplingDesign
from fairpairs.fairness.sampling.gaps import Gap
from fairpairs.fairness.sampling.linear import Linear
from fairpairs.fairness.sampling.means import mean


def mean_gaps(
    values: Floats, cell: Integers, groups: Integers, design: SamplingDesign, *, rates: bool = True
) -> Iterator[Gap]:
    """Yield the differences of the means of each two groups, b − a for a < b.

    Parameters
    ----------
    values
        Shape (n,).
    cell
        Cell of each item, such as its group and label, shape (n,).
    groups
        The cells whose means are compared: for each group one, or several that are compared one by
        one; shape (K,) or (K, q).
    design
        Clusters and weights of the items.
    rates
        Whether the values are 0 and 1.
    """
    columns = np.atleast_2d(groups.T).T
    means = [[mean(values, cell == c, cell, design) for c in row] for row in columns]
    for a, b in combinations(range(len(columns)), 2):
        for first, second in zip(means[b], means[a], strict=True):
            yield Gap(first, second, rates)


def gap_estimates(
    gaps: Iterable[Gap],
    design: SamplingDesign,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> Estimates:
    """Test differences of items with clusters and weights.

    Parameters
    ----------
    gaps
        The differences.
    design
        Clusters and weights of the items.
    alpha
        Intervals cover 1 − alpha; for one side they end at ±1 (of rates) or at infinity.
    alternative
        A difference is "two-sided" unequal to 0, "greater" or "less".

    Returns
    -------
    Estimates
        Fields of shape (gaps,). `statistic` is NaN. Two equal
        rates without variance have no p-value, nor have means without any, or groups of one
        cluster.
    """
    rows = [_row(gap, design, alpha, alternative) for gap in gaps]
    return Estimates(*(np.array(column) for column in zip(*rows, strict=True)))


def _row(
    gap: Gap, design: SamplingDesign, alpha: float, alternative: Alternative
) -> tuple[float | str, ...]:
    """Return the fields of the estimate of one difference."""
    difference = gap.difference
    cells = np.bincount(difference.classes[difference.classes >= 0])
    cells, nan = cells[cells > 0], float("nan")
    n, smallest = int(cells.sum()), int(cells.min(initial=cells.sum()))
    if np.isnan(difference.estimate):
        return nan, nan, nan, nan, nan, n, 0, "empty cell", nan
    one, two = gap.first.estimate, gap.second.estimate
    effect = gap.effect[0]
    if why := _why_not(gap, design):
        return difference.estimate, nan, nan, nan, nan, n, smallest, why, effect
    contrast = gap.contrast(design)
    low, high = _limits(contrast, alpha, alternative, end=1 if gap.rates else np.inf)
    constant = gap.rates and one in (0, 1) and abs(one - two) <= ROUNDING
    reason, pvalue = (UNVARYING, nan) if constant else ("", _pvalue(contrast, alternative))
    return difference.estimate, low, high, nan, pvalue, n, smallest, reason, effect


def why_no_test(gap: Gap, design: SamplingDesign) -> str:
    """Return why a difference that is estimated has no test; "" where it has one.

    The variance of a group of one cluster is unknown, and so is that of means which do not vary.
    """
    if gap.rates and design.cluster is None:
        return ""
    if min(n_units(each, design) for each in (gap.first, gap.second)) < 2:
        return f"a group with fewer than two {'items' if design.cluster is None else 'clusters'}"
    return "" if gap.rates or gap.difference.influence.any() else UNVARYING


def n_units(estimate: Linear, design: SamplingDesign) -> int:
    """Return how many clusters, or items where each is its own, an estimate rests on."""
    inside = estimate.classes >= 0
    if design.cluster is None:
        return int(inside.sum())
    return len(np.unique(design.cluster[inside]))


def _pvalue(contrast: Contrast, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return contrast.pvalue()
    return contrast.pvalue_above(0) if alternative == "greater" else contrast.pvalue_below(0)


def _limits(
    contrast: Contrast, alpha: float, alternative: Alternative, *, end: float
) -> tuple[float, float]:
    low, high = contrast.limits(alpha if alternative == "two-sided" else 2 * alpha)
    return -end if alternative == "less" else low, end if alternative == "greater" else high
