"""What goes wrong on one machine: a full disk, a folder that can only be read, two runs at once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fairpairs.base.files import write_text
from fairpairs.papers.run.failures import said_by_scripts
from fairpairs.papers.run.launch import SNAKEMAKE
from tests.workflow.runs import ROOT, Project

#: A treatment with a fault.
BROKEN = """def weights(y, sensitive_features):
    raise ZeroDivisionError("mine")


TREATMENT = weights
"""
#: A treatment that takes long, says that it has begun, and does not end when it is told to.
SLOW = """import os, signal, time, warnings
from pathlib import Path


def weights(y, sensitive_features):
    print("a line")
    warnings.warn("it takes long")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path("begun.txt").write_text(str(os.getpid()))
    time.sleep(float(os.environ.get("SLOW", 0)))
    return y + 1.0


TREATMENT = weights
"""
PREPARED = "data/prepared/loans.parquet"
SUMMARY = "results/summaries/loans.parquet"


@pytest.fixture
def mount():
    """A function that mounts something on a folder until the test is over."""
    folders = []

    def mount(folder, *what):
        folder.mkdir(exist_ok=True)
        process = subprocess.run(
            ["mount", *what, str(folder)], capture_output=True, text=True, check=False
        )
        if process.returncode:
            pytest.skip(f"nothing can be mounted here: {process.stderr.strip()}")
        folders.append(folder)

    yield mount
    for folder in reversed(folders):
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk(small, mount):
    mount(small / "results", "-t", "tmpfs", "-o", "size=64k", "tmpfs")
    (small / "results/full").write_bytes(b"x" * 60 * 1024)
    run = small.snakemake(SUMMARY)
    assert run.returncode == 1
    (sentence,) = run.sentences
    assert (
        "results/predictions/loans/loans/none/0000000-0000003.parquet cannot be written" in sentence
    )
    assert "the disk is full; make room, and run the same command again" in sentence
    assert "Traceback" not in run.stderr
    assert small.files("results") == ["results/full"]
    (small / "results/full").unlink()
    assert small.snakemake("--dry-run", SUMMARY).check().jobs["train"] == 1


def locked(project):
    locks = project / ".snakemake/locks"
    return locks.exists() and any(locks.iterdir())


def test_two_runs_at_once_on_one_folder(small):
    with small.started(PREPARED) as first:
        try:
            while not locked(small):
                assert not (small / PREPARED).exists()
                time.sleep(0.01)
            os.kill(first.pid, signal.SIGSTOP)  # it must not be done before the second has begun
            second = small.reproduce(PREPARED)
        finally:
            os.kill(first.pid, signal.SIGCONT)
        assert first.wait() == 0
    assert (small / PREPARED).exists()
    assert second.returncode == 1
    assert_locked(small, second)


def assert_locked(project, run):
    assert "Directory cannot be locked" in run.stderr
    assert str(project.folder.resolve()) in run.stderr
    assert "--unlock" in run.stderr
    assert len(run.stderr.splitlines()) < 12


def reproducing(project, *targets, begun, interrupted=signal.default_int_handler):
    """Start `make reproduce` in a group of its own, as a terminal does, and wait."""
    script = str(project.checkout / "workflow/reproduce.py")
    process = subprocess.Popen(
        [sys.executable, script, *project.arguments(*targets)],
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a test run in the background of a shell ignores it, and what it starts, too
        preexec_fn=lambda: signal.signal(signal.SIGINT, interrupted),  # noqa: PLW1509
    )
    while not begun(process.pid):
        assert process.poll() is None
        time.sleep(0.01)
    return process


def has_child(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text() != ""


def test_two_whole_runs_at_once_on_one_folder(small):
    """Also where another run that had nothing to do has removed the lock of Snakemake."""
    lock = small / ".snakemake/run.lock"
    small.reproduce("prepared").check()
    lock.unlink()
    with small.started(what="reproduce") as first:
        while not lock.exists():
            time.sleep(0.01)
        time.sleep(0.1)  # from the making of its file to the lock
        os.killpg(first.pid, signal.SIGSTOP)
        small.snakemake("--unlock").check()
        second = small.reproduce("tables")
        os.killpg(first.pid, signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
    assert second.returncode == 1
    sentence = f"another run works in {small.folder.resolve()}: wait for its end, or stop it."
    assert sentence in second.stderr.splitlines()


def test_ctrl_c_while_snakemake_is_loaded_is_one_sentence(small):
    with reproducing(small, PREPARED, begun=has_child) as run:
        os.killpg(run.pid, signal.SIGINT)
        _, stderr = run.communicate()
    assert run.returncode == 130
    assert stderr == "fairpairs: stopped; the same command goes on from here.\n"


def test_both_signals_at_once_end_snakemake_without_a_word():
    """What comes before Snakemake can take signals waits, and both are there together."""
    both = {signal.SIGINT, signal.SIGTERM}
    with subprocess.Popen(
        [*SNAKEMAKE, "--version"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, both),  # noqa: PLW1509
    ) as run:
        for number in both:
            run.send_signal(number)
        _, stderr = run.communicate()
    assert run.returncode == -signal.SIGINT
    assert not stderr


def test_a_run_that_is_stopped_says_so_and_goes_on_later(small):
    # Ctrl-C reaches all processes of a terminal
    with reproducing(small, PREPARED, begun=lambda _: locked(small)) as run:
        os.killpg(run.pid, signal.SIGINT)
        _, stderr = run.communicate()
    assert_stopped(small, run.returncode, stderr)
    with small.started(PREPARED, what="reproduce") as run:
        while not locked(small):
            time.sleep(0.01)
        os.kill(run.pid, signal.SIGINT)
        status = run.wait()
    assert_stopped(small, status, small.text("started.txt"))
    assert small.reproduce(PREPARED).returncode == 0
    assert (small / PREPARED).exists()


def test_sigterm_ends_a_run_in_the_background_of_a_script_and_its_jobs(small, monkeypatch):
    slow(small)
    monkeypatch.setenv("SLOW", "600")
    begun = small / "begun.txt"
    with reproducing(
        small,
        SUMMARY,
        interrupted=signal.SIG_IGN,
        begun=lambda _: begun.exists() and begun.read_text(),
    ) as run:
        os.kill(run.pid, signal.SIGTERM)
        os.killpg(run.pid, signal.SIGTERM)  # as `timeout` does
        run.communicate(timeout=60)
    assert run.returncode == 130
    assert not Path(f"/proc/{begun.read_text()}").exists()
    assert not locked(small)


@pytest.mark.slow
def test_sigterm_ends_the_demo_and_the_run_that_it_starts(tmp_path):
    with subprocess.Popen(
        [sys.executable, ROOT / "workflow/demo.py", "--cores", "1"],
        cwd=tmp_path,
        env=Project.environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        while not has_child(run.pid):
            assert run.poll() is None
            time.sleep(0.01)
        os.kill(run.pid, signal.SIGTERM)
        _, stderr = run.communicate(timeout=60)
    assert run.returncode == 130
    assert stderr.splitlines()[-1] == "fairpairs: stopped; the same command goes on from here."


def test_what_scripts_print_and_warn_of_is_in_their_logs_and_counted(small):
    slow(small)
    run = small.snakemake("results/summaries/loans.parquet")
    (log,) = (small / "logs/train/loans/loans/slow").glob("*.log")
    assert run.check().stderr.count("a line") == run.stderr.count("it takes long") == 0
    lines = log.read_text("utf-8").splitlines()
    warned = [line for line in lines if line.endswith("UserWarning: it takes long")]
    assert " WARNING " in warned[0]
    (said,) = said_by_scripts(0, small / "logs")
    printed = lines.count("a line")
    assert said == f"  Scripts warned {len(warned)} times and printed {printed} lines: {log}"


def slow(project):
    write_text(project / "extensions/treatments/slow.py", SLOW)
    project.configure(
        lambda config: (
            config.update(extensions=["extensions"]),
            config["experiments"]["loans"].update(treatments=["slow"]),
        )
    )


def assert_stopped(project, status, said):
    assert status == 130
    assert said.splitlines()[-1] == "fairpairs: stopped; the same command goes on from here."
    assert "reproduce.py" not in said  # of a traceback; those of jobs are their own
    assert not (project / PREPARED).exists()


def test_the_end_of_a_run_says_what_failed_and_why(small):
    """Also where all that does not need it was made in between."""
    write_text(small / "extensions/treatments/broken.py", BROKEN)
    small.configure(
        lambda config: (
            config.update(extensions=["extensions"]),
            config["experiments"]["loans"].update(treatments=["none", "broken"]),
        )
    )
    run = small.snakemake("tables")
    assert run.returncode == 1
    assert (small / "results/tests/loans/loans/none/0000000-0000003.parquet").exists()
    _, _, end = run.stderr.partition("Exiting because a job execution failed.")
    (line,) = [line for line in end.splitlines() if line.startswith("  FAILED: ")]
    what = "Training on loans with treatment broken, repeats 0000000-0000003"
    log = "logs/train/loans/loans/broken/0000000-0000003.log"
    said = "The treatment broken failed on 603 training rows (ZeroDivisionError: mine): y and "
    assert line.startswith(f"  FAILED: {what}: {said}") and line.endswith(f" (log: {log})")
    assert "Traceback" in small.text(log)
    assert len(end.splitlines()) <= 8
