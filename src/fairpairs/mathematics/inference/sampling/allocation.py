"""How many rows of each cell to label next, and which: Neyman's allocation, with chances.

References: J. Neyman (1934), On the two different aspects of the representative method; W. G. Madow
(1949), On the theory of systematic sampling II (for rounding at random).
"""

import numpy as np

from fairpairs.base.arrays import Floats, Integers

#: Share of the labels that goes to all rows alike, so that each has a chance.
TO_ALL = 0.1


def neyman_allocation(spread: Floats, labelled: Integers, left: Integers, n: int) -> Floats:
    """Return how many of n labels each cell gets on average, at most as many as are left, (k,).

    With those `labelled` already, labels go by `spread`; each cell with rows left gets some.
    """
    n = min(n, int(left.sum()))
    expected = np.zeros(len(left))
    given = TO_ALL * n * left / max(left.sum(), 1)
    wanted = (n + labelled.sum()) * spread / max(spread.sum(), np.finfo(float).tiny)
    wanted = np.maximum(wanted - labelled, 0)
    for _ in range(len(left) + 1):
        room = left - given - expected
        rest = n - float((given + expected).sum())
        open_ = room > 0
        if rest <= 1e-9 * n or not open_.any():
            break
        share = np.where(open_, wanted, 0)
        if not share.sum() > 0:
            share = np.where(open_, room, 0)
        expected += np.minimum(rest * share / share.sum(), np.maximum(room, 0))
    return np.asarray(np.minimum(given + expected, left))


def draw_rows(
    cell: Integers, open_rows: Integers, expected: Floats, rng: np.random.Generator
) -> Integers:
    """Return sorted positions drawn of `open_rows`: of a cell those expected, rounded at random."""
    sums = np.floor(np.append(0.0, np.cumsum(expected)) + rng.random() * (1 - 1e-9))
    counts = np.diff(sums).astype(np.int64)
    order = rng.permutation(open_rows)
    order = order[np.argsort(cell[order], kind="stable")]
    starts = np.searchsorted(cell[order], np.arange(len(expected)))
    rank = np.arange(len(order)) - starts[cell[order]]
    return np.sort(order[rank < counts[cell[order]]])


def joint_chance(before: Floats | None, now: Floats) -> Floats:
    """Return the chances to be drawn in any of the rounds so far.

    >>> joint_chance(np.array([0.5]), np.array([0.2]))
    array([0.6])
    """
    return now if before is None else 1 - (1 - before) * (1 - now)
