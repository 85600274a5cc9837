"""Counts and sums over all items, if they are too many for memory."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairpairs.audits.audit.roles import ValueName
from fairpairs.base.arrays import Integers
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.estimates.pairs.binary import PlacementSums
from fairpairs.mathematics.estimates.pairs.rates import Ties


@dataclass(frozen=True)
class CountedItems:
    """Counts and sums over all items, by the groups of one attribute."""

    #: Items by group, label and prediction, shape (K, 2, 2); None if predictions are not binary.
    decisions: Integers | None
    #: Items by group and binary label, shape (K, 2), or None.
    labels: Integers | None
    #: Of the values in each group, shape (K,).
    moments: Mapping[ValueName, Moments]
    #: Sums of placements, for binary labels: ties of scores count half, of predictions 0.
    placements: Mapping[Ties, PlacementSums]
