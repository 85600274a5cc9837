"""I_sep: how much predictions tell about the group, given the label (no test)."""

import pandas as pd

from fairpairs.mathematics.fairness import information
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, estimate_rows


def information_separation(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure I_sep of each repeat, normalised and not."""
    values = [
        [
            information.information_separation(
                labels, scores, sensitive_features=group, normalize=normalize
            )
            for normalize in (True, False)
        ]
        for _, labels, scores, group in predictions.each()
    ]
    return estimate_rows(("I_sep", "I_sep, not normalised"), predictions, values)


TEST = information_separation
