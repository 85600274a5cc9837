"""Differences of means within strata, put together by Mantel–Haenszel weights.

The sum is the coefficient of the group in a regression with a constant for each stratum, from whose
residuals follows what each item adds (docs/explanation/inference.md, section 5). That holds for few
large strata and for many of two items alike.

References: N. Mantel and W. Haenszel (1959), Statistical aspects of the analysis of data from
retrospective studies of disease; S. Greenland and J. M. Robins (1985), Estimation of a common
effect parameter from sparse follow-up data; W. G. Cochran (1954), The combination of estimates from
different experiments (heterogeneity).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast
from fairpairs.mathematics.inference.sampling.linear import Linear

#: Items, or clusters, that a group needs in a stratum for the test of heterogeneity.
LEAST_UNITS = 10


def controlled_means(
    values: Floats, member: Integers, classes: Integers, strata: Integers, design: SamplingDesign
) -> tuple[Linear, Linear, ScoreContrast | None]:
    """Return the mean of the group (member 1) and of the reference (0), in the same mix of strata.

    For values from 0 to 1 also return their difference as one of the rates `of_strata`. Items with
    another member do not count. Means are NaN where no stratum has both.
    """
    n, k = len(values), int(strata.max()) + 1
    kept = (member >= 0) if design.weight is None else (member >= 0) & (design.weight > 0)
    # the cell of an item is its stratum and group; a last one is of items that do not count
    cell = np.where(kept, 2 * strata + member, 2 * k)
    sums, totals = (
        np.bincount(cell, weight, 2 * k + 1)[:-1].reshape(k, 2)
        for weight in (design.weight, values if design.weight is None else design.weight * values)
    )
    sums = sums.astype(float)
    whole, both = sums.sum(axis=1), sums.min(axis=1) > 0
    if not both.any():
        nothing = Linear(np.nan, np.zeros(n), np.full(n, -1, dtype=classes.dtype))
        return nothing, nothing, None
    with np.errstate(invalid="ignore", divide="ignore"):
        # an item's share in the mean of its group
        share = np.where(both[:, None], sums[:, ::-1] / whole[:, None], 0.0)
        center = totals.sum(axis=1) / whole
    total = float((share * sums)[:, 1].sum())
    low, high = float(values.min()), float(values.max())
    second, first = np.clip((share * totals).sum(axis=0) / total, low, high)
    units = _units(cell, both, k, design)
    # of m units, m − 1 vary about the constant of their stratum
    factor = np.sqrt(np.where(units > 1, units / np.maximum(units - 1, 1), 1.0))
    fitted = center[:, None] + (first - second) * share * np.array([-1.0, 1.0])
    slope = share * factor[:, None] / total
    level = np.where(both[:, None], slope * fitted, 0.0)
    slope, level = (np.append(x.ravel(), 0.0) for x in (slope, level))
    added = slope[cell] * values - level[cell]
    if design.weight is not None:
        added *= design.weight
    used = np.append(both, False)[cell // 2]
    parts = []
    for code, estimate in ((1, first), (0, second)):
        own = used & (member == code)
        parts.append(Linear(float(estimate), np.where(own, added, 0.0), np.where(own, classes, -1)))
    if low < 0 or high > 1:
        return parts[0], parts[1], None
    squares = sums
    if design.weight is not None and design.counts is None:
        squares = np.bincount(cell, design.weight**2, 2 * k + 1)[:-1].reshape(k, 2)
    items = sums[both] ** 2 / squares[both]  # as if of equal weights (Kish)
    return parts[0], parts[1], of_strata(sums[both], totals[both], items)


def of_strata(sums: Floats, totals: Floats, items: Floats) -> ScoreContrast:
    """Return a difference within strata of two rates in each, which are alike.

    Each stratum has one item more, of the rate of all, since none in few may be chance. `sums` of
    weights, `totals` of weighted values and `items`, of the reference and the group, are (H, 2).
    """
    n, whole = items.sum(axis=1), sums.sum(axis=1)
    share = sums.prod(axis=1) / whole
    share = share / share.sum()
    rate = totals.sum(axis=1) / whole
    smooth = (n * rate + totals.sum() / sums.sum()) / (n + 1)
    by_rate = share**2 * (1 / items).sum(axis=1)
    exact = by_rate @ (rate * (1 - rate) * n / np.maximum(n - 1, 1))
    trials = items.T * (by_rate @ (smooth * (1 - smooth)) / exact if exact > 0 else 1)
    return ScoreContrast(np.tile(smooth, 2), trials.ravel(), np.append(-share, share))


def heterogeneity(
    values: Floats, member: Integers, strata: Integers, design: SamplingDesign
) -> float:
    """Return p of Cochran's Q over strata with `LEAST_UNITS` varying units of both; NaN if none."""
    weights = design.weights
    inside = np.flatnonzero((member >= 0) & (weights > 0))
    cell = 2 * strata[inside] + member[inside]
    k = int(strata.max()) + 1
    weight, value = weights[inside], values[inside]
    total = np.bincount(cell, weight, 2 * k)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, weight * value, 2 * k) / total
        added = weight * (value - mean[cell]) / total[cell]
    of_unit, unit = design.units(cell, inside)
    counts = np.ones(len(of_unit)) if design.counts is None else weight
    units = np.bincount(of_unit, counts, 2 * k)
    variance = np.bincount(of_unit, np.bincount(unit, added) ** 2 / counts, 2 * k)
    # a rate of 0 or 1 varies too
    rate = np.isin(mean, (0, 1)) & (variance == 0)
    inner = (mean * units + 1) / (units + 2)
    variance = np.where(rate, inner * (1 - inner) / np.maximum(units, 1), variance)
    known = ((units >= LEAST_UNITS) & (variance > 0)).reshape(k, 2).all(axis=1)
    if known.sum() < 2:
        return float("nan")
    corrected = variance * units / np.maximum(units - 1, 1)
    spread = corrected.reshape(k, 2).sum(axis=1)[known]
    difference = np.diff(mean.reshape(k, 2), axis=1)[known, 0]
    center = (difference / spread).sum() / (1 / spread).sum()
    statistic = float(((difference - center) ** 2 / spread).sum())
    return float(chdtrc(len(difference) - 1, statistic))


def informative(member: Integers, strata: Integers) -> NDArray[np.bool_]:
    """Return which strata have items of the group and of the reference, shape (k,)."""
    k = int(strata.max()) + 1
    inside = member >= 0
    counts = np.bincount(2 * strata[inside] + member[inside], minlength=2 * k)
    return np.asarray((counts.reshape(k, 2) > 0).all(axis=1))


def _units(cell: Integers, both: NDArray[np.bool_], k: int, design: SamplingDesign) -> Integers:
    """Return the number of items, or of clusters, of each stratum, shape (k,)."""
    used = np.flatnonzero(np.append(both, False)[cell // 2])
    of_unit, _ = design.units(cell[used] // 2, used)
    return np.bincount(of_unit, None if design.counts is None else design.counts[used], k)
