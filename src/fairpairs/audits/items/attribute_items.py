"""All items of an audit with the groups of one attribute, and what is computed from all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.roles import Roles, ValueName
from fairpairs.audits.items.settings import Settings
from fairpairs.audits.items.strata import Strata
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.estimates.pairs.binary import ScoreOrder, score_order
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.fairness.ranking import RankingResult, ranking_result, rate_rows
from fairpairs.mathematics.inference.sampling.comparative import RankedItems

#: What needs items that stand for one each takes this many at most, drawn at random.
MOST_ITEMS = 1_000_000


def drawn_positions(n: int, most: int, settings: Settings) -> Integers:
    """Return `most` of n positions, drawn at random, ascending."""
    generator = np.random.default_rng(settings.seed)
    return np.sort(generator.choice(n, most, replace=False, shuffle=False))


@dataclass(frozen=True)
class AttributeItems:
    """Labels, predictions and scores of all items, with the groups of one attribute."""

    roles: Roles
    attribute: Attribute
    settings: Settings
    #: How the items were sampled, and how many equal, independent ones each stands for.
    design: SamplingDesign
    #: All items, if those here are the ones that have more than a cheap label.
    everybody: AttributeItems | None = None
    #: The cheap labels of the items here, shape (n,).
    cheap: Floats | None = None
    #: The same items as if there were no cheap labels; None where their chances differ.
    alone: AttributeItems | None = None
    #: Within which groups are compared; None for all items together.
    strata: Strata | None = None

    @cached_property
    def count(self) -> Integers:
        """How many independent items each one stands for, shape (n,)."""
        alike = self.design.independent
        return (self.design.weights if alike else np.ones(self.design.n_items)).astype(np.int64)

    @property
    def many(self) -> bool:
        """Whether only some of them, drawn at random, are taken one by one."""
        return self.design.independent and int(self.count.sum()) > MOST_ITEMS

    @cached_property
    def ranking(self) -> RankingResult:
        """AUC and xAUC of all groups at once, in the order `in_order`.

        The balanced xAUCs compare a group with the items of all groups.
        """
        roles, attribute = self.roles, self.attribute
        assert roles.score is not None
        order = attribute.in_order
        position = np.argsort(order)  # of each code
        rates = ranking_rates(
            roles.y_true.astype(np.int64),
            roles.score,
            position[attribute.group],
            len(order),
            order=roles.score_order,
            count=self.count,
        )
        return ranking_result(rates, order, alpha=self.settings.alpha)

    @property
    def aucs(self) -> list[Record]:
        """The AUC of each group of `ranking`, the reference last."""
        rows = rate_rows(self.ranking)
        return [row for row in rows if row["measure"] == "AUC" and row["positive"] != "all"]

    @cached_property
    def single(self) -> AttributeItems:
        """The items as rows that stand for one each; of very many, some are drawn at random."""
        if not self.design.independent:
            return self
        if self.many:
            drawn = drawn_positions(int(self.count.sum()), MOST_ITEMS, self.settings)
            rows = np.searchsorted(np.cumsum(self.count), drawn, "right")
        else:
            rows = np.repeat(np.arange(len(self.count)), self.count)
        roles, attribute = self.roles.take(rows), self.attribute.take(rows, self.attribute.sizes)
        return replace(self, roles=roles, attribute=attribute, design=SamplingDesign(len(rows)))

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
        return RankedItems(labels, attribute.group, len(attribute.names), order, self.design)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Items in each cell (group, label, prediction) of binary predictions, shape (K, 2, 2)."""
        return self._counted(4 * self.attribute.group + self.roles.cell, (2, 2))

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """Items of each group and binary label, shape (K, 2)."""
        return self._counted(2 * self.attribute.group + self.roles.y_true.astype(np.int64), (2,))

    def _counted(self, cell: Integers, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the number of items in each cell, of a shape, of each group."""
        shape = (len(self.attribute.names), *shape)
        counts = np.bincount(cell, self.count, math.prod(shape))
        return counts.astype(np.int64).reshape(shape)

    def moments(self, name: ValueName) -> Moments:
        """Return the moments of values in each group, shape (K,)."""
        attribute = self.attribute
        values = self.roles.values(name)
        return Moments.of(values, attribute.group, len(attribute.names), self.count)
