"""How items with a human label were drawn from all items, each of which has a cheap one."""

from dataclasses import dataclass

from fairpairs.base.arrays import Floats, Integers


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
