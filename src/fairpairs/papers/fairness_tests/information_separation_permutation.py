"""Separation by I_sep, with groups shuffled within labels (permutation test)."""

import pandas as pd

from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings
from fairpairs.papers.fairness_tests.separation_permutation import permutation_rows


def information_separation_permutation(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test each repeat with I_sep as the statistic."""
    return permutation_rows(predictions, settings, "information_separation")


TEST = information_separation_permutation
