"""Thresholds of each group's own, with the TPR, the FPR or the share of 1 that one threshold gives.

See M. Hardt, E. Price and N. Srebro (2016), Equality of Opportunity in Supervised Learning.
"""

from typing import Self

import numpy as np
import pandas as pd

from fairpairs.base import inputs
from fairpairs.base.arrays import Array, Floats
from fairpairs.papers.treatments.groups import joint_groups

#: Rate → the labels of the rows that it is of.
RATES = {"tpr": (1,), "fpr": (0,), "selection_rate": (0, 1)}


class ThresholdsByGroup:
    """Decide by a threshold for each joint group, so that a rate is that of all at 0.5."""

    def __init__(self, rate: str = "tpr") -> None:
        inputs.one_of(rate, "rate", tuple(RATES))
        self.rate = rate

    def fit(self, score: Floats, y: Array, sensitive_features: pd.DataFrame) -> Self:
        """Find the thresholds on rows that the model has not seen."""
        counted = np.isin(y, RATES[self.rate])
        share = float(np.mean(score[counted] > 0.5))
        self.thresholds_ = {
            key: _threshold(np.sort(score[rows]), share)
            for key, rows in _rows(sensitive_features, counted)
        }
        return self

    def predict(self, score: Floats, sensitive_features: pd.DataFrame) -> Floats:
        """Return the decisions, 0 or 1; 0.5 is the threshold of a group that is new."""
        decisions = np.zeros(len(score))
        for key, rows in _rows(sensitive_features, np.ones(len(score), bool)):
            decisions[rows] = score[rows] > self.thresholds_.get(key, 0.5)
        return decisions


def _threshold(ordered: Floats, share: float) -> float:
    """Return the score above which this share of some scores lies."""
    above = round(share * len(ordered))
    return float(ordered[-above - 1]) if above < len(ordered) else -np.inf


def _rows(groups: pd.DataFrame, counted: Array) -> list[tuple[tuple[int, ...], Array]]:
    codes = joint_groups(groups)
    first = [np.flatnonzero(codes == code)[0] for code in range(codes.max() + 1)]
    keys = [tuple(groups.iloc[row]) for row in first]
    return [(key, (codes == code) & counted) for code, key in enumerate(keys)]


TREATMENT = ThresholdsByGroup
BINARY_LABEL = True
