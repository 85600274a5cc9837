"""Parquet files with a digest: that of all bytes but its own digits, and noticed when it is not."""

import hashlib

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from fairpairs.base.errors import InputError
from fairpairs.base.files import read_parquet, write_parquet
from fairpairs.base.reading.table import Table
from fairpairs.base.sealed import carries_digest, checked_digest

FRAME = pd.DataFrame(
    {"item": np.arange(500), "score": np.arange(500) / 7, "group": ["a", "b"] * 250}
)


def test_the_digest_is_of_all_bytes_with_zeros_for_its_digits(tmp_path):
    path = tmp_path / "a.parquet"
    write_parquet(path, FRAME, metadata={"hub": "x"})
    metadata = pq.read_metadata(path).metadata
    digits = metadata[b"fairpairs_sha256"]
    content = path.read_bytes()
    assert content.count(digits) == 1
    expected = hashlib.sha256(content.replace(digits, b"0" * 64)).hexdigest()
    assert checked_digest(path) == digits.decode() == expected
    assert carries_digest(path)
    assert metadata[b"hub"] == b"x"
    pd.testing.assert_frame_equal(read_parquet(path), FRAME)


@pytest.mark.parametrize("columns", [None, ["item"]])
def test_what_is_damaged_is_not_read(tmp_path, columns):
    path = tmp_path / "a.parquet"
    write_parquet(path, FRAME)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    sentence = "a.parquet: damaged, or changed since FairPairs wrote it: delete it, and run the"
    with pytest.raises(InputError, match=sentence):
        read_parquet(path, columns)
    with pytest.raises(InputError, match=sentence):
        Table(path)


def test_files_of_others_carry_none(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.txt").write_text("PAR1")
    (tmp_path / "b.txt").write_bytes(b"\xff" * 4 + b"PAR1")
    for name in ("a.parquet", "a.txt", "b.txt"):
        assert checked_digest(tmp_path / name) is None
    with pytest.raises(InputError, match=r"a\.parquet: no digest of FairPairs is in it"):
        read_parquet(tmp_path / "a.parquet")
