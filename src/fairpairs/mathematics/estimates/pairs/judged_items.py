"""Wins and losses of items in given pairs, counted once for all estimates that use them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.base.arrays import Floats, Integers


@dataclass(frozen=True)
class JudgedItems:
    """Pairs of each item, or their weights, in r data sets."""

    #: What an item wins, and loses, by the value of the hit and by the group of the other item,
    #: shape (levels, K, r, n).
    won: Floats
    lost: Floats
    #: The values of the hit, shape (levels,).
    value: Floats
    #: Whether each item is in each group, shape (K, r, n).
    member: Floats

    @cached_property
    def numbers(self) -> tuple[Floats, Floats]:
        """What items win, and lose, by the group of the other item, shape (K, r, n)."""
        return self.won.sum(axis=0), self.lost.sum(axis=0)

    @cached_property
    def hits(self) -> tuple[Floats, Floats]:
        """Hits among what items win, and lose, shape (K, r, n)."""
        return np.tensordot(self.value, self.won, 1), np.tensordot(self.value, self.lost, 1)

    def by_cell(self) -> Floats:
        """Sum over items, by the value of the hit, data set and cell, shape (levels, r, K²)."""
        k, r, n = self.member.shape
        by_group = self.won.reshape(-1, r, n).transpose(1, 2, 0)
        cells = (self.member.transpose(1, 0, 2) @ by_group).reshape(r, k, -1, k)
        return cells.transpose(2, 0, 1, 3).reshape(-1, r, k * k)

    def as_winner(self, won: Floats) -> Floats:
        """Return values of items as winners, by the other's group, in the cells, (K², r, n)."""
        return (self.member[:, None] * won).reshape(-1, *won.shape[1:])

    def as_loser(self, lost: Floats) -> Floats:
        """Return values of items as losers, by the other's group, in the cells, (K², r, n)."""
        return (lost[:, None] * self.member).reshape(-1, *lost.shape[1:])

    def in_cells(self, both: tuple[Floats, Floats]) -> Floats:
        """Return values of items as winners plus those as losers in the cells, (K², r, n)."""
        return self.as_winner(both[0]) + self.as_loser(both[1])


def judged_items(
    items: tuple[Integers, Integers],
    level: Integers,
    value: Floats,
    group: Integers,
    n_groups: int,
    values: Floats | None = None,
) -> JudgedItems:
    """Count the pairs of each item, or sum values of them, shape (m,).

    `items` are winners and losers; `level` tells which `value` of the hit a pair has.
    """
    shape = len(value), n_groups, *group.shape
    size = int(np.prod(shape))
    won, lost = (
        np.bincount((n_groups * level + group.take(other)) * group.size + item, values, size)
        for item, other in (items, items[::-1])
    )
    member = (group == np.arange(n_groups)[:, None, None]).astype(float)
    return JudgedItems(
        won.reshape(shape).astype(float), lost.reshape(shape).astype(float), value, member
    )
