"""Random streams that depend on their purpose, never on the order of work."""

import hashlib
from collections.abc import Callable

import numpy as np

#: The random generator of a purpose.
Draw = Callable[[str], np.random.Generator]


def stream(seed: int, *key: str | int) -> np.random.Generator:
    """Return the random generator of one purpose, such as a data set and a repeat.

    The same key gives the same numbers on any number of cores and in any order.
    """
    digest = hashlib.sha256("\x1f".join(str(part) for part in key).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype="<u4").tolist()])
