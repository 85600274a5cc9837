"""My measure: one sentence on what it measures.

References
----------
Who proposed it, and where.
"""

import numpy as np
import pandas as pd

from fairpairs.papers.experiments.predictions import (
    RepeatedPredictions,
    Settings,
    estimate_rows,
)


def my_measure(predictions: RepeatedPredictions, settings: Settings) -> pd.DataFrame:
    """Measure the mean prediction of group 1 minus that of group 0, in each repeat.

    Parameters
    ----------
    predictions
        Labels, predictions, scores and groups of all repeats, for one sensitive attribute.
    settings
        Seed, level, and how many pairs are drawn.

    Returns
    -------
    DataFrame
        The rows of `estimate_rows` for a measure, of `hypothesis_rows` for a test.
    """
    values = [
        [np.mean(predicted[group == 1]) - np.mean(predicted[group == 0])]
        for _repeat, _labels, predicted, group in predictions.each()
    ]
    return estimate_rows(("Difference of mean predictions",), predictions, values)


TEST = my_measure
BINARY_LABEL = False  # if True, data sets with a numeric label are refused at once
