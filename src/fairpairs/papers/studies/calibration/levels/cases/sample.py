"""Cases of the study: how data are drawn, and which groups are in truth treated alike.

The truth tells a correct rejection from a wrong one, also when only some groups are treated alike.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Record

Draw = Callable[[np.random.Generator], "Sample"]

#: Numbers of items of two groups: equal, and unequal down to a share of 1 %.
SIZES = (
    (10, 10),
    (30, 30),
    (500, 500),
    (5000, 5000),
    (1000, 10),
    (1000, 30),
    (1000, 100),
    (2970, 30),
    (5000, 50),
)


@dataclass(frozen=True)
class Sample:
    """One simulated data set of n items in K groups; fields that a case does not need are empty."""

    group: Integers
    label: Floats
    score: Floats
    #: kind of each group, shape (K,): groups of one kind are treated alike
    kind: Integers
    #: true TPR(a, b), shape (K, K), if known
    rates: Floats | None = None
    attribute: Floats = field(default_factory=lambda: np.empty(0))
    #: other decisions on the same items
    reference: Floats = field(default_factory=lambda: np.empty(0))
    #: left item, right item and outcome of each judgment, shape (3, m)
    judgments: Integers = field(default_factory=lambda: np.empty((3, 0), dtype=np.int64))
    #: whether all groups have the same distribution of labels
    same_labels: bool = True


@dataclass(frozen=True)
class Drawn:
    """A name, and a function of a random generator that draws a data set."""

    name: str
    draw: Draw


def repeat_groups(sizes: Sequence[int]) -> Integers:
    """Return the group of each item, group by group."""
    return np.repeat(np.arange(len(sizes)), sizes)


def draw_labels(rng: np.random.Generator, group: Integers, prevalence: float) -> Floats:
    """Draw a binary label for each item."""
    return (rng.random(len(group)) < prevalence).astype(float)


def kinds_of(values: ArrayLike) -> Integers:
    """Return the kind of each group: groups with equal values have one kind."""
    return np.unique(np.asarray(values), axis=0, return_inverse=True)[1].ravel()


def format_sizes(sizes: Sequence[int]) -> str:
    """Format numbers of items as in names of cases."""
    return " / ".join(f"{size:,}" for size in sizes)


def build_cases(
    draw: Callable[..., Sample], rows: Iterable[tuple[str, Record]]
) -> tuple[Drawn, ...]:
    """Build the cases of named settings of a draw function."""
    return tuple(Drawn(name, partial(draw, **settings)) for name, settings in rows)
