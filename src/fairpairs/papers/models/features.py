"""Features as numbers and codes, for all models."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats

#: How features become numbers for an estimator.
ENCODINGS = ("one_hot", "ordinal", "none")


def kinds_of(features: pd.DataFrame) -> dict[str, str]:
    """Return the kind of each feature by its type: numeric or categorical."""
    return {
        str(name): "numeric" if column.dtype.kind in "iufb" else "categorical"
        for name, column in features.items()
    }


def numbers_and_codes(
    features: pd.DataFrame, kinds: Mapping[str, str]
) -> tuple[Floats, list[NDArray[np.int64]]]:
    """Return the numeric columns, shape (n, p), and the level, 0, 1, …, of each item of the others.

    A missing value is a separate level.
    """
    numeric = [name for name, kind in kinds.items() if kind == "numeric"]
    codes = [
        pd.factorize(features[name], use_na_sentinel=False)[0]
        for name, kind in kinds.items()
        if kind == "categorical"
    ]
    return features[numeric].to_numpy(dtype=np.float64), codes


def one_hot(code: NDArray[np.int64]) -> Floats:
    """Return a column of zeros and ones for each level, shape (n, levels)."""
    return np.asarray(np.eye(code.max() + 1)[code])


def numbers_of(features: pd.DataFrame, kinds: Mapping[str, str]) -> Floats:
    """Return the numeric columns and the one-hot others, shape (n, columns), by rows."""
    numbers, codes = numbers_and_codes(features, kinds)
    return np.ascontiguousarray(np.hstack([numbers, *map(one_hot, codes)]))


def encoder(kind: str, kinds: Mapping[str, str]) -> Any:
    """Return what turns features into numbers, fitted on the training part alone.

    `one_hot` and `ordinal` encode categorical columns, of which levels that training lacks are
    ignored; `one_hot` standardises the others. `none` passes all on as they are.
    """
    from sklearn.compose import ColumnTransformer  # noqa: PLC0415  (slow)
    from sklearn.preprocessing import (  # noqa: PLC0415
        OneHotEncoder,
        OrdinalEncoder,
        StandardScaler,
    )

    categorical = [name for name, of in kinds.items() if of == "categorical"]
    numeric = [name for name, of in kinds.items() if of != "categorical"]
    if kind == "none":
        return ColumnTransformer([("as they are", "passthrough", [*kinds])])
    codes, numbers = OneHotEncoder(handle_unknown="ignore", sparse_output=False), StandardScaler()
    if kind == "ordinal":
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        numbers = "passthrough"
    return ColumnTransformer([("categorical", codes, categorical), ("numeric", numbers, numeric)])
