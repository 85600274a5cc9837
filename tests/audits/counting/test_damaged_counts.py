"""Counts files that are damaged: one sentence and exit status 2, or the numbers of the whole ones.

They are damaged by rule, from a fixed seed.
"""

import json
import shutil

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError
from fairpairs.base.sealed import sealed_writer
from fairpairs.cli import app
from tests.audits.counting.made import joined, values_of
from tests.damages import ANYWHERE, IN_PARQUET, SHARE

ROLES = {"label": "y", "prediction": "p", "sensitive": ["g"], "score": "s"}
NAMES = ["a.counts", "b.counts"]


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """Two counts files of 300 items each, in a folder of their own."""
    folder = tmp_path_factory.mktemp("shards")
    rng = np.random.default_rng(0)
    for name in NAMES:
        y, p = rng.integers(0, 2, (2, 300))
        frame = pd.DataFrame(
            {"y": y, "p": p, "s": rng.random(300).round(1), "g": rng.choice(["f", "m"], 300)}
        )
        frame.to_parquet(folder / "rows.parquet")
        count_files([folder / "rows.parquet"], folder / name, **ROLES)
    (folder / "rows.parquet").unlink()
    return folder


def numbers(folder):
    """The cells of all counts files, and their rows by score."""
    rows = Rows.of_files([folder])
    coded = ["y", "p", "g"]
    cells = rows.cells(coded, ["s"])
    ordered = joined(rows, ["s"], cells)
    return values_of(cells), [part.tolist() for part in ordered]


def shard_twice(path, rng):
    shutil.copy(path, path.with_name(f"{rng.integers(100)}.counts"))


def other_version(path, rng):
    table = pq.read_table(path)
    header = json.loads(table.schema.metadata[b"fairpairs"])
    header["version"] = int(rng.integers(2, 100))
    table = table.replace_schema_metadata({"fairpairs": json.dumps(header)})
    with sealed_writer(path, table.schema) as writer:
        writer.write_table(table)


#: Each damage, and how often it is tried.
DAMAGES = ANYWHERE | IN_PARQUET | {shard_twice: 20, other_version: 20}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_counts_file_is_refused_or_gives_the_same_numbers(shards, tmp_path, damage):
    rng = np.random.default_rng(1)
    whole = numbers(shards)
    refused = 0
    tried = round(DAMAGES[damage] * SHARE)
    for i in range(tried):
        folder = shutil.copytree(shards, tmp_path / str(i))
        damage(folder / NAMES[i % 2], rng)
        ran = CliRunner().invoke(app, ["audit", str(folder)])
        if ran.exit_code == 2:
            refused += 1
            assert ran.stderr.count("\n") == 1
            assert "Traceback" not in ran.stderr
        else:
            assert ran.exit_code == 0
            assert numbers(folder) == whole
    assert refused > 0.9 * tried


def test_the_result_of_a_query_has_no_combination_twice(tmp_path):
    rows = {"y": [0, 1, 1], "p": [1, 0, 0], "g": ["a", "b", "b"], "s": [0.1, 0.2, 0.2]}
    table = pd.DataFrame(rows | {"n": [3, 2, 2]})
    path = tmp_path / "result.parquet"
    table.to_parquet(path)
    words = r"result.parquet: more than one row counts `y` 1, `p` 0, `s` 0.2, `g` 'b': sum the"
    with pytest.raises(InputError, match=words):
        count_files([path], tmp_path / "a.counts", **ROLES, weight="n")
    table.assign(day=[1, 1, 2]).to_parquet(path)  # by one column more than is counted
    assert count_files([path], tmp_path / "a.counts", **ROLES, weight="n") == 7


def test_count_notes_that_the_result_of_a_query_has_no_digest(folder):
    pd.DataFrame({"y": [0, 1], "p": [1, 0], "g": ["a", "b"], "n": [3, 2]}).to_parquet("r.parquet")
    roles = ["--label", "y", "--prediction", "p", "--sensitive", "g"]
    ran = CliRunner().invoke(app, ["count", "r.parquet", *roles, "--weight", "n", "-o", "a.counts"])
    assert ran.output.splitlines()[1:] == [
        "r.parquet: no digest of FairPairs is in it, so damage that leaves whole numbers is not "
        "noticed."
    ]
    again = CliRunner().invoke(app, ["count", "a.counts", *roles, "-o", "b.counts"])
    assert len(again.output.splitlines()) == 1


def test_empty_shards_may_be_equal(shards, tmp_path):
    folder = shutil.copytree(shards, tmp_path / "shards")
    rows = pd.DataFrame({"y": [1], "p": [1], "s": [0.5], "g": ["f"]})[:0]
    rows["g"] = rows["g"].astype("str")
    rows.to_parquet(tmp_path / "rows.parquet")
    for name in ("c.counts", "d.counts"):
        count_files([tmp_path / "rows.parquet"], folder / name, **ROLES)
    assert numbers(folder) == numbers(shards)
