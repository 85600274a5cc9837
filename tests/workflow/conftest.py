"""Projects for the tests of the workflow: before a run, and after one that many tests share."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.projects import (
    CALIBRATION,
    DECISIONS,
    FULL,
    PORTRAITS,
    RANKING,
    RATIOS,
    SMALL,
    write_decisions,
    write_incomes,
    write_portrait_project,
    write_project,
)
from tests.workflow.runs import ROOT, Project

HERE = Path(__file__).parent
#: What writes a project, in which a test then runs or plans the workflow.
PROJECTS = {
    *("run_once", "new_project", "small", "fresh", "uncalibrated", "unranked"),
    *("unportrayed", "unscored"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what has a project as slow, for Snakemake takes a second before it runs anything."""
    for item in items:
        if item.path.is_relative_to(HERE) and PROJECTS & set(item.fixturenames):
            item.add_marker("slow")


# Where a project lies is part of the paths of its inputs, so all lie equally deep below /tmp: then
# a copy of a finished one has nothing to do.


@pytest.fixture(scope="session")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    """A function that writes a project and runs it, once for all processes of pytest-xdist."""

    def run(name: str, write: Callable[[Path], Project], *targets: str) -> Project:
        base = tmp_path_factory.getbasetemp()
        if "PYTEST_XDIST_WORKER" in os.environ:
            base = base.parent / "shared"
        folder = base / name / "project"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with (base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "terminal.txt").exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a run that failed
                finished = write(folder).snakemake(*targets).check()
                (folder / "standard_output.txt").write_text(finished.stdout, "utf-8")
                (folder / "terminal.txt").write_text(finished.stderr, "utf-8")
        return Project(folder)

    return run


@pytest.fixture
def small(tmp_path: Path) -> Project:
    """A project of one treatment, one chunk, two tests and no simulation; nothing has run."""
    return write_project(tmp_path / "project", SMALL)


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    """The project of `done` before its run."""
    return write_project(tmp_path / "project", FULL)


@pytest.fixture(scope="session")
def done(run_once: Callable[..., Project]) -> Project:
    """A project after a full run, from fetch to report, on two cores; not to be changed."""
    return run_once("done", lambda folder: write_project(folder, FULL))


@pytest.fixture
def copy(done: Project, tmp_path: Path) -> Project:
    """A copy of the finished project, to be changed."""
    shutil.copytree(done.folder, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    """A function that makes a project for several tests: `new_project("name", **config)`."""

    def make(name: str, checkout: Path = ROOT, **config: Any) -> Project:
        folder = tmp_path_factory.mktemp(name) / "project"
        return write_project(folder, {**SMALL, **config}, checkout)

    return make


@pytest.fixture(scope="session")
def finished(run_once: Callable[..., Project]) -> Project:
    """The project of `small` after a run, up to its table as a user has it; not to be changed.

    What that said is in reproduced.txt.
    """

    def write(folder: Path) -> Project:
        project = write_project(folder, SMALL)
        made = project.reproduce("results/tables/loans.csv", fresh=True).check()
        (folder / "reproduced.txt").write_text(made.stderr, "utf-8")
        return project

    return run_once("finished", write)


@pytest.fixture(scope="session")
def calibrated(run_once: Callable[..., Project]) -> Project:
    """A project after a run of the target `calibration` on two cores; not to be changed."""
    return run_once("calibrated", lambda folder: write_project(folder, CALIBRATION), "calibration")


@pytest.fixture
def uncalibrated(tmp_path: Path) -> Project:
    """The project of `calibrated` before its run."""
    return write_project(tmp_path / "project", CALIBRATION)


@pytest.fixture(scope="session")
def ranked(run_once: Callable[..., Project]) -> Project:
    """A project with a ranking after a full run; not to be changed."""
    return run_once("ranked", lambda folder: write_project(folder, RANKING))


@pytest.fixture
def unranked(tmp_path: Path) -> Project:
    """The project of `ranked` before its run."""
    return write_project(tmp_path / "project", RANKING)


@pytest.fixture(scope="session")
def measured(run_once: Callable[..., Project]) -> Project:
    """A project with measures by density ratios after a run of them; not to be changed."""
    targets = ("density_ratio", "results/report.html")
    return run_once(
        "measured", lambda folder: write_incomes(write_project(folder, RATIOS)), *targets
    )


@pytest.fixture(scope="session")
def decided(run_once: Callable[..., Project]) -> Project:
    """A project with decisions of several people after a full run; not to be changed."""
    return run_once("decided", lambda folder: write_decisions(write_project(folder, DECISIONS)))


@pytest.fixture(scope="session")
def unportrayed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of portraits in which nothing has run; not to be changed."""
    return write_portrait_project(tmp_path_factory.mktemp("unportrayed") / "project")


@pytest.fixture(scope="session")
def portrayed(run_once: Callable[..., Project]) -> Project:
    """A project of portraits after a run of its two studies of bridges; not to be changed."""
    chunks = (
        f"results/differential_parity/bridges/{study}/0000000-0000001.parquet"
        for study in PORTRAITS["differential_parity"]["bridges"]
    )
    return run_once("portrayed", write_portrait_project, *chunks)
