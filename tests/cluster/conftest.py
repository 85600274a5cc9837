"""A real Slurm cluster on this machine, and projects that run on it; `make test-cluster`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.projects import SMALL, STUDY_OF_DESIGNS, write_project
from tests.workflow.runs import ROOT, Project

HERE = Path(__file__).parent
#: Three chunks of predictions with two tests each, and one design of the calibration.
CONFIG = {
    **SMALL,
    "repeats": 12,
    "calibration": {
        **STUDY_OF_DESIGNS,
        "designs": {"points": STUDY_OF_DESIGNS["designs"]["points"]},
    },
}
#: Nothing is fast enough for a test when it is asked for every 15 seconds. Where a job is forgotten
#: within three times the 6 seconds, `sacct` is asked, which does not answer.
QUICK = {
    "latency-wait": "5",
    "seconds-between-status-checks": "1",
    "slurm-init-seconds-before-status-checks": "6",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of a cluster out, unless they are asked for."""
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    if "cluster" in config.option.markexpr:
        return
    config.hook.pytest_deselected(items=ours)
    items[:] = [item for item in items if item not in ours]


@dataclass(frozen=True)
class Cluster:
    """A running Slurm cluster of nodes n1, n2, …"""

    folder: Path
    environment: dict[str, str]

    def ask(self, *command: str) -> str:
        process = subprocess.run(
            command,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return process.stdout

    def column(self, name: str) -> dict[str, str]:
        """A column of squeue for all jobs, finished ones too."""
        said = self.ask("squeue", "--noheader", "--states=all", f"--format=%A {name}")
        return dict(line.split() for line in said.splitlines())

    def jobs(self) -> set[str]:
        return set(self.column("%T"))

    def states(self, jobs: set[str]) -> dict[str, str]:
        return {job: state for job, state in self.column("%T").items() if job in jobs}

    def crash(self, node: str) -> None:
        self.ask(str(HERE / "cluster.sh"), "crash", str(self.folder), node)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    script = str(HERE / "cluster.sh")
    installed = subprocess.run([script, "install"], capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"no Slurm here: {installed.stderr.strip()}")
    # a node goes down with one job
    with started(tmp_path_factory.mktemp("cluster"), "5", "1", "9000") as running:
        yield running


@pytest.fixture(scope="session")
def forgetful(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> Iterator[Cluster]:
    """Another cluster, of one core, that forgets a job 16 seconds after its end."""
    with started(tmp_path_factory.mktemp("forgetful"), "1", "1", "4000", MIN_JOB_AGE="16") as it:
        yield it


@contextmanager
def started(folder: Path, *size: str, **environment: str) -> Iterator[Cluster]:
    """Start a cluster and stop it in the end."""
    script = str(HERE / "cluster.sh")
    try:
        env = {**os.environ, **environment}
        subprocess.run([script, "start", str(folder), *size], check=True, env=env)
        lines = (folder / "environment").read_text().splitlines()
        yield Cluster(folder, dict(line.split("=", 1) for line in lines))
    finally:
        subprocess.run([script, "stop", str(folder)], check=True)


@dataclass(frozen=True)
class ClusterProject:
    """A project folder, and how its workflow runs here and on the cluster."""

    here: Project
    cluster: Cluster

    def command(self, *arguments: str, profile: str = "slurm", whole: bool = False) -> list[str]:
        """Snakemake with a profile or, for the whole, what `make reproduce PROFILE=…` runs."""
        checkout = self.here.checkout
        return [
            sys.executable,
            *([str(checkout / "workflow/reproduce.py")] if whole else ["-m", "snakemake"]),
            *("--quiet", "host"),  # jobs are shown, which the profiles hide
            *("--workflow-profile", str(checkout / "profiles" / profile)),
            *("--snakefile", str(checkout / "Snakefile"), "--directory", str(self.here.folder)),
            *(f"--{key}={value}" for key, value in QUICK.items()),
            *arguments,
        ]

    def start(self, *arguments: str, **how: Any) -> subprocess.Popen:
        """Start the workflow; what it says goes to terminal.txt."""
        with (self.here / "terminal.txt").open("w") as stream:
            return subprocess.Popen(
                self.command(*arguments, **how),
                cwd=self.here.checkout,
                stdout=stream,
                stderr=stream,
                env=self.here.environment(**self.cluster.environment),
                start_new_session=True,
            )

    @property
    def terminal(self) -> str:
        return self.here.text("terminal.txt")

    def wait_for(self, ready: Callable[[], bool], process: subprocess.Popen) -> None:
        deadline = time.monotonic() + 600
        while not ready():
            assert process.poll() is None, self.terminal
            assert time.monotonic() < deadline, self.terminal
            time.sleep(0.2)

    def results(self) -> dict[str, bytes]:
        """All results but for the times at which the report and its tables were made."""
        found = self.here.bytes("data/prepared/*", "results/**/*.*")
        made = re.compile(rb"\d{4}-\d\d-\d\d[ T][\d:]+")
        return {path: made.sub(b"", content) for path, content in found.items()}


@pytest.fixture(scope="session")
def new_project(
    tmp_path_factory: pytest.TempPathFactory, cluster: Cluster
) -> Callable[..., ClusterProject]:
    """A function that makes a project of CONFIG, with some changes."""

    def make(
        name: str, checkout: Path = ROOT, on: Cluster = cluster, **changes: object
    ) -> ClusterProject:
        folder = tmp_path_factory.mktemp(name) / "project"
        return ClusterProject(write_project(folder, {**CONFIG, **changes}, checkout), on)

    return make


@pytest.fixture(scope="session")
def here(
    new_project: Callable[..., ClusterProject],
) -> Iterator[tuple[ClusterProject, subprocess.Popen]]:
    """A run on this machine alone, which goes on beside the first one on the cluster."""
    with going_on(new_project("local"), "--cores", "2", profile="default", whole=True) as run:
        yield run


@contextmanager
def going_on(
    project: ClusterProject, *arguments: str, **how: Any
) -> Iterator[tuple[ClusterProject, subprocess.Popen]]:
    """Start a run that goes on beside others, and end it if it is not over."""
    process = project.start(*arguments, **how)
    yield project, process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


# not of the session, or it would be waited for before the faults start
@pytest.fixture(scope="module")
def local(here: tuple[ClusterProject, subprocess.Popen]) -> dict[str, bytes]:
    """The results of a run on this machine alone."""
    project, process = here
    assert process.wait(timeout=900) == 0, project.terminal
    return project.results()
