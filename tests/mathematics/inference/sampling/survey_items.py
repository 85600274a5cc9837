"""The items of survey_reference.R: several rows a person, unequal weights, two groups."""

import sys

import numpy as np
import pandas as pd


def survey_items(n=300, seed=20):
    """Persons with one to nine rows, some in both groups, and weights from 0 to 20."""
    rng = np.random.default_rng(seed)
    person = rng.choice(80, n, p=np.arange(1, 81) / np.arange(1, 81).sum())
    group = np.where((person % 2 == 0) ^ (rng.random(n) < 0.1), "a", "b")
    likely = rng.random(80)[person]
    label = (rng.random(n) < likely).astype(int)
    prediction = (rng.random(n) < 0.2 + 0.5 * likely).astype(int)
    weight = np.round(rng.gamma(1, 4, n), 1)
    return pd.DataFrame(
        {
            "person": person,
            "group": group,
            "label": label,
            "prediction": prediction,
            "weight": weight,
        }
    )


if __name__ == "__main__":
    survey_items().to_csv(sys.argv[1], index=False)
