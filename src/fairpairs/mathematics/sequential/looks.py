"""When a stream is looked at: after blocks of items that do not depend on how it is cut up."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from fairpairs.base.arrays import Integers

#: A block has 2 % of the items before it: evidence waits no longer, and blocks stay few.
GROWTH = 0.02
#: Decimals of logarithms that are kept: fewer than those in which processors differ.
DECIMALS = 12


def block_size(items: int) -> int:
    """Return the number of items of the next block, after so many items.

    >>> block_size(0), block_size(50), block_size(10_000)
    (1, 1, 200)
    """
    return max(1, math.ceil(GROWTH * items))


def pieces(items: int, last_look: int, more: int) -> Iterator[tuple[slice, bool]]:
    """Yield the pieces of a batch of `more` items after `items`, and whether a look follows each.

    >>> list(pieces(items=101, last_look=100, more=4))
    [(slice(0, 1, None), True), (slice(1, 4, None), True)]
    >>> list(pieces(items=1001, last_look=1000, more=4))
    [(slice(0, 4, None), False)]
    """
    start = 0
    while start < more:
        stop = last_look + block_size(last_look) - items
        if stop > more:
            yield slice(start, more), False
            return
        yield slice(start, stop), True
        start, last_look = stop, items + stop


def ends_of_blocks(
    positions: Sequence[Integers], items: Integers, waiting: Integers
) -> Iterator[int]:
    """Yield the position behind the last item of each block that ends.

    It ends when each group has an item, and 2 % of those that the smaller group has in blocks
    before. `positions` are those of the items of each group, `items` how many ended blocks have,
    and `waiting` how many items of the first block came before.

    >>> members = [np.array([0, 2, 3]), np.array([1, 4])]
    >>> list(ends_of_blocks(members, np.array([90, 99]), np.array([1, 0])))
    [5]
    """
    used = np.zeros(len(positions), dtype=np.int64)
    while True:
        size, end = block_size(int(items.min())), 0
        for members, before, came in zip(positions, used, waiting, strict=True):
            last = before + size - came
            if last > len(members):
                return
            if last > before:
                end = max(end, int(members[last - 1]) + 1)
        yield end
        until = np.array([np.searchsorted(members, end) for members in positions])
        items, waiting, used = items + waiting + until - used, 0 * waiting, until
