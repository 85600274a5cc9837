"""Separation of labels of 0 and 1: equal TPR (H0t) and equal FPR (H0f), each hypothesis alone."""

from __future__ import annotations

import pandas as pd

from fairpairs.experiments.predictions import (
    FairnessTest,
    RepeatedPredictions,
    Settings,
    hypothesis_rows,
)
from fairpairs.fairness import separation

BINARY_LABEL = True


def equal_rates(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test the counts of each repeat."""
    predictions.check_binary("separation")
    result = separation.separation_from_counts(predictions.counts[:, None], alpha=settings.alpha)
    return hypothesis_rows(separation.HYPOTHESES, predictions, result, settings)


TEST: FairnessTest = equal_rates
