"""Equal AUC within groups, equal xAUC across them and equal balanced xAUCs; Holm."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairpairs.experiments.predictions import (
    FairnessTest,
    RepeatedPredictions,
    Settings,
    hypothesis_rows,
)
from fairpairs.experiments.ranking_rates import rates_of
from fairpairs.fairness.ranking_differences import differences_from_rates
from fairpairs.fairness.ranking_rates import ranking_hypotheses

BINARY_LABEL = True


def xauc(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test equal AUC within groups, equal xAUC and equal balanced xAUCs; Holm."""
    result = differences_from_rates(rates_of(predictions, "xauc"), alpha=settings.alpha)
    with_draws = result.take(np.s_[:, None])
    return hypothesis_rows(
        ranking_hypotheses((0, 1)), predictions, with_draws, settings, correction="holm"
    )


TEST: FairnessTest = xauc
