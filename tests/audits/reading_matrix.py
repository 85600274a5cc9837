"""The parts of the matrix of readings: values, styles of numbers, and forms of files and tables."""

import csv
import datetime
import gzip
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

#: What a role may hold: decisions of 0 and 1, numbers, numbers of rows, names, and ids.
DECISION, NUMBER, COUNT, NAME, ID = ("decision", "number", "count", "name", "id")
#: And chances, and who wins: 1 or -1.
CHANCE, SIDE = "chance", "side"
WHOLE, FEW = (DECISION, NUMBER, COUNT, NAME, ID), (DECISION, NUMBER, COUNT, NAME)


class Values(NamedTuple):
    """What small whole numbers stand for: a type of Arrow, a value of each, and kinds of roles."""

    kind: pa.DataType
    of: Callable[[int], Any] = int
    roles: tuple[str, ...] = WHOLE

    def array(self, codes: np.ndarray, *, every: int = 0) -> pa.Array:
        """Return the values of codes; one of `every` so many is missing."""
        plain = self.kind.value_type if pa.types.is_dictionary(self.kind) else self.kind
        values = [
            None if every and i % every == 1 else self.of(int(code)) for i, code in enumerate(codes)
        ]
        if plain == pa.float16():
            values = [None if value is None else np.float16(value) for value in values]
        array = pa.array(values, plain)
        return array if plain == self.kind else array.dictionary_encode()

    def name(self, code: int) -> str:
        """Return the name of a value."""
        value = self.of(code)
        if isinstance(value, float):
            return f"{value + 0.0:.0f}" if value % 1 == 0 else repr(value)
        if isinstance(value, datetime.datetime):
            return str(value).removesuffix(" 00:00:00").replace(".250000", ".25")
        return str(value).strip().removesuffix(".0")


def tenth(code: int) -> float:
    return code / 10


def eighth(code: int) -> Decimal:
    return (Decimal(code) / 8).quantize(Decimal("0.001"))


def day(code: int) -> datetime.date:
    return datetime.date(2026, 1, 1) + datetime.timedelta(days=code)


