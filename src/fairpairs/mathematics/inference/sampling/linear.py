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
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign

#: The correlation of the items of a cluster that degrees of freedom assume; chosen by simulation.
WORKING_ICC = 0.1
#: The squared skewness that n normal values have, times n²: four times its mean.
MOST_NORMAL = 24.0


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
    #: What each class adds to each variance, shape (L, k); shares that it may have if none varies.
    parts: Floats
    #: What each class adds, up to a factor, if all items vary alike with the `WORKING_ICC`, (L, k).
    expected: Floats
    #: Sums over clusters of products of their shares in the variance of two classes, shape (k, k).
    overlap: Floats
    #: The fewest clusters, or items where each is its own, of a class of each estimate, shape (L,).
    units: Integers
    #: Sums over clusters of the products of their shares in the weights that two estimates rest on,
    #: shape (L, L); on the diagonal the inverse of the number of clusters, as if of equal weights
    #: (Kish).
    together: Floats
    #: The number of items that each estimate rests on, as if of equal weights, shape (L,).
    rows: Floats
    #: Whether two estimates rest on the same items, shape (L, L).
    shared: NDArray[np.bool_]
    #: The classes, ascending, and how many clusters and items each has, as if of equal weights,
    #: shape (k,).
    classes: Integers
    clusters: Floats
    items: Floats
    #: What each class would add to each variance if items were clusters of their own, shape (L, k).
    apart: Floats
    #: 1 − (Σ s³)² / (Σ s² Σ s⁴) of the weights s of the clusters of each class, and 1 − (Σ w²)² /
    #: (n Σ w⁴) of those of its n items, shape (k,) each: 0 if all are alike.
    uneven: Floats
    unlike: Floats
    #: Squared skewness of the sum of what the clusters of each class add, beyond that of as many
    #: normal ones, shape (L, k); None without clusters.
    skewness: Floats | None = None
    #: What each cluster adds to `expected`, and the root of what all its items share of that, both
    #: over the sum of the class, shape (k, clusters); None without clusters.
    shares: Floats | None = None
    effects: Floats | None = None

    def df(
        self, by_class: Floats, doubted: Floats | None = None, signs: Floats | None = None
    ) -> float:
        """Return Satterthwaite's degrees of freedom of a sum of variances, one of each class.

        They are (Σ v_c)² / Σ v_c², where a cluster has the variance v_c if items have the
        `WORKING_ICC` (Bell and McCaffrey). `doubted` are the variances, each times the standard
        deviation of what is estimated of it over that of normal items. With the `signs` of the
        classes, what a cluster adds to classes of both signs cancels.
        """
        doubted = by_class if doubted is None else doubted
        squares, total = float(doubted @ self.overlap @ doubted), float(by_class.sum())
        if signs is not None and self.shares is not None:
            # of m equal clusters, m − 1 are free
            free = 1 - (self.shares**2).sum(axis=1)
            scaled = np.where(free > 0, doubted / np.sqrt(np.where(free > 0, free, 1)), 0)
            squares = float((self._by_cluster(scaled, signs) ** 2).sum())
            total = float(self._by_cluster(by_class, signs).sum())
        if squares > 0:
            return max(total**2 / squares, 1.0)
        return np.inf if total > 0 and not doubted.any() else 1.0

    def _by_cluster(self, by_class: Floats, signs: Floats) -> Floats:
        """Return what each cluster adds to the variance of a sum of classes with signs."""
        assert self.shares is not None and self.effects is not None
        effect = (signs * np.sqrt(by_class)) @ self.effects
        return np.asarray(by_class @ (self.shares - self.effects**2) + effect**2)


