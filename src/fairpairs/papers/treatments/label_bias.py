"""Label bias: some labels of one group are turned, for studies in which the truth is known."""

import numpy as np
import pandas as pd

from fairpairs.base import inputs
from fairpairs.base.arrays import Array
from fairpairs.base.errors import InputError
from fairpairs.papers.treatments.rows import Rows


def label_bias(
    X: pd.DataFrame,
    y: Array,
    sensitive_features: pd.DataFrame,
    rng: np.random.Generator,
    *,
    share: float = 0.2,
    label: int | None = 1,
    attribute: str | None = None,
    group: int = 0,
) -> Rows:
    """Turn each label 0 or 1 (`label`, None for both) of a group with a chance of `share`.

    Without an `attribute` the rows are of all groups: then it is noise.
    """
    inputs.between(share, "share", 0, 1)
    if attribute is not None and attribute not in sensitive_features:
        raise InputError(
            f"The treatment label_bias has no attribute `{attribute}`: name one of "
            f"{', '.join(map(str, sensitive_features))}."
        )
    turned = rng.random(len(y)) < share
    turned &= np.ones(len(y), bool) if label is None else y == label
    if attribute is not None:
        turned &= (sensitive_features[attribute] == group).to_numpy()
    return X, np.where(turned, 1 - y, y), sensitive_features


TREATMENT = label_bias
BINARY_LABEL = True
