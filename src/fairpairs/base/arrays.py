"""The types of arrays that the package passes around, and the levels of whole numbers."""

from __future__ import annotations

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
