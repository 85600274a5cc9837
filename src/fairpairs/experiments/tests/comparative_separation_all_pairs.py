"""Comparative separation on all pairs, with labels balanced where they are real; Holm."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairpairs.experiments.repeated_predictions import FairnessTest, RepeatedPredictions, Settings
from fairpairs.experiments.shared_items import rate_rows
from fairpairs.fairness.balance import balancing_weights, label_strata
from fairpairs.fairness.pair_rates import all_pairs, all_pairs_from_counts


def balanced_pairs(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test all pairs of each repeat; of real labels those that both groups have weigh alike."""
    if predictions.is_binary:
        tables = [all_pairs_from_counts(predictions.counts.astype(float))]
    else:
        tables = []
        for _, labels, scores, group in predictions.each():
            y = labels.astype(np.float64)
            strata = label_strata(y)
            weights = balancing_weights(group, strata, 2)
            tables.append(all_pairs(y, scores, group, 2, weights=weights, strata=strata))
    return rate_rows(tables, predictions, settings)


TEST: FairnessTest = balanced_pairs
