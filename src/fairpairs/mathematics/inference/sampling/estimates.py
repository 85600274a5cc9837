"""Differences of items with clusters and weights as `Estimates`, and by Welch's comparison."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy.special import stdtr

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.inputs import Alternative
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.estimates import ROUNDING, UNVARYING, Estimates
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import mean, spread
from fairpairs.mathematics.inference.welch import (
    ROUNDING as ROUNDING_OF_DECISIONS,
    EffectSize,
    WelchTest,
    welch_test,
)

#: Why a difference has no test.
FEW_ITEMS = "a group with fewer than two rows"
FEW_CLUSTERS = "a group with fewer than two clusters"


def mean_gaps(
    values: Floats, cell: Integers, groups: Integers, design: SamplingDesign, *, rates: bool = True
) -> Iterator[Gap]:
    """Yield the differences of the means of each two groups, b − a for a < b.

    `groups` has their cells, (K,), or several that are compared one by one, (K, q).
    """
    columns = np.atleast_2d(groups.T).T
    means = [[mean(values, cell == c, cell, design) for c in row] for row in columns]
    for a, b in combinations(range(len(columns)), 2):
        for first, second in zip(means[b], means[a], strict=True):
            yield Gap(first, second, rates)


def gap_tests(
    gaps: Iterable[Gap],
    design: SamplingDesign,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> tuple[Estimates, tuple[Contrast | None, ...]]:
    """Test differences of items with clusters and weights; one-sided intervals have one end.

    Estimates have no `statistic`, and no p-value for two equal rates that do not vary. The tests
    against any value are returned too; None where there is none, for which `reason` says why.
    """
    rows, contrasts = [], []
    for gap in gaps:
        reason = "empty cell" if np.isnan(gap.difference.estimate) else why_no_test(gap, design)
        contrast = None if reason else gap.contrast(design)
        contrasts.append(contrast)
        difference, low, high, pvalue = gap.difference, np.nan, np.nan, np.nan
        equal = abs(difference.estimate) <= ROUNDING
        if contrast is not None and gap.rates and equal and gap.first.estimate in (0, 1):
            reason = UNVARYING
        cells = np.bincount(difference.classes[difference.classes >= 0])
        smallest = int(cells[cells > 0].min()) if np.isfinite(difference.estimate) else 0
        if contrast is not None:
            low, high = contrast.limits(alpha if alternative == "two-sided" else 2 * alpha)
            end = 1 if gap.rates else np.inf
            low = -end if alternative == "less" else low
            high = end if alternative == "greater" else high
            pvalue = np.nan if reason else contrast.equality(alternative)
            reason = reason or gap.large_cluster(design)
        ends, n, effect = (low, high, np.nan), int(cells.sum()), gap.effect[0]
        rows.append((difference.estimate, *ends, pvalue, n, smallest, reason, effect))
    estimates = Estimates(*(np.array(column) for column in zip(*rows, strict=True)))
    return estimates, tuple(contrasts)


def why_no_test(gap: Gap, design: SamplingDesign) -> str:
    """Return why a difference has no test, such as one cluster or no variance; "" if it has."""
    if gap.rates and design.cluster is None:
        return ""
    if gap.fewest_units(design) < 2:
        return FEW_ITEMS if design.cluster is None else FEW_CLUSTERS
    return "" if gap.rates or gap.difference.influence.any() else UNVARYING


def sampled_welch_test(
    values: Floats,
    group: Integers,
    design: SamplingDesign,
    *,
    effect_size: EffectSize = "pooled",
    scale: float = 1.0,
) -> WelchTest:
    """Compare the means of each two groups, b − a for a < b, by Student's t.

    Errors are robust to clusters and weights. NaN with fewer than two clusters, or items, of a
    group.
    """
    k = int(group.max()) + 1
    gaps = list(mean_gaps(values, group, np.arange(k), design, rates=False))
    mean = np.array([[gap.second.estimate, gap.first.estimate] for gap in gaps])
    fewest = [gap.fewest_units(design) for gap in gaps]
    sizes = np.bincount(group, minlength=k)
    total = np.bincount(group, design.weights, minlength=k)
    first, second = np.triu_indices(k, 1)
    pairs = np.column_stack([first, second])
    middle = np.empty(k)
    middle[pairs] = mean
    squares = np.bincount(group, design.weights * (values - middle[group]) ** 2, minlength=k)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = squares / total * sizes / (sizes - 1)
    plain = welch_test(
        mean, variance[pairs], sizes[pairs].astype(float), effect_size=effect_size, scale=scale
    )
    spreads = [spread([gap.difference], design) for gap in gaps]
    error = np.sqrt([float(part.covariance[0, 0]) for part in spreads])
    dof = np.array([part.df_of_sum(np.ones(1)) for part in spreads])
    constant = plain.constant | (error <= ROUNDING_OF_DECISIONS * scale)
    error = np.where(np.array(fewest) > 1, np.where(constant, 0.0, error), np.nan)
    same = plain.estimate == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(same, 0.0, plain.estimate / error)
    tail = np.where(constant & ~same, np.nan, stdtr(dof, -np.abs(t)))
    return replace(
        plain,
        error=error,
        dpt=t,
        dof=dof,
        pvalue=2 * tail,
        pvalue_one_sided=tail,
        constant=constant,
    )
