"""Tables of any kind give the lines of pandas; columns of odd types too, or one sentence."""

import datetime
import os
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fairpairs as fp
from fairpairs.base.reading.table import Table

N = 240


def rows():
    i = np.arange(N)
    return pd.DataFrame(
        {
            "y": i % 2, "p": (i // 3 + i // 7) % 2, "s": i * 37 % 101 / 101,
            "g": np.array(["a", "b", "ü"])[i // 5 % 3], "c": i // 80,
        }
    )  # fmt: skip


@cache
def spark():
    """A session without a network, or a skip."""
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    options = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.master("local[1]")
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def of_ibis(frame):
    ibis = pytest.importorskip("ibis")
    connection = ibis.duckdb.connect()
    connection.con.register("given", pa.Table.from_pandas(frame))
    connection.con.execute("create table rows as from given")
    return connection.table("rows")


def of_modin(frame):
    pytest.importorskip("modin")
    os.environ["MODIN_ENGINE"] = "Python"
    import modin.pandas

    return modin.pandas.DataFrame(frame.to_dict("list"))


def polars(frame):
    return pytest.importorskip("polars").DataFrame(frame.to_dict("list"))


def relation(frame):
    import duckdb

    return duckdb.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


def wrapped(frame):
    import narwhals

    return narwhals.from_native(polars(frame))


KINDS = {
    "nullable": lambda frame: frame.convert_dtypes(),
    "Arrow dtypes": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda frame: frame.astype({"g": "category", "y": "category"}),
    "Arrow": pa.Table.from_pandas,
    "Arrow batch": lambda frame: pa.Table.from_pandas(frame).to_batches()[0],
    "Arrow reader": lambda frame: pa.Table.from_pandas(frame).to_reader(50),
    "Polars": polars,
    "Polars, lazy": lambda frame: polars(frame).lazy(),
    "DuckDB": relation,
    "narwhals": wrapped,
    "Ibis": of_ibis,
    "Modin": of_modin,
    "PySpark": lambda frame: spark().createDataFrame(frame.to_dict("records")),
}
ROLES = {"sensitive_features": ["g"], "control": "c"}


@cache
def expected():
    return fp.audit("y", "p", data=rows(), **ROLES), fp.audit_groups("y", "p", data=rows(), **ROLES)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Modin, Spark and ibis themselves
@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_any_kind_give_the_lines_of_pandas(kind):
    for function, of_pandas in zip((fp.audit, fp.audit_groups), expected(), strict=True):
        found = function("y", "p", data=KINDS[kind](rows()), **ROLES)
        pd.testing.assert_frame_equal(found.to_frame(), of_pandas.to_frame(), rtol=1e-12)
    tables = (Table.of(table, "rows") for table in (KINDS[kind](rows()), rows()))
    found, of_pandas = ({name: table.words(name).tolist() for name in "ypg"} for table in tables)
    assert found == of_pandas


#: Column → its values by row, of another type than whole numbers and texts.
TYPES = {
    "decimal": ("y", lambda row: Decimal(row["y"])),
    "decimals of digits": ("c", lambda row: Decimal(row["c"]) / 4),
    "date": ("g", lambda row: datetime.date(2026, 1, 1 + "abü".index(row["g"]))),
    "time": ("g", lambda row: datetime.datetime(2026, 1, 1, "abü".index(row["g"]))),
    "true and false": ("p", lambda row: bool(row["p"])),
    "bytes": ("g", lambda row: row["g"].encode()),
    "lists of one": ("g", lambda row: [row["g"]]),
    "lists": ("g", lambda row: [row["g"], "x"]),
    "records": ("g", lambda row: {"name": row["g"]}),
    "nothing": ("g", lambda row: None),
}
REFUSED = {"bytes", "lists of one", "lists", "records", "nothing"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas", "Arrow", "Polars", "Polars, lazy", "DuckDB"])
@pytest.mark.parametrize("values", TYPES)
def test_columns_of_other_types_give_the_same_or_one_sentence(kind, values):
    name, value = TYPES[values]
    frame = rows()
    frame[name] = pd.Series([value(row) for row in frame.to_dict("records")], dtype=object)
    table = frame if kind == "pandas" else KINDS[kind](frame)
    try:
        found = fp.audit("y", "p", data=table, **ROLES).to_frame()
    except fp.InputError as error:
        assert values in REFUSED, str(error)
        assert "`g`" in str(error) and "\n" not in str(error)
        return
    estimates = ["estimate", "ci_low", "pvalue", "uncontrolled"]
    pd.testing.assert_frame_equal(found[estimates], expected()[0].to_frame()[estimates])


def test_a_reader_of_a_type_that_duckdb_lacks_is_one_sentence():
    table = pa.table({"y": [0, 1], "g": pa.array(np.array([1, 2], dtype=np.float16))})
    with pytest.raises(fp.InputError, match=r"^data cannot be read \(.*\): give a table, "):
        fp.audit("y", "y", sensitive_features="g", data=table.to_reader())
