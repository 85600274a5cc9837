"""The test accuracy: MAE and correlations by their definitions."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

from tests.papers.fairness_tests.real_labels import run


def test_accuracy_is_that_of_the_definitions(real_dataset, real_predictions):
    rows = run("accuracy", real_predictions, real_dataset)
    result = rows.set_index(["repeat", "hypothesis"])["estimate"]
    truth = real_dataset.frame.set_index("item")["label"]
    for repeat, part in real_predictions.groupby("repeat"):
        y = truth[part["item"]].to_numpy()
        assert_allclose(result[repeat, "MAE"], (y - part["prediction"]).abs().mean())
        assert_allclose(result[repeat, "Pearson"], np.corrcoef(y, part["prediction"])[0, 1])
        ranks = pd.Series(y).rank(), part["prediction"].rank()
        assert_allclose(result[repeat, "Spearman"], np.corrcoef(*ranks)[0, 1])
