"""Classifiers with a known joint distribution of group, label and prediction."""

from collections.abc import Mapping

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError


def distribution(cells: Mapping[str, float], *, name: str = "classifier") -> Floats:
    """Return probabilities named as in Table I ("C=1, Y=1, A=1") as an array (a, y, c) of sum 1."""
    items = np.array(
        [[[cells[f"C={c}, Y={y}, A={a}"] for c in (0, 1)] for y in (0, 1)] for a in (0, 1)]
    )
    if abs(items.sum() - 1) > 1e-9:
        raise InputError(f"{name}: the eight probabilities sum to {items.sum():.10g}: make it 1.")
    if (items.sum(axis=-1) == 0).any():
        raise InputError(f"{name}: a group has a label with probability 0: give it some.")
    return np.asarray(items / items.sum())
