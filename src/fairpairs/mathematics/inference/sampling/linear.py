"""An estimate and the influence of each item, from which its variance follows.

References: D. A. Binder (1983), On the variances of asymptotically normal estimators from complex
surveys; N. A. Obuchowski (1997), Nonparametric analysis of clustered ROC curve data; R. M. Bell and
D. F. McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage
samples; C.-E. Särndal, B. Swensson and J. Wretman (1992), *Model Assisted Survey Sampling*, section
5.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign

#: A cluster with a larger share of its class is all of it: its rows add 0.
ALL = 1 - 1e-10


@dataclass(frozen=True)
class Linear:
    """An estimate from n items, to first order a sum over them."""

    estimate: float
    #: What each item adds to estimate − truth, shape (n,); 0 for items that it does not rest on.
    influence: Floats
    #: Class of each item, from 0, and −1 for items that it does not rest on, shape (n,): the items
    #: of a class were sampled alike, and the influence sums up to 0 in each.
    classes: Integers

    def take(self, items: Integers) -> Linear:
        """Return the same of some items."""
        return Linear(self.estimate, self.influence[items], self.classes[items])

    def __add__(self, other: Linear) -> Linear:
        estimate, influence = self.estimate + other.estimate, self.influence + other.influence
        return Linear(estimate, influence, np.maximum(self.classes, other.classes))

    def __sub__(self, other: Linear) -> Linear:
        return self + -1.0 * other

    def __rmul__(self, factor: float) -> Linear:
        return Linear(factor * self.estimate, factor * self.influence, self.classes)


@dataclass(frozen=True)
class Spread:
    """The covariance matrix of L estimates on k classes of items, and how well it is known."""

    #: Shape (L, L).
    covariance: Floats
    #: What each class adds to it, shape (k, L, L).
    by_class: Floats
    #: What each class would add to it if items were clusters of their own, shape (k, L, L).
    apart: Floats
    #: Whether each estimate rests on each class, shape (L, k).
    rests: NDArray[np.bool_]
    #: The fewest clusters, or items where each is its own, of a class of each estimate, shape (L,).
    units: Integers
    #: The number of items that each estimate rests on, as if of equal weights (Kish), shape (L,).
    rows: Floats
    #: The classes, ascending, and how many clusters and items each has, as if of equal weights,
    #: shape (k,).
    classes: Integers
    clusters: Floats
    items: Floats
    #: The inverse of the degrees of freedom of each class, shape (k,).
    unfree: Floats
    #: 1 − (Σ s³)² / (Σ s² Σ s⁴) of the weights s of the clusters of each class, and 1 − (Σ w²)² /
    #: (n Σ w⁴) of those of its n items, shape (k,) each: 0 if all are alike. None if only some
    #: items have a human label: then each estimate is a class.
    uneven: Floats | None = None
    unlike: Floats | None = None
    #: What the clusters of all classes have; None without clusters.
    shares: _Shares | None = None

    def added(self, factors: Floats) -> Floats:
        """Return what each class adds to the variance of a sum, each estimate times a factor."""
        return np.asarray(np.einsum("i,kij,j->k", factors, self.by_class, factors))

    def df_of_sum(self, factors: Floats, parts: Floats | None = None) -> float:
        """Return the degrees of freedom of a sum of means; `parts` are what classes add to it.

        Where clusters hold several classes, what these add is not apart, so that rows are taken to
        be independent.
        """
        if self.shares is not None and self.shares.shared:
            return self.df(np.einsum("i,kij,j->k", factors, self.apart, factors))
        return self.df(self.added(factors) if parts is None else parts)

    def df(
        self, by_class: Floats, doubt: Floats | float = 1.0, variance: float | None = None
    ) -> float:
        """Return Satterthwaite's degrees of freedom of the variance of a sum (Bell and McCaffrey).

        They are (Σ λ)² / Σ λ² with the eigenvalues λ of the covariance of what clusters add, of
        classes that add variances, shape (k,), if rows are independent. Given the `variance` of the
        sum, rows have the correlation within clusters that it shows beyond two standard errors.
        `doubt` is the variance of what is estimated of each class over that of normal items.
        """
        if self.shares is None:
            return _satterthwaite(by_class, np.sqrt(doubt) * by_class, np.diag(self.unfree))
        unfree = self.shares.unfree(0.0)
        if variance is not None:
            free = _satterthwaite(by_class, by_class, unfree)
            more = by_class * (self.items / self.clusters - 1)
            excess, most = variance / (1 + np.sqrt(8 / free)) - by_class.sum(), float(more.sum())
            if excess > 0 and most > 0:
                icc = min(float(excess / most), 1.0)
                by_class, unfree = by_class + icc * more, self.shares.unfree(icc)
        return _satterthwaite(by_class, np.sqrt(doubt) * by_class, unfree)


def _satterthwaite(by_class: Floats, doubted: Floats, unfree: Floats) -> float:
    squares, total = float(doubted @ unfree @ doubted), float(by_class.sum())
    if squares > 0:
        return max(total**2 / squares, 1.0)
    return np.inf if total > 0 and not doubted.any() else 1.0


@dataclass(frozen=True)
class _Shares:
    """The shares of m clusters in the weights of k classes and in the squares of those of items."""

    #: Shape (k, m).
    weight: Floats
    square: Floats
    #: What the sum of a cluster is multiplied by, shape (k, m).
    factor: Floats
    #: Σ w² / (Σ w)² of the items of each class, shape (k,).
    of_items: Floats

    @property
    def shared(self) -> bool:
        """Whether any cluster holds several classes."""
        return bool(((self.weight > 0).sum(axis=0) > 1).any())

    def unfree(self, icc: float) -> Floats:
        """Return the traces of the products of the covariances of what clusters add, (k, k).

        That of a class, of trace 1, is in proportion to f_c f_d (e_c [c = d] − s_d e_c − s_c e_d +
        s_c s_d), with the shares s of weights, those e of variances, and the factors f.
        """
        square = (1 - icc) * self.of_items[:, None] * self.square + icc * self.weight**2
        square = self.factor * square / square.sum(axis=1, keepdims=True)
        own, y = self.factor * square, self.factor * self.weight
        z = square - y / 2
        once, trace = own @ (z * y).T, own.sum(axis=1) - 2 * (z * y).sum(axis=1)
        crossed = (z @ z.T) * (y @ y.T) + (z @ y.T) * (y @ z.T)
        squares = own @ own.T + 2 * (crossed - once - once.T)
        with np.errstate(invalid="ignore", divide="ignore"):  # one cluster
            found = np.maximum(squares, 0) / np.outer(trace, trace)
        return np.asarray(np.where(np.isfinite(found), found, 0.0))


def spread(estimates: Sequence[Linear], design: SamplingDesign) -> Spread:
    """Return the covariance of estimates of the same items, robust to clusters (CR2).

    Estimates that have a class for an item have the same.
    """
    parts = _classes(estimates, design)
    k, n = len(parts), len(estimates)
    rests = np.array([part.rests for part in parts]).reshape(k, n).T
    by_class = np.array([part.added @ part.added.T for part in parts]).reshape(k, n, n)
    covariance, shares = by_class.sum(axis=0), None
    weight = np.array([part.weight.sum() for part in parts])
    squares = np.array([part.squares.sum() for part in parts])
    if design.cluster is not None and parts:
        added = np.sum([part.added for part in parts], axis=0)
        covariance = added @ added.T
        shares = _Shares(
            np.array([part.weight for part in parts]) / weight[:, None],
            np.array([part.squares for part in parts]) / squares[:, None],
            np.array([part.factor for part in parts]),
            squares / weight**2,
        )
    m = np.array([part.units for part in parts])
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = (rests @ weight) ** 2 / (rests @ squares)
    return Spread(
        covariance,
        by_class,
        np.array([part.apart for part in parts]).reshape(k, n, n),
        rests,
        np.array([m[row].min(initial=m.sum()) for row in rests]),
        rows,
        np.array([part.code for part in parts]),
        np.array([part.clusters for part in parts]),
        weight**2 / squares,
        np.array([part.unfree for part in parts]),
        np.array([part.uneven for part in parts]),
        np.array([part.unlike for part in parts]),
        shares,
    )


@dataclass(frozen=True)
class _Class:
    """The m clusters of a class of items; the items, where each is its own."""

    code: int
    #: What each cluster adds to L estimates, 0 without an item in the class, shape (L, m).
    added: Floats
    #: Sums of the weights of its items, and of the squared weights, shape (m,).
    weight: Floats
    squares: Floats
    #: What its sum of influence is multiplied by, shape (m,).
    factor: Floats
    #: Products of the influence of items on two estimates, shape (L, L).
    apart: Floats
    #: Whether each estimate rests on the class, shape (L,).
    rests: NDArray[np.bool_]
    #: Number of clusters with any item, and as if of equal weights.
    units: int
    clusters: float
    #: Those of the `Spread`.
    unfree: float
    uneven: float
    unlike: float


def _classes(estimates: Sequence[Linear], design: SamplingDesign) -> list[_Class]:
    classes = reduce(np.maximum, [estimate.classes for estimate in estimates])
    inside = np.flatnonzero(classes >= 0)
    codes = classes[inside]
    kept = np.flatnonzero(np.bincount(codes))
    parts = []
    for code in kept:
        items = inside if len(kept) == 1 else inside[codes == code]
        rests = np.array([estimate.classes[items[0]] >= 0 for estimate in estimates])
        influence = np.array([estimate.influence[items] for estimate in estimates])
        if design.cluster is None and (design.weight is None or design.counts is not None):
            parts.append(_equal_items(int(code), influence, rests, design.counts, items))
        else:
            parts.append(_clusters(int(code), influence, rests, design, items))
    return parts


def _equal_items(
    code: int,
    influence: Floats,
    rests: NDArray[np.bool_],
    counts: Floats | None,
    items: Integers,
) -> _Class:
    """Return a class of independent items of equal weight, or of numbers of them."""
    weight = np.ones(len(items)) if counts is None else counts[items]
    if counts is not None:
        influence = influence / np.sqrt(weight)
    units = int(weight.sum())
    factor = np.full(len(items), np.sqrt(units / max(units - 1, 1)))
    unfree, total = 1 / (units - 1) if units > 1 else 0.0, float(units)
    apart = influence @ influence.T
    added = factor * influence
    return _Class(code, added, weight, weight, factor, apart, rests, units, total, unfree, 0.0, 0.0)


def _clusters(
    code: int,
    influence: Floats,
    rests: NDArray[np.bool_],
    design: SamplingDesign,
    items: Integers,
) -> _Class:
    """Return a class of items in clusters, or of unequal weights."""
    weight = design.weights[items]
    squares, apart = weight**2, influence @ influence.T
    # those of clusters that count once are equal within each, so that `uneven` has them
    unlike = 0.0 if design.weight is None or design.kind == "cluster" else _unlike(squares)
    if design.cluster is not None:
        cluster, n = design.cluster[items], design.n_clusters
        influence = np.array([np.bincount(cluster, one, minlength=n) for one in influence])
        weight, squares = (
            np.bincount(cluster, x, minlength=n).astype(float) for x in (weight, squares)
        )
    share = weight / weight.sum()
    if design.by_class:
        factor = np.where(share < ALL, 1 / np.sqrt(np.maximum(1 - share, 1 - ALL)), 1.0)
    else:
        factor = np.full(len(share), np.sqrt(design.n_clusters / max(design.n_clusters - 1, 1)))
    one = _Shares(share[None], squares[None] / squares.sum(), factor[None], np.ones(1))
    return _Class(
        code,
        factor * influence,
        weight,
        squares,
        factor,
        apart,
        rests,
        int((weight > 0).sum()),
        1 / float(share @ share),
        float(one.unfree(0.0)[0, 0]),
        _uneven(weight),
        unlike,
    )


def _uneven(weight: Floats) -> float:
    # as products: higher powers take 40 times as long
    squares = weight**2
    second, third, fourth = (float(x.sum()) for x in (squares, squares * weight, squares**2))
    return max(1 - third**2 / (second * fourth), 0.0) if fourth > 0 else 0.0


def _unlike(squares: Floats) -> float:
    total, fourth = float(squares.sum()), float(squares @ squares)
    return max(1 - total**2 / (np.count_nonzero(squares) * fourth), 0.0) if fourth > 0 else 0.0


def mean(
    values: Floats, inside: NDArray[np.bool_], classes: Integers, design: SamplingDesign
) -> Linear:
    """Return the weighted mean of the values where `inside`, such as a rate of zeros and ones."""
    n = len(values)
    items = np.flatnonzero(inside if design.weight is None else inside & (design.weight > 0))
    influence, mean_classes = np.zeros(n), np.full(n, -1, dtype=classes.dtype)
    if not len(items):
        return Linear(np.nan, influence, mean_classes)
    weight, counted = design.weights[items], values[items]
    total = weight.sum()
    # the mean of equal values is that value, whatever the rounding
    estimate = float(np.clip(weight @ counted / total, counted.min(), counted.max()))
    influence[items], mean_classes[items] = weight * (counted - estimate) / total, classes[items]
    return Linear(estimate, influence, mean_classes)
