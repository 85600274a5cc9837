"""Comparative separation on all pairs, label-balanced where labels are real (Holm)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairpairs.experiments.predictions import FairnessTest, RepeatedPredictions, Settings
from fairpairs.experiments.shared_items import rate_rows
from fairpairs.fairness.pairs.balanced import balanced_pairs
from fairpairs.fairness.pairs.binary import all_pairs_from_counts


def comparative_separation_all_pairs(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test all pairs of each repeat; pairs of real labels are weighted to balance the labels."""
    if predictions.is_binary:
        tables = [all_pairs_from_counts(predictions.counts.astype(float))]
    else:
        tables = []
        for _, labels, scores, group in predictions.each():
            tables.append(balanced_pairs(labels.astype(np.float64), scores, group, 2))
    return rate_rows(tables, predictions, settings)


TEST: FairnessTest = comparative_separation_all_pairs
