"""Separation of binary predictions: equal TPR (H0t) and equal FPR (H0f), each tested alone."""

import pandas as pd

from fairpairs.papers.experiments.item_counts import HYPOTHESES, separation_from_counts
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, hypothesis_rows

BINARY_LABEL = True


def separation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test equal TPR and equal FPR in each repeat."""
    result = separation_from_counts(predictions.counts[:, None], alpha=settings.alpha)
    return hypothesis_rows(HYPOTHESES, predictions, result, settings)


TEST = separation
