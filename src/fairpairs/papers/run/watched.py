"""Jobs of a cluster: what is there is done, and no job is waited for that the cluster forgot."""

import os
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

#: States of Slurm from which a job goes no further; after the failure of a node it may.
FAILED = ("BOOT_FAIL", "CANCELLED", "DEADLINE", "FAILED", "OUT_OF_MEMORY", "TIMEOUT")
#: Seconds after which `squeue` and `sacct` are given up.
PATIENCE = 60


class Watch:
    """Let an executor of Snakemake look at the files of a job before it calls the job failed.

    The executor for Slurm asks `sacct`, which clusters without accounting do not answer, or
    `squeue`, which forgets a job soon after its end. It waits for a job that neither knows, and
    for all jobs once there was no answer. With this, `squeue` is asked for the jobs that are left:
    one that it does not know either is done if its files were written since it was submitted, and
    has failed if they are not there `latency` seconds later. It is asked at least every
    `--seconds-between-status-checks`, to which the executor would not keep.
    """

    def __init__(self, executor: Any, latency: float) -> None:
        self._executor, self._latency = executor, latency
        self._submit, self._fail = executor.report_job_submission, executor.report_job_error
        self._succeed = executor.report_job_success
        self._before: dict[Any, dict[str, int | None]] = {}
        self._gone: dict[str, float] = {}
        self._ended: set[str] = set()
        executor.report_job_submission = self._submitted
        executor.report_job_error = self._failed
        executor.report_job_success = self._succeeded
        if hasattr(executor, "run_uuid"):  # that of Slurm
            self._ask = executor.check_active_jobs
            executor.check_active_jobs = self._check
            if _answer("sacct", "--allocations", "--noheader") is None:
                executor.workflow.executor_settings.status_command = "squeue"

    def _submitted(self, job: Any, *arguments: Any, **keywords: Any) -> None:
        self._before[job.job] = _written(job.job)
        self._submit(job, *arguments, **keywords)

    def _succeeded(self, job: Any) -> None:
        self._ended.add(job.external_jobid)
        self._succeed(job)

    def _failed(self, job: Any, *arguments: Any, **keywords: Any) -> None:
        if self._is_done(job.job):
            self._succeeded(job)
        else:
            self._ended.add(job.external_jobid)
            self._fail(job, *arguments, **keywords)

    def _is_done(self, job: Any) -> bool:
        before, now = self._before.get(job, {}), _written(job)
        return bool(before) and all(
            when is not None and when != before[file] for file, when in now.items()
        )

    async def _check(self, active: Sequence[Any]) -> AsyncIterator[Any]:
        """Yield the jobs that are still to be waited for."""
        async for _ in self._ask(active):  # without an answer it yields none, and drops all
            pass
        left = [job for job in active if job.external_jobid not in self._ended]
        states = self._states() if left else {}
        for job in left:
            if states is None or self._is_alive(job, states):
                yield job
        self._executor.next_seconds_between_status_checks = min(
            self._executor.next_seconds_between_status_checks,
            self._executor.workflow.remote_execution_settings.seconds_between_status_checks,
        )

    def _states(self) -> dict[str, str] | None:
        """Return the state of each job of this run that Slurm knows; None without an answer."""
        clusters = ",".join(self._executor._submitted_job_clusters)
        where = [f"--clusters={clusters}"] if clusters else []
        name = f"--name={self._executor.run_uuid}"
        said = _answer("squeue", "--noheader", "--states=all", "--format=%i %T", name, *where)
        if said is None:
            return None
        return dict(line.split() for line in said.splitlines() if len(line.split()) == 2)

    def _is_alive(self, job: Any, states: dict[str, str]) -> bool:
        """Return whether a job is to be waited for; report the end of one that is not."""
        name = job.external_jobid
        state = states.get(name)
        if state == "COMPLETED" or (state is None and self._is_done(job.job)):
            self._succeeded(job)
        elif state in FAILED:
            self._failed(job, msg=f"Slurm ended the job {name}: {state}. ")
        elif state is not None:
            self._gone.pop(name, None)
            return True
        else:
            self._executor.next_seconds_between_status_checks = min(self._latency, 10)
            gone = self._gone.setdefault(name, time.monotonic())
            if time.monotonic() - gone < self._latency:
                return True
            self._failed(job, msg=f"Slurm forgot the job {name}, and its files are not there. ")
        return False


def _written(job: Any) -> dict[str, int | None]:
    """Return when each file of a job, or of a group of them, was written; None if it is not."""
    jobs = job.jobs if job.is_group() else [job]
    files = [str(file) for one in jobs for file in one.output]
    return {f: os.stat(f).st_mtime_ns if os.path.exists(f) else None for f in files}  # noqa: PTH110, PTH116


def _answer(*command: str) -> str | None:
    """Return what a command prints; None if it fails, is not there or does not end."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=PATIENCE
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
