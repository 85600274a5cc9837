"""Streams of rows and judgments for the tests of the monitor."""

import numpy as np
import pandas as pd

from fairpairs.audits.monitor import storage
from fairpairs.audits.monitor.state import RECORDS
from fairpairs.audits.monitor.storage import restored

ROWS = {"y_true": "y", "y_pred": "yhat", "sensitive_features": ["sex", "race"]}
SCORED = {**ROWS, "y_score": "s"}
GROUPS = {"sex": ["f", "m"], "race": ["a", "b", "c"]}
JUDGED = {
    "judgments": True, "outcome": "winner", "y_score": "score_a,score_b",
    "sensitive_features": "dialect_a,dialect_b",
}  # fmt: skip


def people(n=2000, gap=0.2, seed=0):
    """Rows of a model whose TPR is lower for sex f by `gap`."""
    rng = np.random.default_rng(seed)
    y, sex = rng.integers(0, 2, n), rng.random(n) < 0.4
    right = rng.random(n) < np.where(sex & (y == 1), 0.8 - gap, 0.8)
    return pd.DataFrame({
        "y": y, "yhat": np.where(right, y, 1 - y),
        "s": np.round(np.clip(rng.normal(0.35 + 0.3 * y - gap * sex, 0.2), 0, 1), 3),
        "sex": np.where(sex, "f", "m"), "race": rng.choice(["a", "b", "c"], n),
    })  # fmt: skip


def judged(n=2000, gap=0.3, seed=0):
    """Judgments whose winner is of dialect x more seldom has the higher score."""
    rng = np.random.default_rng(seed)
    left, right = rng.choice(["x", "y"], (2, n), p=[0.4, 0.6])
    won = rng.random(n) < 0.5
    winner = np.where(won, left, right)
    hit = rng.random(n) < np.where(winner == "x", 0.8 - gap, 0.8)
    higher = won == hit
    return pd.DataFrame({
        "score_a": np.where(higher, 2.0, 1.0), "score_b": np.where(higher, 1.0, 2.0),
        "dialect_a": left, "dialect_b": right, "winner": np.where(won, "model_a", "model_b"),
    })  # fmt: skip


def kept(path):
    """The state in a file."""
    return restored(storage.read(path), RECORDS)
