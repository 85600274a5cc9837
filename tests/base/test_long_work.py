"""Threads and progress of long work."""

import importlib
import io
import os
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import fairpairs as fp
from fairpairs.base import long_work


def threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def work(**options):
    return long_work.long_work(4, "Testing", **options)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_appears_on_a_terminal_and_is_gone_at_the_end(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(long_work, "AFTER", 0)
    with work(shown=True) as step:
        assert "Testing:   0 %|" in sys.stderr.getvalue()
        for _ in range(4):
            step()
        assert step.__self__.n == 4
    *_, last, nothing = sys.stderr.getvalue().split("\r")
    assert not last.strip() and not nothing


@pytest.mark.parametrize(
    ("stream", "after", "shown"),
    [(Terminal, 0.5, True), (Terminal, 0, False), (io.StringIO, 0, True)],
)
def test_nothing_appears_of_short_work_or_without_a_terminal(monkeypatch, stream, after, shown):
    monkeypatch.setattr("sys.stderr", stream())
    monkeypatch.setattr(long_work, "AFTER", after)
    with work(shown=shown) as step:
        step()
    assert sys.stderr.getvalue() == ""


def test_a_step_is_each_criterion_of_each_group(monkeypatch):
    steps = []

    class Counted:
        def __init__(self, number, doing, *, shown):
            steps.append([number, 0, doing, shown])

        def __enter__(self):
            return self.step

        def __exit__(self, *_):
            pass

        def step(self):
            steps[-1][1] += 1

    for name in ("audit.audit", "audit.classes", "compare.compare"):
        monkeypatch.setattr(f"fairpairs.audits.{name}.long_work", Counted)
    y, c, groups = np.arange(90) % 2, np.arange(90) % 5 // 3, np.arange(90) % 7 // 3
    options = {"sensitive_features": {"g": groups, "h": groups > 0}}
    tested = fp.audit(y, c, **options).to_frame()
    lines = fp.compare(y, c, y, **options).to_frame()
    fp.audit(groups, (groups + c) % 3, **options, label_kind="classes")
    (one, done_1, *said), (two, done_2, *_), (three, done_3, *_) = steps
    assert said == ["Testing", False]
    # One pair of g is without the reference group: separation, which decides, compares it too.
    assert one == done_1 == 3 * tested["criterion"].nunique() + 1
    assert two == done_2 == 3 * lines["criterion"].nunique() + 1
    assert three == done_3 == (3 + 1) * 3


@pytest.mark.parametrize(
    ("module", "function", "test"),
    [
        ("audit.audit", "judge", fp.audit),
        ("audit.classes", "judge", lambda y, c, **k: fp.audit(y + c, y, label_kind="classes", **k)),
        ("compare.compare", "judge_lines", lambda y, c, **k: fp.compare(y, c, y, **k)),
    ],
)
def test_one_thread_does_the_linear_algebra(monkeypatch, module, function, test):
    """Several wait for one another at full speed, and the last bits of sums depend on them."""
    module = importlib.import_module(f"fairpairs.audits.{module}")
    seen, judged = [], getattr(module, function)

    def watched(*arguments, **options):
        seen.append(threads())
        return judged(*arguments, **options)

    monkeypatch.setattr(module, function, watched)
    y, c, groups = np.arange(60) % 2, np.arange(60) % 5 // 3, np.arange(60) % 7 // 4
    with threadpool_limits(2):
        test(y, c, sensitive_features=groups)
        assert threads() == {2}
    assert seen == [{1}]


@pytest.mark.parametrize("given", [{}, {"OPENBLAS_NUM_THREADS": "2"}])
def test_commands_load_linear_algebra_with_one_thread_unless_more_are_asked_for(given):
    code = (
        "import sys, threadpoolctl, fairpairs.cli as cli\n"
        "cli.app = lambda: __import__('numpy')\n"
        "cli.program()\n"
        "print({i['num_threads'] for i in threadpoolctl.threadpool_info()})"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"} | given
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["{2}" if given else "{1}"]
