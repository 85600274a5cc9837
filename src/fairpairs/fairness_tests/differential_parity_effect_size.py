"""By how much predictions prefer group 1, beyond the labels: DPD, a measure."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairpairs.experiments.predictions import (
    FairnessTest,
    RepeatedPredictions,
    Settings,
    estimate_rows,
)
from fairpairs.experiments.predictions_less_labels import prediction_less_label


def effect_size(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure each repeat."""
    dpd = prediction_less_label(predictions).dpd  # infinite where differences are constant
    finite = np.where(np.isfinite(dpd), dpd, np.nan)
    return estimate_rows(("DPD",), predictions, finite[:, None])


TEST: FairnessTest = effect_size
