"""Tables with everything that files hold, and their parts as files."""

import numpy as np
import pandas as pd

CODED = ["label", "sex", "race"]


def frame(seed, n=3000):
    """Labels, groups as text and as whole numbers, and numbers of which some are equal."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n).round(int(rng.integers(1, 17)))
    score[rng.random(n) < 0.1] *= -0.0
    return pd.DataFrame(
        {
            "label": rng.integers(0, 2, n).astype(np.int8),
            "prediction": rng.integers(0, 2, n).astype(bool),
            "score": score,
            "sex": rng.choice(["f", "m", "é'"], n),
            "race": rng.choice([3, 10, 20], n),
            "share": rng.choice([0.0, -0.0, 0.5, 1e-30], n),
        }
    )


def shards(table, folder, number, seed=0, form="parquet"):
    """Write a table to so many files, rows and files in any order, and return their paths."""
    rng = np.random.default_rng(seed)
    file = rng.integers(0, number, len(table))
    paths = []
    for i in rng.permutation(number):
        part = table[file == i].sample(frac=1, random_state=seed)
        path = folder / f"{number}_{seed}_{i}.{form}"
        if form == "parquet":
            part.to_parquet(path, index=False)
        else:
            part.to_csv(path, index=False)
        paths.append(path)
    return paths


def values_of(cells):
    """The value of each cell in each column."""
    return {name: column.of_items(column.kinds).tolist() for name, column in cells.columns.items()}


def joined(rows, numbers, cells):
    """All chunks of sorted rows as one: numbers, cells, counts."""
    chunks = list(rows.ordered(numbers, cells))
    return [
        np.concatenate([getattr(chunk, name) for chunk in chunks])
        for name in ("values", "cell", "count")
    ]
