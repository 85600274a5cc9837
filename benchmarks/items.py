"""The items whose audit is measured, and the options that name their columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

OPTIONS = [
    "--label", "y", "--prediction", "yhat", "--sensitive", "sex", "--sensitive", "race",
]  # fmt: skip
#: Rows that are made at a time, and the groups of each attribute with their shares.
PIECE = 10**6
SEXES, RACES = {"f": 0.5, "m": 0.5}, {"w": 0.6, "b": 0.2, "h": 0.15, "a": 0.05}


def write_items(path: Path, n: int, digits: int | None = None) -> None:
    """Write n items as Parquet, in the memory of a piece of them; scores have all their digits."""
    writer = None
    for start in range(0, n, PIECE):
        items = pa.table(_piece(np.random.default_rng(start), min(PIECE, n - start), digits))
        writer = writer or pq.ParquetWriter(path, items.schema)
        writer.write_table(items)
    if writer:
        writer.close()


def _piece(rng: np.random.Generator, n: int, digits: int | None) -> dict[str, pa.Array]:
    sex = rng.choice(len(SEXES), n, p=list(SEXES.values()))
    race = rng.choice(len(RACES), n, p=list(RACES.values()))
    label = rng.random(n) < 0.3 + 0.05 * sex
    score = 1 / (1 + np.exp(0.6 - 1.2 * label - 0.1 * sex - rng.normal(size=n)))
    return {
        "sex": pa.array(list(SEXES)).take(pa.array(sex)),
        "race": pa.array(list(RACES)).take(pa.array(race)),
        "y": pa.array(label.astype(np.int8)),
        "yhat": pa.array((score > 0.5).astype(np.int8)),
        "score": pa.array(score if digits is None else score.round(digits)),
    }


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
