"""Fair-SMOTE: as many rows of every group and label, by new rows between neighbours.

See J. Chakraborty, S. Majumder and T. Menzies (2021), Bias in Machine Learning Software: Why? How?
What to Do?
"""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Integers
from fairpairs.papers.models.features import encoder, kinds_of
from fairpairs.papers.treatments.fairsituation import fairsituation
from fairpairs.papers.treatments.groups import joint_groups
from fairpairs.papers.treatments.rows import Rows

#: How far a number goes along the difference of two neighbours, and how often it does.
STEP, CHANGED = 0.8, 0.8


def fair_smote(
    X: pd.DataFrame,
    y: Array,
    sensitive_features: pd.DataFrame,
    rng: np.random.Generator,
    *,
    situation_testing: bool = True,
) -> Rows:
    """Add rows until each group has as many of each label as the largest of these cells.

    A new row starts from a row of the cell. Each number moves along the difference of its two
    nearest neighbours in the cell, and each text is that of one of the three. With
    `situation_testing`, `fairsituation` then drops rows.
    """
    cells = joint_groups(np.column_stack([sensitive_features, y]))
    sizes = np.bincount(cells)
    vectors = encoder("one_hot", kinds_of(X)).fit_transform(X)
    parents, first, second = (np.concatenate(part) for part in zip(
        *(_neighbours(np.flatnonzero(cells == cell), vectors, sizes.max() - size, rng)
          for cell, size in enumerate(sizes)),
        strict=True,
    ))  # fmt: skip
    made = pd.DataFrame(
        {name: _between(X[name].to_numpy(), parents, first, second, rng) for name in X}
    )
    for name in set(X) & {f"sensitive_{group}" for group in sensitive_features}:
        made[name] = X[name].to_numpy()[parents]
    X = pd.concat([X, made.astype(X.dtypes)], ignore_index=True)
    y = np.concatenate([y, y[parents]])
    rows = np.concatenate([np.arange(len(sensitive_features)), parents])
    groups = sensitive_features.iloc[rows].reset_index(drop=True)
    kept = fairsituation(X, y, groups) if situation_testing else np.ones(len(y), dtype=bool)
    return X[kept], y[kept], groups[kept]


def _neighbours(
    cell: Integers, vectors: Array, n: int, rng: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """Draw rows of a cell, and return them with their two nearest neighbours."""
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415  (slow)

    if n == 0:
        nothing = np.empty(0, np.int64)
        return nothing, nothing, nothing
    drawn = rng.integers(len(cell), size=n)
    near = NearestNeighbors(n_neighbors=min(3, len(cell))).fit(vectors[cell])
    found = near.kneighbors(vectors[cell], return_distance=False)
    found = np.pad(found, ((0, 0), (0, 3 - found.shape[1])), mode="edge")  # of a small cell
    return cell[drawn], cell[found[drawn, 1]], cell[found[drawn, 2]]


def _between(
    column: Array, parents: Integers, first: Integers, second: Integers, rng: np.random.Generator
) -> Array:
    if column.dtype.kind not in "iuf":
        which = rng.integers(3, size=len(parents))
        return np.asarray(np.choose(which, [column[parents], column[first], column[second]]))
    moved = rng.random(len(parents)) < CHANGED
    step = STEP * moved * (column[first].astype(float) - column[second])
    values = np.abs(column[parents] + step)
    return np.asarray(np.rint(values) if column.dtype.kind in "iu" else values)


TREATMENT = fair_smote
BINARY_LABEL = True
