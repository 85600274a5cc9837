"""Separation by the gaps of comparative separation, with groups shuffled within labels."""

from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from fairpairs.mathematics.fairness.separation import separation_permutation_test
from fairpairs.papers.experiments.predictions import RepeatedPredictions, Settings, estimate_rows
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
    found = []
    for repeat, labels, scores, group in predictions.each():
        result = separation_permutation_test(
            labels,
            scores,
            sensitive_features=group,
            statistic=statistic,
            random_state=stream(settings.seed, statistic, *predictions.key, repeat),
        )
        largest = int(np.argmax(np.abs(result.deviations)))
        extreme = result.statistic[largest], result.deviations[largest]
        found.append((*extreme, result.pvalue, int(np.bincount(group).min())))
    estimate, deviation, p, smallest = map(np.array, zip(*found, strict=True))
    rows = estimate_rows(("separation",), predictions, estimate[:, None])
    rejected = p < settings.alpha
    tested = {"p_value": p, "rejected": rejected, "smallest_cell": smallest}
    return rows.assign(statistic=deviation, **tested)


TEST = partial(permutation_rows, statistic="comparative_separation")
