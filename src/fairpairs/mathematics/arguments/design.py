"""How items were sampled: the cluster and the weight of each, and which have a human label.

Of items with a cheap label some, drawn by known chances, have a human one. In each cell (group,
decision, cheap label) these stand for all (post-stratification), so each has the weight of its cell
over that of the labelled ones. Cells with few labels are joined.

References: A. Tenenbein (1970), A double sampling scheme for estimating from binomial data with
misclassifications; C.-E. Särndal, B. Swensson and J. Wretman (1992), *Model Assisted Survey
Sampling*, sections 7.6 and 9.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers, without_gaps

#: What a weight means: the number of equal items, each of them independent; the inverse of the
#: chance to be sampled; the ratio of the chances of an item in the population of interest and in
#: the sampled one; or, without weights, 1 / the size of its cluster, so that each of these counts
#: once.
WeightKind = Literal["frequency", "sampling", "importance", "cluster"]
#: A cell with fewer human labels is joined to the next one.
FEWEST = 4
#: Human labels of each stratum of a number, and the most strata of a cell.
LABELS_PER_STRATUM, MOST_STRATA = 12, 8


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


def label_cells(
    group: Integers, labelled: Integers, splits: Sequence[Integers], number: Floats | None = None
) -> Integers:
    """Return the cell of each item: its group, split by codes 0 and 1, then by a number.

    A cell is split where each part that has items has `FEWEST` labelled ones. All have shape (N,);
    `labelled` has the positions of the labelled items.
    """
    cell, _ = without_gaps(group)
    for part in splits:
        n_cells = int(cell.max()) + 1
        code = 2 * cell + part
        items, labels = (
            np.bincount(kept, minlength=2 * n_cells).reshape(-1, 2)
            for kept in (code, code[labelled])
        )
        enough = ((labels >= FEWEST) | (items == 0)).all(axis=1)
        cell, _ = without_gaps(2 * cell + part * enough[cell])
    return cell if number is None else _split_by_number(cell, labelled, number)


def _split_by_number(cell: Integers, labelled: Integers, number: Floats) -> Integers:
    """Split cells into strata of a number that have equally many labelled items."""
    strata = np.zeros(len(cell), dtype=np.int64)
    drawn, numbers = cell[labelled], number[labelled]
    for code in range(int(cell.max()) + 1):
        values = np.sort(numbers[drawn == code])
        n_strata = min(len(values) // LABELS_PER_STRATUM, MOST_STRATA)
        if n_strata > 1:
            ends = np.unique(values[np.arange(1, n_strata) * len(values) // n_strata])
            inside = np.flatnonzero(cell == code)
            # all have labelled items, for an end is one of their numbers
            strata[inside] = np.searchsorted(ends[ends > values[0]], number[inside], "right")
    cell, _ = without_gaps(cell * MOST_STRATA + strata)
    return cell


def two_phase_design(
    cell: Integers,
    kind: Integers,
    labelled: Integers,
    chance: Floats,
    *,
    label: Integers | None = None,
    design: SamplingDesign | None = None,
) -> SamplingDesign:
    """Return the design of the labelled items, whose weights stand for all items.

    `cell` and `kind` are of all items, shape (N,), as is their `design`. Of the `labelled` ones, at
    these positions, are the `chance` to get a human label and the human `label`, shape (n,).
    """
    design = SamplingDesign(len(cell)) if design is None else design
    first, k = design.weights, int(cell.max()) + 1
    drawn = cell[labelled]
    total = np.bincount(cell, first, minlength=k)
    weight = first[labelled] / chance
    among = np.bincount(drawn, weight, minlength=k)
    with np.errstate(invalid="ignore", divide="ignore"):
        weight = weight * np.where(among > 0, total / among, 0.0)[drawn]
    squares = np.bincount(cell, first**2, minlength=k)
    shared, units = None, design.n_clusters
    if design.cluster is not None:
        both, index = np.unique(design.cluster * k + cell, return_inverse=True)
        shared = both // k, both % k, np.bincount(index, first).astype(float)
    return SamplingDesign(
        len(labelled),
        None if design.cluster is None else design.cluster[labelled],
        weight,
        "sampling",
        Phases(
            drawn,
            kind[labelled],
            label,
            first[labelled],
            np.bincount(cell, minlength=k),
            total.astype(float),
            squares.astype(float),
            shared,
            units,
        ),
    )
