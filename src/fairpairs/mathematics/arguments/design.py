"""How items were sampled: the cluster and the weight of each, and which have a human label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers

#: What a weight means: the number of equal items, each of them independent; the inverse of the
#: chance to be sampled; the ratio of the chances of an item in the population of interest and in
#: the sampled one; or, without weights, 1 / the size of its cluster, so that each of these counts
#: once.
WeightKind = Literal["frequency", "sampling", "importance", "cluster"]


class Related(Protocol):
    """What items share that are in no clusters, as judgments share items and judges."""

    def covariance(self, mean: Floats, rest: Floats) -> Floats:
        """Sum the products of what related items add to L estimates, shape (L, L).

        All items add the `mean` of their cell, (L, k), and the labelled ones a `rest`, (L, n).
        """

    def together(self, shares: Floats) -> Floats:
        """Sum the products of the shares of related labelled items, (L, n), in shape (L, L)."""


@dataclass(frozen=True, eq=False)
class Phases:
    """How the items of a design, which have human labels, were drawn from all N items."""

    #: Cell of each labelled item, 0 to k − 1, and what it has beside the cheap label, shape (n,).
    cell: Integers
    kind: Integers
    #: The human labels, 0 or 1, shape (n,); None for numbers.
    label: Integers | None
    #: Weights of the labelled items among all, before some were drawn, shape (n,).
    first: Floats
    #: Of all items of each cell: their number, the sums of their weights and of the squares, (k,).
    size: Integers
    total: Floats
    squares: Floats
    #: Cluster, cell, and sum of weights of all items that share both; None without clusters.
    shared: tuple[Integers, Integers, Floats] | None
    #: Number of all items, or of their clusters.
    units: int
    #: What items share that are in no clusters; None for independent items.
    related: Related | None = None


@dataclass(frozen=True, eq=False)
class SamplingDesign:
    """The cluster and the weight of each of n items."""

    n_items: int
    #: 0 to `n_clusters` − 1, shape (n,); None where each item is its own cluster.
    cluster: Integers | None = None
    #: 0 or more, shape (n,); None where all weigh alike. With frequencies there are no clusters.
    weight: Floats | None = None
    kind: WeightKind = "sampling"
    #: How the items were drawn from more that have a cheap label; None where all are here.
    phases: Phases | None = None

    @property
    def independent(self) -> bool:
        """Whether items are independent and weigh alike, but that one may stand for several."""
        alike = self.weight is None or self.kind == "frequency"
        return alike and self.cluster is None and self.phases is None

    @cached_property
    def weights(self) -> Floats:
        """Weight of each item, shape (n,)."""
        return np.ones(self.n_items) if self.weight is None else self.weight

    @cached_property
    def n_clusters(self) -> int:
        """Number of clusters; of items where each is its own."""
        return self.n_items if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def by_class(self) -> bool:
        """Whether a variance has m / (m − 1) by class, not by sample as with sampling weights."""
        return self.weight is None or self.kind != "sampling"

    @property
    def divisible(self) -> bool:
        """Whether items alone have the variance that they have among all others."""
        return self.by_class and self.phases is None

    @property
    def counts(self) -> Floats | None:
        """How many independent items each item stands for, shape (n,); None for one each."""
        return self.weight if self.kind == "frequency" else None

    def units(self, cell: Integers, items: Integers) -> tuple[Integers, Integers]:
        """Return the cell of each unit of some items, and the unit of each item.

        A unit is what a cluster has in a cell; each item, where it is its own cluster.
        """
        if self.cluster is None:
            return cell, np.arange(len(cell))
        kinds, unit = np.unique(
            cell.astype(np.int64) * self.n_clusters + self.cluster[items], return_inverse=True
        )
        return kinds // self.n_clusters, unit

    def take(self, kept: NDArray[np.bool_]) -> SamplingDesign:
        """Return the design of some items, whose clusters keep their numbers."""
        return replace(
            self,
            n_items=int(kept.sum()),
            cluster=None if self.cluster is None else self.cluster[kept],
            weight=None if self.weight is None else self.weight[kept],
            phases=None,
        )

    def totals(self, values: Floats) -> Floats:
        """Sum the values of the items of each cluster, shape (n_clusters,)."""
        if self.cluster is None:
            return values
        return np.bincount(self.cluster, values, minlength=self.n_clusters).astype(float)
