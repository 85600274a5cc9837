"""Tables of kinds that the matrix of readings lacks give the lines of pandas."""

import os
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


KINDS = {
    "Arrow batch": lambda frame: pa.Table.from_pandas(frame).to_batches()[0],
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


def test_a_reader_of_a_type_that_duckdb_lacks_is_one_sentence():
    table = pa.table({"y": [0, 1], "g": pa.array(np.array([1, 2], dtype=np.float16))})
    with pytest.raises(fp.InputError, match=r"^data cannot be read \(.*\): give a table, "):
        fp.audit("y", "y", sensitive_features="g", data=table.to_reader())
