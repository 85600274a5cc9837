"""What cannot be counted, in one sentence that names the file, the column and the remedy."""

import gzip
import json
import os
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairpairs.audits.audit.audit import audit_file
from fairpairs.audits.counting import grouping
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError
from fairpairs.base.reading import csv_layout, database, json_files
from tests.audits.counting.made import CODED, frame, shards, values_of


def refused(words, do):
    with pytest.raises(InputError, match=words) as raised:
        do()
    text = str(raised.value)
    assert "\n" not in text and text.endswith((".", "?"))


def cells(paths, numbers=("score",), weight=None, coded=("label",)):
    return Rows.of_files(paths).cells(coded, numbers, weight=weight)


def changed(tmp_path, column, value, form="parquet"):
    """Two files, of which the second has another value in a row."""
    table = frame(1, 40)
    table[column] = table[column].astype(object if isinstance(value, str) else float)
    table.loc[30, column] = value
    paths = [tmp_path / f"{name}.{form}" for name in "ab"]
    for path, part in zip(paths, (table[:20], table[20:]), strict=True):
        if form == "parquet":
            part.infer_objects().to_parquet(path, index=False)
        else:
            part.to_csv(path, index=False)
    return paths


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("column", ["label", "score"])
def test_missing_values_are_counted_and_their_file_is_named(tmp_path, column, form):
    paths = changed(tmp_path, column, np.nan, form)
    words = rf"column `{column}` has 1 missing value\(s\), 1 of them in \S+b\.{form}: fill in or"
    refused(words, lambda: cells(paths))
    (paths[0]).unlink()
    refused(rf"`{column}` has 1 missing value\(s\): fill in", lambda: cells(paths[1:]))


def test_a_missing_value_may_be_a_group(tmp_path):
    table = frame(1, 60)
    table.loc[[5, 6], "sex"] = None
    paths = shards(table, tmp_path, 3)
    refused("fill in or drop such rows, or so", lambda: Rows.of_files(paths).cells(
        ["sex"], [], names=["sex"], remedy=", or so"
    ))  # fmt: skip
    found = Rows.of_files(paths).cells(["sex"], [], missing_group=["sex"])
    assert values_of(found)["sex"] == ["f", "m", "missing", "é'"]
    assert found.count[2] == 2


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.inf, "must hold finite numbers and holds '?inf"),
        (-1e51, r"holds 1e\+51 \(without its sign\), and numbers may be as large as 1e\+50"),
    ],
)
def test_numbers_are_finite_and_not_too_large(tmp_path, form, value, words):
    refused(f"column `score` {words}", lambda: cells(changed(tmp_path, "score", value, form)))


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_whole_numbers_are_not_told_apart_above_2_to_the_53(tmp_path, form):
    table = pd.DataFrame({"label": [0, 1], "score": [2**53 + 4, 2**53 + 5]})
    path = tmp_path / f"a.{form}"
    table.to_parquet(path) if form == "parquet" else table.to_csv(path, index=False)
    refused("`score` holds numbers above 2.53 that differ", lambda: cells([path]))


@pytest.mark.parametrize(
    ("values", "kind"),
    [([[1, 2], [3]], "lists"), ([{"a": 1}] * 2, "records"), ([b"a"] * 2, "bytes")],
)
def test_cells_hold_single_values(tmp_path, values, kind):
    pq.write_table(pa.table({"label": values, "score": [1, 2]}), tmp_path / "a.parquet")
    refused(f"column `label` holds {kind}: write a text", lambda: cells([tmp_path / "a.parquet"]))


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_there_are_rows(tmp_path, form):
    empty = frame(1, 10).head(0)
    paths = [tmp_path / f"{name}.{form}" for name in "ab"]
    for path in paths:
        empty.to_parquet(path) if form == "parquet" else empty.to_csv(path, index=False)
    refused("there are no rows: give at least one row", lambda: cells(paths))
    refused("rows: give at least one row", lambda: Rows.of_files(paths).table(["label"]))


