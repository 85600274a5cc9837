"""How much a prediction tells of the group beyond the label: I_sep, a measure."""

from __future__ import annotations

import pandas as pd

from fairpairs.experiments.predictions import (
    FairnessTest,
    RepeatedPredictions,
    Settings,
    estimate_rows,
)
from fairpairs.fairness.information import information_separation


def i_sep(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure each repeat, normalised and not."""
    values = [
        [
            information_separation(labels, scores, sensitive_features=group, normalize=normalize)
            for normalize in (True, False)
        ]
        for _, labels, scores, group in predictions.each()
    ]
    return estimate_rows(("I_sep", "I_sep, not normalised"), predictions, values)


TEST: FairnessTest = i_sep
