"""Tests of comparative separation that take into account that pairs share items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairpairs.experiments.predictions import (
    RepeatedPredictions,
    Settings,
    hypothesis_rows,
)
from fairpairs.fairness import gaps
from fairpairs.fairness.pair_rates import PairRates
from fairpairs.fairness.proportions import ProportionDifference


def rate_rows(
    tables: Sequence[PairRates], predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test the rates of the repeats, in one table or one a repeat; Holm."""
    results = [
        gaps.comparative_separation_from_rates(rates, alpha=settings.alpha)[0] for rates in tables
    ]
    shape = (len(predictions.repeats), -1, len(gaps.HYPOTHESES))  # repeats, draws, …
    joined = ProportionDifference(
        **{
            name: np.stack([getattr(result, name) for result in results]).reshape(shape)
            for name in vars(results[0])
        }
    )
    return hypothesis_rows(gaps.HYPOTHESES, predictions, joined, settings, correction="holm")
