"""Looks at the differences of means between groups, from exact sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.estimates.exact_moments import Moments, moments
from fairpairs.mathematics.sequential.looks import pieces

#: Items of each group from which on the differences are close to normal.
FEWEST = 30


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
            if min(base.count, other.count) >= FEWEST:
                together = (base + other).sd
                variance = sum(max(side.sd, together) ** 2 / side.count for side in (base, other))
                if variance > 0:
                    estimates[index], variances[index] = other.mean - base.mean, variance
        return estimates, variances
