"""Separation by shuffling the groups within labels, told by I_sep."""

from __future__ import annotations

import pandas as pd

from fairpairs.experiments.permuted_groups import permutation_rows
from fairpairs.experiments.predictions import FairnessTest, RepeatedPredictions, Settings


def information_permutation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test each repeat by I_sep."""
    return permutation_rows(predictions, settings, "information_separation")


TEST: FairnessTest = information_permutation
