"""Welch's test of prediction minus label, for the tests of differential parity."""

import numpy as np

from fairpairs.mathematics.inference.welch import WelchTest, welch_test
from fairpairs.papers.experiments.predictions import RepeatedPredictions


def prediction_minus_label(predictions: RepeatedPredictions) -> WelchTest:
    """Compare the group means of prediction minus label in each repeat."""
    return predictions.shared(_welch)


def _welch(predictions: RepeatedPredictions) -> WelchTest:
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
