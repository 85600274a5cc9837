"""Pairs of items: which are comparable, which are ranked right, counted by the groups of the two.

A pair is comparable when its labels differ. It belongs to the ordered cell (a, b): the group of the
item with the higher label, then the group of the other. It is concordant when the prediction of the
first is higher too; a tie of the predictions is wrong. This folds the two orders of a pair
together as equation (16) of the paper does: P + N comparable and TP + TN concordant in a cell.

References: Xi, Capak, Stockwell and Yu, *Comparative Separation*, equations (3), (9), (16) and
(17).
"""

from dataclasses import dataclass

from fairpairs.base.arrays import Floats, Integers


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
