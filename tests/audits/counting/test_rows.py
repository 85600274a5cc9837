"""Rows that DuckDB counts and sorts, against the same in pandas and in memory."""

import gzip
import hashlib

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st

from fairpairs.audits.counting import cells as cells_module
from fairpairs.audits.counting.cells import Ordered, chunks
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.reading.table import Table
from tests.audits.counting.made import CODED, frame, joined, shards, values_of


def plain_cells(table, coded):
    """The cells in the order of their values as text, by pandas."""
    counts = table.groupby(coded, dropna=False).size().reset_index(name="count")
    return counts.sort_values(coded, key=lambda values: values.astype(str), ignore_index=True)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 7, 64])
def test_cells_and_sorted_rows_are_those_of_pandas(tmp_path, monkeypatch, number):
    monkeypatch.setattr(cells_module, "CHUNK", 1000)
    table = frame(number)
    rows = Rows.of_files(shards(table, tmp_path, number))
    assert len(rows) == len(table)
    cells = rows.cells(CODED, ["score", "share"])
    expected = plain_cells(table, CODED)
    assert values_of(cells) == {name: expected[name].tolist() for name in CODED}
    assert cells.count.tolist() == expected["count"].tolist()
    place = {tuple(row): i for i, row in enumerate(expected[CODED].itertuples(index=False))}
    table["cell"] = [place[tuple(row)] for row in table[CODED].itertuples(index=False)]
    keys = ["score", "share", "cell"]
    in_order = (table[keys] + 0.0).groupby(keys).size().reset_index(name="count")
    assert {len(chunk) for chunk in list(rows.ordered(["score", "share"], cells))[:-1]} <= {1000}
    values, cell, count = joined(rows, ["score", "share"], cells)
    assert np.array_equal(values, in_order[["score", "share"]])
    assert not np.signbit(values[values == 0]).any()
    assert cell.tolist() == in_order["cell"].tolist()
    assert count.tolist() == in_order["count"].tolist()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(1, 5)), max_size=60),
    st.lists(st.integers(0, 60), max_size=6),
    st.integers(1, 9),
)
def test_batches_of_any_size_become_full_chunks(rows, cuts, size):
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    batches = [
        Ordered(part[:, :1].astype(float), part[:, 1], part[:, 2])
        for part in np.split(table, sorted(cuts))
    ]
    before, cells_module.CHUNK = cells_module.CHUNK, size
    try:
        found = list(chunks(batches))
    finally:
        cells_module.CHUNK = before
    joined_rows = [
        (float(number[0]), int(cell), int(count))
        for chunk in found
        for number, cell, count in zip(*vars(chunk).values(), strict=True)
    ]
    assert joined_rows == rows
    assert all(len(chunk) == size for chunk in found[:-1])
    assert not found or 0 < len(found[-1]) <= size


LINES = [
    "g,s\nf,1\nm,2\n", "g,s\r\nf,1\r\nm,2\r\n", "\ufeffg,s\nf,1\nm,2", "\n\ng,s\n\nf,1\n\nm,2\n",
    ' g , s\n"f",1\n m,"2"\n', 'g,s\n "f", 1\n"m ",\t2\n', ",s,g\n0,1,f\n1,2,m\n",
    '"g","s"\nf,1e0\nm,+2.\n', "s,g\n1,f\u2003\n\u20032\u00a0,\u00a0m\n",
    'g,s,x\nf,1,"a ""b"", c"\nm,2,"d\ne"\n',
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "packed"), [*((text, False) for text in LINES), (LINES[0], True), (LINES[4], True)]
)
def test_texts_are_read_as_they_are_in_memory(tmp_path, text, packed):
    path = tmp_path / "it's [1]*.csv"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    rows, table = Rows.of_files([path]), Table(path)
    assert rows.columns == table.columns
    cells = rows.cells(["g"], ["s"])
    assert values_of(cells) == {"g": ["f", "m"]} and table.words("g").tolist() == ["f", "m"]
    assert joined(rows, ["s"], cells)[0][:, 0].tolist() == table.numbers("s", "").tolist()
    assert len(rows) == 2 and rows.with_few(["g"], 1) == [] and rows.with_few(["g"], 2) == ["g"]


