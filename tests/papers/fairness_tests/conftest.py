"""Predictions of real labels and of binary labels."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from fairpairs.papers.datasets.prepared import PreparedDataset
from tests.papers.fairness_tests.rankings import REPEATS
from tests.papers.fairness_tests.real_labels import scored

N = 80


@pytest.fixture(scope="module")
def real_dataset():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, N)
    frame = pd.DataFrame({"item": np.arange(N), "x": rng.normal(size=N), "sensitive_a": group})
    frame["label"] = rng.choice([1.0, 2.0, 3.0, 5.0], N)
    frame["test"] = np.arange(N) % 2 == 0
    return PreparedDataset("made", frame, {"x": "numeric"}, ("a",))


@pytest.fixture(scope="module")
def real_predictions(real_dataset):
    rng = np.random.default_rng(1)
    test = real_dataset.frame[real_dataset.frame["test"]]
    parts = [
        scored(
            pd.DataFrame({"repeat": r, "item": test["item"], "prediction": test["label"] + noise})
        )
        for r, noise in enumerate(rng.normal(scale=1.5, size=(3, len(test))))
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def predictions(small_dataset):
    """Scores that tell something, some of them tied, in repeats of several sizes."""
    rng = np.random.default_rng(0)
    parts = []
    for repeat, size in zip(REPEATS, (300, 250, 200), strict=True):
        item = np.sort(rng.choice(500, size, replace=False))
        noise = rng.normal(size=size)
        score = expit(small_dataset.label[item] - 0.5 + noise).round(2)
        parts.append(
            pd.DataFrame(
                {
                    "repeat": np.int32(repeat),
                    "item": item.astype(np.int32),
                    "score": score,
                    "prediction": (score > 0.5).astype(np.int8),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def lacking(small_dataset, predictions):
    """The same predictions, but no woman of repeat 5 has label 1."""
    frame = small_dataset.frame.set_index("item").loc[predictions["item"]]
    positive = ((frame["label"] == 1) & (frame["sensitive_sex"] == 0)).to_numpy()
    return predictions[~(positive & (predictions["repeat"] == 5))].reset_index(drop=True)
