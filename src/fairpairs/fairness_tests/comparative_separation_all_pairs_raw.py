"""Comparative separation on all pairs, not balanced by label (Holm)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairpairs.experiments.predictions import FairnessTest, RepeatedPredictions, Settings
from fairpairs.experiments.shared_items import rate_rows
from fairpairs.fairness.pairs.all_pairs import all_pairs
from fairpairs.fairness.pairs.binary import all_pairs_from_counts


def comparative_separation_all_pairs_raw(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test all pairs of each repeat."""
    if predictions.is_binary:
        tables = [all_pairs_from_counts(predictions.counts.astype(float))]
    else:
        tables = [
            all_pairs(labels.astype(np.float64), scores, group, 2)
            for _, labels, scores, group in predictions.each()
        ]
    return rate_rows(tables, predictions, settings)


TEST: FairnessTest = comparative_separation_all_pairs_raw
