import csv
import errno
import io
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairpairs.base import files
from fairpairs.base.errors import InputError
from fairpairs.base.sealed import read_json


def test_what_is_written_is_put_in_place(tmp_path):
    path = tmp_path / "new" / "folder" / "text.txt"
    with files.written_whole(path) as temporary:
        temporary.write_text("whole", encoding="utf-8")
        assert not path.exists()
        assert temporary.parent == path.parent  # else the renaming would copy
        assert temporary != path
    assert path.read_text(encoding="utf-8") == "whole"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("exception", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("name", ["text.txt", "new/folder/text.txt"])
def test_an_exception_leaves_nothing(tmp_path, exception, name):
    path = tmp_path / name
    with pytest.raises(exception), files.written_whole(path) as temporary:
        temporary.write_text("hal", encoding="utf-8")
        raise exception
    assert list(tmp_path.iterdir()) == []


def test_an_exception_leaves_an_old_file_whole(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(ValueError, match="stop"), files.written_whole(path) as temporary:
        temporary.write_text("ne", encoding="utf-8")
        raise ValueError("stop")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_while_writing_leaves_an_old_file_whole(tmp_path):
    path = tmp_path / "content.json"
    files.write_json(path, {"a": 1})
    with pytest.raises(TypeError):
        files.write_json(path, {"a": object()})
    assert read_json(path) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_a_success_replaces_an_old_file(tmp_path):
    path = tmp_path / "text.txt"
    files.write_text(path, "old and longer")
    files.write_text(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    path = tmp_path / "text.txt"
    with files.written_whole(path) as one, files.written_whole(path) as other:
        assert one != other
        one.write_text("one", encoding="utf-8")
        other.write_text("other", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "one"  # the outer one ends last
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_has_the_rights_of_any_new_file(tmp_path):
    before = os.umask(0o027)
    try:
        files.write_text(tmp_path / "ours.txt", "")
        (tmp_path / "plain.txt").write_text("", encoding="utf-8")
    finally:
        os.umask(before)
    assert (tmp_path / "ours.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode


def test_text_is_utf_8_with_plain_line_ends(tmp_path):
    files.write_text(tmp_path / "text.txt", "≤ 25\nü\n")
    assert (tmp_path / "text.txt").read_bytes() == b"\xe2\x89\xa4 25\n\xc3\xbc\n"


def test_json_is_readable_and_keeps_its_order(tmp_path):
    files.write_json(tmp_path / "content.json", {"b": "≤", "a": [1]})
    text = (tmp_path / "content.json").read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert "≤" in text
    assert list(read_json(tmp_path / "content.json").items()) == [("b", "≤"), ("a", [1])]


NAMES = ["=1+1", "+1+1", "-1-1", "@SUM(1)", "\tx", "\r=x", "\n=x", "\uff1d1", "-", "-1,5", "+inf"]
PLAIN = ["a=1", " =1", "'=1", "-1", "+1.", "-.5e-3", "", "1", "–", None]


@pytest.mark.parametrize("kind", [object, "str", "category", "string[pyarrow]"])
def test_no_name_in_a_csv_file_is_a_formula_but_numbers_and_the_users_tables_stay(kind):
    numbers = pd.Series([-1.5, 2] + [None] * (len(PLAIN) - 2))
    for names, before in ((NAMES, "'"), (PLAIN, "")):
        table = pd.DataFrame({"=group": pd.Series(names, dtype=kind), "-1": numbers})
        table.insert(2, "-1", [-1, *names[1:]], allow_duplicates=True)
        rows = list(csv.reader(io.StringIO(files.csv_text(table), newline="")))
        assert rows[0] == ["'=group", "-1", "-1"]
        assert [row[0] for row in rows[1:]] == [before + (name or "") for name in names]
        assert [row[1] for row in rows[1:3]] == ["-1.5", "2.0"]
        assert rows[1][2] == "-1"
        given = files.csv_text(table, as_given=True)
        assert [row[0] for row in csv.reader(io.StringIO(given, newline=""))][1:] == [
            name or "" for name in names
        ]
    assert list(table.columns) == ["=group", "-1", "-1"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "item": np.arange(1000, dtype=np.int32),
            "score": rng.random(1000),
            "city": rng.choice(["Ash", "Birk", None], 1000),
            "prediction": rng.integers(2, size=1000).astype(np.int8),
        }
    )


def test_the_same_frame_gives_the_same_bytes(tmp_path, frame):
    files.write_parquet(tmp_path / "one.parquet", frame)
    files.write_parquet(tmp_path / "other.parquet", frame.copy())
    files.write_parquet(tmp_path / "indexed.parquet", frame.set_axis(range(5, 1005)))
    bytes_of_one = (tmp_path / "one.parquet").read_bytes()
    assert (tmp_path / "other.parquet").read_bytes() == bytes_of_one
    assert len(pd.read_parquet(tmp_path / "indexed.parquet").columns) == 4
    changed = frame.assign(score=frame["score"] + 1e-9)
    files.write_parquet(tmp_path / "changed.parquet", changed)
    assert (tmp_path / "changed.parquet").read_bytes() != bytes_of_one


def test_arrow_itself_opens_what_is_read(tmp_path, frame, monkeypatch):
    # a thread of Arrow that lets go of a file of Python's aborts a process that is about to end
    sources, read_table = [], pq.read_table

    def spied(source, **options):
        sources.append(source)
        return read_table(source, **options)

    monkeypatch.setattr(pq, "read_table", spied)
    files.write_parquet(tmp_path / "table.parquet", frame)
    assert len(files.read_parquet(tmp_path / "table.parquet")) == 1000
    assert [type(source) for source in sources] == [pa.OSFile]


def test_some_columns_of_a_file_with_any_name_are_read(tmp_path, frame):
    path = os.fsencode(tmp_path) + b"/\xff~.parquet"  # no UTF-8
    files.write_parquet(tmp_path / "table.parquet", frame)
    (tmp_path / "table.parquet").rename(os.fsdecode(path))
    back = files.read_parquet(os.fsdecode(path), ["score"])
    pd.testing.assert_frame_equal(back, frame[["score"]])


def test_a_frame_is_read_back_as_it_was(tmp_path, frame):
    files.write_parquet(tmp_path / "table.parquet", frame)
    back = files.read_parquet(tmp_path / "table.parquet")
    assert back.dtypes.to_dict() == frame.dtypes.to_dict()
    pd.testing.assert_frame_equal(back, frame, check_exact=True)
    assert [path.name for path in tmp_path.iterdir()] == ["table.parquet"]


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "the disk is full; make room"),
        (errno.EROFS, "its folder is read-only; choose another"),
    ],
)
def test_what_cannot_be_written_is_said_with_the_remedy(tmp_path, number, remedy):
    path = tmp_path / "table.csv"
    said = pytest.raises(InputError, match=f"table.csv cannot be written: {remedy}")
    with said, files.written_whole(path) as temporary:
        temporary.write_text("half")
        raise OSError(number, "cannot")
    assert list(tmp_path.iterdir()) == []


def everything(folder):
    return {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("blocked", [0, 1, 2])
def test_files_that_belong_together_are_all_replaced_or_none(tmp_path, blocked):
    names = ["a.txt", "b.txt", "c.txt"]
    (tmp_path / names[blocked]).mkdir()
    (tmp_path / names[blocked - 1]).write_text("old")  # the third is not there yet
    before = everything(tmp_path)
    contents = {tmp_path / name: f"new {name}" for name in names}
    with pytest.raises(InputError, match=rf"/{names[blocked]} cannot be written: there is a"):
        files.write_together(contents)
    assert everything(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / names[blocked]).rmdir()
    files.write_together(contents)
    assert everything(tmp_path) == {name: f"new {name}" for name in names}


@pytest.mark.parametrize("older", [True, False])
def test_a_link_goes_on_leading_to_what_is_written(tmp_path, older):
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "text.txt", tmp_path / "link"
    link.symlink_to(os.path.relpath(real, tmp_path))
    if older:
        real.write_text("old")
    files.write_together({link: "new", tmp_path / "other": "new"})
    assert link.is_symlink()
    assert everything(tmp_path) == {"link": "new", "text.txt": "new", "other": "new"}
    said = pytest.raises(InputError, match="/link cannot be written: the disk is full")
    with said, files.written_whole(link) as temporary:
        raise OSError(errno.ENOSPC, "no space", str(temporary))


def test_an_exception_leaves_none_of_several_files(tmp_path):
    files.write_text(tmp_path / "a", "old")
    paths = tmp_path / "a", tmp_path / "new" / "b"
    with pytest.raises(OSError, match="odd"), files.written_together(*paths) as (one, other):
        one.write_text("half")
        other.write_text("half")
        raise OSError("odd")
    assert everything(tmp_path) == {"a": "old"}


def test_files_that_belong_together_are_named_together(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    sentence = f"{paths[0]}, {paths[1]} cannot be written: the disk is full"
    with pytest.raises(InputError, match=sentence), files.written_together(*paths):
        raise OSError(errno.ENOSPC, "no space")
    assert list(tmp_path.iterdir()) == []


def test_what_utf_8_cannot_hold_is_written_in_ascii(tmp_path):
    files.write_json(tmp_path / "name.json", {"file": "bad\udcff.csv"})
    assert read_json(tmp_path / "name.json") == {"file": "bad\udcff.csv"}


def test_the_parts_of_a_table_are_read_one_after_the_other(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3]})
    paths = [tmp_path / f"{i}.parquet" for i in range(2)]
    for path, part in zip(paths, (frame[:2], frame[2:]), strict=True):
        files.write_parquet(path, part)
    pd.testing.assert_frame_equal(files.read_parts(paths), frame)
