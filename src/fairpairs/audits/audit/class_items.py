"""The items of an audit of several classes, with the groups of one attribute.

All but clusters and weights is a function of the items in each cell of group, label and prediction,
so items in memory and items that are counted give the same lines.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.audit.attribute_items import AttributeItems, CountedItems
from fairpairs.audits.audit.class_roles import ClassRoles
from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.passes import drawn_positions, summed
from fairpairs.audits.audit.roles import Roles, ValueName
from fairpairs.audits.audit.settings import Settings
from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.cell_moments import Moments

#: Items whose ranks are held in memory; of more, this many are drawn.
MOST_RANKED = 1_000_000
NONE = np.zeros(0)


@dataclass(frozen=True)
class ClassItems:
    """Labels and predictions of several classes, with the groups of one attribute."""

    roles: ClassRoles
    attribute: Attribute
    settings: Settings
    #: How the items were sampled; None for independent items of equal weight.
    design: SamplingDesign | None = None
    #: Number of items that each row of `roles` stands for; None for one each.
    count: Integers | None = None

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Items in each cell (group, label, prediction), shape (K, c, c)."""
        roles, k, c = self.roles, len(self.attribute.names), len(self.roles.names)
        cell = (self.attribute.group * c + roles.y_true) * c + roles.y_pred
        if self.count is None:
            return np.bincount(cell, minlength=k * c * c).reshape(k, c, c)
        return summed(self.count, cell, k * c * c).reshape(k, c, c)

    @property
    def classes(self) -> list[int]:
        """Indices of the classes that the label has."""
        return [int(index) for index in np.flatnonzero(self.counts.sum(axis=(0, 2)))]

    def of_class(self, index: int) -> AttributeItems:
        """Return the items with one class against the rest, as `--positive` audits it."""
        in_class = np.arange(len(self.roles.names)) == index
        return self._binary(
            self.roles.names[index], lambda label, predicted: (in_class[label], in_class[predicted])
        )

    def right(self) -> AttributeItems:
        """Return the items with label 1, predicted 1 where the class is right."""
        return self._binary(
            "", lambda label, predicted: (np.ones(label.shape, dtype=bool), label == predicted)
        )

    def _binary(
        self, positive: str, code: Callable[[Integers, Integers], tuple[NDArray[np.bool_], ...]]
    ) -> AttributeItems:
        """Return items with binary label and prediction, computed from the classes."""
        ranges = {"y_true": (0.0, 1.0), "y_pred": (0.0, 1.0)}
        roles = Roles(NONE, NONE, None, "binary", "binary", positive, ranges=ranges)
        if self.design is not None:
            label, predicted = code(self.roles.y_true, self.roles.y_pred)
            roles = replace(roles, y_true=label.astype(float), y_pred=predicted.astype(float))
            return AttributeItems(roles, self.attribute, self.settings, self.design)
        c = len(self.roles.names)
        label, predicted = code(*np.divmod(np.arange(c * c), c))
        cells = np.zeros((4, len(self.attribute.names)), dtype=np.int64)
        np.add.at(cells, 2 * label.astype(np.int64) + predicted, self.counts.reshape(-1, c * c).T)
        decisions = cells.T.reshape(-1, 2, 2)
        counted = CountedItems(decisions, decisions.sum(axis=2), moments={}, placements={})
        empty = replace(self.attribute, group=NONE.astype(np.int64), counted=self.attribute.sizes)
        return AttributeItems(roles, empty, self.settings, counted=counted)

    def ranks(self) -> AttributeItems:
        """Return the items with the ranks 1 to c of ordered classes as label and prediction."""
        if self.design is not None:
            roles = _ranked(self.roles.y_true, self.roles.y_pred)
            return AttributeItems(roles, self.attribute, self.settings, self.design)
        cells = self.counts
        group, label, predicted = np.nonzero(cells)
        count, k = cells[group, label, predicted], len(self.attribute.names)
        n = int(count.sum())
        generator = np.random.default_rng(self.settings.random_state)
        positions = drawn_positions(n, MOST_RANKED, generator)
        drawn = np.searchsorted(np.cumsum(count), positions, side="right")
        ranked = _ranked(label, predicted)
        names: tuple[ValueName, ...] = ("label", "prediction", "error", "absolute error")
        moments = {name: Moments.of(ranked.values(name), group, k, count) for name in names}
        return AttributeItems(
            ranked.take(drawn),
            replace(self.attribute, group=group[drawn], counted=self.attribute.sizes),
            self.settings,
            counted=CountedItems(None, None, moments=moments, placements={}),
        )


def _ranked(label: Integers, predicted: Integers) -> Roles:
    ranks: list[Floats] = [np.asarray(index + 1, dtype=np.float64) for index in (label, predicted)]
    return Roles(ranks[0], ranks[1], None, "real", "real", "")
