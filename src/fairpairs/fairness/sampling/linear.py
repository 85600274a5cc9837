"""An estimate and the influence of each item, from which its variance follows.

References
----------
D. A. Binder (1983), On the variances of asymptotically normal estimators from complex surveys;
N. A. Obuchowski (1997), Nonparametric analysis of clustered ROC curve data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairpairs.arrays import Floats, Integers
from fairpairs.fairness.sampling.design import SamplingDesign


@dataclass(frozen=True)
class Linear:
    """An estimate from n items, to first order a sum over them.

    Attributes
    ----------
    estimate
        Its value; NaN where there is none.
    influence
        What each item adds to estimate − truth, shape (n,); 0 for items that it does not rest on.
    classes
        Class of each item, from 0, and −1 for items that it does not rest on, shape (n,): the items
        of a class were sampled alike, and the influence sums up to 0 in each.
    """

    estimate: float
    influence: Floats
    classes: Integers

    def __add__(self, other: Linear) -> Linear:
        return Linear(
            self.estimate + other.estimate, self.influence + other.influence,
            np.maximum(self.classes, other.classes),
        )  # fmt: skip

    def __sub__(self, other: Linear) -> Linear:
        return self + -1.0 * other

    def __rmul__(self, factor: float) -> Linear:
        return Linear(factor * self.estimate, factor * self.influence, self.classes)


@dataclass(frozen=True)
class Spread:
    """The covariance matrix of some estimates, and how well it is known.

    Attributes
    ----------
    covariance
        Shape (L, L).
    df
        Satterthwaite's degrees of freedom of each variance, shape (L,).
    """

    covariance: Floats
    df: Floats


def spread(estimates: list[Linear], design: SamplingDesign) -> Spread:
    """Return the covariance of estimates of the same items, robust to clusters.

    With T_c the sum of the influence over the items of cluster c that are in a class, a variance is
    Σ T_c² times m / (m − 1) for the m clusters of the class; sums of products of two classes have
    the factor of all clusters in any class (Obuchowski 1997, section 3). With sampling weights all
    have the factor of all clusters of the design, as in survey statistics (Binder 1983).

    Parameters
    ----------
    estimates
        Of the items of the design. Two that have a class for an item have the same.
    design
        Clusters and weights of the items.
    """
    classes = np.maximum.reduce([each.classes for each in estimates])
    inside = np.flatnonzero(classes >= 0)
    kinds, class_of = np.unique(classes[inside], return_inverse=True)
    k = max(len(kinds), 1)
    if design.cluster is None:
        place, m = class_of, np.bincount(class_of, minlength=k)
        totals = [each.influence[inside] for each in estimates]
        n_units, unit = len(inside), class_of
    else:
        # the clusters that have items in any class, and their totals in each class
        taken, cluster = np.unique(design.cluster[inside], return_inverse=True)
        n_units, place = len(taken), k * cluster + class_of
        size = k * n_units
        m = (np.bincount(place, minlength=size).reshape(n_units, k) > 0).sum(axis=0)
        totals = [
            np.bincount(place, each.influence[inside], minlength=size).astype(float)
            for each in estimates
        ]
        unit = np.tile(np.arange(k), n_units)
    units = design.n_clusters if not design.by_class else n_units
    overall = units / max(units - 1, 1)
    factor = m / np.maximum(m - 1, 1) if design.by_class else np.full(k, overall)
    n = len(estimates)
    covariance, df = np.empty((n, n)), np.empty(n)
    for i in range(n):
        for j in range(i, n):
            products = np.bincount(unit, totals[i] * totals[j], minlength=k)
            within = float(factor @ products)
            across = 0.0
            if design.cluster is not None and k > 1:
                whole = totals[i].reshape(n_units, k).sum(axis=1)
                other = totals[j].reshape(n_units, k).sum(axis=1)
                across = overall * float(whole @ other - products.sum())
            covariance[i, j] = covariance[j, i] = within + across
            if i == j:
                parts = factor * products
                with np.errstate(invalid="ignore", divide="ignore"):
                    df[i] = within**2 / (parts**2 / np.maximum(m - 1, 1)).sum()
    return Spread(covariance, np.where(np.isfinite(df), np.maximum(df, 1), 1.0))
