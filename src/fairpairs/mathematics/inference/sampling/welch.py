"""Welch's comparison of means of items with clusters and weights."""

from dataclasses import replace

import numpy as np
from scipy.special import stdtr

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.estimates import mean_gaps
from fairpairs.mathematics.inference.sampling.linear import spread
from fairpairs.mathematics.inference.welch import ROUNDING, EffectSize, WelchTest, welch_test


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
    dof = np.array([part.df(part.parts[0]) for part in spreads])
    constant = plain.constant | (error <= ROUNDING * scale)
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
