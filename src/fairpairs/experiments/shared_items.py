"""Result rows of comparative separation with variances that allow for items shared by pairs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fairpairs.experiments.predictions import (
    RepeatedPredictions,
    Settings,
    hypothesis_rows,
)
from fairpairs.fairness import gaps
from fairpairs.fairness.estimates import Estimates
from fairpairs.fairness.pairs.rates import PairRates


def rate_rows(
    tables: Sequence[PairRates], predictions: RepeatedPredictions, settings: Settings
) -> pd.DataFrame:
    """Test the rates of all repeats (one table for all, or one per repeat), with Holm."""
    results = [
        gaps.comparative_separation_from_rates(rates, alpha=settings.alpha)[0] for rates in tables
    ]
    shape = (len(predictions.repeats), -1, len(gaps.HYPOTHESES))  # repeats, draws, …
    joined = Estimates.stacked(results).reshape(*shape)
    return hypothesis_rows(gaps.HYPOTHESES, predictions, joined, settings, correction="holm")
