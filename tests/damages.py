"""Damages to files by rule; FAIRPAIRS_DAMAGES is how many of each kind of file are tried."""

import os

import pyarrow as pa
import pyarrow.parquet as pq

#: The share of all damages that is tried.
SHARE = float(os.environ.get("FAIRPAIRS_DAMAGES", "30")) / 300


def cut(path, rng):
    path.write_bytes(path.read_bytes()[: rng.integers(path.stat().st_size)])


def bit_turned(path, rng):
    content = bytearray(path.read_bytes())
    content[rng.integers(len(content))] ^= 1 << rng.integers(8)
    path.write_bytes(content)


def bytes_zeroed(path, rng):
    content = bytearray(path.read_bytes())
    start = rng.integers(len(content) - 8)
    content[start : start + 8] = bytes(8)
    path.write_bytes(content)


def bytes_swapped(path, rng):
    content = bytearray(path.read_bytes())
    i, j = rng.integers(len(content) - 4, size=2)
    content[i : i + 4], content[j : j + 4] = content[j : j + 4], content[i : i + 4]
    path.write_bytes(content)


def line_twice(path, rng):
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert(rng.integers(len(lines)), lines[rng.integers(len(lines))])
    path.write_bytes(b"".join(lines))


def line_lost(path, rng):
    lines = path.read_bytes().splitlines(keepends=True)
    del lines[rng.integers(len(lines))]
    path.write_bytes(b"".join(lines))


def columns_swapped(path, rng):
    table = pq.read_table(path)
    names = list(table.column_names)
    i, j = rng.choice(len(names), 2, replace=False)
    names[i], names[j] = names[j], names[i]
    pq.write_table(table.rename_columns(names), path)


def rows_twice(path, rng):
    table = pq.read_table(path)
    again = table.slice(rng.integers(len(table)), rng.integers(1, len(table)))
    pq.write_table(pa.concat_tables([table, again]), path)


#: Each damage of any file, and how often it is tried: 300 times in all, and those below besides.
ANYWHERE = {
    cut: 60, bit_turned: 130, bytes_zeroed: 50, bytes_swapped: 20, line_twice: 20, line_lost: 20,
}  # fmt: skip
IN_PARQUET = {columns_swapped: 20, rows_twice: 20}
