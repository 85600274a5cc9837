"""A state is old or new, never between, whenever a process ends; damage is refused."""

import hashlib
import multiprocessing
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import numpy as np
import pytest

import fairpairs as fp
from fairpairs.audits.monitor import storage
from fairpairs.audits.monitor.state import RECORDS
from fairpairs.base.errors import InputError
from tests.audits.monitor.streams import ROWS, SCORED, people

#: Changes a state for ever.
PROGRAM = """
import os
import sys
from fairpairs.audits.monitor import storage
while True:
    storage.update(
        storage.Path(sys.argv[1]),
        lambda old, ids: {"rows": old["rows"] + 1, "padding": os.urandom(100_000).hex()},
    )
"""
TWENTY = PROGRAM.replace("while True", "for _ in range(20)")


def written(path, **content):
    """Write a state whatever was there before."""
    storage.update(path, lambda *_: content)


@pytest.fixture
def state(tmp_path):
    path = tmp_path / "model?.state"
    written(path, rows=1, words="é\n\udc80")
    return path


def test_what_is_written_is_read(state):
    assert storage.read(state) == {"rows": 1, "words": "é\n\udc80"}
    written(state, rows=2)
    assert storage.read(state) == {"rows": 2}
    assert list(state.parent.iterdir()) == [state]


@pytest.mark.parametrize("new", [False, True])
def test_a_full_disk_leaves_the_old_state(state, monkeypatch, new):
    before, connect = state.read_bytes(), sqlite3.connect
    path = state.with_name("new.state") if new else state

    def full(*arguments, **options):
        base = connect(*arguments, **options)
        base.execute("PRAGMA max_page_count = 3")
        return base

    monkeypatch.setattr(sqlite3, "connect", full)
    sentence = r"cannot be written \(No space left on device\): the disk is full; make room\."
    with pytest.raises(InputError, match=sentence):
        written(path, padding=os.urandom(100_000).hex())
    assert state.read_bytes() == before
    assert list(state.parent.iterdir()) == [state]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [{}, {"ids": "id"}, {"clusters": "id"}])
def test_a_limit_of_the_size_of_files_leaves_the_old_state(tmp_path, arguments):
    path, batches = tmp_path / "s", [people(9000, seed=i).assign(id=range(9000)) for i in (0, 1)]
    fp.monitor(path, batches[0], **ROWS, **arguments)
    batches[1]["id"] += 9000
    before, unlimited = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    sentence = (
        r"/s: the state cannot be written \(File too large\): it is larger than a file may be "
        r"here; raise the limit \(`ulimit -f`\)\.$"
    )
    for limit in (1000, len(before) - 1000, len(before)):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, unlimited[1]))
        try:
            with pytest.raises(InputError, match=sentence):
                fp.monitor(path, batches[1])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        assert path.read_bytes() == before
        assert fp.monitor(path).about["batches"] == 1


@pytest.mark.parametrize("new", [False, True])
def test_a_failure_before_the_end_changes_nothing(state, monkeypatch, new):
    before = state.read_bytes()

    def killed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(storage, "_write", killed)
    with pytest.raises(KeyboardInterrupt):
        written(state.with_name("new") if new else state, rows=2)
    assert state.read_bytes() == before
    assert list(state.parent.iterdir()) == [state]


def test_a_state_that_another_process_began_meanwhile_is_kept(state):
    other = state.with_name("other")
    with pytest.raises(InputError, match="another process appends to this state"):
        storage.update(other, lambda *_: written(other, rows=5) or {"rows": 6})
    assert storage.read(other) == {"rows": 5}


@pytest.mark.slow
def test_processes_that_are_killed_leave_a_whole_state(state):
    rows = 1
    for i in (0, 3):
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(state)])
        deadline = time.monotonic() + 60
        while storage.read(state)["rows"] == rows and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(0.01 * i)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert storage.read(state)["rows"] > rows
        rows = storage.read(state)["rows"]


