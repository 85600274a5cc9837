"""Arrays as short texts in JSON, without loss."""

import base64
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base.arrays import Floats, Integers


def packed(values: ArrayLike) -> str:
    """Return floats as a text.

    >>> unpacked(packed([0.1, float("nan")])).tolist()
    [0.1, nan]
    """
    return base64.b64encode(np.asarray(values, dtype="<f8").tobytes()).decode()


def unpacked(text: str) -> Floats:
    """Return the floats of a text, shape (n,)."""
    return np.frombuffer(base64.b64decode(text), dtype="<f8").astype(np.float64)


def packed_counts(counts: Integers) -> list[int]:
    """Return counts, of which many are 0: −n stands for n zeros.

    >>> packed_counts(np.array([3, 0, 0, 1])), unpacked_counts([3, -2, 1]).tolist()
    ([3, -2, 1], [3, 0, 0, 1])
    """
    runs: list[int] = []
    for count in counts.ravel().tolist():
        if count:
            runs.append(count)
        elif runs and runs[-1] < 0:
            runs[-1] -= 1
        else:
            runs.append(-1)
    return runs


def unpacked_counts(counts: Sequence[int]) -> Integers:
    """Return the counts that `packed_counts` packs, shape (n,)."""
    runs = np.array(counts, dtype=np.int64)
    return np.repeat(np.maximum(runs, 0), np.where(runs < 0, -runs, 1))
