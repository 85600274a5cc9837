"""Jobs that a cluster forgets, with a stand-in for the executor of Snakemake and for Slurm."""

import asyncio
import os
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from fairpairs.base.files import write_text
from fairpairs.papers.run.watched import Watch


@dataclass(eq=False)
class Job:
    output: list[str]

    def is_group(self):
        return False


class Executor:
    """It keeps what is reported and, as that of Slurm without an answer, drops jobs."""

    run_uuid = "fairpairs_run"
    next_seconds_between_status_checks = 15

    def __init__(self):
        self.said, self._submitted_job_clusters = [], set()
        self.workflow = SimpleNamespace(
            executor_settings=SimpleNamespace(status_command="sacct"),
            remote_execution_settings=SimpleNamespace(seconds_between_status_checks=7),
        )

    def report_job_submission(self, job):
        self.said.append(("submitted", job.external_jobid))

    def report_job_success(self, job):
        self.said.append(("done", job.external_jobid))

    def report_job_error(self, job, msg=None):
        self.said.append(("failed", msg))

    async def check_active_jobs(self, active):
        for job in active[1:]:
            yield job


def submitted(executor, file="made.parquet", number="7"):
    info = SimpleNamespace(job=Job([file]), external_jobid=number)
    executor.report_job_submission(info)
    return info


@pytest.fixture
def slurm(folder, monkeypatch):
    """A function that lets `squeue` and `sacct` say something."""
    monkeypatch.setenv("PATH", f"{folder}/bin:{os.environ['PATH']}")

    def say(name, words, status=0):
        write_text(path := folder / "bin" / name, f"#!/bin/sh\necho '{words}'\nexit {status}\n")
        path.chmod(0o755)

    say("sacct", "accounting storage is disabled", 1)
    say("squeue", "")
    return say


def waited_for(executor, job):
    async def left():
        return [job async for job in executor.check_active_jobs([job])]

    return asyncio.run(left()) == [job]


@pytest.mark.parametrize(("status", "asked"), [(0, "sacct"), (1, "squeue")])
def test_sacct_is_asked_where_it_answers(slurm, status, asked):
    slurm("sacct", "", status)
    Watch(executor := Executor(), 60)
    assert executor.workflow.executor_settings.status_command == asked


def test_a_forgotten_job_whose_files_are_there_is_done(slurm):
    write_text("made.parquet", "of an earlier run")
    Watch(executor := Executor(), 60)
    job = submitted(executor)
    assert waited_for(executor, job)
    write_text("made.parquet", "new")
    assert not waited_for(executor, job)
    assert executor.said[1:] == [("done", "7")]


def test_a_forgotten_job_without_files_has_failed_after_a_while(slurm):
    Watch(executor := Executor(), 0)
    assert not waited_for(executor, submitted(executor))
    assert executor.said[1:] == [
        ("failed", "Slurm forgot the job 7, and its files are not there. ")
    ]


def test_a_job_that_waits_or_runs_is_waited_for_however_long(slurm):
    Watch(executor := Executor(), 0)
    job = submitted(executor)
    for state in ("PENDING", "RUNNING", "NODE_FAIL"):
        slurm("squeue", f"7 {state}")
        assert waited_for(executor, job)
        assert executor.next_seconds_between_status_checks == 7
    slurm("squeue", "no connection", 1)
    assert waited_for(executor, job)
    assert executor.said == [("submitted", "7")]


@pytest.mark.parametrize(
    ("state", "said"),
    [("COMPLETED", ("done", "7")), ("TIMEOUT", ("failed", "Slurm ended the job 7: TIMEOUT. "))],
)
def test_a_job_that_squeue_knows_has_ended(slurm, state, said):
    Watch(executor := Executor(), 60)
    job = submitted(executor)
    slurm("squeue", f"7 {state}")
    assert not waited_for(executor, job)
    assert executor.said[1:] == [said]


def test_any_executor_looks_at_the_files_before_a_job_has_failed(folder):
    Watch(executor := Executor(), 60)
    job = submitted(executor)
    executor.report_job_error(job, msg="forgotten")
    write_text("made.parquet", "new")
    executor.report_job_error(job, msg="forgotten")
    assert executor.said[1:] == [("failed", "forgotten"), ("done", "7")]