@pytest.mark.slow
def test_two_processes_at_once_lose_nothing(state):
    both = [subprocess.Popen([sys.executable, "-c", TWENTY, str(state)]) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert storage.read(state)["rows"] == 41


def _hold(path, held, end):
    def wait(old, _):
        held.set()
        end.wait(20)
        return old

    storage.update(path, wait)


@pytest.mark.slow
def test_a_process_that_waits_in_vain_says_so(tmp_path, monkeypatch):
    path = tmp_path / "s"
    fp.monitor(path, people(50), **ROWS)
    context = multiprocessing.get_context("spawn")
    held, end = context.Event(), context.Event()
    process = context.Process(target=_hold, args=(path, held, end))
    process.start()
    assert held.wait(20)
    monkeypatch.setattr(storage, "WAIT", 0.05)
    with pytest.raises(InputError, match="another process appends to this state"):
        fp.monitor(path, people(50, seed=1))
    assert fp.monitor(path).about["batches"] == 1  # a look is no change
    end.set()
    process.join()
    assert fp.monitor(path, people(50, seed=1)).about["batches"] == 2


def test_a_link_goes_on_leading_to_the_state(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "state")
    fp.monitor(tmp_path / "link", people(300), **ROWS)
    fp.monitor(tmp_path / "link", people(300, seed=1))
    assert (tmp_path / "link").is_symlink()
    assert fp.monitor(tmp_path / "state").about["batches"] == 2


def test_other_fields_of_a_record_need_another_format(tmp_path):
    path = tmp_path / "s"
    fp.monitor(
        path,
        people(300),
        **SCORED,
        criterion=["separation", "xauc", "differential_parity"],
        window=3,
    )
    fields = set()

    def collect(value):
        for kind, content in value.items() if isinstance(value, dict) else ():
            if kind in RECORDS:
                fields.add((kind, *content))
            collect(content)
        for each in value if isinstance(value, list) else ():
            collect(each)

    collect(storage.read(path))
    digest = hashlib.sha256(repr(sorted(fields)).encode()).hexdigest()[:8]
    assert (storage.FORMAT, digest) == (5, "c206bba4")  # another digest: add 1 to the format


def _executed(path, *statements):
    with closing(sqlite3.connect(path)) as base:
        for statement in statements:
            base.execute(statement)
        base.commit()


def _edited(content):
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(content)
        base.execute("UPDATE state SET content = substr(content, 2) WHERE id = 1")
        base.commit()
        return base.serialize()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda content: content[: len(content) // 2], "was cut off or edited: take it from a bac"),
        (lambda content: content[:-3], "was cut off or edited"),
        (_edited, "was cut off or edited"),
        (lambda content: content[:60] + b"\0\0\0\3" + content[64:], "format 3, and this"),
        (lambda content: b"a,b\n1,2\n", "not the state of a monitor: name another file"),
        (lambda content: b"", "not the state of a monitor"),
    ],
    ids=["half", "end", "edited", "version", "csv", "empty"],
)
def test_what_is_no_whole_state_is_refused(tmp_path, change, sentence):
    path = tmp_path / "s"
    fp.monitor(path, people(300), **ROWS)
    content = change(path.read_bytes())
    path.write_bytes(content)
    for data in (None, people(300, seed=1)):
        with pytest.raises(InputError, match=sentence):
            fp.monitor(path, data, **({} if data is None else ROWS))
    assert path.read_bytes() == content


@pytest.mark.slow
def test_a_damaged_byte_is_refused_or_changes_no_number_now_or_later(tmp_path):
    """Bytes of free space change nothing; all of a state without ids were tried once."""
    path = tmp_path / "s"
    rows = people(60).assign(id=range(60))
    late = rows.assign(y=rows["y"].where(rows.index % 2 == 0))
    fp.monitor(path, late, **ROWS, ids="id")
    fp.monitor(path, people(60, seed=1).assign(id=range(60, 120)))
    whole, expected = path.read_bytes(), storage.read(path)
    rng, refused = np.random.default_rng(0), 0
    made = whole.index(storage.TABLE.encode())
    places = [*range(100), *range(made, made + len(storage.TABLE))]
    for place in [*places, *rng.integers(100, len(whole), 500).tolist()]:
        content = bytearray(whole)
        content[place] ^= int(rng.integers(1, 256))
        path.write_bytes(content)
        try:
            assert storage.read(path) == expected
        except InputError:
            refused += 1
            continue
        try:
            written(path, rows=4)
        except InputError:  # a byte that says whether other versions may write
            assert path.read_bytes() == content
        else:
            assert storage.read(path) == {"rows": 4}
    assert refused >= len(storage.TABLE)


def test_a_message_of_sqlite_that_is_no_text_is_of_damage(state):
    whole = state.read_bytes()
    for place in range(whole.index(storage.TABLE.encode()), whole.index(b"content BLOB)")):
        state.write_bytes(whole[:place] + b"\x96" + whole[place + 1 :])
        with pytest.raises(InputError, match="was cut off or edited"):
            storage.read(state)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE pieces SET labels = zeroblob(length(labels))",
        "UPDATE pieces SET ids = content, content = ids",
        "UPDATE pieces SET batch = 2",
        "UPDATE pieces SET kind = 'persons'",
        "UPDATE pieces SET checksum = NULL",
        "UPDATE pieces SET content = 5",
        "DELETE FROM pieces WHERE piece = 2",
        "UPDATE pieces SET piece = 3 WHERE piece = 1",
        "DROP TABLE pieces",
        "DELETE FROM state WHERE id = 2",
        "CREATE TABLE more (id)",
    ],
)
def test_ids_that_were_edited_are_refused(tmp_path, change):
    path = tmp_path / "s"
    fp.monitor(path, people(60).assign(id=range(60)), **ROWS, ids="id")
    fp.monitor(path, people(60, seed=1).assign(id=range(60, 120)))
    _executed(path, change)
    with pytest.raises(InputError, match="was cut off or edited"):
        fp.monitor(path)
