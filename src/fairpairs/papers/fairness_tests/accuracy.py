"""Accuracy on real labels: mean absolute error, Pearson and Spearman correlation (no test)."""

import numpy as np
import pandas as pd
from scipy.stats import pearsonr, spearmanr

from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, estimate_rows


def accuracy(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure the accuracy of each repeat."""
    values = [
        [np.abs(labels - scores).mean(), pearsonr(labels, scores)[0], spearmanr(labels, scores)[0]]
        for _, labels, scores, _ in predictions.each()
    ]
    return estimate_rows(("MAE", "Pearson", "Spearman"), predictions, values)


TEST = accuracy
