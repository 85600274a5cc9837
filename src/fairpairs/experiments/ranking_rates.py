"""The rates of a ranking in all repeats, what its test and its measures share."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairpairs.experiments.predictions import RepeatedPredictions
from fairpairs.fairness.pairs.rates import PairRates
from fairpairs.fairness.ranking_rates import ranking_rates


def rates_of(predictions: RepeatedPredictions, test: str) -> PairRates:
    """Return the rates of all repeats, fields of shape (repeats, ...), for a test of this name."""
    predictions.check_binary(test)
    tables = [
        ranking_rates(predictions.label[own], predictions.score[own], predictions.group[own], 2)
        for _, own in predictions.parts()
    ]
    fields = ("right", "usable", "pairs", "components", "class_sizes", "counted_twice", "pooled")
    stacked: dict[str, Any] = {
        field: np.stack([getattr(table, field) for table in tables]) for field in fields
    }
    return PairRates(**stacked)
