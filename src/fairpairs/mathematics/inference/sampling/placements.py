"""AUC, xAUC and TPR(a, b) of items with clusters and weights, with the influence of each item.

A placement of an item with label 1 is the share, by weight, of the items with label 0 that it
outscores; of an item with label 0, the share of the items with label 1 that outscore it. The
influence of an item is its placement minus the rate, times its share of the weight of its class.

References: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under
two or more correlated receiver operating characteristic curves; N. A. Obuchowski (1997),
Nonparametric analysis of clustered ROC curve data, section 3. The formulas are in
docs/explanation/ranking.md.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.estimates import ROUNDING
from fairpairs.mathematics.estimates.pairs.binary import ScoreOrder
from fairpairs.mathematics.estimates.pairs.rates import PairRates, Ties, check_ties
from fairpairs.mathematics.inference.sampling.gaps import PairGap, alone
from fairpairs.mathematics.inference.sampling.linear import Linear, spread

Side = Literal["left", "right"]
#: A rate with, of both of its cells, their number, the positions of their items and what each adds.
Rate = tuple[float, list[tuple[int, Integers, Floats]]]
#: Sides of a level of the score: what is below it, and what is below or at it.
BOTH: tuple[Side, ...] = ("left", "right")


@dataclass(frozen=True)
class RankedItems:
    """Items of a binary label and of K groups, in the order of their scores."""

    #: Labels 0 or 1, and groups 0 to K − 1, shape (n,).
    labels: Integers
    group: Integers
    #: K; as a group, K stands for all items.
    n_groups: int
    order: ScoreOrder
    design: SamplingDesign

    def rate(self, winners: int, losers: int, *, ties: Ties = "half") -> Linear:
        """Return the share, by weight, of the pairs in which the item with label 1 is ahead.

        It is xAUC(a, b) of groups a and b, the AUC of one group, TPR(a, b) of comparative
        separation; NaN where the items of one weigh 0. Classes are group × label, or the label for
        group K, all.
        """
        check_ties(ties)
        key = winners, losers, ties
        if self.n_groups in key or winners == losers:  # of which several pairs of groups have one
            if key not in self._shared:
                self._shared[key] = self._rate(*key)
            theta, parts = self._shared[key]
        else:
            theta, parts = self._rate(*key)
        n = len(self.labels)
        influence: Floats = np.zeros(n)
        classes: Array = np.full(n, -1, dtype=np.int16)
        for cell, position, added in parts:
            influence[position] = added
            classes[position] = cell
        return Linear(theta, influence, classes)

    @cached_property
    def _shared(self) -> dict[tuple[int, int, Ties], Rate]:
        """The rates of one group, and of one with all items."""
        return {}

    def _rate(self, winners: int, losers: int, ties: Ties) -> Rate:
        """Return a rate, and the cells that it rests on: what each of their items adds."""
        cells = [2 * winners + 1, 2 * losers]
        items = [self._items(cell) for cell in cells]
        positions = [self.order.position[ranks] for ranks in items]
        weights = [self.design.weights[position] for position in positions]
        (ahead, behind), (w_ahead, w_behind) = (self.order.level[i] for i in items), weights
        if not (len(w_ahead) and len(w_behind)):
            return np.nan, []
        # an item with label 0 that is tied is outscored half, or not at all
        below, up_to = (BOTH, BOTH) if ties == "half" else (BOTH[:1], BOTH[1:])
        beaten = _weight_below(behind, w_behind, ahead, below)
        not_beating = _weight_below(ahead, w_ahead, behind, up_to)
        placements = [beaten, 1 - not_beating]
        theta = float((w_ahead * beaten).sum() / w_ahead.sum())
        parts = []
        for cell, position, weight, placement in zip(
            cells, positions, weights, placements, strict=True
        ):
            apart = placement - theta
            # a class that does not vary must not seem to, by rounding
            apart[np.abs(apart) < ROUNDING] = 0
            parts.append((cell, position, weight * apart / weight.sum()))
        return theta, parts

    def gap(
        self, first: tuple[int, int], second: tuple[int, int], *, ties: Ties = "half"
    ) -> PairGap:
        """Return the difference of two rates, each of winners and losers (see `rate`)."""
        (a, b), (c, d) = first, second
        roles = (2 * a + 1, 2 * b), (2 * c + 1, 2 * d)
        return PairGap(self.rate(a, b, ties=ties), self.rate(c, d, ties=ties), roles=roles)

    def _items(self, cell: int) -> Integers:
        """Return the ranks, by score, of the items of a group and label that have a weight."""
        group, label = divmod(cell, 2)
        if group == self.n_groups:
            ranks = np.flatnonzero(self.labels[self.order.position] == label)
        else:
            ranks = self._cells[0][self._cells[1][cell] : self._cells[1][cell + 1]]
        weight = self.design.weight
        return ranks if weight is None else ranks[weight[self.order.position[ranks]] > 0]

    @cached_property
    def _cells(self) -> tuple[Integers, Integers]:
        """The ranks of the items cell by cell, and where each cell starts."""
        cell = (2 * self.group + self.labels)[self.order.position].astype(np.int16)
        sizes = np.bincount(cell, minlength=2 * self.n_groups)
        # 16 bits make it a radix sort
        return np.argsort(cell, kind="stable"), np.append(0, np.cumsum(sizes))


def _weight_below(
    level: NDArray[np.int32], weight: Floats, at: NDArray[np.int32], sides: tuple[Side, ...]
) -> Floats:
    """Return the share of the weight below ascending levels ("left"), up to them, or the mean."""
    total = np.append(0, np.cumsum(weight))
    below = np.sum([total[np.searchsorted(level, at, side)] for side in sides], axis=0)
    return np.asarray(below / (len(sides) * total[-1]))


def sampled_ranking_rates(items: RankedItems, ties: Ties, alpha: float) -> tuple[PairRates, Floats]:
    """Return the rates of K groups and all items, without covariance, and errors and limits.

    The second array, (3, K + 1, K + 1), has the standard error and both ends of each rate.
    """
    k, design = items.n_groups, items.design
    total = np.bincount(2 * items.group + items.labels, design.weights, minlength=2 * k)
    group_weight = total.reshape(k, 2)[:, ::-1]  # label 1 first
    weight: Floats = np.vstack([group_weight, group_weight.sum(axis=0)]).astype(np.float64)
    comparable: Floats = weight[:, :1] * weight[:, 1]
    theta, known = np.zeros((k + 1, k + 1)), np.full((3, k + 1, k + 1), np.nan)
    for a, b in zip(*np.nonzero(comparable), strict=True):
        rate = items.rate(int(a), int(b), ties=ties)
        theta[a, b] = rate.estimate
        contrast = alone(rate, design)
        if contrast is not None:
            error = np.sqrt(spread([rate], design).covariance[0, 0])
            known[:, a, b] = error, *contrast.limits(alpha)
    none = np.zeros(((k + 1) ** 2,) * 2)
    rates = PairRates(theta * comparable, comparable, comparable, none[None], weight.ravel(), none)
    return rates, known
