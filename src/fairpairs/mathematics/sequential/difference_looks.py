"""Looks at the differences between groups of means, from exact sums, and of AUC and xAUC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.exact_moments import Moments, moments
from fairpairs.mathematics.sequential.looks import pieces

#: Items of each group from which on differences of means are close to normal, and items of each
#: group and label from which on those of AUC and xAUC are.
FEWEST_NUMBERS, FEWEST_SCORES = 30, 50
#: The differences of rankings, in the order of their axis.
MEASURES = ("AUC", "xAUC")
#: Number and variance of the placements of one label.
Spread = tuple[Integers, Floats]


@dataclass
class MeanLooks:
    """Differences of means, estimated after blocks of 2 % of the items.

    The estimates are NaN before the first look, for fewer than 30 items of a group, and where the
    numbers do not vary.

    >>> looks = MeanLooks.new(groups=2, reference=0)
    >>> group = np.arange(2000) % 2
    >>> found = looks.append(group, np.arange(2000) % 7 + 0.5 * group)
    >>> looks.estimates.round(2).tolist()
    [0.5]
    """

    #: Position of the group that the others are compared with.
    reference: int
    #: Exact sums of the numbers of each group.
    sums: list[Moments]
    #: Number of items at the last look.
    last_look: int
    #: Of each other group minus the reference, at the last look, shape (K − 1,).
    estimates: Floats
    variances: Floats

    @classmethod
    def new(cls, groups: int, reference: int) -> MeanLooks:
        """Return the looks before any item."""
        unknown = np.full(groups - 1, np.nan)
        return cls(reference, [Moments()] * groups, 0, unknown, unknown)

    def append(self, group: Integers, numbers: Floats) -> list[tuple[Floats, Floats]]:
        """Add items, in the order of the stream; return estimates and variances at each look."""
        results = []
        items = sum(total.count for total in self.sums)
        for piece, look in pieces(items, self.last_look, len(numbers)):
            added = moments(numbers[piece], group[piece], len(self.sums))
            self.sums = [before + more for before, more in zip(self.sums, added, strict=True)]
            if look:
                self.last_look = items + piece.stop
                self.estimates, self.variances = self._differences()
                results.append((self.estimates, self.variances))
        return results

    def _differences(self) -> tuple[Floats, Floats]:
        """Return estimates and variances; a group's variance is at least that of both together.

        The variance of few skewed numbers is too small as long as the rare large ones are missing;
        where the hypothesis is true, both groups tell how large they are.
        """
        base = self.sums[self.reference]
        estimates, variances = (np.full(len(self.sums) - 1, np.nan) for _ in range(2))
        others = [side for index, side in enumerate(self.sums) if index != self.reference]
        for index, other in enumerate(others):
            if min(base.count, other.count) >= FEWEST_NUMBERS:
                together = (base + other).sd
                variance = sum(max(side.sd, together) ** 2 / side.count for side in (base, other))
                if variance > 0:
                    estimates[index], variances[index] = other.mean - base.mean, variance
        return estimates, variances


@dataclass
class RankingLooks:
    """Differences of AUC and xAUC, estimated after blocks of 2 % of the items.

    Scores in one bin are tied, so a test is one of the scores as rounded to the bins; where scores
    are separated given the label, rounded ones are too. The estimates are NaN before the first
    look, and where they do not vary.

    >>> looks = RankingLooks.new(groups=2, reference=0, bins=10)
    >>> group, label = np.arange(2000) % 2, np.arange(2000) // 2 % 2
    >>> score = np.arange(2000) % 7 + label * (1 + group)
    >>> found = looks.append(group, label, score)
    >>> looks.estimates.round(2).tolist()
    [[0.11, 0.11]]
    """

    #: Position of the group that the others are compared with.
    reference: int
    #: Items by group, label and bin of the score, shape (K, 2, bins).
    counts: Integers
    #: Number of items at the last look.
    last_look: int
    #: Of each other group minus the reference, at the last look, shape (K − 1, 2).
    estimates: Floats
    variances: Floats

    @classmethod
    def new(cls, groups: int, reference: int, bins: int) -> RankingLooks:
        """Return the looks before any item."""
        unknown = np.full((groups - 1, len(MEASURES)), np.nan)
        return cls(reference, np.zeros((groups, 2, bins), dtype=np.int64), 0, unknown, unknown)

    def append(
        self, group: Integers, label: Integers, bins: Integers
    ) -> list[tuple[Floats, Floats]]:
        """Add items, in the order of the stream; return estimates and variances at each look."""
        shape = self.counts.shape
        cell = np.ravel_multi_index((group, label, bins), shape)
        results = []
        for piece, look in pieces(int(self.counts.sum()), self.last_look, len(cell)):
            added = np.bincount(cell[piece], minlength=self.counts.size)
            self.counts = self.counts + added.reshape(shape)
            if look:
                self.last_look = int(self.counts.sum())
                self.estimates, self.variances = differences(self.counts, self.reference)
                results.append((self.estimates, self.variances))
        return results


def differences(counts: Integers, reference: int) -> tuple[Floats, Floats]:
    """Return differences of AUC and xAUC to a reference, and their variances, (..., K − 1, 2).

    Counts are by group, label and bin, shape (..., K, 2, bins). NaN for fewer than 50 items of a
    group and label, and where the variance is 0.

    The xAUC of a group is the chance that a positive of it outscores a negative of the reference,
    minus that of a positive of the reference and a negative of the group. Its two terms share no
    item, and neither do the AUCs of two groups, so their variances add up. They are DeLong's, but
    the placements of one AUC vary at least as much as those of both on average: few placements,
    most of which are nearly 1, often vary too little.
    """
    others = [group for group in range(counts.shape[-3]) if group != reference]
    items = counts.sum(axis=-1).min(axis=-1)
    ours, base = counts[..., others, :, :], counts[..., [reference], :, :]
    pairs = (((ours, ours), (base, base)), ((ours, base), (base, ours)))
    estimates, variances = [], []
    for more, less in pairs:
        (auc, *spreads), (other_auc, *other_spreads) = (
            _auc(positive[..., 1, :], negative[..., 0, :]) for positive, negative in (more, less)
        )
        estimates.append(auc - other_auc)
        variances.append(sum(_variance(*both) for both in zip(spreads, other_spreads, strict=True)))
    estimate, variance = np.stack(estimates, axis=-1), np.stack(variances, axis=-1)
    enough = np.minimum(items[..., others], items[..., [reference]]) >= FEWEST_SCORES
    known = enough[..., None] & (variance > 0)
    return np.where(known, estimate, np.nan), np.where(known, variance, np.nan)


def _auc(positives: Integers, negatives: Integers) -> tuple[Floats, Spread, Spread]:
    """Return the AUC of counts in bins, and the spreads of placements of positives, negatives."""
    spreads = []
    sides = ((positives, negatives, False), (negatives, positives, True))
    for items, others, turned in sides:
        below = np.cumsum(others, axis=-1) - 0.5 * others
        share = below / np.maximum(others.sum(axis=-1, keepdims=True), 1)
        share = 1 - share if turned else share
        n = items.sum(axis=-1)
        auc = (items * share).sum(axis=-1) / np.maximum(n, 1)
        squares = (items * (share - auc[..., None]) ** 2).sum(axis=-1)
        spreads.append((n, squares / np.maximum(n - 1, 1)))
    return auc, spreads[0], spreads[1]


def _variance(spread: Spread, other: Spread) -> Floats:
    """Return the variance that the placements of one side add to the difference of two AUCs."""
    (n, one), (m, two) = spread, other
    both = (n * one + m * two) / np.maximum(n + m, 1)
    variance: Floats
    variance = np.maximum(one, both) / np.maximum(n, 1) + np.maximum(two, both) / np.maximum(m, 1)
    return variance
