"""Differential parity: equal mean of prediction minus label in both groups (Welch's t-test)."""

import numpy as np
import pandas as pd

from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.inference.welch import WelchTest, welch_test
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, hypothesis_rows


def differential_parity(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Compare the group means of prediction minus label in each repeat."""
    test = predictions.shared(prediction_minus_label)
    result = Estimates(
        estimate=test.estimate,
        ci_low=np.full_like(test.estimate, np.nan),
        ci_high=np.full_like(test.estimate, np.nan),
        statistic=test.dpt,
        pvalue=test.pvalue,
        n=test.n.sum(axis=-1).astype(np.int64),
        smallest_cell=test.n.min(axis=-1).astype(np.int64),
        reason=np.select(
            [np.isnan(test.error), test.constant],
            ["a group with fewer than two rows", "constant differences"],
            default="",
        ),
        effect_size=test.dpd,
    )
    with_draws = result.take(np.s_[:, None, None])
    return hypothesis_rows(("Δ(A=1) = Δ(A=0)",), predictions, with_draws, settings)


def prediction_minus_label(predictions: RepeatedPredictions) -> WelchTest:
    """Compare the group means of prediction minus label in each repeat."""
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


TEST = differential_parity