def test_files_have_the_same_columns_of_the_same_types(tmp_path):
    table = frame(1, 10)
    first, other = tmp_path / "a.parquet", tmp_path / "b.parquet"
    table.to_parquet(first)
    table.drop(columns="sex").to_parquet(other)
    words = f"{other} has no column `sex`, and {first} has one"
    refused(re.escape(words), lambda: cells([first, other]))
    table.assign(label="a").to_parquet(other)
    words = f"Column `label` holds numbers in {first} and text in {other}: write it in one type"
    refused(re.escape(words), lambda: cells([first, other]))
    # an int8 is an int64, whatever its place; and a column without values has any type
    table.assign(label=table["label"].astype(int), share=None)[table.columns[::-1]].to_parquet(
        other
    )
    found = cells([first, other])
    assert found.count.tolist() == (2 * table["label"].value_counts().sort_index()).tolist()


def test_names_of_columns_differ_in_more_than_case(tmp_path):
    frame(1, 10).assign(Label=1).to_parquet(tmp_path / "a.parquet")
    refused("`label` and `Label` differ only in case", lambda: cells([tmp_path / "a.parquet"]))


def test_files_are_there_once_and_of_one_kind(tmp_path):
    table = frame(1, 10)
    path, text = tmp_path / "a.parquet", tmp_path / "a.csv"
    table.to_parquet(path)
    table.to_csv(text, index=False)
    (tmp_path / "empty").mkdir()
    (tmp_path / "link.parquet").symlink_to(path)
    for paths, words in (
        ([], "There are no files"),
        ([tmp_path / "*.txt"], "no file has such a name: correct the pattern"),
        ([tmp_path / "none.parquet"], "cannot be read .No such file"),
        ([tmp_path / "empty"], "a folder without Parquet, CSV or JSON lines"),
        ([path, path], "is named twice"),
        ([path, tmp_path / "link.parquet"], "is named twice"),
        ([path, text], "a.csv is CSV, and .*a.parquet is Parquet: give files of one kind"),
    ):
        refused(words, lambda paths=paths: Rows.of_files(paths))


def test_files_that_are_not_whole(tmp_path):
    path = tmp_path / "a.parquet"
    frame(1, 100).to_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    refused("a.parquet: not a Parquet file, or a part of one", lambda: Rows.of_files([path]))
    path.write_bytes(b"a,b\n")
    refused("a.parquet: not a Parquet file, or a part of one", lambda: Rows.of_files([path]))
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(b"\x1f\x8b\x08junk")
    refused("a.csv.gz: cannot be decompressed", lambda: Rows.of_files([packed]))
    broken = bytearray(content)
    broken[20:400] = b"x" * 380
    path.write_bytes(bytes(broken))
    refused("a.parquet: cannot be read", lambda: cells([path], numbers=["score", "share"]))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"0\n", r"line 3 has 1 cell\(s\) and the header 2: correct the line"),
        (b"0,1,2\n", r"line 3 has 3 cell\(s\) and the header 2"),
        (b"0,1\n" * 300_000 + b"0,\xff\n", "line 300003 is not a text in UTF-8: correct it"),
        (b'0,"1"2\n', "line 3 is not of a CSV table: correct it"),
    ],
)
def test_lines_that_are_no_rows(tmp_path, line, words):
    path = tmp_path / "a.csv"
    path.write_bytes(b"label,score\n0,1\n" + line + b"1,2\n")
    refused(f"a.csv: {words}", lambda: cells([path]))


