"""Values of JSON and Parquet: each is read as it was written, or refused in one sentence."""

import datetime
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table
from fairpairs.base.words import words


def in_memory(paths):
    return sorted(set(Rows.of_files(paths).table(["g"]).words("g")))


def counted(paths):
    cells = Rows.of_files(paths).cells(["g"], [], names=["g"])
    return sorted(words(cells.columns["g"].kinds, "g"))


def shards(tmp_path, *columns):
    paths = [tmp_path / f"{i}.parquet" for i in range(len(columns))]
    for path, column in zip(paths, columns, strict=True):
        pq.write_table(pa.table({"g": column}), path)
    return paths


@pytest.mark.parametrize(
    "text", ['{"y": 1, "g": "a", "y": 0}', '[{"y": 1, "g": {"a": 1, "y": 2, "y": 3}}]']
)
def test_a_key_is_given_once(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(InputError, match="an object has the key 'y' twice"):
        Table(path)


def test_a_record_beside_texts_is_no_name(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"y": 1, "g": "f"}\n{"y": 0, "g": {"m": 1}}\n')
    with pytest.raises(InputError, match="`g` holds records, the first in row 2"):
        in_memory([path])
    with pytest.raises(InputError, match="`g` holds records"):
        counted([path])


def test_cells_of_several_values_are_written_whole(tmp_path):
    path = tmp_path / "t.jsonl"
    long = [0.5] * 2000
    rows = [{"a": long, "b": {"x": 1}, "c": {"x": 1}}, {"a": [1], "b": "é", "c": {"x": None}}]
    path.write_text("\n".join(map(json.dumps, rows)))
    frame = Table(path).frame()
    assert json.loads(frame["a"][0]) == long
    assert frame["b"].tolist() == ['{"x": 1}', "é"]
    assert frame["c"].tolist() == ['{"x": 1}', '{"x": null}']


@pytest.mark.parametrize("narrow", [pa.float16(), pa.float32()])
@pytest.mark.parametrize("other", [pa.float64(), pa.int64(), pa.decimal128(21, 2)])
def test_shards_have_floats_of_one_size(tmp_path, narrow, other):
    halves = pa.array(np.array([0.5, 2.0], np.float16))
    paths = shards(tmp_path, halves.cast(narrow), pa.array([1, 2]).cast(other))
    for read in (in_memory, counted):
        with pytest.raises(InputError, match=r"`g` is of type \w+ in .*0.parquet and of type"):
            read(paths)


def test_a_shard_without_values_goes_with_any(tmp_path):
    paths = shards(tmp_path, pa.array([0.1], pa.float32()), pa.nulls(1))
    assert Rows.of_files(paths).table(["g"]).coded_in_part("g").known.kinds.tolist() == [0.1]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (pa.array([2**53 + 1]), pa.array([0.5])),
        (pa.array([-1]), pa.array([2**64 - 1], pa.uint64())),
    ],
)
def test_whole_numbers_that_do_not_fit_the_type_of_all_are_refused(tmp_path, one, two):
    with pytest.raises(InputError, match=r"parquet: column `g` does not fit the type \w+ of all"):
        in_memory(shards(tmp_path, one, two))
    paths = [tmp_path / name for name in ("1.jsonl", "2.jsonl")]
    for path, column in zip(paths, (one, two), strict=True):
        path.write_text(json.dumps({"g": column[0].as_py(), "y": 1}))
    with pytest.raises(InputError, match="jsonl: column `g` does not fit the type"):
        in_memory(paths)


def test_times_of_spark_may_be_of_any_year(tmp_path):
    path = tmp_path / "t.parquet"
    years = [datetime.datetime(year, 1, 1) for year in (1600, 2024, 9999)]
    pq.write_table(pa.table({"g": years}), path, use_deprecated_int96_timestamps=True)
    assert in_memory([path]) == counted([path]) == ["1600-01-01", "2024-01-01", "9999-01-01"]


@pytest.mark.parametrize("days", [3_663_482, -800_000, 2**31 - 1])
def test_dates_that_no_calendar_has_are_refused(tmp_path, days):
    paths = shards(tmp_path, pa.array([days, 0], pa.int32()).cast(pa.date32()))
    for read in (in_memory, counted):
        with pytest.raises(InputError, match="`g` holds a date that no calendar has"):
            read(paths)


def test_whole_numbers_of_128_bits_are_refused(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "t.parquet"
    polars.DataFrame({"g": [1, 2]}).cast(polars.Int128).write_parquet(path)
    for read in (in_memory, counted):
        with pytest.raises(InputError, match="parquet: holds a type that cannot be read"):
            read([path])


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (pa.array([datetime.timedelta(hours=5), datetime.timedelta(1)]),
         ["0 days 05:00:00", "1 days 00:00:00"]),
        (pa.array(np.array([0.1, 0.2], np.float16)), ["0.1", "0.2"]),
    ],
)  # fmt: skip
def test_types_that_duckdb_lacks_have_the_names_that_they_have_in_memory(values, names):
    rows = Rows.of_table(pa.table({"g": values}), "data")
    assert rows.table(["g"]).words("g").tolist() == names
    cells = rows.cells(["g"], [], names=["g"])
    assert words(cells.columns["g"].kinds, "g") == names


@pytest.mark.parametrize("category", [True, False])
def test_bands_and_months_of_pandas_are_names(category):
    bands = pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 30), (30, 50), None]))
    months = pd.Series(pd.PeriodIndex(["2024-01", "2024-02", None], freq="M"))
    for column in (bands, months):
        values = column.astype("category") if category else column
        rows = Rows.of_table(pd.DataFrame({"g": values}), "data")
        assert rows.table(["g"]).missing("g").tolist() == [False, False, True]
        cells = rows.cells(["g"], [], names=["g"], missing_group=["g"])
        names = [*map(str, column[:2]), "missing"]
        assert cells.columns["g"].kinds.tolist() == names
