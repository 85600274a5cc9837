"""TPR(a, b) of every ordered pair of groups, with the covariance due to shared items.

A pair is comparable when its labels differ. It belongs to the ordered cell (a, b): the group of the
item with the higher label, then the group of the other. It is concordant when the prediction of the
first is higher too; a tie of the predictions is wrong. Each estimate is split into what single
items add to it, and the variance is summed over items: docs/explanation/comparative-separation.md.
Every function works on many data sets at once, along a leading axis, and on any number of groups.

References: Xi, Capak, Stockwell and Yu, *Comparative Separation*, equations (3), (9), (16) and
(17); E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under two or
more correlated receiver operating characteristic curves; P. M. Aronow, C. Samii and V. A. Assenova
(2015), Cluster-robust variance estimation for dyadic data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.plain_values import Record


@dataclass(frozen=True)
class PairCounts:
    """Pairs in each cell (group of the higher label, group of the lower), shape (..., 2, 2)."""

    concordant: Integers
    comparable: Integers


def cell_probabilities(items: Floats) -> tuple[Floats, Floats]:
    """Return the chances that a pair is concordant, and wrong, in each cell (a, b), (..., 2, 2).

    Both items are independent, of cells (a, y, c), (..., 2, 2, 2). concordant / (concordant +
    wrong) is TPR(a, b), equation (9).
    """
    winner, loser = items[..., 1, :], items[..., 0, :]  # (..., group, prediction)
    comparable = 2 * winner.sum(axis=-1)[..., :, None] * loser.sum(axis=-1)[..., None, :]
    concordant = 2 * winner[..., :, None, 1] * loser[..., None, :, 0]
    return concordant, comparable - concordant


#: Value of a tie of the scores: 0 (equation 16 of the paper) or one half (concordance).
Ties = Literal["wrong", "half"]

#: A variance of a rate below this is rounding.
NO_VARIANCE = 1e-20


def check_ties(ties: str) -> None:
    """Raise unless `ties` is a way to count them."""
    inputs.one_of(ties, "ties", get_args(Ties))


@dataclass(frozen=True)
class PairRates:
    """TPR(a, b) of every ordered pair of K groups, and what its covariance is made of."""

    #: (Weighted) number of pairs ranked right, and of pairs with different labels, in each cell
    #: (group of the higher label, group of the lower), shape (..., K, K).
    concordant: Floats
    comparable: Floats
    #: Number of pairs in each cell, whatever their weight, shape (..., K, K).
    pairs: Floats
    #: Covariance of the K² rates that each class of items brings, shape (..., C, K², K²).
    components: Floats
    #: Items in each class, shape (..., C); of balanced labels, items of equal weight that a group
    #: is worth, (Σω)² / Σω².
    class_sizes: Floats
    #: What the sum of the components holds twice, shape (..., K², K²).
    counted_twice: Floats
    #: The covariance where separation holds, from what an item explains in all groups together,
    #: shape (..., K², K²). None where pairs have weights, and for all pairs of real labels that are
    #: not balanced.
    pooled: Floats | None = None
    #: Effective number of given or drawn pairs under unequal weights, (Σw)² / Σw², shape
    #: (..., K, K). None for all pairs.
    effective: Floats | None = None
    #: Effective number of items behind the given or drawn pairs of each cell, (Σ m²)² / Σ m⁴ for
    #: items in m pairs, shape (..., K, K). None for all pairs.
    items: Floats | None = None
    #: What judges and clusters add to the covariance, by each way to relate pairs, of which a
    #: contrast takes the largest; shape (..., ways, K², K²). None where items alone are shared.
    related: Floats | None = None
    #: The same where separation holds, from all groups together, shape (..., K², K²).
    related_pooled: Floats | None = None
    #: Effective number of judges or clusters behind each cell, shape (..., K, K).
    units: Floats | None = None
    #: Items of each group and label with the higher of two scores, where ties are wrong, so that a
    #: rate is a product; shape (..., K, 2), label 1 first. None for other scores.
    hits: Floats | None = None
    #: The rates of each two groups a < b, from the items of those two alone; None for two groups.
    each_two: tuple[PairRates, ...] | None = None

    @cached_property
    def tpr(self) -> Floats:
        """TPR(a, b), shape (..., K, K), NaN where a cell has no pair."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.concordant / self.comparable)

    @cached_property
    def common(self) -> Floats:
        """The share of all pairs that are ranked right, shape (...), NaN where there is no pair."""
        with np.errstate(invalid="ignore", divide="ignore"):
            right, usable = (x.sum(axis=(-2, -1)) for x in (self.concordant, self.comparable))
            return np.asarray(right / usable)

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the rates in the order (0, 0), (0, 1), …, shape (..., K², K²)."""
        return np.asarray(self.components.sum(axis=-3) - self.counted_twice)

    def take(self, index: Any) -> PairRates:
        """Return the rates of the data sets at an index of NumPy's."""
        each_two = self.each_two and tuple(rates.take(index) for rates in self.each_two)
        return PairRates(**_each_field([self], lambda arrays: arrays[0][index]), each_two=each_two)

    @staticmethod
    def stacked(tables: Sequence[PairRates], axis: int = 0) -> PairRates:
        """Put rates side by side along a new axis, without those of each two groups."""
        return PairRates(**_each_field(tables, lambda arrays: np.stack(arrays, axis=axis)))

    @staticmethod
    def joined(tables: Sequence[PairRates]) -> PairRates:
        """Put the data sets of rates one after the other."""
        two = zip(*(table.each_two or () for table in tables), strict=True)
        each_two = tuple(PairRates.joined(blocks) for blocks in two) or None
        return PairRates(**_each_field(tables, np.concatenate), each_two=each_two)


def _each_field(tables: Sequence[PairRates], change: Callable[[list[Array]], Array]) -> Record:
    """Return every field that holds an array, changed; None where a table has None."""
    names = [field.name for field in fields(PairRates) if field.name != "each_two"]
    arrays = {name: [getattr(table, name) for table in tables] for name in names}
    return {name: None if values[0] is None else change(values) for name, values in arrays.items()}


def group_pairs(n_groups: int) -> list[tuple[int, int]]:
    """Return each two groups a < b, in the order of the hypotheses; empty for two groups."""
    return list(combinations(range(n_groups), 2)) if n_groups > 2 else []


def by_class(contribution: Floats, classes: Integers, n_classes: int) -> tuple[Floats, Floats]:
    """Sum the squares of what items add, (K², r, n), by class, times m / (m − 1), and class sizes.

    The shapes are (r, C, K², K²) and (r, C); a class of −1 is none.
    """
    components, sizes = [], []
    for number in range(n_classes):
        inside = classes == number
        added = (inside * contribution).transpose(1, 0, 2)
        m = inside.sum(axis=-1)
        factor = np.where(m > 1, m / np.maximum(m - 1, 1), 1.0)
        components.append(factor[..., None, None] * (added @ np.swapaxes(added, -1, -2)))
        sizes.append(m)
    return np.stack(components, axis=-3), np.stack(sizes, axis=-1).astype(float)
