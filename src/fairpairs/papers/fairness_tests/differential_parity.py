"""Differential parity: equal mean of prediction minus label in both groups (Welch's t-test)."""

import numpy as np
import pandas as pd

from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, hypothesis_rows
from fairpairs.papers.experiments.predictions_minus_labels import prediction_minus_label


def differential_parity(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Compare the group means of prediction minus label in each repeat."""
    test = prediction_minus_label(predictions)
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
            ["a group with fewer than two items", "constant differences"],
            default="",
        ),
        effect_size=test.dpd,
    )
    with_draws = result.take(np.s_[:, None, None])
    return hypothesis_rows(("Δ(A=1) = Δ(A=0)",), predictions, with_draws, settings)


TEST = differential_parity
