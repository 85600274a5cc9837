"""Separation by the gaps of comparative separation, with groups shuffled within labels."""

import pandas as pd

from fairpairs.papers.experiments.permuted_groups import permutation_rows
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings


def separation_permutation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test each repeat with the gaps of comparative separation as the statistic."""
    return permutation_rows(predictions, settings, "comparative_separation")


TEST = separation_permutation
