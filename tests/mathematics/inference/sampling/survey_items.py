"""The items of survey_reference.R: several rows a person, unequal weights, two groups."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


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


def by_r(script, items, folder):
    """What a script in R says of items; without its packages, the test is skipped."""
    if shutil.which("Rscript") is None:
        pytest.skip("needs Rscript")
    items.to_csv(folder / "items.csv", index=False)
    run = subprocess.run(
        ["Rscript", Path(__file__).with_name(script), "items.csv", "reference.csv"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "there is no package called" in run.stderr:
        pytest.skip("needs the R packages survey and pROC")
    assert run.returncode == 0, run.stderr
    return pd.read_csv(folder / "reference.csv")


if __name__ == "__main__":
    survey_items().to_csv(sys.argv[1], index=False)
