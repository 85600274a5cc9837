"""All items of an audit with the groups of one attribute, and what is computed from all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.items import Strata
from fairpairs.audits.audit.roles import Roles, ValueName
from fairpairs.audits.audit.settings import Settings
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.estimates.pairs.binary import (
    PlacementSums,
    ScoreOrder,
    rates_of_placements,
    score_order,
)
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.fairness.ranking import RankingResult, ranking_result
from fairpairs.mathematics.inference.sampling.placements import RankedItems


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


@dataclass(frozen=True)
class AttributeItems:
    """Labels, predictions and scores of all items, with the groups of one attribute."""

    roles: Roles
    attribute: Attribute
    settings: Settings
    #: How the items were sampled; None for independent items of equal weight.
    design: SamplingDesign | None = None
    #: Counts and sums of all items, if the items here are drawn from them.
    counted: CountedItems | None = None
    #: All items, if those here are the ones that have more than a cheap label.
    everybody: AttributeItems | None = None
    #: The cheap labels of the items here, shape (n,).
    cheap: Floats | None = None
    #: The same items as if there were no cheap labels; None where their chances differ.
    alone: AttributeItems | None = None
    #: Within which groups are compared; None for all items together.
    strata: Strata | None = None

    @property
    def alpha(self) -> float:
        """Intervals cover 1 − alpha."""
        return self.settings.alpha

    @cached_property
    def items_design(self) -> SamplingDesign:
        """How the items were sampled."""
        count = None if self.strata is None else self.strata.items
        alike = SamplingDesign(len(self.roles.y_true), None, count, "frequency")
        return self.design or alike

    @cached_property
    def ranking(self) -> RankingResult | None:
        """AUC and xAUC of all groups at once, in the order `in_order`; None without a score.

        The balanced xAUCs compare a group with the items of all groups.
        """
        roles, attribute = self.roles, self.attribute
        if roles.score is None:
            return None
        order = attribute.in_order
        if self.counted is None:
            position = np.argsort(order)  # of each code
            rates = ranking_rates(
                roles.y_true.astype(np.int64),
                roles.score,
                position[attribute.group],
                len(order),
                order=roles.score_order,
            )
        else:
            placements = self.counted.placements["half"].take(order)
            rates = rates_of_placements(placements, with_all=True)
        return ranking_result(rates, order, alpha=self.alpha)

    @cached_property
    def ranked(self) -> RankedItems:
        """The items of a binary label in the order of their scores."""
        return self._ranked_by(self.roles.score_order)

    @cached_property
    def predicted(self) -> RankedItems:
        """The items of a binary label in the order of their predictions."""
        roles = self.roles
        ordered = roles.prediction == "real" and roles.y_score is None
        return self._ranked_by(roles.score_order if ordered else score_order(roles.y_pred))

    def _ranked_by(self, order: ScoreOrder) -> RankedItems:
        attribute, labels = self.attribute, self.roles.y_true.astype(np.int64)
        design = self.design or SamplingDesign(len(labels))
        return RankedItems(labels, attribute.group, len(attribute.names), order, design)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Items in each cell (group, label, prediction) of binary predictions, shape (K, 2, 2)."""
        if self.counted is not None:
            assert self.counted.decisions is not None
            return self.counted.decisions
        cell = 4 * self.attribute.group + self.roles.cell
        return self._counted(cell, 4 * len(self.attribute.names)).reshape(-1, 2, 2)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """Items of each group and binary label, shape (K, 2)."""
        if self.counted is not None:
            assert self.counted.labels is not None
            return self.counted.labels
        cell = 2 * self.attribute.group + self.roles.y_true.astype(np.int64)
        return self._counted(cell, 2 * len(self.attribute.names)).reshape(-1, 2)

    def _counted(self, cell: Integers, k: int) -> NDArray[np.int64]:
        """Return the number of items of each cell, shape (k,)."""
        return np.bincount(cell, self.items_design.counts, k).astype(np.int64)

    def moments(self, name: ValueName) -> Moments:
        """Return the moments of values in each group, shape (K,)."""
        if self.counted is not None:
            return self.counted.moments[name]
        attribute = self.attribute
        return Moments.of(self.roles.values(name), attribute.group, len(attribute.names))
