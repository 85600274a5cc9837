"""Rates of binary labels and predictions, each by the cells (label, prediction) that it counts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Integers

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
#: Cells → what they hold, in words.
WORDS = {
    PREDICTED: "{prediction} is {positive}",
    NOT_PREDICTED: "{prediction} is not {positive}",
    POSITIVE: "{label} is {positive}",
    NEGATIVE: "{label} is not {positive}",
    RIGHT: "{prediction} is right",
}


@dataclass(frozen=True)
class CellRate:
    """The share of the items of the cells `of` that are also in the cells `counted`."""

    counted: Cells
    of: Cells

    @property
    def words(self) -> str:
        """The rate in words, to be followed by its values; names are in braces.

        >>> TPR.words
        'Where {label} is {positive}, {prediction} is {positive} in'
        """
        among = "Of all rows" if self.of == ALL else f"Where {WORDS[self.of]}"
        return f"{among}, {WORDS[self.counted]} in"

    def counts(self, cells: NDArray[np.int64]) -> tuple[Integers, Integers]:
        """Return how many items are counted, and of how many, from cells of shape (..., 2, 2)."""
        among = cells * np.array(self.of)
        return (among * np.array(self.counted)).sum(axis=(-2, -1)), among.sum(axis=(-2, -1))


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