def time(code: int, **changes: Any) -> datetime.datetime:
    return datetime.datetime(2026, 1, 1 + code // 24, code % 24, 30).replace(**changes)


def midnight(code: int) -> datetime.datetime:
    return datetime.datetime.combine(day(code), datetime.time())


def text(form: str) -> tuple[pa.DataType, Callable[[int], str]]:
    return pa.string(), form.format


NUMBERS, LONG, NAMES, ONLY = (NUMBER, NAME), (NUMBER, NAME, ID), (NAME, ID), (NAME,)
FLOATS = {"float16": pa.float16(), "float32": pa.float32(), "float64": pa.float64()}
X = "x{}".format
#: Values by what the readers tell apart.
VALUES: dict[str, dict[str, Values]] = {
    "whole numbers": {
        **{
            f"int{bits}": Values(getattr(pa, f"int{bits}")(), int, (*roles, SIDE))
            for bits, roles in ((64, WHOLE), (8, FEW), (16, WHOLE), (32, WHOLE))
        },
        **{
            f"uint{bits}": Values(getattr(pa, f"uint{bits}")(), int, roles)
            for bits, roles in ((64, WHOLE), (8, FEW), (16, WHOLE), (32, WHOLE))
        },
        "numbers below 0": Values(pa.int32(), lambda code: -1 - code, NUMBERS),
    },
    "whole floats": {
        **{f"whole {name}": Values(kind, float, (*WHOLE, SIDE)) for name, kind in FLOATS.items()},
        "a zero below 0": Values(pa.float64(), lambda code: float(code or "-0"), NUMBERS),
        "large floats": Values(pa.float64(), lambda code: (code + 1) * 1e10, NUMBERS),
    },
    "floats": {
        **{
            f"tenths of {name}": Values(kind, tenth, (*NUMBERS, CHANCE))
            for name, kind in FLOATS.items()
        },
        "small floats": Values(pa.float64(), lambda code: (code + 1) * 1e-7, NUMBERS),
    },
    "decimals": {
        "decimals": Values(pa.decimal128(12, 3), eighth, NUMBERS),
        "whole decimals": Values(pa.decimal128(10, 0), Decimal),
        "wide decimals": Values(pa.decimal256(50, 3), eighth, NUMBERS),
    },
    "long codes": {
        "codes of 2^60": Values(pa.int64(), lambda code: 2**60 + code, LONG),
        "codes of 2^63": Values(pa.uint64(), lambda code: 2**63 + code, LONG),
        "decimals of 2^70": Values(pa.decimal128(38, 0), lambda code: Decimal(2**70 + code), LONG),
        "wide decimals of 2^130": Values(
            pa.decimal256(50, 0), lambda code: Decimal(2**130 + code), LONG
        ),
        "texts of 2^60": Values(pa.string(), lambda code: str(2**60 + code), LONG),
    },
    "true and false": {
        "true and false": Values(pa.bool_(), lambda code: code % 2 > 0, (DECISION, NAME)),
    },
    "times": {
        "dates": Values(pa.date32(), day, NAMES),
        "dates of 64 bits": Values(pa.date64(), day, NAMES),
        "midnights": Values(pa.timestamp("us"), midnight, NAMES),
        **{f"times in {u}": Values(pa.timestamp(u), time, NAMES) for u in ("s", "ms", "us", "ns")},
        "fractions of seconds": Values(
            pa.timestamp("us"), partial(time, microsecond=250_000), NAMES
        ),
        "times of a zone": Values(
            pa.timestamp("us", "UTC"), partial(time, tzinfo=datetime.UTC), NAMES
        ),
        "times of a day": Values(pa.time64("us"), lambda code: time(code).time(), ONLY),
    },
    "texts": {
        "texts": Values(pa.string(), X, NAMES),
        "large texts": Values(pa.large_string(), X, NAMES),
        "views of texts": Values(pa.string_view(), X, NAMES),
        "categories": Values(pa.dictionary(pa.int32(), pa.string()), X, NAMES),
        "words": Values(pa.string(), lambda code: ("true", "false", "maybe")[code % 3], ONLY),
        "versions": Values(*text("{}.10"), NUMBERS),
        "codes with zeros": Values(*text("{:03}"), LONG),
    },
    "hard texts": {
        "separators": Values(*text("a;{},\t|b"), ONLY),
        "quotes": Values(*text('"{}" b"'), ONLY),
        "line breaks": Values(*text("a{}\nb"), ONLY),
        "line breaks of Windows": Values(*text("a{}\r\nb"), ONLY),
        "other scripts": Values(*text("ä{}漢"), NAMES),
        "blanks": Values(*text(" x{}\u00a0"), NAMES),
        "commas": Values(*text("{},5"), ONLY),
        "thousands": Values(*text("{},234"), ONLY),
    },
    "texts of numbers": {
        "texts of numbers": Values(*text("{}"), (*WHOLE, SIDE)),
        "texts of floats": Values(*text("{}.0"), (*WHOLE, SIDE)),
        "categories of numbers": Values(pa.dictionary(pa.int32(), pa.int16()), int, (*WHOLE, SIDE)),
    },
}  # fmt: skip
EVERY = {name: values for some in VALUES.values() for name, values in some.items()}


ALWAYS, IF_NAMED, AS_A_POINT, NEVER = ("always", "if named", "as a point", "never")


class Style(NamedTuple):
    """How numbers are written in texts: the number of a code, its text, and its decimal mark."""

    number: Callable[[int], float]
    text: Callable[[float], str]
    mark: str = "."
    #: Where it is read: always, if its mark is named, else as a decimal point where no semicolons
    #: part the columns, or never.
    read: str = ALWAYS


def swapped(text: str) -> str:
    return text.translate(str.maketrans(",.", ".,"))


def thousands(code: int) -> float:
    return 997 + 37 * code


def quarters(code: int) -> float:
    return code / 4


def thousandths(code: int) -> float:
    return 1 + code / 1000


STYLES = {
    "plain": Style(quarters, str),
    "thousands": Style(thousands, "{:,}".format, read=IF_NAMED),
    "thousands of points": Style(thousands, lambda x: swapped(f"{x:,}"), ",", AS_A_POINT),
    "millions": Style(lambda code: 10**6 + 37 * code, "{:,}".format),
    "decimal comma": Style(quarters, lambda x: swapped(str(x)), ","),
    "tenths after a comma": Style(tenth, lambda x: swapped(str(x)), ","),
    "three decimals": Style(thousandths, "{:.3f}".format, read=AS_A_POINT),
    "three decimals after a comma": Style(
        thousandths, lambda x: swapped(f"{x:.3f}"), ",", IF_NAMED
    ),
    "thousands and decimals": Style(lambda code: thousands(code) + 0.25, "{:,}".format),
    "points and a comma": Style(
        lambda code: thousands(code) + 0.25, lambda x: swapped(f"{x:,}"), ","
    ),
    "exponents": Style(quarters, "{:.3e}".format),
    "large exponents": Style(quarters, "{:.4E}".format),
    "a comma and exponents": Style(quarters, lambda x: swapped(f"{x:.3e}"), ","),
    "a sign": Style(quarters, "{:+}".format),
    "zeros first": Style(int, "{:05}".format),
    "blanks": Style(quarters, "\u00a0{} ".format),
    "17 digits": Style(lambda code: code / 7, "{:.17g}".format),
    "25 digits": Style(quarters, "{:.25f}".format),
    "a point last": Style(int, "{}.".format),
    "no zero first": Style(lambda code: code / 100, lambda x: f"{x:.2f}".removeprefix("0")),
    "percent": Style(quarters, "{}%".format, read=NEVER),
    "blanks between thousands": Style(thousands, lambda x: f"{x:,}".replace(",", " "), read=NEVER),
    "underscores": Style(thousands, "{:_}".format, read=NEVER),
    "two signs": Style(quarters, "+-{}".format, read=NEVER),
    "hexadecimal": Style(int, hex, read=NEVER),
    "another minus": Style(quarters, "\u2212{}".format, read=NEVER),
    "other digits": Style(
        int, lambda x: str(x).translate({48 + i: 0x660 + i for i in range(10)}), read=NEVER
    ),
    "a currency": Style(quarters, "€{}".format, read=NEVER),
    "infinite": Style(int, lambda x: "inf" if x % 7 == 3 else str(x), read=NEVER),
    "too large": Style(int, lambda x: "1e999" if x % 7 == 3 else str(x), read=NEVER),
}


# ------------------------------------------------------------------------------------------- forms


def written(value: Any, kind: pa.DataType) -> str:
    """Return a value as Python writes it, a float by the digits that its type needs."""
    if value is None or value is pd.NaT:
        return ""
    return str(value if kind == pa.float64() else np.asarray(value, kind.to_pandas_dtype())
               if pa.types.is_floating(kind) else value)  # fmt: skip


def columns_of(table: pa.Table) -> Mapping[str, tuple[pa.DataType, list[Any]]]:
    """Return types and values of columns; times as pandas has them."""
    found = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        stamps = pa.types.is_timestamp(kind)
        found[name] = kind, column.to_pandas().tolist() if stamps else column.to_pylist()
    return found


def texts(table: pa.Table) -> pd.DataFrame:
    """Return a table of the texts that a CSV holds."""
    return pd.DataFrame(
        {
            name: [written(value, kind) for value in values]
            for name, (kind, values) in columns_of(table).items()
        }
    )


def csv_file(table: pa.Table, path: Path, *, packed: bool = False, **options: Any) -> Path:
    content = texts(table).to_csv(index=False, **{"lineterminator": "\n"} | options).encode()
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    return path


def records(table: pa.Table) -> list[dict[str, Any]]:
    """Return rows as JSON holds them."""

    def value(one: Any, kind: pa.DataType) -> Any:
        if one is None or isinstance(one, bool | int | str):
            return one
        text = written(one, kind)
        return float(text) if pa.types.is_floating(kind) else text or None

    columns = {
        name: [value(one, kind) for one in values]
        for name, (kind, values) in columns_of(table).items()
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def json_lines(table: pa.Table, path: Path, *, nulls: bool = True) -> Path:
    rows = [
        {name: value for name, value in row.items() if nulls or value is not None}
        for row in records(table)
    ]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return path


def json_array(table: pa.Table, path: Path) -> Path:
    path.write_text(json.dumps(records(table)), "utf-8")
    return path


def parquet(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path)
    return path


def parquet_of_texts(table: pa.Table, path: Path) -> Path:
    texts(table).replace("", None).to_parquet(path)
    return path


def by_pandas(table: pa.Table, path: Path) -> Path:
    frame = table.to_pandas()
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return path


def by_arrow(table: pa.Table, path: Path) -> Path:
    pyarrow.csv.write_csv(table, path)
    return path


def by_polars(table: pa.Table, path: Path) -> Path:
    polars(table).write_csv(path)
    return path


def by_duckdb(table: pa.Table, path: Path) -> Path:
    rows = duckdb.from_arrow(table)
    rows.write_csv(str(path)) if path.suffix == ".csv" else rows.write_parquet(str(path))
    return path


FILES: dict[str, tuple[str, Callable[[pa.Table, Path], Path]]] = {
    "csv": ("csv", csv_file),
    "csv, ;": ("csv", partial(csv_file, sep=";")),
    "csv, tabs": ("tsv", partial(csv_file, sep="\t")),
    "csv, quoted": ("csv", partial(csv_file, quoting=csv.QUOTE_ALL)),
    "csv, gzip": ("csv.gz", partial(csv_file, packed=True)),
    "csv of Windows": ("csv", partial(csv_file, lineterminator="\r\n")),
    "csv of pandas": ("csv", by_pandas),
    "csv of Arrow": ("csv", by_arrow),
    "csv of Polars": ("csv", by_polars),
    "csv of DuckDB": ("csv", by_duckdb),
    "JSON lines": ("jsonl", json_lines),
    "JSON lines without nulls": ("jsonl", partial(json_lines, nulls=False)),
    "JSON": ("json", json_array),
    "Parquet": ("parquet", parquet),
    "Parquet of pandas": ("parquet", by_pandas),
    "Parquet of DuckDB": ("parquet", by_duckdb),
    "Parquet of texts": ("parquet", parquet_of_texts),
}


def objects(table: pa.Table) -> pd.DataFrame:
    """Return a table of pandas whose columns are of objects: Python's, and numpy's of floats."""
    return pd.DataFrame(
        {
            name: pd.Series(
                [
                    kind.to_pandas_dtype()(value)
                    if pa.types.is_floating(kind) and value is not None else value
                    for value in values
                ],
                dtype=object,
            )
            for name, (kind, values) in columns_of(table).items()
        }
    )  # fmt: skip


#: The types of pandas that know missing values.
NULLABLE = {pa.bool_(): pd.BooleanDtype()} | {
    getattr(pa, name.lower())(): getattr(pd, f"{name}Dtype")()
    for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
}


def nullable(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(types_mapper=NULLABLE.get).convert_dtypes()


def of_arrow(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def polars(table: pa.Table) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(table))


def chunks(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table[:7], table[7:9], table[9:]])


TABLES: dict[str, Callable[[pa.Table], Any]] = {
    "Arrow": lambda table: table,
    "Arrow, in chunks": chunks,
    "Arrow, a reader": pa.Table.to_reader,
    "pandas": pa.Table.to_pandas,
    "pandas, objects": objects,
    "pandas, nullable": nullable,
    "pandas, of Arrow": of_arrow,
    "pandas, categories": lambda table: table.to_pandas().astype("category"),
    "Polars": polars,
    "Polars, lazy": lambda table: polars(table).lazy(),
    "DuckDB": duckdb.from_arrow,
    "narwhals": lambda table: nw.from_native(polars(table)),
    "narwhals of pandas": lambda table: nw.from_native(of_arrow(table)),
}
FORMS = [*FILES, *TABLES]
#: Types that some forms do not have, or write as other numbers.
LACKING = {
    "halffloat": ("csv of DuckDB", "Parquet of DuckDB", "DuckDB", "pandas, nullable",
        "csv of pandas", "csv of Arrow", "csv of Polars", "pandas, categories", "Arrow, a reader"),
    "decimal256(50, 3)": ("csv of DuckDB", "Parquet of DuckDB", "DuckDB", "csv of Polars", "Polars",
        "Polars, lazy", "narwhals", "Arrow, a reader"),
    "string_view": ("csv of Arrow", "pandas, categories"),
}  # fmt: skip
LACKING["decimal256(50, 0)"] = LACKING["decimal256(50, 3)"]


def made(form: str, table: pa.Table, folder: Path) -> Any:
    """Return a table in a form: the path of a file, or a table of a library."""
    if form in TABLES:
        return TABLES[form](table)
    ending, write = FILES[form]
    return write(table, folder / f"rows.{ending}")
