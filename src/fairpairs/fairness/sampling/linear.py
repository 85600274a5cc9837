"""An estimate and the influence of each item, from which its variance follows.

References
----------
D. A. Binder (1983), On the variances of asymptotically normal estimators from complex surveys;
N. A. Obuchowski (1997), Nonparametric analysis of clustered ROC curve data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    parts
        What each class adds to each variance, shape (L, k); if nothing, shares of the variance that
        it may have.
    overlap
        The sums over clusters of the products of their shares in the variance of two classes,
        shape (k, k).
    """

    covariance: Floats
    parts: Floats
    overlap: Floats

    def df(self, variances: Floats) -> float:
        """Return the degrees of freedom of a sum of variances, one of each estimate.

        They are Satterthwaite's, (Σ v_c)² / Σ v_c², where a cluster has the variance v_c: its share
        in that of each class, by the square of its weight there. So a few clusters that weigh more
        than the rest leave fewer, and clusters in two classes count once.

        Parameters
        ----------
        variances
            Shape (L,).
        """
        by_class = variances @ (self.parts / self.parts.sum(axis=1, keepdims=True))
        squares = float(by_class @ self.overlap @ by_class)
        return max(float(by_class.sum()) ** 2 / squares, 1.0) if squares > 0 else 1.0


def spread(estimates: Sequence[Linear], design: SamplingDesign) -> Spread:
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
    of_class = classes[inside]
    k = int(of_class.max(initial=0)) + 1
    totals = np.array([each.influence[inside] for each in estimates])
    weight = design.weights[inside]
    taken = np.ones(len(inside), dtype=bool)
    if design.cluster is not None:  # from items to the clusters of each class
        n = design.n_clusters
        place = of_class * n + design.cluster[inside]
        totals = np.array([np.bincount(place, each, minlength=k * n) for each in totals])
        weight = np.bincount(place, weight, minlength=k * n).astype(float)
        taken = np.bincount(place, minlength=k * n) > 0
        of_class = np.repeat(np.arange(k), n)
    m = np.bincount(of_class, taken, minlength=k)
    n_units = len(inside) if design.cluster is None else _any_class(taken, k).sum()
    units = n_units if design.by_class else design.n_clusters
    overall = units / max(units - 1, 1)
    factor = m / np.maximum(m - 1, 1) if design.by_class else np.full(k, overall)
    covariance = (totals * factor[of_class]) @ totals.T
    if design.cluster is not None and k > 1:
        whole = totals.reshape(len(totals), k, -1).sum(axis=1)
        covariance += overall * (whole @ whole.T - totals @ totals.T)
    parts = factor * np.array([np.bincount(of_class, each**2, minlength=k) for each in totals])
    for part, estimate in zip(parts, estimates, strict=True):
        if not part.any():
            part[:] = np.bincount(estimate.classes[estimate.classes >= 0], minlength=k) > 0
    share = _shares(weight, of_class, k)
    if design.cluster is None:
        overlap = np.diag(np.bincount(of_class, share**2, minlength=k).astype(float))
    else:
        overlap = share.reshape(k, -1) @ share.reshape(k, -1).T
    return Spread(covariance, parts, overlap)


def _any_class(taken: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    return np.asarray(taken.reshape(k, -1).any(axis=0))


def _shares(weight: Floats, of_class: Integers, k: int) -> Floats:
    """Return the share of each cluster in the variance of its class, for the degrees of freedom.

    Parameters
    ----------
    weight, of_class
        Weight, and class, of each cluster of each class.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        share = weight**2 / np.bincount(of_class, weight**2, minlength=k)[of_class]
        concentration = np.bincount(of_class, share**2, minlength=k)
        # one mean is estimated in each class: of m equal clusters, m − 1 are free
        share = share / np.sqrt(1 - concentration)[of_class]
    return np.where(np.isfinite(share), share, 0)
