"""Ridge regression whose penalty is chosen inside the fitting data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from fairpairs.arrays import Floats
from fairpairs.models.contract import BuildsModel
from fairpairs.models.features import numbers_and_codes, one_hot

PENALTIES = np.logspace(-1, 5, 13)


def fit_ridge(x: NDArray[Any], y: NDArray[Any], weights: Floats | None = None) -> Pipeline:
    """Fit on standardised columns, each target with the penalty of least leave-one-out error.

    Parameters
    ----------
    x, y
        Features, shape (n, p), and targets, shape (n,) or (n, targets).
    weights
        Weight of each item, shape (n,): one of weight 2 counts as two alike.

    Returns
    -------
    Pipeline
        Its `predict` gives what y is.
    """
    # half the time of the default, which solves in double precision either way
    model = RidgeCV(PENALTIES, alpha_per_target=np.ndim(y) > 1, gcv_mode="svd")
    steps = ("standardscaler", "ridgecv")
    options = {} if weights is None else {f"{step}__sample_weight": weights for step in steps}
    return make_pipeline(StandardScaler(), model).fit(x, y, **options)


class Ridge:
    """Ridge regression of a label on all features.

    Parameters
    ----------
    features
        One row per item.
    kinds
        Kind of each column that is used.
    """

    def __init__(self, features: pd.DataFrame, kinds: Mapping[str, str]) -> None:
        numbers, codes = numbers_and_codes(features, kinds)
        self._x = np.hstack([numbers, *map(one_hot, codes)])

    def fit_repeats(
        self,
        y: Floats,
        tested: Sequence[NDArray[np.bool_]],
        weights: Sequence[Floats],
        rngs: Sequence[np.random.Generator],
    ) -> list[Floats]:
        """Fit and predict once per repeat (see `fairpairs.models.Model`), without randomness."""
        return [
            np.asarray(fit_ridge(self._x[~test], y[~test], weight).predict(self._x[test]))
            for test, weight in zip(tested, weights, strict=True)
        ]


MODEL: BuildsModel = Ridge
