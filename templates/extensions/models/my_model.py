"""My model: one sentence on what it fits.

References
----------
Who proposed it, and where.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fairpairs.papers.models.features import numbers_of


class MyModel:
    """Built once on the features of all items, fitted once per repeat.

    Parameters
    ----------
    features
        One row per item.
    kinds
        "numeric" or "categorical" for each column that is used.
    """

    def __init__(self, features: pd.DataFrame, kinds: Mapping[str, str]) -> None:
        self._x = numbers_of(features, kinds)

    def fit_repeats(
        self,
        y: NDArray[Any],
        tested: Sequence[NDArray[np.bool_]],
        weights: Sequence[NDArray[np.float64]],
        rngs: Sequence[np.random.Generator],
    ) -> list[NDArray[np.float64]]:
        """Fit on the items that are not tested, and score those that are.

        Parameters
        ----------
        y
            Labels of all items, shape (n,).
        tested
            For each repeat, whether an item is tested, shape (n,).
        weights
            For each repeat, the weight of each training item, in their order.
        rngs
            For each repeat, the only source of randomness to use.

        Returns
        -------
        list of ndarray
            For each repeat, the score of each tested item, in their order: P(Y = 1) for labels of
            0 and 1, else the predicted number.
        """
        scores = []
        for test, weight, _rng in zip(tested, weights, rngs, strict=True):
            model = LogisticRegression(max_iter=1000)
            model.fit(self._x[~test], y[~test], sample_weight=weight)
            scores.append(model.predict_proba(self._x[test])[:, 1])  # from 0 to 1
        return scores


MODEL = MyModel
BINARY_LABEL = True  # data sets with a numeric label are refused at once
