"""Separation by the gaps of comparative separation, with groups shuffled within labels."""

from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from fairpairs.mathematics.fairness.separation import separation_permutation_test
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings
from fairpairs.papers.experiments.seeds import stream


def permutation_rows(
    predictions: RepeatedPredictions,
    settings: Settings,
    statistic: Literal["comparative_separation", "information_separation"],
) -> pd.DataFrame:
    """Test separation by shuffling the groups within labels.

    `estimate` is the most extreme number of the statistic, `statistic` its distance from the mean
    of the permutations in their standard deviations.
    """
    rows = []
    for repeat, labels, scores, group in predictions.each():
        result = separation_permutation_test(
            labels,
            scores,
            sensitive_features=group,
            statistic=statistic,
            random_state=stream(settings.seed, statistic, *predictions.key, repeat),
        )
        spreads = result.deviations
        largest = int(np.argmax(np.abs(spreads)))
        rows.append(
            {
                "repeat": repeat,
                "draw": 0,
                "hypothesis": "separation",
                "estimate": result.statistic[largest],
                "standard_error": np.nan,
                "statistic": spreads[largest],
                "p_value": result.pvalue,
                "rejected": result.pvalue < settings.alpha,
                "n": len(labels),
                "smallest_cell": int(np.bincount(group).min()),
                "note": "",
            }
        )
    return pd.DataFrame(rows)


TEST = partial(permutation_rows, statistic="comparative_separation")
