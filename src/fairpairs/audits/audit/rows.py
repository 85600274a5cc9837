"""The rows of an audit: a hypothesis or a measure of a group against the reference group."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairpairs.audits.audit.cell_rates import CellRate
from fairpairs.mathematics.estimates.effect_sizes import EffectSizeKind
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.sampling.gaps import Gap


@dataclass(frozen=True)
class Measure:
    """The estimand of one row of a criterion."""

    name: str
    #: In the column `hypothesis`; {a} is the group, {b} the reference group.
    hypothesis: str
    #: Whether the page draws it: a difference of rates, from −1 to 1.
    drawn: bool = True
    #: The rate of decisions that it compares, if any: then it also has a ratio.
    rate: CellRate | None = None
    #: In the table of rates: the value of each group that it compares, if any.
    of: str = ""
    #: Of the answer: what the values of both groups are, or what happens more often to the group
    #: `against` the reference. {label}, {positive}, {prediction}, {score}, {group}, {reference}.
    words: str = ""
    against: str = ""
    #: Whether a difference is one of shares, which are written in points.
    share: bool = True
    #: 1 where a larger value gives the group more positive outcomes, −1 where fewer; else 0.
    favours: int = 0


@dataclass(frozen=True)
class Row:
    """One hypothesis, or one measure, of a group against the reference group.

    A test of all groups of an attribute has the group and the reference "".
    """

    attribute: str
    group: str
    reference: str
    measure: str
    hypothesis: str
    criterion: str = ""  # which fills it in
    estimate: float = np.nan
    ci_low: float = np.nan
    ci_high: float = np.nan
    effect_size: float = np.nan
    effect_kind: EffectSizeKind | Literal[""] = ""
    magnitude: str = ""
    statistic: float = np.nan
    pvalue: float = np.nan
    ratio: float = np.nan  # of two rates, group by reference
    ratio_low: float = np.nan
    ratio_high: float = np.nan
    n: int = 0
    smallest_cell: int = 0
    note: str = ""
    shuffles: int = 0  # behind the p-value, if any
    contrast: Contrast | None = None  # its tests against a margin, if any
    worth: float = np.nan  # human labels alone that tell as much, of items with a cheap label
    uncontrolled: float = np.nan  # the estimate over all strata together, where there are strata
    label_class: str = ""  # that is compared with the rest, of a label of several classes


@dataclass(frozen=True)
class Difference:
    """A measure of one comparison. Nothing is computed before it is asked for."""

    measure: Measure
    #: Returns its row for independent items of equal weight.
    row: Callable[[], Row]
    #: Returns it with the influence of each item: for clusters, weights, and two models.
    gap: Callable[[], Gap]
