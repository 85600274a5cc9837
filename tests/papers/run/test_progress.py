"""The lines on the progress of a run."""

import logging.handlers
import queue
import threading
import time
from types import SimpleNamespace

import pytest
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_fairpairs as plugin
from fairpairs.papers.run.progress import Progress


def test_the_share_is_one_of_work_and_not_of_jobs():
    progress = Progress({"short": 1.0, "long": 99.0}, {"short": 1, "long": 1}, began=0.0)
    progress.start(1, "short", "A short job", now=0.0)
    progress.finish(1)
    assert progress.line(now=2.0) == "  0:02  1 of 2 jobs, 1 % of the work"


def test_a_rule_of_unknown_length_takes_the_mean_of_the_others():
    progress = Progress({"a": 10.0, "b": 30.0}, {"a": 1, "new": 1}, began=0.0)
    progress.start(1, "a", "A", now=0.0)
    progress.finish(1)
    assert "33 % of the work, about 30 s left" in progress.line(now=15.0)


def test_without_any_times_the_share_and_the_time_left_are_unknown():
    progress = Progress({}, {"a": 4}, began=0.0)
    progress.start(1, "a", "A", now=0.0)
    progress.finish(1)
    assert progress.line(now=60.0) == "  1:00  1 of 4 jobs"


def test_a_failed_job_runs_no_more():
    progress = Progress({"a": 10.0}, {"a": 2}, began=0.0)
    progress.start(1, "a", "A", now=0.0)
    progress.stop(1)
    assert progress.line(now=60.0) == "  1:00  0 of 2 jobs"


def test_a_run_that_is_done_has_no_time_left():
    progress = Progress({"a": 10.0, "b": 30.0}, {"a": 1}, began=0.0)
    progress.start(1, "a", "A", now=0.0)
    progress.finish(1)
    assert progress.line(now=60.0) == "  1:00  1 of 1 jobs, 100 % of the work"


def test_a_running_job_counts_up_to_what_it_should_take():
    progress = Progress({"a": 20.0}, {"a": 2}, began=0.0)
    progress.start(1, "a", "A", now=0.0)
    assert ", 25 % of the work, about 30 s left; now: A" in progress.line(now=10.0)
    assert ", 50 % of the work" in progress.line(now=50.0)


def test_a_job_that_is_started_again_runs_once():
    progress = Progress({}, {"a": 1}, began=0.0)
    for now in (0.0, 5.0):
        progress.start(1, "a", "A", now=now)
    assert progress.line(now=6.0).endswith("; now: A")


def test_only_two_of_the_running_jobs_are_named():
    progress = Progress({}, {"a": 5}, began=0.0)
    for job in range(5):
        progress.start(job, "a", f"Job {job}", now=0.0)
    assert progress.line(now=0.0).endswith("; now: Job 0; Job 1; 3 more")


def test_a_run_of_no_jobs_has_a_line():
    assert Progress({}, {}, began=0.0).line(now=0.0) == "  0:00  0 of 0 jobs"


@pytest.fixture
def said(capsys, tmp_path, monkeypatch):
    """Hand records to the logger, and return what it writes; with `wait`, it repeats each line."""
    monkeypatch.setattr(plugin, "time", SimpleNamespace(monotonic=lambda: 0.0))
    (tmp_path / "seconds.yaml").write_text("{train: 10.0, first_report: 1.0}", "utf-8")

    def logged(*records, dryrun=False, wait=False):
        if wait:
            monkeypatch.setattr(plugin, "PAUSE", 0.001)
        common = SimpleNamespace(
            **dict.fromkeys(("printshellcmds", "debug_dag", "verbose", "show_failed_logs"), False),
            **{"nocolor": True, "quiet": {Quietness.RULES}, "stdout": False, "dryrun": dryrun},
        )
        handler = plugin.LogHandler(
            common, plugin.LogHandlerSettings(str(tmp_path / "seconds.yaml"))
        )
        lines = []

        def read():
            with handler.lock:  # the thread that repeats lines writes none meanwhile
                new = capsys.readouterr().err.splitlines()
            lines.extend(new)
            return new

        for message, event, about in records:
            record = logging.LogRecord("snakemake", logging.INFO, "", 0, message, None, None)
            vars(record).update({"event": event} if event else {}, **about)
            handler.handle(record)
            read()
            for _ in range(10_000 * wait):
                if read():
                    break
                time.sleep(0.001)
        handler.close()
        read()
        return lines

    return logged


def job(number, rule, message):
    about = {"jobid": number, "rule_name": rule, "rule_msg": message, "output": [f"{rule}.html"]}
    return f"Rule: {rule}", LogEvent.JOB_INFO, about


def finished(number):
    return f"Finished jobid: {number}", LogEvent.JOB_FINISHED, {"job_id": number}


RUN = ("Job stats:", LogEvent.RUN_INFO, {"stats": {"train": 1, "first_report": 1, "total": 2}})


def test_the_logger_says_every_few_seconds_what_is_done_and_what_runs(said):
    lines = said(RUN, job(1, "train", "Training"), finished(1), wait=True)
    assert lines[0] == "  0:00  0 of 2 jobs"
    assert any(line.endswith("; now: Training") for line in lines)
    assert lines[-1] == "  0:00  1 of 2 jobs, 91 % of the work"


def test_the_logger_names_the_first_report_as_soon_as_it_is_there(said):
    lines = said(RUN, job(1, "first_report", None), finished(1))
    assert lines[-1] == "  the first tables: first_report.html"
    assert lines[-2].startswith("  0:00  1 of 2 jobs")


def test_the_logger_forgets_a_job_that_failed(said):
    failed = ("Error in rule train", LogEvent.JOB_ERROR, {"jobid": 1})
    lines = said(RUN, job(1, "train", "Training"), failed, wait=True)
    assert lines[-1] == "  0:00  0 of 2 jobs"


def test_the_logger_leaves_all_else_as_snakemake_writes_it(said):
    assert said(("Building DAG of jobs...", None, {})) == ["Building DAG of jobs..."]
    assert said(("Select jobs to execute...", None, {})) == []
    empty = dict.fromkeys(("exception", "location", "rule", "traceback", "file", "line"))
    assert said(("Error in rule train:", LogEvent.ERROR, empty))


def test_a_dry_run_shows_its_plan(said):
    assert said(RUN, dryrun=True) == ["Job stats:"]


def test_a_record_that_cannot_be_read_does_not_end_the_run(said):
    lines = said(("Job stats:", LogEvent.RUN_INFO, {}), RUN)
    assert lines[-1] == "  0:00  0 of 2 jobs"


@pytest.mark.slow
def test_a_logger_that_nobody_wakes_ends():
    """A call that Ctrl-C interrupted left the lock of a thread that no longer waits for it."""
    records = queue.Queue()
    listener = logging.handlers.QueueListener(records)
    listener.start()
    while not records.not_empty._waiters:
        time.sleep(0.01)
    left = threading.Lock()
    left.acquire()
    records.not_empty._waiters.appendleft(left)
    stop = threading.Thread(target=listener.stop, daemon=True)
    stop.start()
    stop.join(10)
    assert not stop.is_alive()
    assert not left.locked()  # the only one that was woken


def test_a_logger_without_records_says_so():
    listener = plugin.QueueListener(queue.Queue())
    with pytest.raises(queue.Empty):
        listener.dequeue(block=False)
