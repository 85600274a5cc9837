"""Looks at the differences between groups of means, from exact sums, and of AUC and xAUC.

Groups are compared within blocks of time, so that it does no harm if the values of all groups drift
while their shares do, too. A block in which each sample has n items weighs 1 / Σ 1/n, as those of
Mantel and Haenszel. This depends on numbers of items alone, not on variances, which are estimated
from the same values. So the sum of weighted differences, each less the true one, is a martingale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.exact_moments import Moments, moments
from fairpairs.mathematics.sequential.evidence import pieces

#: Items of each group from which on differences of means are close to normal, and items of each
#: group and label from which on those of AUC and xAUC are; with as many a block ends.
FEWEST_NUMBERS, FEWEST_SCORES = 30, 50
#: The differences of rankings, in the order of their axis.
MEASURES = ("AUC", "xAUC")
#: Items of each sample of a block, (..., s); difference, (...); variance of the values of each
#: sample, and that of both groups together, (..., s).
Block = tuple[Integers, Floats, Floats, Floats]


@dataclass
class Blocks:
    """Sums over the blocks that have ended."""

    #: Items of each sample with which a block ends.
    fewest: int
    #: Weights, weighted differences, and by sample the weighted variances of its values and of
    #: those of both groups together, shape (..., 2 + 2 s).
    sums: Floats

    def look(self, block: Block) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return estimates and variances, and which blocks end with this look.

        The block in progress counts if it has two items of each sample. A group has at least the
        variance of both together: that of few skewed numbers is too small as long as the rare large
        ones are missing; where the hypothesis is true, both groups tell how large they are.
        """
        items, difference, *variances = block
        fewest = items.min(axis=-1)
        n = np.maximum(items, 1)
        weight = 1 / (1 / n).sum(axis=-1, keepdims=True)
        parts = [weight, weight * difference[..., None], *(weight**2 * v / n for v in variances)]
        added = np.where((fewest > 1)[..., None], np.concatenate(parts, axis=-1), 0)
        sums = self.sums + added
        ends = fewest >= self.fewest
        self.sums = np.where(ends[..., None], sums, self.sums)
        samples = items.shape[-1]
        own, together = sums[..., 2 : 2 + samples], sums[..., 2 + samples :]
        spread = np.maximum(own, together).sum(axis=-1)
        known = (self.sums[..., 0] > 0) & (spread > 0)
        total = np.where(known, sums[..., 0], np.nan)
        return sums[..., 1] / total, spread / total**2, ends


@dataclass
class MeanLooks:
    """Differences of means within blocks of time, after each 2 % more items.

    A block of a group ends with the first look at which the group and the reference have 30 items
    more. The estimates are NaN before the first look, for fewer than 30 items of a group, and where
    the numbers do not vary.

    >>> looks = MeanLooks.new(groups=2, reference=0)
    >>> group = np.arange(2000) % 2
    >>> found = looks.append(group, np.arange(2000) % 7 + 0.5 * group)
    >>> looks.estimates.round(2).tolist()
    [0.5]
    """

    #: Position of the group that the others are compared with.
    reference: int
    #: Number of items of each group.
    items: Integers
    #: Of each other group, exact sums of it and of the reference, in the block in progress.
    sums: list[tuple[Moments, Moments]]
    blocks: Blocks
    #: Number of items at the last look.
    last_look: int
    #: Of each other group minus the reference, at the last look, shape (K − 1,).
    estimates: Floats
    variances: Floats

    @classmethod
    def new(cls, groups: int, reference: int) -> MeanLooks:
        """Return the looks before any item."""
        others = groups - 1
        unknown, none = np.full(others, np.nan), np.zeros(groups, dtype=np.int64)
        blocks = Blocks(FEWEST_NUMBERS, np.zeros((others, 6)))
        return cls(reference, none, [(Moments(), Moments())] * others, blocks, 0, unknown, unknown)

    def append(self, group: Integers, numbers: Floats) -> list[tuple[Floats, Floats]]:
        """Add items, in the order of the stream; return estimates and variances at each look."""
        results = []
        items = int(self.items.sum())
        self.items = self.items + np.bincount(group, minlength=len(self.items))
        for piece, look in pieces(items, self.last_look, len(numbers)):
            added = moments(numbers[piece], group[piece], len(self.items))
            base = added.pop(self.reference)
            self.sums = [
                (of + more, of_base + base)
                for (of, of_base), more in zip(self.sums, added, strict=True)
            ]
            if look:
                self.last_look = items + piece.stop
                self.estimates, self.variances, ends = self.blocks.look(self._block())
                self.sums = [
                    (Moments(), Moments()) if end else of
                    for of, end in zip(self.sums, ends.tolist(), strict=True)
                ]
                results.append((self.estimates, self.variances))
        return results

    def _block(self) -> Block:
        """Return the block in progress of each other group."""
        items = np.array([[side.count for side in both] for both in self.sums])
        difference = np.array([other.mean - base.mean for other, base in self.sums])
        own = np.array([[side.sd**2 for side in both] for both in self.sums])
        together = np.array([[(other + base).sd ** 2] * 2 for other, base in self.sums])
        return items, difference, own, together


