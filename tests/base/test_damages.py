"""Each kind of file that FairPairs writes and reads again, damaged: refused, or the same numbers.

Counts files: tests/audits/counting/test_damaged_counts.py.
"""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairpairs.audits.monitor import storage
from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256, read_parquet, write_json, write_parquet
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.display.figures import saved
from fairpairs.papers.display.svg import embedded
from fairpairs.papers.display.tables import read_table, read_words, write_table
from fairpairs.papers.run.checksums import read_checksums
from fairpairs.papers.run.verification import _read_numbers
from tests.damages import ANYWHERE, IN_PARQUET, SHARE

EXPECTED = Path(__file__).parents[2] / "expected"
RECORD = {"dataset": "loans", "sensitive": ["sex"], "counts": {"items": 1000, "label": 0.1}}
ROWS = pd.DataFrame({"row": list("abcdefgh"), "value": np.arange(8) / 7, "count": np.arange(8)})


def drawn(path):
    with saved(path, 2, 2) as figure:
        figure.subplots().plot([1, 2, 3])


def table_with_sidecar(path):
    write_table(path, ROWS)
    write_json(path.with_suffix(".provenance.json"), {"sha256": file_sha256(path), **RECORD})


def committed(path):
    for name in ("tables.zip", "checksums.txt"):
        shutil.copy(EXPECTED / name, path.with_name(name))


def numbers_of_committed(path):
    checksums = read_checksums(path.with_name("checksums.txt"))
    return checksums, _read_numbers(path.with_name("tables.zip"), checksums)


#: A kind of file: its name, what writes it, and what returns its numbers.
FILES = {
    "data and results": ("a.parquet", lambda path: write_parquet(path, ROWS), read_parquet),
    "descriptions of data": ("a.json", lambda path: write_json(path, RECORD), read_roles),
    "tables": ("a.csv", table_with_sidecar, read_table),
    "tables as words": ("a.csv", table_with_sidecar, read_words),
    "figures": ("a.svg", drawn, lambda path: embedded(path, "a")),
    "committed numbers": ("tables.zip", committed, numbers_of_committed),
    "committed checksums": ("checksums.txt", committed, numbers_of_committed),
    "states": ("a.state", lambda path: storage.update(path, lambda *_: RECORD), storage.read),
}


@pytest.mark.parametrize(
    ("kind", "damage"),
    [(kind, damage) for kind in FILES for damage in ANYWHERE]
    + [("data and results", damage) for damage in IN_PARQUET],
)
def test_a_damaged_file_is_refused_or_gives_the_same_numbers(tmp_path, kind, damage):
    name, write, read = FILES[kind]
    path, rng = tmp_path / name, np.random.default_rng(1)
    write(path)
    whole, content = read(path), path.read_bytes()
    for _ in range(round((ANYWHERE | IN_PARQUET)[damage] * SHARE)):
        path.write_bytes(content)
        damage(path, rng)
        try:
            numbers = read(path)
        except InputError as error:
            assert re.fullmatch(rf"{tmp_path}/.*: .*\.", str(error))
        else:
            assert str(numbers) == str(whole)


def test_a_table_that_was_edited_and_its_sidecar_are_told_apart(tmp_path):
    path = tmp_path / "a.csv"
    table_with_sidecar(path)
    pd.testing.assert_frame_equal(read_table(path), ROWS)
    write_json(path.with_suffix(".provenance.json"), {"sha256": "0" * 64})
    with pytest.raises(InputError, match=r"a\.csv: damaged, or changed since FairPairs wrote it"):
        read_table(path)
    path.with_suffix(".provenance.json").write_text("{}")
    with pytest.raises(InputError, match=r"a\.provenance\.json: no digest of FairPairs is in it"):
        read_table(path)
    path.with_suffix(".provenance.json").unlink()
    pd.testing.assert_frame_equal(read_table(path), ROWS)


def test_numbers_and_checksums_of_two_runs_do_not_fit(tmp_path):
    path = tmp_path / "tables.zip"
    committed(path)
    checksums = path.with_name("checksums.txt")
    checksums.write_text(checksums.read_text().replace("results/claims.csv", "results/other.csv"))
    with pytest.raises(InputError, match=r"checksums\.txt: it is damaged, or not of tables\.zip"):
        numbers_of_committed(path)
