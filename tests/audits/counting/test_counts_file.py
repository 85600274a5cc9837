"""Counts files: the same bytes for the same items, and the same items as the rows."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from fairpairs.audits.counting import cells, counts_file
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError
from tests.audits.counting.made import frame, joined, shards, values_of

pytestmark = pytest.mark.slow

ROLES = {"label": "label", "prediction": "prediction", "sensitive": ["sex", "race"]}
CODED = ["label", "prediction", "sex", "race"]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(cells, "CHUNK", 500)


def counted(paths, out, **options):
    count_files(paths, out, **{**ROLES, **options})
    return out


def same_items(rows, other, numbers=("score",)):
    """Whether two readers of rows give the same cells and the same sorted rows."""
    cells, others = (one.cells(CODED, numbers) for one in (rows, other))
    assert values_of(cells) == values_of(others)
    assert cells.count.tolist() == others.count.tolist()
    if numbers:
        pairs = zip(joined(rows, numbers, cells), joined(other, numbers, others), strict=True)
        assert all(np.array_equal(one, two) for one, two in pairs)
    assert len(rows) == len(other)


@pytest.mark.parametrize(
    ("form", "number", "score"),
    [
        ("parquet", 4, "score"), ("csv", 2, "score"), ("csv", 1, None),
    ],
)  # fmt: skip
def test_counts_of_shards_are_those_of_all_rows(tmp_path, number, form, score):
    table = frame(number)
    whole = shards(table, tmp_path, 1, 1, form=form)
    parts = shards(table, tmp_path, number, 2, form=form)
    files = [counted([path], path.with_suffix(".counts"), score=score) for path in parts]
    np.random.default_rng(0).shuffle(files)
    rows = Rows.of_files(files)
    assert (rows.roles.label, rows.roles.score) == ("label", score)
    assert rows.columns == ["label", "prediction", *([score] if score else []), "sex", "race"]
    same_items(rows, Rows.of_files(whole), [score] if score else [])
    in_memory, plain = rows.table(CODED), Rows.of_files(whole).table(CODED)
    for name in CODED:
        assert sorted(in_memory.words(name)) == sorted(plain.words(name))
    # counts files may be counted again
    again = counted(files, tmp_path / "all.counts", score=score)
    assert again.read_bytes() == counted(whole, tmp_path / "1.counts", score=score).read_bytes()


def test_the_bytes_do_not_depend_on_order_or_threads(tmp_path, monkeypatch, own_databases):
    import duckdb

    table = frame(2)
    bytes_ = {counted(shards(table, tmp_path, 3, seed), tmp_path / "a", score="score").read_bytes()
              for seed in range(3)}  # fmt: skip
    connect = duckdb.connect
    for threads in ("1", "3"):
        monkeypatch.setattr(
            duckdb, "connect", lambda config, n=threads: connect(config={**config, "threads": n})
        )
        paths = shards(table, tmp_path, 3, 9)
        bytes_.add(counted(paths, tmp_path / "a", score="score").read_bytes())
    assert len(bytes_) == 1


def test_what_a_file_says_of_itself(tmp_path):
    path = counted(shards(frame(1), tmp_path, 1), tmp_path / "a.counts", score="score")
    file = pq.ParquetFile(path)
    assert json.loads(file.schema_arrow.metadata[b"fairpairs"]) == {
        "format": "fairpairs counts", "version": 1, "items": 3000,
        "roles": {**ROLES, "score": "score", "missing_group": False},
    }  # fmt: skip
    assert [(f.name, str(f.type)) for f in file.schema_arrow] == [
        ("label", "int8"), ("prediction", "bool"), ("score", "double"), ("sex", "string"),
        ("race", "int64"), ("count", "int64"),
    ]  # fmt: skip
    table = pd.read_parquet(path)
    assert table["count"].sum() == len(Rows.of_files([path])) == 3000
    assert not table.duplicated([*CODED, "score"]).any()
    assert table["score"].is_monotonic_increasing
    assert file.metadata.num_row_groups == -(-len(table) // 2000)


def test_labels_that_are_numbers_are_counted(tmp_path, form="csv"):
    table = frame(1)
    rng = np.random.default_rng(1)
    table["label"], table["prediction"] = rng.normal(size=(2, 3000)).round(3)
    table.loc[::2, "label"] = 1.5
    parts = [path for size, seed in ((1, 0), (2, 1)) for path in
             shards(table[seed::2], tmp_path, size, seed, form=form)]  # fmt: skip
    files = [counted([path], path.with_suffix(".counts")) for path in parts]
    rows, plain = Rows.of_files(files), Rows.of_files(parts)
    numbers = ["label", "prediction"]
    cells = [one.cells(["sex"], numbers) for one in (rows, plain)]
    assert cells[0].count.tolist() == cells[1].count.tolist()
    found, expected = (
        joined(one, numbers, of) for one, of in zip((rows, plain), cells, strict=True)
    )
    assert all(map(np.array_equal, found, expected))


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_missing_groups_are_kept(tmp_path, form):
    table = frame(1, 300)
    table["race"] = table["race"].astype("Int64")
    table.loc[:20, ["sex", "race"]] = None
    parts = shards(table, tmp_path, 3, form=form)
    rows = Rows.of_files([counted([path], path.with_suffix(".counts")) for path in parts])
    for name in ("sex", "race"):
        with pytest.raises(InputError, match=rf"`{name}` has 21 missing value\(s\), \d+ of them"):
            rows.cells([name], [])
        expected = Rows.of_files(parts).cells([name], [], missing_group=[name])
        cells = rows.cells([name], [], missing_group=[name])
        assert list(map(str, values_of(cells)[name])) == list(map(str, values_of(expected)[name]))
        assert cells.count.tolist() == expected.count.tolist()
        assert "missing" in values_of(cells)[name]


def refused(words, paths):
    with pytest.raises(InputError, match=words) as raised:
        rows = Rows.of_files(paths)
        rows.cells(CODED, [])
    assert "\n" not in str(raised.value)


def test_counts_that_do_not_go_together_are_refused(tmp_path):
    table = frame(1, 200)
    parts = shards(table, tmp_path, 2)
    one, two = (counted([path], path.with_suffix(".counts")) for path in parts)
    refused("counts is a counts file, and .*parquet is not: give files of one", [one, parts[1]])
    counted([parts[1]], two, score="score")
    words = "0.counts counts label `label`, prediction `prediction`, .*score.*: count all files by"
    refused(words, [one, two])
    table.assign(label=np.where(table["label"] == 1, "yes", "no")).to_parquet(parts[1])
    counted([parts[1]], two)
    refused("Column `label` holds .* in .*counts and .*: write it in one type", [one, two])
    refused("is named twice", [one, one])


def test_files_that_are_no_whole_counts_are_refused(tmp_path):
    (path,) = shards(frame(1, 200), tmp_path, 1)
    file = counted([path], path.with_suffix(".counts"))
    content, table = file.read_bytes(), pq.read_table(file)
    file.write_bytes(content[:-50])
    refused("counts: not a Parquet file, or a part of one", [file])
    pq.write_table(table, file)
    refused("whole counts file .it has no digest, so an older FairPairs or another", [file])
    file.write_bytes(b"")
    refused("counts: not a Parquet file, or a part of one", [file])

    def written(change):
        header = json.loads(table.schema.metadata[b"fairpairs"])
        change(header)
        text = {b"fairpairs": json.dumps(header).encode()}
        pq.write_table(table.replace_schema_metadata(text), file)

    written(lambda header: header.update(version=2))
    refused("a counts file of version 2, and this FairPairs reads version 1: count again", [file])
    written(lambda header: header.pop("roles"))
    refused("not a whole counts file .what it says of itself cannot be read.: count", [file])
    pq.write_table(table.replace_schema_metadata({}), file)
    refused("a Parquet file that does not say what it counts", [file])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sensitive": ["score"]}, "column `score` has more than 2 groups: join some, or leave"),
        ({"sensitive": ["label"]}, "`label` is named by --label and by --sensitive"),
        ({"score": "Score"}, "there is no column `Score`.*did you mean `score`"),
        ({"score": "name"}, "column `name` must hold finite numbers and holds 'f'"),
        ({"score": "count"}, "the column `count` would be taken for the counts: rename it"),
        ({"weight": "share"}, "column `share` must hold counts, whole numbers"),
    ],
)
def test_columns_that_cannot_be_counted_are_refused(tmp_path, monkeypatch, options, words):
    monkeypatch.setattr(counts_file, "MAX_GROUPS", 2)
    (path,) = shards(frame(1, 200).assign(count=1, sex="f", race="a", name="f"), tmp_path, 1)
    with pytest.raises(InputError, match=words):
        counted([path], tmp_path / "a.counts", **options)
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name]
