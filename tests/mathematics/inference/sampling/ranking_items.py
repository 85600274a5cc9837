"""The items of ranking_reference.R: clusters with both labels and groups, weights, two scores."""

import numpy as np
import pandas as pd


def ranking_items(n=240, seed=21):
    """Persons with one to seven rows, weights from 0 to 20, scores with ties."""
    rng = np.random.default_rng(seed)
    person = rng.choice(70, n, p=np.arange(1, 71) / np.arange(1, 71).sum())
    group = np.where((person % 2 == 0) ^ (rng.random(n) < 0.1), "a", "b")
    level = rng.normal(size=70)[person]
    label = (rng.random(n) < 1 / (1 + np.exp(-level))).astype(int)
    score, other = (np.round(label + level + noise, 1) for noise in rng.normal(size=(2, n)))
    return pd.DataFrame(
        {
            "person": person,
            "group": group,
            "label": label,
            "score": score,
            "other": other,
            "weight": np.round(rng.gamma(1, 4, n), 1),
        }
    )
