"""The types of arrays that the package passes around, and codes: whole numbers from 0 on."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

#: Values of any type, and those of a table's column.
Array = NDArray[Any]
Series: TypeAlias = "pd.Series[Any]"
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
#: Codes below this and four times the items are counted; others are sorted, which takes longer.
MOST_COUNTED = 1_000_000


def without_gaps(code: Integers) -> tuple[Integers, int]:
    """Return codes from 0 on without those that do not occur, in their order, and their number.

    >>> index, count = without_gaps(np.array([7, 5, 7]))
    >>> index.tolist(), count
    ([1, 0, 1], 2)
    """
    if code.max() > 4 * len(code) + MOST_COUNTED:
        distinct, index = np.unique(code, return_inverse=True)
        return index.reshape(-1), len(distinct)
    occurs = np.bincount(code) > 0
    return (np.cumsum(occurs) - 1)[code], int(occurs.sum())


def first_rows(code: Integers, count: int) -> Integers:
    """Return the first row of each code below `count`; 0 for one that does not occur.

    >>> first_rows(np.array([1, 0, 1]), 2).tolist()
    [1, 0]
    """
    first = np.zeros(count, dtype=np.int64)
    first[code[::-1]] = np.arange(len(code))[::-1]
    return first


def whole_levels(numbers: Array) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different whole numbers, sorted, and the index of each among them.

    If they lie close together they are counted, which takes less time than sorting them.

    >>> levels, index = whole_levels(np.array([7, 5, 7]))
    >>> levels, index.tolist()
    ([5, 7], [1, 0, 1])
    """
    low, high = int(numbers.min()), int(numbers.max())
    if high - low > len(numbers) + 16:
        distinct, index = np.unique(numbers, return_inverse=True)
        return distinct.tolist(), index
    # a large unsigned number wraps in int64, and the smallest with it
    index = numbers.astype(np.int64) - numbers.min().astype(np.int64)
    occurs = np.bincount(index) > 0
    levels = [numbers.dtype.type(low + i).item() for i in np.flatnonzero(occurs).tolist()]
    return levels, (np.cumsum(occurs) - 1)[index]
