"""What is counted and summed over all items, where they are too many to hold at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairpairs.arrays import Integers
from fairpairs.auditing.roles import ValueName
from fairpairs.fairness.cell_moments import Moments
from fairpairs.fairness.pairs.placement_sums import PlacementSums
from fairpairs.fairness.pairs.rates import Ties


@dataclass(frozen=True)
class CountedItems:
    """Counts and sums over all items, by the groups of one attribute.

    Attributes
    ----------
    decisions
        Items of each group, label and prediction of binary predictions, shape (K, 2, 2), or None.
    labels
        Items of each group and binary label, shape (K, 2), or None.
    moments
        Of values in each group, shape (K,).
    placements
        Sums of placements by the score, a tie counting half, and by real predictions, a tie being
        wrong; of binary labels.
    """

    decisions: Integers | None
    labels: Integers | None
    moments: Mapping[ValueName, Moments]
    placements: Mapping[Ties, PlacementSums]
