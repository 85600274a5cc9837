"""Separation and comparative separation of binary classifiers, on a grid of their rates.

Binary predictions tie, so a pair has three outcomes. Given Y_ij = 1, the chance that it is ranked
right (C_ij = 1) is TPR(a) · TNR(b), and that it is reversed (C_ij = −1) (1 − TPR(a)) (1 − TNR(b)).
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Integers


def criteria_on_grid(steps: int = 10) -> pd.DataFrame:
    """Return which classifiers with rates of 0, 1/steps, …, 1 meet which criterion, exactly.

    >>> grid = criteria_on_grid(2)
    >>> len(grid), int((grid["comparative_separation"] != grid["separation"]).sum())
    (81, 0)
    """
    rates = np.indices((steps + 1,) * 4).reshape(2, 2, -1)  # (TPR or TNR, group, classifier)
    tpr, tnr = rates[0][:, None], rates[1][None]  # (group of the higher label, of the lower)
    right, reversed_ = tpr * tnr, (steps - tpr) * (steps - tnr)
    names = ("TPR(0)", "TPR(1)", "TNR(0)", "TNR(1)")
    return pd.DataFrame(dict(zip(names, rates.reshape(4, -1), strict=True))).assign(
        separation=(rates[:, 0] == rates[:, 1]).all(axis=0),
        comparative_separation=_same(right) & _same(reversed_),  # Definition 3.1
        same_rates=_same(right),  # equation (4)
        # equations (21) and (22)
        two_hypotheses=(right[1, 0] == right[0, 1]) & (right[1, 1] == right[0, 0]),
    )


def _same(chances: Integers) -> NDArray[np.bool_]:
    """Return where all pairs of groups (the first two axes) have the same chance."""
    same: NDArray[np.bool_] = np.all(chances == chances[0, 0], axis=(0, 1))
    return same
