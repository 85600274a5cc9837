"""A world: data whose truth is known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairpairs.base.plain_values import Content

#: Draws the arguments of a test.
Draw = Callable[[np.random.Generator], Content]


@dataclass(frozen=True)
class World:
    """Data whose truth is known, for `check_promises`.

    Attributes
    ----------
    name
        What the data are.
    null
        A function of a numpy generator that draws the arguments of a test, as a mapping, where the
        null hypothesis holds: what a test finds there is wrong.
    alternative
        The same where there is something to find; None where only the level is checked.
    truth
        The true value of all intervals under the null, or one for each hypothesis (the column
        `measure` or `hypothesis` of the table of a result); None checks no intervals.
    competitors
        Other tests of the same data, by name: a function of the same arguments that returns a
        p-value, or whether something is found. The power of the best one whose level is not broken
        is promised, minus 0.03.
    """

    name: str
    null: Draw
    alternative: Draw | None = None
    truth: float | Mapping[str, float] | None = None
    competitors: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
