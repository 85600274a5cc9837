"""A chunk is made block by block, and goes on where it was ended."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from fairpairs.base.errors import InputError
from fairpairs.base.files import Pieces, read_parquet, write_text
from fairpairs.papers.experiments import blocks
from fairpairs.papers.experiments.blocks import FIRST, blocks_of, minutes_asked, write_in_blocks

CHUNK = "results/0000010-0000019.parquet"


@pytest.fixture(autouse=True)
def _blocks_of_four(monkeypatch, folder):
    monkeypatch.setattr(blocks, "BLOCK", 4)


def job(settings=1):
    write_text("data.csv", "a\n")
    return SimpleNamespace(params={"settings": settings}, input=["data.csv"])


def frame(repeats):
    return pd.DataFrame({"repeat": np.repeat(repeats, 3), "note": ""})


class Made:
    """What makes a block, and ends in one of them as a job does that meets its limit."""

    def __init__(self, ends_in=None):
        self.blocks, self.ends_in = [], ends_in

    def __call__(self, number, repeats):
        if number == self.ends_in:
            raise KeyboardInterrupt
        self.blocks.append((number, list(repeats)))
        return frame(repeats)


def test_what_is_there_is_not_made_again():
    with pytest.raises(KeyboardInterrupt):
        write_in_blocks(CHUNK, first := Made(ends_in=2), job())
    assert not Path(CHUNK).exists()
    write_in_blocks(CHUNK, second := Made(), job())
    assert first.blocks == [(0, [10, 11, 12, 13]), (1, [14, 15, 16, 17])]
    assert second.blocks == [(2, [18, 19])]
    assert list(Path("results").iterdir()) == [Path(CHUNK)]


def test_a_chunk_has_the_same_bytes_however_it_was_ended():
    with pytest.raises(KeyboardInterrupt):
        write_in_blocks(CHUNK, Made(ends_in=1), job())
    found = []
    for _ in range(2):
        write_in_blocks(CHUNK, Made(), job())
        found.append(Path(CHUNK).read_bytes())
    assert found[0] == found[1]
    pd.testing.assert_frame_equal(read_parquet(CHUNK), frame(range(10, 20)))


def test_blocks_of_other_settings_or_data_are_made_again():
    for changed in (lambda: job(settings=2), lambda: write_text("data.csv", "b\n") or job_as_is()):
        with pytest.raises(KeyboardInterrupt):
            write_in_blocks(CHUNK, Made(ends_in=2), job())
        write_in_blocks(CHUNK, made := Made(), changed())
        assert len(made.blocks) == 3


def job_as_is():
    return SimpleNamespace(params={"settings": 1}, input=["data.csv"])


def test_a_block_is_read_alone_and_a_file_of_one_block_whole():
    write_in_blocks(CHUNK, Made(), job())
    pd.testing.assert_frame_equal(Pieces(CHUNK).read(1), frame(range(14, 18)))
    columns = [list(piece) for piece in Pieces(CHUNK).each(["repeat"])]
    assert columns == [["repeat"]] * 3
    one = "results/0000000-0000003.parquet"
    write_in_blocks(one, Made(), job())
    (piece,) = Pieces(one).each()
    pd.testing.assert_frame_equal(piece, frame(range(4)))


def test_damage_is_noticed():
    write_in_blocks(CHUNK, Made(), job())
    content = Path(CHUNK).read_bytes()
    Path(CHUNK).write_bytes(content[:20] + b"xxxx" + content[24:])
    with pytest.raises(InputError, match="damaged"):
        Pieces(CHUNK)


def test_an_attempt_asks_for_what_the_blocks_of_the_one_before_tell():
    assert minutes_asked(CHUNK, 1, 5, 0.1) == 6
    assert minutes_asked(CHUNK, 1, 5, 1000) == FIRST
    assert minutes_asked(CHUNK, 2, 5, 0.1) == 12
    path = "results/0000000-0000399.parquet"  # 100 blocks
    for number in range(4):
        write_text(block := blocks_of(path) / f"{number}.parquet", "")
        os.utime(block, (120 * number, 120 * number))
    assert minutes_asked(path, 2, 5, 1) == 5 + 1.5 * 2 * 96
    assert minutes_asked(path, 1, 5, 0.1) == 45
