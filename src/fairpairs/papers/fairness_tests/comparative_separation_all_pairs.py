"""Comparative separation on all pairs, label-balanced where labels are real (Holm)."""

import pandas as pd

from fairpairs.mathematics.estimates.pairs.all_pairs import balanced_pairs
from fairpairs.papers.experiments.pair_rows import all_pair_rows
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings


def comparative_separation_all_pairs(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test all pairs of each repeat; pairs of real labels are weighted to balance the labels."""
    return all_pair_rows(predictions, settings, balanced_pairs)


TEST = comparative_separation_all_pairs
