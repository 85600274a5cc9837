"""A state is old or new, never between, whenever a process ends."""

import json
import multiprocessing
import signal
import subprocess
import sys
import time

import pytest

import fairpairs as fp
from fairpairs.audits.monitor import storage
from fairpairs.base.errors import InputError
from tests.audits.monitor.streams import ROWS, people

#: Appends batches for ever; each is of new rows.
PROGRAM = """
import sys, itertools
from fairpairs.audits.monitor import storage
content = storage.read(storage.Path(sys.argv[1]))
for i in itertools.count(content["rows"] + 1):
    storage.write(storage.Path(sys.argv[1]), {"rows": i, "padding": "x" * 200_000})
"""


@pytest.fixture
def state(tmp_path):
    path = tmp_path / "model.state"
    storage.write(path, {"rows": 1, "words": "é\n\udc80"})
    return path


def test_what_is_written_is_read(state):
    assert storage.read(state) == {
        "kind": storage.KIND, "format": 1, "rows": 1, "words": "é\n\udc80",
    }  # fmt: skip
    assert list(state.parent.iterdir()) == [state]


@pytest.mark.parametrize("name", ["fsync", "replace", "open", "write"])
def test_a_fault_at_any_step_leaves_the_old_state(state, monkeypatch, name):
    before = state.read_bytes()

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    class Full:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, content):
            self.file.write(content[:50])
            fail()

    original = storage.Path.open
    replaced = {
        "fsync": (storage.os, "fsync", fail),
        "replace": (storage.Path, "replace", fail),
        "open": (storage.Path, "open", fail),
        "write": (storage.Path, "open", lambda path, mode: Full(original(path, mode))),
    }
    monkeypatch.setattr(*replaced[name])
    with pytest.raises(
        InputError, match=r"cannot be written \(No space left on device\): the disk"
    ):
        storage.write(state, {"rows": 2})
    monkeypatch.undo()
    assert state.read_bytes() == before
    assert list(state.parent.iterdir()) == [state]


def test_what_an_interrupted_write_left_is_overwritten(state):
    state.with_name(".model.state.part").write_bytes(b"x" * 10**6)
    storage.write(state, {"rows": 2})
    assert storage.read(state)["rows"] == 2
    assert list(state.parent.iterdir()) == [state]


@pytest.mark.slow
def test_processes_that_are_killed_leave_a_whole_state(state):
    rows = 1
    for i in range(12):
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(state)])
        deadline = time.monotonic() + 20
        while storage.read(state)["rows"] == rows and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(0.003 * i)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert storage.read(state)["rows"] > rows
        rows = storage.read(state)["rows"]


def _hold(path, held, end):
    with storage.locked(path):
        held.set()
        end.wait(20)


@pytest.mark.slow
def test_a_link_goes_on_leading_to_the_state(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "state")
    fp.monitor(tmp_path / "link", people(300), **ROWS)
    fp.monitor(tmp_path / "link", people(300, seed=1))
    assert (tmp_path / "link").is_symlink()
    assert fp.monitor(tmp_path / "state").about["batches"] == 2


@pytest.mark.slow
def test_a_lock_is_removed_and_one_that_was_left_keeps_nobody_out(tmp_path):
    with pytest.raises(InputError):
        fp.monitor(tmp_path / "state", tmp_path / "typo.csv", **ROWS)
    assert not list(tmp_path.iterdir())
    (tmp_path / ".state.lock").touch()  # as of a killed process
    fp.monitor(tmp_path / "state", people(300), **ROWS)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


@pytest.mark.slow
def test_two_processes_do_not_append_at_once(tmp_path):
    path = tmp_path / "s"
    context = multiprocessing.get_context("spawn")
    held, end = context.Event(), context.Event()
    process = context.Process(target=_hold, args=(path, held, end))
    process.start()
    assert held.wait(20)
    with pytest.raises(InputError, match="another process appends to this state"):
        fp.monitor(path, people(50), **ROWS)
    end.set()
    process.join()
    assert fp.monitor(path, people(50), **ROWS).about["batches"] == 1


@pytest.mark.slow
def test_a_killed_append_can_be_repeated(tmp_path, monkeypatch):
    path = tmp_path / "s"
    fp.monitor(path, people(300), **ROWS)
    before = path.read_bytes()

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(storage.os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        fp.monitor(path, people(300, seed=1))
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert fp.monitor(path, people(300, seed=1)).about["rows"] == 600


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text[: len(text) // 2], "was cut off or edited: take it from a backup"),
        (lambda text: text[:-3], "was cut off or edited"),
        (lambda text: text.replace('"rows": 300', '"rows": 301', 1), "was cut off or edited"),
        (lambda text: text.replace('"format": 1', '"format": 2'), "a state of format 2, and this"),
        (lambda text: "a,b\n1,2\n", "not the state of a monitor: name another file"),
        (lambda text: "", "not the state of a monitor"),
        (lambda text: json.dumps(json.loads(text), indent=1), "not the state of a monitor"),
    ],
    ids=["half", "end", "edited", "version", "csv", "empty", "formatted"],
)
def test_what_is_no_whole_state_is_refused(tmp_path, change, sentence):
    path = tmp_path / "s"
    fp.monitor(path, people(300), **ROWS)
    content = change(path.read_text("utf-8"))
    path.write_text(content, "utf-8")
    for data in (None, people(300, seed=1)):
        with pytest.raises(InputError, match=sentence):
            fp.monitor(path, data)
    assert path.read_text("utf-8") == content
