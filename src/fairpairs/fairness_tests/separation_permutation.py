"""Separation by shuffling the groups within labels, told by the gaps of comparative separation."""

from __future__ import annotations

import pandas as pd

from fairpairs.experiments.permuted_groups import permutation_rows
from fairpairs.experiments.predictions import FairnessTest, RepeatedPredictions, Settings


def separation_permutation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test each repeat by the gaps of comparative separation."""
    return permutation_rows(predictions, settings, "comparative_separation")


TEST: FairnessTest = separation_permutation