def test_a_file_that_changes_is_not_counted(tmp_path):
    path = tmp_path / "a.parquet"
    frame(1, 100).to_parquet(path)
    rows = Rows.of_files([path])
    found = rows.cells(CODED, ["score"])
    frame(2, 100).to_parquet(path)
    words = "the file changes while it is read: copy it first, and read the copy"
    refused(words, lambda: rows.cells(CODED, ["score"]))
    refused(words, lambda: list(rows.ordered(["score"], found)))
    refused(words, lambda: rows.source.digest)
    refused(words, lambda: rows.table(["label"]))
    path.write_bytes(b"junk")
    refused(words, lambda: rows.cells(CODED, ["score"]))
    path.unlink()
    refused(words, lambda: rows.cells(CODED, ["score"]))


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("value", [-1.0, 0.5, np.nan, np.inf])
def test_frequencies_are_whole_numbers(tmp_path, form, value):
    paths = changed(tmp_path, "share", 1.0, form)
    table = frame(1, 20).assign(n=2.0)
    table.loc[3, "n"] = value
    for path in paths:
        table.to_parquet(path) if form == "parquet" else table.to_csv(path, index=False)
    words = r"`n` must hold counts, whole numbers from 0 on, and 2 row\(s\) hold another value"
    refused(words, lambda: cells(paths, weight="n"))
    words = "must hold counts|missing value|must hold finite numbers|may be as large as"
    refused(f"column `n` .*({words})", lambda: Rows.of_files(paths).table(["label"], weight="n"))


def test_frequencies_that_are_all_0(tmp_path):
    path = tmp_path / "a.parquet"
    frame(1, 10).assign(n=0).to_parquet(path)
    refused("`n`: all counts are 0", lambda: cells([path], weight="n"))


@pytest.mark.parametrize("value", [2**53 + 1, 4 * 10**18])
def test_frequencies_sum_to_at_most_2_to_the_53(tmp_path, value):
    path = tmp_path / "a.csv"
    frame(1, 60).assign(n=value).to_csv(path, index=False)
    refused("`n`: the counts sum to .* at most 2.53", lambda: cells([path], weight="n"))


def test_columns_have_few_combinations(tmp_path, monkeypatch):
    monkeypatch.setattr(grouping, "MAX_CELLS", 30)
    path = tmp_path / "a.parquet"
    frame(1, 100).to_parquet(path)
    words = "the columns `label`, `score` have more than 30 combinations of values"
    refused(words, lambda: cells([path], coded=["label", "score"], numbers=[]))


def test_a_very_wide_csv_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_layout, "MAX_COLUMNS", 1000)
    (tmp_path / "a.csv").write_text(",".join(f"c{i}" for i in range(1001)) + "\n")
    refused("a.csv: 1,001 columns, and a CSV may have 1,000: keep those that you name",
            lambda: Rows.of_files([tmp_path / "a.csv"]))  # fmt: skip


def test_a_large_file_of_json_is_not_read_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(json_files, "MAX_JSON", 10)
    (tmp_path / "a.jsonl").write_text('{"label": 1, "score": 0.5}\n')
    refused("GB of JSON, which would be read into memory: write it as Parquet",
            lambda: Rows.of_files([tmp_path / "a.jsonl"]))  # fmt: skip


def test_a_table_is_one():
    for table in (3, [1, 2], np.ones((2, 2))):
        refused("data must be a path or a table", lambda table=table: Rows.of_table(table, "data"))
    mixed = pd.DataFrame({"label": [1, "1"], "score": [1, 2]})
    rows = Rows.of_table(mixed, "data")
    refused("data: column `label` mixes kinds", lambda: rows.cells(["label"], ["score"]))
    refused("no rows", lambda: Rows.of_table(mixed.head(0), "data"))
    refused("no column `Label`.*did you mean `label`", lambda: rows.check_column("Label", "--a"))


def test_no_room_to_sort(tmp_path, monkeypatch, own_databases):
    import duckdb

    table = pd.DataFrame({"label": 0, "score": np.random.default_rng(0).random(3_000_000)})
    table.to_parquet(tmp_path / "a.parquet")
    rows = Rows.of_files([tmp_path / "a.parquet"])
    found = rows.cells(["label"], ["score"])
    connect = duckdb.connect
    less = {"memory_limit": "40MB", "threads": "4", "max_temp_directory_size": "1MB"}
    monkeypatch.setattr(duckdb, "connect", lambda config: connect(config={**config, **less}))
    monkeypatch.setattr(database.tempfile, "tempdir", str(tmp_path))
    words = r"no room to sort the rows: .* GB free: make room for some 40 bytes per row, or name"
    refused(words, lambda: list(rows.ordered(["score"], found)))
    assert os.listdir(tmp_path) == ["a.parquet"]  # noqa: PTH208  (names)


