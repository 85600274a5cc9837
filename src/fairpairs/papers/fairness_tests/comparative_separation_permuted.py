"""Comparative separation with groups shuffled among items of one label: a null control."""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Array, Integers
from fairpairs.mathematics.inference.permutation import permute_within
from fairpairs.papers.experiments.pair_rows import drawn_pair_rows
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings


def comparative_separation_permuted(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Shuffle groups among items of one label in each draw, so that separation holds."""

    def shuffled(rng: np.random.Generator, labels: Array, group: Integers) -> Integers:
        return permute_within(group, labels, settings.draws, rng)

    return drawn_pair_rows(predictions, settings, "permuted", shuffled)


TEST = comparative_separation_permuted
