"""Equal AUC within groups, equal xAUC across groups and equal balanced xAUC (Holm)."""

import numpy as np
import pandas as pd

from fairpairs.mathematics.estimates.ranking_rates import ranking_hypotheses
from fairpairs.mathematics.inference.ranking_differences import differences_from_rates
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, hypothesis_rows
from fairpairs.papers.fairness_tests.ranking import repeated_rates

BINARY_LABEL = True
SCORE = True


def xauc(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Test the differences of AUC, xAUC and balanced xAUC in each repeat (Holm)."""
    rates = predictions.shared(repeated_rates)
    result = differences_from_rates(rates, alpha=settings.alpha)
    with_draws = result.take(np.s_[:, None])
    return hypothesis_rows(
        ranking_hypotheses((0, 1)), predictions, with_draws, settings, correction="holm"
    )


TEST = xauc
