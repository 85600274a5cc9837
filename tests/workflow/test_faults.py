"""What goes wrong on one machine: a full disk, a folder that cannot be written to, two runs at once."""

import os
import subprocess
import time

import pytest


@pytest.fixture
def mounted():
    """A function that mounts a file system on a folder, until the test is over."""
    folders = []

    def mount(folder, *arguments):
        folder.mkdir(parents=True, exist_ok=True)
        command = ["mount", *arguments, str(folder)]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        if process.returncode:
            pytest.skip(f"only root can mount: {process.stderr.strip()}")
        folders.append(folder)

    yield mount
    for folder in reversed(folders):
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def half_written(project):
    return [path for path in project.files() if path.endswith(".part")]


def test_a_full_disk(small, mounted):
    results = small / "results"
    mounted(results, "-t", "tmpfs", "-o", "size=64k", "tmpfs")
    (results / "full").write_bytes(b"x" * 60 * 1024)
    run = small.snakemake("results/summaries/loans.parquet")
    assert run.returncode == 1
    assert run.sentences
    for sentence in run.sentences:
        assert "the disk is full" in sentence
        assert "results/" in sentence
        assert "run the same command again" in sentence
    assert "Traceback" not in run.stderr
    assert half_written(small) == []
    (results / "full").unlink()
    small.snakemake("data/prepared/loans.parquet").check()


def test_a_data_folder_that_cannot_be_written_to(small, mounted):
    mounted(small / "data", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs")
    run = small.snakemake()
    print(run.stderr)
    assert run.returncode == 1
    assert len(run.sentences) == 1
    assert "data/raw/loans" in run.sentences[0]


def test_a_data_folder_that_is_only_read(finished, tmp_path, mounted):
    pass


def test_two_runs_at_once(small):
    first = subprocess.Popen(
        small.command("results/summaries/loans.parquet"),
        env=small.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    locks = small / ".snakemake/locks"
    while not (locks.exists() and any(locks.iterdir())):
        assert first.poll() is None
        time.sleep(0.05)
    second = small.reproduce()
    print(second.stderr)
    assert second.returncode == 1
    assert first.wait() == 0
