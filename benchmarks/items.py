"""The items whose audit is measured, and the command."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

COMMAND = [sys.executable, "-c", "from fairpairs.cli import program; program()", "audit"]
OPTIONS = [
    "--label", "y", "--prediction", "yhat", "--sensitive", "sex", "--sensitive", "race",
]  # fmt: skip


def binary_items(n: int) -> pd.DataFrame:
    """Return n items: two attributes, label, prediction and score."""
    rng = np.random.default_rng(0)
    items = pd.DataFrame({"sex": rng.choice(["f", "m"], n), "race": rng.choice(list("abc"), n)})
    score = (rng.random(n) + 0.05 * (items["sex"] == "m")).round(4)
    labels = (rng.random(n) < score).astype(int)
    return items.assign(y=labels, yhat=(score > 0.5).astype(int), score=score)


def real_items(n: int) -> pd.DataFrame:
    """Return the same items with a label and a prediction of numbers."""
    binary = binary_items(n)
    error = np.random.default_rng(1).normal(0, 0.3, n)
    return binary[["sex", "race"]].assign(
        y=(binary["score"] + error).round(4), yhat=binary["score"]
    )