def spread(estimates: Sequence[Linear], design: SamplingDesign) -> Spread:
    """Return the covariance of estimates of the same items, robust to clusters.

    With T_c the sum of the influence over cluster c in a class, a variance is Σ T_c² m / (m − 1)
    for the m clusters of the class; products of two classes have the factor of the clusters of
    either (Obuchowski 1997, section 3); with sampling weights all have that of all clusters (Binder
    1983). Estimates that have a class for an item have the same.
    """
    parts = _classes(estimates, design)
    k, n = len(parts), len(estimates)
    m = np.array([part.units for part in parts])
    if design.cluster is None:
        any_class = int(m.sum())
    else:
        any_class = int(np.any([part.weight > 0 for part in parts], axis=0).sum())
    units = any_class if design.by_class else design.n_clusters
    overall = units / max(units - 1, 1)
    factor = m / np.maximum(m - 1, 1) if design.by_class else np.full(k, overall)
    inside = [part.totals @ part.totals.T for part in parts]
    covariance = np.einsum("k,kij->ij", factor, inside) if k else np.zeros((n, n))
    if design.cluster is not None and k > 1:
        for one, other in combinations(parts, 2):
            either = int(((one.weight > 0) | (other.weight > 0)).sum())
            twice = either / max(either - 1, 1) if design.by_class else overall
            rows, columns = np.flatnonzero(one.rests), np.flatnonzero(other.rests)
            product = twice * (one.totals[rows] @ other.totals[columns].T)
            covariance[np.ix_(rows, columns)] += product
            covariance[np.ix_(columns, rows)] += product.T
    rests = np.array([part.rests for part in parts]).reshape(k, n).T
    variances = np.array([f * np.diagonal(one) for f, one in zip(factor, inside, strict=True)])
    variances = variances.reshape(k, n).T
    alike = design.cluster is None and (design.weight is None or design.counts is not None)
    if alike:  # the same without arrays: shares of 1 / m, of which m − 1 are free
        overlap = np.diag([1 / (units - 1) if units > 1 else 0.0 for units in m.tolist()])
    else:
        shares = [_shares(part) for part in parts]
        overlap = np.diag([float(share @ share) for share in shares])
    if design.cluster is not None:
        overlap = np.array([[float(one @ other) for other in shares] for one in shares])
    known = (variances > 0).any(axis=1, keepdims=True)
    total = rests @ np.array([part.weight.sum() for part in parts])
    squares = rests @ np.array([part.squares.sum() for part in parts])
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = total**2 / squares
        together = np.diag(1 / rows)
        if design.cluster is not None:
            weight = rests @ np.array([part.weight for part in parts]) / total[:, None]
            together = weight @ weight.T
    return Spread(
        covariance,
        np.where(known, variances, rests),
        rests * np.array([part.expected.sum() / part.weight.sum() ** 2 for part in parts]),
        overlap,
        np.array([m[row].min(initial=any_class) for row in rests]),
        together,
        rows,
        rests.astype(int) @ rests.T.astype(int) > 0,
        np.array([part.code for part in parts]),
        m.astype(float)
        if alike
        else np.array([part.weight.sum() ** 2 / (part.weight @ part.weight) for part in parts]),
        np.array([part.weight.sum() ** 2 / part.squares.sum() for part in parts]),
        np.array([part.apart for part in parts]).reshape(k, n).T,
        np.zeros(k) if alike else np.array([_uneven(part.weight) for part in parts]),
        np.zeros(k) if alike else np.array([part.unlike for part in parts]),
        *_of_clusters(parts, n) if design.cluster is not None else (),
    )


def _of_clusters(parts: list[_Class], n: int) -> tuple[Floats, Floats, Floats]:
    """Return the skewness, shares and effects of clusters."""
    total = np.array([part.expected.sum() for part in parts])[:, None]
    expected, weight = (
        np.array([getattr(part, name) for part in parts]) for name in ("expected", "weight")
    )
    skewness = np.array([_skewness(part) for part in parts]).reshape(len(parts), n).T
    return skewness, expected / total, np.sqrt(WORKING_ICC / total) * weight


@dataclass(frozen=True)
class _Class:
    """The clusters of a class of items; the items, where each is its own."""

    code: int
    #: Sums of the influence of their items, shape (L, m).
    totals: Floats
    #: That of each cluster, 0 without an item in the class, shape (m,).
    weight: Floats
    #: Sums of the squared weights of their items, shape (m,).
    squares: Floats
    #: Number of clusters with any item.
    units: int
    #: Whether each estimate rests on the class, shape (L,).
    rests: NDArray[np.bool_]
    #: Variance of each sum of weighted items of one variance with the `WORKING_ICC`, shape (m,).
    expected: Floats
    #: Sums of the squared influence of items, shape (L,).
    apart: Floats
    #: That of the `Spread`.
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
        influence = [estimate.influence[items] for estimate in estimates]
        plain = design.weight is None
        weight = np.ones(len(items)) if plain else design.weights[items]
        squares = weight if plain else weight**2
        units = len(items) if plain else int((weight > 0).sum())
        if design.counts is not None:  # of equal items
            influence = [estimate / np.sqrt(weight) for estimate in influence]
            squares, units = weight, int(weight.sum())
        expected, apart = squares, np.array([estimate @ estimate for estimate in influence])
        unlike = 0.0 if plain else _unlike(squares)
        if design.cluster is not None:
            cluster, n = design.cluster[items], design.n_clusters
            influence = [np.bincount(cluster, estimate, minlength=n) for estimate in influence]
            weight, squares = (
                np.bincount(cluster, each, minlength=n).astype(float) for each in (weight, squares)
            )
            units = int((weight > 0).sum())
            expected = (1 - WORKING_ICC) * squares + WORKING_ICC * weight**2
        totals = np.array(influence)
        parts.append(
            _Class(int(code), totals, weight, squares, units, rests, expected, apart, unlike)
        )
    return parts


def _shares(part: _Class) -> Floats:
    """Return the share of each cluster in the variance of its class; of m equal, m − 1 are free."""
    total = part.expected.sum()
    share = part.expected / total if total > 0 else np.zeros(len(part.expected))
    concentration = float(share @ share)
    return share / np.sqrt(1 - concentration) if concentration < 1 else np.zeros(len(share))


def _skewness(part: _Class) -> Floats:
    largest = np.abs(part.totals).max(axis=1, keepdims=True)
    totals = part.totals / np.where(largest > 0, largest, 1)
    squares = totals**2
    second, third = squares.sum(axis=1), (squares * totals).sum(axis=1)
    share = part.expected / part.expected.sum()
    # the largest total is 1, or there is none
    square = third**2 / np.maximum(second, 1) ** 3
    return np.asarray(np.maximum(square - MOST_NORMAL * (share**2 * share).sum(), 0))


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
