"""Rates of binary labels and predictions by the cells that they count, and the rows of an audit."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.items.roles import ValueName
from fairpairs.base.arrays import Array, Integers, Mask
from fairpairs.mathematics.estimates.estimates import EffectSizeKind
from fairpairs.mathematics.inference.contrast import Contrast

#: Zeros and ones by label, then by prediction.
Cells = tuple[tuple[int, int], tuple[int, int]]

ALL: Cells = ((1, 1), (1, 1))
PREDICTED: Cells = ((0, 1), (0, 1))
NOT_PREDICTED: Cells = ((1, 0), (1, 0))
POSITIVE: Cells = ((0, 0), (1, 1))
NEGATIVE: Cells = ((1, 1), (0, 0))
RIGHT: Cells = ((1, 0), (0, 1))
#: What a rate is of → the column, and its value, that say which items these are.
AMONG = {
    POSITIVE: ("y_true", 1),
    NEGATIVE: ("y_true", 0),
    PREDICTED: ("y_pred", 1),
    NOT_PREDICTED: ("y_pred", 0),
}
#: Cells → of which rows a rate is, in words, and what is counted among them.
OF_ROWS = {
    ALL: "of all rows",
    PREDICTED: "of rows where {prediction} is {positive}",
    NOT_PREDICTED: "of rows where {prediction} is not {positive}",
    POSITIVE: "of rows where {label} is {positive}",
    NEGATIVE: "of rows where {label} is not {positive}",
}
COUNTED = {
    PREDICTED: "have {prediction} {positive}",
    NOT_PREDICTED: "do not have {prediction} {positive}",
    POSITIVE: "have {label} {positive}",
    NEGATIVE: "do not have {label} {positive}",
    RIGHT: "are predicted rightly",
}


@dataclass(frozen=True)
class CellRate:
    """The share of the items of the cells `of` that are also in the cells `counted`."""

    counted: Cells
    of: Cells

    @property
    def words(self) -> str:
        """The rate in words, with braces for names and for the values of two groups.

        >>> TPR.words
        'of rows where {label} is {positive}, {values} have {prediction} {positive}'
        """
        return f"{OF_ROWS[self.of]}, {{values}} {COUNTED[self.counted]}"

    def counts(self, cells: NDArray[np.int64]) -> tuple[Integers, Integers]:
        """Return how many items are counted, and of how many, from cells of shape (..., 2, 2)."""
        among = cells * np.array(self.of)
        return (among * np.array(self.counted)).sum(axis=(-2, -1)), among.sum(axis=(-2, -1))

    def of_items(self, cell: Array) -> tuple[Mask, Mask]:
        """Return which items are counted, and which it is of; `cell` as `Roles` has it, (n,)."""
        both = (np.array(cells, dtype=bool).ravel()[cell] for cells in (self.counted, self.of))
        counted, of = both
        return counted, of


SELECTION_RATE = CellRate(PREDICTED, ALL)
TPR = CellRate(PREDICTED, POSITIVE)
FPR = CellRate(PREDICTED, NEGATIVE)
FNR = CellRate(NOT_PREDICTED, POSITIVE)
PRECISION = CellRate(POSITIVE, PREDICTED)
FDR = CellRate(NEGATIVE, PREDICTED)
FALSE_OMISSION_RATE = CellRate(POSITIVE, NOT_PREDICTED)
BASE_RATE = CellRate(POSITIVE, ALL)
ACCURACY = CellRate(RIGHT, ALL)
#: Rate of a group → the rate, in the order of the tables.
GROUP_RATES = {
    "base rate": BASE_RATE,
    "selection rate": SELECTION_RATE,
    "TPR": TPR,
    "FPR": FPR,
    "FNR": FNR,
    "precision": PRECISION,
    "FDR": FDR,
    "FOR": FALSE_OMISSION_RATE,
    "accuracy": ACCURACY,
}


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
    #: Of the answer: its everyday name, and a sentence with braces for {label}, {positive},
    #: {prediction}, {score}, {group}, {reference}, and the {values} of both or the {gap} of them.
    plain: str = ""
    words: str = ""
    #: The difference in short, with {size} and {way} too; what a value above and below 0 is called.
    brief: str = "{group} and {reference} differ by {size} in {measure}"
    signs: tuple[str, str] | None = None
    #: Whether a difference is one of shares, which are written in points.
    share: bool = True
    #: Of the mean of a size of errors, that size: then it has a ratio, too.
    size: ValueName | None = None
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
