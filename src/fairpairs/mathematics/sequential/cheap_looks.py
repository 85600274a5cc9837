"""Looks at the difference of two rates, where all items have a cheap label and some a human one.

A block gives an estimate as `fairpairs audit --cheap-label` does: the human labels of a cell (of
group, decision and cheap label) stand for all its items. Blocks are weighted by their numbers of
human labels, not by their variances, which depend on the rates. So rates, shares of labels and
errors of the cheap label may change from block to block. The derivation is in
docs/explanation/few-labels.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.sequential.looks import ends_of_blocks

#: Human labels of each group in a block, at least; chosen by simulation.
FEWEST = 30
#: What is added to the human labels of each value, where a share is estimated.
PSEUDO = 0.5
#: Less than any number of items.
TINY = 1e-300
#: Cells: group or reference, decision, cheap label; and of human labels their value.
CELLS, VALUES = (2, 2, 2), 2


@dataclass(frozen=True)
class CheapItems:
    """Items of a group and the reference, in the order of the stream, shape (n,) each."""

    in_group: NDArray[np.bool_]
    decision: NDArray[np.bool_]
    #: The cheap label, and the outcome of the human one, 0 or 1; NaN without one.
    cheap: NDArray[np.bool_]
    outcome: Floats
    #: 1 / chance of a human label.
    weight: Floats


@dataclass
class CheapLooks:
    """The difference of the rate of a group and that of the reference, at the ends of blocks.

    The outcome of an item is whether it belongs to the rate, which is then the share of decisions
    of 1 among such items; if `whole`, the rate is the share of outcomes among all items. A block
    ends when both groups have 30 human labels that count, and 2 % of those before. So what is shown
    depends on the order of items, not on how they are divided among calls of `append`.

    >>> looks = CheapLooks()
    >>> n = np.arange(4000)
    >>> group, decision, outcome = n % 2 == 0, n % 3 > 0, n % 5 > 1
    >>> known = np.where(n % 7 == 0, outcome, np.nan)
    >>> items = CheapItems(group, decision, outcome, known, np.full(4000, 7.0))
    >>> shown = looks.append(items)
    >>> len(shown), looks.items.tolist(), round(looks.estimate, 3)
    (5, [150, 150], 0.001)
    """

    whole: bool = False
    #: Human labels of group and reference that count, in ended blocks, shape (2,).
    items: Integers = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    #: Sums over ended blocks of their weights, weighted differences and weighted variances.
    sums: Floats = field(default_factory=lambda: np.zeros(3))
    #: Of the block that has not ended: items in cells, shape (2, 2, 2), and the number of human
    #: labels, the sum of their weights and that of the squares, by value, shape (3, 2, 2, 2, 2).
    rows: Integers = field(default_factory=lambda: np.zeros(CELLS, dtype=np.int64))
    labels: Floats = field(default_factory=lambda: np.zeros((3, *CELLS, VALUES)))

    @property
    def estimate(self) -> float:
        """The difference; NaN before the first look."""
        weight, total, _ = self.sums
        return float(total / weight) if weight else float("nan")

    @property
    def variance(self) -> float:
        """The variance of the estimate; NaN before the first look."""
        weight, _, variance = self.sums
        return float(variance / weight**2) if weight else float("nan")

    def append(self, items: CheapItems) -> list[tuple[float, float]]:
        """Add items; return estimate and variance at each look."""
        known, value, other = ~np.isnan(items.outcome), items.outcome == 1, ~items.in_group
        counts = known if self.whole else value
        cell = np.ravel_multi_index((other * 1, items.decision * 1, items.cheap * 1), CELLS)
        positions = [np.flatnonzero(counts & side) for side in (items.in_group, other)]
        waiting = counted(self.labels[0], whole=self.whole).astype(np.int64)
        ends = list(ends_of_blocks(positions, self.items, waiting, FEWEST))
        shown: list[tuple[float, float]] = []
        for start, end in pairwise([0, *ends, len(cell)]):
            piece = slice(start, end)
            self.rows = self.rows + np.bincount(cell[piece], minlength=8).reshape(CELLS)
            here = known[piece]
            at, w = VALUES * cell[piece][here] + value[piece][here], items.weight[piece][here]
            self.labels = self.labels + np.stack(
                [np.bincount(at, w**power, minlength=16) for power in range(3)]
            ).reshape(self.labels.shape)
            if len(shown) < len(ends):
                number, block = block_difference(self.rows, self.labels, whole=self.whole)
                self.items = self.items + number.astype(np.int64)
                self.sums = self.sums + block
                self.rows, self.labels = np.zeros_like(self.rows), np.zeros_like(self.labels)
                shown.append((self.estimate, self.variance))
        return shown


def counted(labels: Floats, *, whole: bool) -> Floats:
    """Return how many human labels count, of group and reference, shape (..., 2)."""
    numbers = labels.sum(axis=-1) if whole else labels[..., 1]
    total: Floats = numbers.sum(axis=(-2, -1))
    return total


def block_difference(
    rows: Integers, labels: Floats, *, whole: bool = False
) -> tuple[Floats, Floats]:
    """Return the human labels that count, (..., 2), and what a block adds to the sums, (..., 3).

    `rows` are (..., 2, 2, 2) and `labels` (3, ..., 2, 2, 2, 2), as in `CheapLooks`.
    """
    number, weight, squares = labels
    n, total = number.sum(axis=-1), weight.sum(axis=-1)
    share = np.divide(weight[..., 1], total, out=np.zeros_like(total), where=n > 0)
    # a cell without human labels is taken for those of the same group and cheap label
    of_both = [values.sum(axis=-2, keepdims=True) for values in (n * share, n)]
    prior = (of_both[0] + PSEUDO) / (of_both[1] + 2 * PSEUDO)
    share = np.where(n > 0, share, prior)
    decision = np.array([0.0, 1.0])[:, None]
    size = np.maximum((rows if whole else rows * share).sum(axis=(-2, -1)), TINY)
    rate = (rows * share * (1.0 if whole else decision)).sum(axis=(-2, -1)) / size
    counts = counted(number, whole=whole)
    edge = PSEUDO / (counts + 1)
    centre = np.clip(rate, edge, 1 - edge)[..., None, None]
    # an item adds `slope` if it belongs to the rate; that none or all of few labels in a cell do
    # does not say that labels do not vary, so one more label counts with them, as likely as others
    slope = np.ones_like(share) if whole else decision - centre
    smooth = (n * share + prior) / (n + 1)
    mean = smooth - centre if whole else smooth * slope
    more = squares.sum(axis=-1) / np.maximum(n, 1)
    apart = (squares[..., 1] + more * prior) * (1 - smooth) ** 2
    apart += (squares[..., 0] + more * (1 - prior)) * smooth**2
    few = np.maximum(n, 2)
    shrunken = apart / np.where(n > 0, total, 1) ** 2 * n / (n + 1)
    spread = np.where(n > 0, shrunken, smooth - smooth**2) * few / (few - 1)
    variance = ((rows * mean**2 + (rows * slope) ** 2 * spread) / size[..., None, None] ** 2).sum(
        axis=(-3, -2, -1)
    )
    block = counts.prod(axis=-1) / np.maximum(counts.sum(axis=-1), 1)
    return counts, np.stack([block, block * (rate[..., 0] - rate[..., 1]), block**2 * variance], -1)