def test_rows_that_cannot_be_computed_are_refused(tmp_path, monkeypatch):
    import duckdb
    import polars as pl

    monkeypatch.setattr(database.tempfile, "tempdir", str(tmp_path))
    lazy = pl.LazyFrame({"label": ["a", "b"]}).select(pl.col("label").str.to_integer(strict=True))
    refused("data: its rows cannot be written to .*: compute them first",
            lambda: Rows.of_table(lazy, "data"))  # fmt: skip
    with duckdb.connect() as connection:
        relation = connection.sql("select ('a' || i)::int as label from range(3) t(i)")
        refused("its rows cannot be written", lambda: Rows.of_table(relation, "data"))
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(database.tempfile, "tempdir", str(tmp_path / "none"))
    refused("No folder for temporary files can be made", lambda: Rows.of_table(lazy, "data"))
    (tmp_path / "a.csv").write_text("label,score\n1,1\n")
    refused("name one with room in TMPDIR", lambda: cells([tmp_path / "a.csv"]))


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_in_memory_the_row_of_the_file_is_named(tmp_path, form):
    paths = changed(tmp_path, "score", np.nan, form)
    words = rf"`score` has 1 missing value\(s\), the first in row 11 of \S+b\.{form}: fill in"
    refused(words, lambda: Rows.of_files(paths).table(["score"]).numbers("score", "correct it"))


ROLES = {"label": "y", "prediction": "p", "sensitive": ["g"]}
ITEMS = pd.DataFrame(
    [{"y": i % 2, "p": i // 2 % 2, "s": i / 80, "g": "ab"[i // 4 % 2]} for i in range(80)]
)
WRITE = {
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "csv": lambda frame, path: frame.to_csv(path, index=False),
}


def lines(*paths, **roles):
    return audit_file(list(paths), **roles).to_frame()


@pytest.mark.slow
@pytest.mark.parametrize("ending", WRITE)
@pytest.mark.parametrize("roles", [ROLES, ROLES | {"score": "s"}])
def test_a_shard_without_rows_counts_nothing(tmp_path, ending, roles):
    counts = []
    for name, part in (("none", ITEMS[:0]), ("one", ITEMS[:30]), ("two", ITEMS[30:])):
        path = tmp_path / f"{name}.{ending}"
        WRITE[ending](part, path)
        counts.append(path.with_suffix(".counts"))
        assert count_files([path], counts[-1], **roles) == len(part)
    rows = tmp_path / f"rows.{ending}"
    WRITE[ending](ITEMS, rows)
    pd.testing.assert_frame_equal(lines(*counts), lines(rows, **roles))
    assert count_files(counts, tmp_path / "all.counts", **roles) == 80
    with pytest.raises(InputError, match="no rows"):
        audit_file(counts[:1])


def test_no_shard_of_a_folder_is_lost(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"y": 1, "g": "f"}\n')
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(b'{"y": 0, "g": "m"}\n'))
    assert len(Rows.of_files([tmp_path])) == 2
    (tmp_path / "c.tsv").write_text("y\tg\n1\tf\n")
    with pytest.raises(InputError, match=r"c\.tsv is CSV: give files of one kind"):
        Rows.of_files([tmp_path])


def test_a_shard_of_one_row_in_json_is_not_lost(tmp_path):
    records = ITEMS.to_dict("records")
    parts = {"one.jsonl": records[:1], "others.jsonl": records[1:]}
    for name, some in parts.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, some)), "utf-8")
    result = audit_file([tmp_path / name for name in parts], **ROLES)
    assert result.about["items"] == 80
