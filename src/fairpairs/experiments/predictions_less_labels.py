"""Predictions against labels as two sets of decisions, what its test and its measure share."""

from __future__ import annotations

import numpy as np

from fairpairs.experiments.predictions import RepeatedPredictions
from fairpairs.fairness.welch import WelchTest, welch_test


def prediction_less_label(predictions: RepeatedPredictions) -> WelchTest:
    """Compare the groups' means of prediction less label in each repeat."""
    difference = predictions.prediction.astype(np.float64) - predictions.label
    repeats = len(predictions.repeats)
    cell = 2 * predictions.block + predictions.group
    n = np.bincount(cell, minlength=2 * repeats).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, difference, 2 * repeats) / n
        squares = np.bincount(cell, (difference - mean[cell]) ** 2, 2 * repeats)
        variance = squares / (n - 1)
    return welch_test(
        *(part.reshape(repeats, 2) for part in (mean, variance, n)),
        scale=float(np.abs(predictions.label).max()) or 1.0,
    )
