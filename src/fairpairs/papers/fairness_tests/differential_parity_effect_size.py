"""Effect size of differential parity: how far predictions favour group 1 over labels (no test)."""

import numpy as np
import pandas as pd

from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, estimate_rows
from fairpairs.papers.fairness_tests.differential_parity import prediction_minus_label


def differential_parity_effect_size(
    predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Measure DPD in each repeat."""
    dpd = predictions.shared(prediction_minus_label).dpd  # infinite where differences are constant
    finite = np.where(np.isfinite(dpd), dpd, np.nan)
    return estimate_rows(("DPD",), predictions, finite[:, None])


TEST = differential_parity_effect_size
