"""How items with a human label were drawn from all items, each of which has a cheap one."""

from dataclasses import dataclass
from typing import Protocol

from fairpairs.base.arrays import Floats, Integers


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
