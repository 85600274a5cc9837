"""When a stream is looked at: after blocks of items that do not depend on how it is cut up."""

import math
from collections.abc import Iterator, Sequence

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


def end_of_block(
    size: int, positions: Sequence[Integers], used: Sequence[int], waiting: Sequence[int]
) -> int | None:
    """Return the position behind the last item of the next block; None if it does not end.

    It ends when each group has `size` items. `positions` are those of the items of each group,
    `used` how many of them are in earlier blocks, and `waiting` how many items of this block came
    before.

    >>> end_of_block(2, [[0, 2], [1, 3]], (0, 0), (1, 0))
    4
    """
    end = 0
    for members, before, came in zip(positions, used, waiting, strict=True):
        last = before + size - came
        if last > len(members):
            return None
        if last > before:
            end = max(end, int(members[last - 1]) + 1)
    return end
