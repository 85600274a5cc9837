"""Rows that DuckDB counts and sorts, against the same in pandas."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.counting import ordered as ordered_module
from fairpairs.counting.rows import Rows
from fairpairs.errors import InputError

CODED = ["label", "sex", "race"]


def frame(seed, n=3000):
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n).round(int(rng.integers(1, 17)))
    score[rng.random(n) < 0.1] *= -0.0
    return pd.DataFrame(
        {
            "label": rng.integers(0, 2, n).astype(np.int8),
            "score": score,
            "sex": rng.choice(["f", "m", "é'"], n),
            "race": rng.choice([3, 10, 20], n),
            "share": rng.choice([0.0, -0.0, 0.5, 1e-300], n),
        }
    )


def shards(table, folder, number, seed=0, form="parquet"):
    """Write a table to files in some order, rows in any of them."""
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


def plain_cells(table, coded):
    """The cells in the order of their values as text, by pandas."""
    counts = table.groupby(coded, dropna=False).size().reset_index(name="count")
    return counts.sort_values(coded, key=lambda values: values.astype(str), ignore_index=True)


def values_of(cells):
    return {name: column.of_items(column.kinds).tolist() for name, column in cells.columns.items()}


def joined(rows, numbers, cells):
    """All chunks as one: numbers, cells, counts."""
    chunks = list(rows.ordered(numbers, cells))
    assert {len(chunk) for chunk in chunks[:-1]} <= {ordered_module.CHUNK}
    return [
        np.concatenate([getattr(chunk, name) for chunk in chunks])
        for name in ("values", "cell", "count")
    ]


@pytest.mark.parametrize("number", [1, 7, 64])
@pytest.mark.parametrize("seed", [1, 2])
def test_cells_and_sorted_rows_are_those_of_pandas(tmp_path, monkeypatch, seed, number):
    monkeypatch.setattr(ordered_module, "CHUNK", 1000)
    table = frame(seed)
    rows = Rows.of_files(shards(table, tmp_path, number, seed))
    assert len(rows) == len(table)
    cells = rows.cells(CODED, ["score", "share"])
    expected = plain_cells(table, CODED)
    assert values_of(cells) == {name: expected[name].tolist() for name in CODED}
    assert cells.count.tolist() == expected["count"].tolist()
    place = {tuple(row): i for i, row in enumerate(expected[CODED].itertuples(index=False))}
    table["cell"] = [place[tuple(row)] for row in table[CODED].itertuples(index=False)]
    keys = ["score", "share", "cell"]
    sorted_ = (table[keys] + 0.0).groupby(keys).size().reset_index(name="count")
    values, cell, count = joined(rows, ["score", "share"], cells)
    assert np.array_equal(values, sorted_[["score", "share"]])
    assert cell.tolist() == sorted_["cell"].tolist()
    assert count.tolist() == sorted_["count"].tolist()


def test_missing_values_are_counted_and_their_file_is_named(tmp_path):
    table = frame(1)
    table.loc[[5, 6], "sex"] = None
    paths = shards(table, tmp_path, 3)
    with pytest.raises(InputError, match=r"column `sex` has 2 missing value\(s\), . of them in "):
        Rows.of_files(paths).cells(["sex"], [])
    cells = Rows.of_files(paths).cells(["sex"], [], missing_group=["sex"])
    assert values_of(cells)["sex"] == ["f", "m", "missing", "é'"]
    assert cells.count[2] == 2