def test_files_of_several_layouts_are_read_together(tmp_path):
    (tmp_path / "a.csv").write_text("g,s\nf,1\nm ,2\n")
    (tmp_path / "b.csv").write_text("\ns,x,g\n3,0,f\n")
    (tmp_path / "c.csv").write_bytes(gzip.compress(b"g,s\nm,4\n"))
    (tmp_path / "d.csv").write_text("g,s\n")
    (tmp_path / "b.csv").write_text("\ns,g\n3,f\n")
    rows = Rows.of_files([tmp_path])
    assert rows.called == f"{tmp_path}/*.csv (4 files)"
    cells = rows.cells(["g"], ["s"])
    values, cell, count = joined(rows, ["s"], cells)
    assert (values[:, 0].tolist(), cell.tolist(), count.tolist()) == (
        [1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], [1] * 4
    )  # fmt: skip
    table = rows.table(["s", "g"])
    assert table.words("g").tolist() == ["f", "m", "f", "m"]
    assert Rows.of_files([tmp_path / "?.csv"]).columns == ["g", "s"]


def test_numbers_in_texts_are_the_floats_that_they_are_in_memory(tmp_path):
    rng = np.random.default_rng(0)
    numbers = np.append(rng.random(3000), np.exp(rng.uniform(-90, 36, size=3000)))
    texts = [f"{x:.17g}" for x in numbers] + [f"{x:.25e}" for x in numbers]
    path = tmp_path / "a.csv"
    path.write_text("s,g\n" + "".join(f"{text},f\n" for text in texts))
    rows = Rows.of_files([path])
    values, _, count = joined(rows, ["s"], rows.cells(["g"], ["s"]))
    exact = sorted(map(float, texts))
    assert np.repeat(values[:, 0], count).tolist() == exact
    assert sorted(Table(path).numbers("s", "").tolist()) == exact


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_several_files_in_memory_are_one_table(tmp_path, form):
    table = frame(3, 500)
    table["kind"] = pd.Categorical(np.where(table["label"] == 1, table["sex"], "x"))
    paths = shards(table, tmp_path, 5, form=form)
    table.head(0).to_parquet(paths[0]) if form == "parquet" else None
    rows = Rows.of_files(paths)
    found = rows.table(rows.columns)
    reader = pd.read_parquet if form == "parquet" else pd.read_csv
    expected = pd.concat([reader(path) for path in sorted(paths, key=str)], ignore_index=True)
    assert len(found) == len(rows) == len(expected)
    for name in ("sex", "kind"):
        assert found.words(name).tolist() == expected[name].astype(str).tolist()
    assert found.numbers("score", "").tolist() == expected["score"].tolist()


def test_the_digest_of_several_files_does_not_depend_on_their_order(tmp_path):
    paths = shards(frame(1, 50), tmp_path, 3)
    digests = sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)
    expected = hashlib.sha256("\n".join(digests).encode()).hexdigest()
    assert Rows.of_files(paths).source.digest == expected
    assert Rows.of_files(paths[::-1]).source.digest == expected


def test_whether_a_column_has_few_values_does_not_depend_on_the_order(tmp_path):
    for values in (np.arange(5000), np.repeat([0, 1], 2500), np.append(np.zeros(4000), range(9))):
        table = pd.DataFrame({"a": values, "b": 0})
        table.to_parquet(tmp_path / "a.parquet")
        different = len(set(values.tolist()))
        for most in (different - 1, different, 2 * different):
            rows = Rows.of_files([tmp_path / "a.parquet"])
            assert rows.with_few(["a"], most) == ["a"] * (different <= most)


def test_columns_may_be_called_as_sql_calls_them(tmp_path):
    table = frame(6, 200).rename(columns={"sex": 'a "b"', "race": "place", "score": "c0"})
    table.to_parquet(tmp_path / "select.parquet")
    rows = Rows.of_files([tmp_path / "select.parquet"])
    cells = rows.cells(['a "b"', "place", "label"], ["c0"])
    assert cells.count.sum() == joined(rows, ["c0"], cells)[2].sum() == 200
    assert values_of(cells)['a "b"'] == sorted(values_of(cells)['a "b"'])
    cells = rows.cells([], ["c0", "share"])
    assert cells.count.tolist() == [200] and cells.columns == {}
    assert joined(rows, ["c0"], cells)[2].sum() == 200


def test_what_is_left_behind_is_nothing(tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    frame(1, 200).to_parquet(tmp_path / "a.parquet")
    rows = Rows.of_files([tmp_path / "a.parquet"])
    begun = rows.ordered(["score"], rows.cells(CODED, ["score"]))
    next(begun)
    assert list((tmp_path / "t").iterdir())
    begun.close()
    assert not list((tmp_path / "t").iterdir())
    lazy = Rows.of_table(pl.from_pandas(frame(1, 200)).lazy(), "data")
    lazy.cells(CODED, [])
    del lazy
    assert not list((tmp_path / "t").iterdir())