@dataclass
class RankingLooks:
    """Differences of AUC and xAUC within blocks of time, after each 2 % more items.

    A block of a group ends with the first look at which the group and the reference have 50 items
    more of each label. Scores in one bin are tied, so a test is one of the scores as rounded to the
    bins; where scores are separated given the label, rounded ones are too. The estimates are NaN
    before the first look, and where they do not vary.

    >>> looks = RankingLooks.new(groups=2, reference=0, bins=10)
    >>> group, label = np.arange(2000) % 2, np.arange(2000) // 2 % 2
    >>> score = np.arange(2000) % 7 + label * (1 + group)
    >>> found = looks.append(group, label, score)
    >>> looks.estimates.round(2).tolist()
    [[0.11, 0.11]]
    """

    #: Position of the group that the others are compared with.
    reference: int
    #: Number of items of each group.
    items: Integers
    #: Of each other group, items of it and of the reference by label and bin of the score, in the
    #: block in progress, shape (K − 1, 2, 2, bins).
    counts: Integers
    blocks: Blocks
    #: Number of items at the last look.
    last_look: int
    #: Of each other group minus the reference, at the last look, shape (K − 1, 2).
    estimates: Floats
    variances: Floats

    @classmethod
    def new(cls, groups: int, reference: int, bins: int) -> RankingLooks:
        """Return the looks before any item."""
        unknown = np.full((groups - 1, len(MEASURES)), np.nan)
        counts = beside_reference(np.zeros((groups, 2, bins), dtype=np.int64), reference)
        blocks = Blocks(FEWEST_SCORES, np.zeros((*unknown.shape, 10)))
        items = np.zeros(groups, dtype=np.int64)
        return cls(reference, items, counts, blocks, 0, unknown, unknown)

    def append(
        self, group: Integers, label: Integers, bins: Integers
    ) -> list[tuple[Floats, Floats]]:
        """Add items, in the order of the stream; return estimates and variances at each look."""
        shape = (len(self.items), *self.counts.shape[2:])
        cell = np.ravel_multi_index((group, label, bins), shape)
        results = []
        items = int(self.items.sum())
        self.items = self.items + np.bincount(group, minlength=len(self.items))
        for piece, look in pieces(items, self.last_look, len(cell)):
            added = np.bincount(cell[piece], minlength=math.prod(shape)).reshape(shape)
            self.counts = self.counts + beside_reference(added, self.reference)
            if look:
                self.last_look = items + piece.stop
                block = ranked_block(self.counts)
                self.estimates, self.variances, ends = self.blocks.look(block)
                self.counts[ends[:, 0]] = 0
                results.append((self.estimates, self.variances))
        return results


def beside_reference(counts: Integers, reference: int) -> Integers:
    """Return the counts of each other group beside those of the reference, (K − 1, 2, ...)."""
    others = np.delete(counts, reference, axis=0)
    base = np.broadcast_to(counts[reference], others.shape)
    return np.stack([others, base], axis=1)


def ranked_block(counts: Integers) -> Block:
    """Return blocks of AUC and xAUC, shape (..., 2), by numbers of items.

    Counts are by group (other, reference), label and bin, (..., 2, 2, bins). Neither the two terms
    of xAUC nor the AUCs of two groups share an item, so DeLong's variances add up. But the
    placements of one AUC vary at least as much as those of both on average: few, most of which are
    nearly 1, often vary too little.
    """
    negatives, positives = counts[..., 0, :], counts[..., 1, :]
    # by measure and term
    positives = np.stack([positives, positives], axis=-3)
    negatives = np.stack([negatives, negatives[..., ::-1, :]], axis=-3)
    auc, items, own = _auc(positives, negatives)
    together = (items * own).sum(axis=-2, keepdims=True) / np.maximum(
        items.sum(axis=-2, keepdims=True), 1
    )
    flat = (*items.shape[:-2], 4)
    variances = own.reshape(flat), np.broadcast_to(together, own.shape).reshape(flat)
    return items.reshape(flat), auc[..., 0] - auc[..., 1], *variances


def _auc(positives: Integers, negatives: Integers) -> tuple[Floats, Integers, Floats]:
    """Return AUCs of counts in bins, and number and variance of their placements, (..., 2).

    The placements are those of positives, and of negatives.
    """
    numbers, variances = [], []
    sides = ((positives, negatives, False), (negatives, positives, True))
    for items, others, turned in sides:
        below = np.cumsum(others, axis=-1) - 0.5 * others
        share = below / np.maximum(others.sum(axis=-1, keepdims=True), 1)
        share = 1 - share if turned else share
        n = items.sum(axis=-1)
        auc = (items * share).sum(axis=-1) / np.maximum(n, 1)
        squares = (items * (share - auc[..., None]) ** 2).sum(axis=-1)
        numbers.append(n)
        variances.append(squares / np.maximum(n - 1, 1))
    return auc, np.stack(numbers, axis=-1), np.stack(variances, axis=-1)
