"""The same numbers on any number of cores, in any chunks, and after an interruption."""

import os
import re
import shutil
import signal
import time

import pandas as pd
import pytest

pytestmark = pytest.mark.slow

#: What must be the same bytes.
CHECKSUMS = ("results/checksums.txt", "results/predictions.csv")
PUBLIC = (*CHECKSUMS, "results/tables/**/*.*", "results/comparison*.*")
LOANS = ("results/tables/loans.*", "results/summaries/loans.parquet")
TARGETS = ("results/tables/loans.csv", CHECKSUMS[0])
FOLDERS = ("results/predictions/loans/loans/*", "results/tests/loans/loans/*")


def chunks(repeats, size):
    return [
        f"{first:07d}-{min(first + size, repeats) - 1:07d}" for first in range(0, repeats, size)
    ]


def gathered(project, size):
    """Predictions and results of tests of all chunks of a size, by folder, in a fixed order."""
    return {
        folder.relative_to(project.folder).as_posix(): pd.concat(
            [pd.read_parquet(folder / f"{chunk}.parquet") for chunk in chunks(12, size)]
        )
        .sort_values("repeat", kind="stable")
        .reset_index(drop=True)
        for pattern in FOLDERS
        for folder in sorted(project.folder.glob(pattern))
    }


def assert_same_numbers(project, done, size):
    ours, expected = gathered(project, size), gathered(done, 4)
    assert ours.keys() == expected.keys()
    assert len(ours) == 2
    for folder, frame in ours.items():
        # bit for bit, whatever the chunks
        pd.testing.assert_frame_equal(frame, expected[folder], check_exact=True)


def remove_experiment(project):
    for path in ("results/predictions", "results/tests"):
        shutil.rmtree(project / path)
    for path in project.bytes(*LOANS):
        (project / path).unlink()


def test_one_core_gives_the_bytes_of_two(fresh, done):
    fresh.snakemake(CHECKSUMS[0], cores=1).check()
    expected = done.bytes(*PUBLIC)
    assert len(expected) == 24
    assert fresh.bytes(*PUBLIC) == expected
    predictions = "results/predictions/**/*.parquet"
    assert fresh.bytes(predictions) == done.bytes(predictions)
    simulation = "results/comparative_separation/simulation.parquet"
    assert fresh.bytes(simulation) == done.bytes(simulation)


def test_the_chunk_size_changes_nothing(copy, done):
    size = 5
    remove_experiment(copy)
    copy.configure(lambda config: config.update(chunk_size=size))
    jobs = copy.snakemake(*TARGETS).check().jobs
    assert jobs["train"] == len(chunks(12, size))
    assert_same_numbers(copy, done, size)
    assert copy.bytes(*LOANS, *CHECKSUMS) == done.bytes(*LOANS, *CHECKSUMS)


def finished_chunks(log):
    """Prediction files whose job Snakemake called finished."""
    jobs = dict(
        re.findall(
            r"^Job (\d+): Training on loans with treatment (\w+, repeats [\d-]+)$", log, re.M
        )
    )
    finished = re.findall(r"^Finished jobid: (\d+) \(Rule: train\)$", log, re.M)
    return [
        "results/predictions/loans/loans/{}/{}.parquet".format(*jobs[i].split(", repeats "))
        for i in finished
    ]


def test_an_interrupted_run_goes_on_where_it_stopped(copy, done):
    remove_experiment(copy)
    terminal = copy / "started.txt"
    with copy.started(*TARGETS, cores=1) as run:
        deadline = time.monotonic() + 600
        try:
            while not (kept := finished_chunks(terminal.read_text())):
                assert time.monotonic() < deadline, terminal.read_text()
                time.sleep(0.02)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
    assert len(kept) < 3
    assert not (copy / TARGETS[0]).exists()
    times = {path: (copy / path).stat().st_mtime_ns for path in kept}

    locked = copy.snakemake(*TARGETS)
    assert locked.returncode != 0
    assert "unlock" in locked.stderr
    copy.snakemake("--unlock").check()
    run = copy.snakemake(*TARGETS, "--rerun-incomplete").check()
    assert run.jobs["train"] == 3 - len(kept)
    assert {path: (copy / path).stat().st_mtime_ns for path in kept} == times
    assert_same_numbers(copy, done, 4)
    assert copy.bytes(*LOANS, *CHECKSUMS) == done.bytes(*LOANS, *CHECKSUMS)


def test_a_second_run_has_nothing_to_do(copy):
    assert copy.snakemake("--dry-run").check().jobs == {}
