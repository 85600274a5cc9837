"""Comparative separation on all pairs, not balanced by label (Holm)."""

import pandas as pd

from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.papers.experiments.pair_rows import all_pair_rows
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings


def comparative_separation_all_pairs_raw(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test all pairs of each repeat."""
    return all_pair_rows(predictions, settings, all_pairs)


TEST = comparative_separation_all_pairs_raw
