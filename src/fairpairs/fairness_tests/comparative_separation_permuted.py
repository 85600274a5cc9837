"""Comparative separation where it holds: groups are shuffled among items of one label."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.arrays import Integers
from fairpairs.experiments.drawn_pairs import on_drawn_pairs
from fairpairs.experiments.predictions import (
    FairnessTest,
    RepeatedPredictions,
    Settings,
)
from fairpairs.fairness.permutation import permute_within


def permuted(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Shuffle the groups among items of one label in each draw, so that separation holds."""

    def shuffled(rng: np.random.Generator, labels: NDArray[Any], group: Integers) -> Integers:
        return permute_within(group, labels, settings.draws, rng)

    return on_drawn_pairs(predictions, settings, "permuted", shuffled)


TEST: FairnessTest = permuted
