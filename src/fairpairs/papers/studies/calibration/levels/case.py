"""A case: one kind of data on which a test is measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fairpairs.mathematics.promises.simulate import Said


@dataclass(frozen=True)
class Case:
    """What a test says of data sets of one kind."""

    test: str
    name: str
    #: its random stream
    key: tuple[str, ...]
    #: draws a number of data sets with a generator, and tests them at a level
    measure: Callable[[np.random.Generator, int, float], Sequence[Said]]
    #: the share of the data sets on which it runs, less than 1 for slow tests
    share: float = 1.0
    #: what is promised, unless it follows from the level
    promised: float | None = None
