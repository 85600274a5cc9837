"""The workflow on a Slurm cluster: the same bytes as here, whatever goes wrong on the way."""

import os
import re
import signal
from contextlib import contextmanager

import pytest

from fairpairs.base.files import write_text
from tests.cluster.conftest import CONFIG
from tests.workflow.test_faults import BROKEN

pytestmark = pytest.mark.cluster

#: A script that does this before its work, so that jobs meet the limits of the cluster.
FAULTS = """
import os
import time
from pathlib import Path

attempts = Path("attempts", snakemake.wildcards[-1])
job = os.environ["SLURM_JOB_ID"]
before = attempts.read_text().split() if attempts.exists() else []
attempts.parent.mkdir(exist_ok=True)
with attempts.open("a") as stream:
    print(job, file=stream)
fault = {faults}[snakemake.wildcards[-1]]
if fault == "node" and not before:
    time.sleep(1000)
if fault == "long" and not set(before) - {{job}}:
    time.sleep(1000)
if fault in ("first limit", "every limit"):
    size = 1300 if fault == "first limit" else snakemake.resources.mem_mb
    held = b"x" * size * 1024**2
    time.sleep(3)  # memory is looked at every second
    del held

"""
#: What rests on all that is submitted.
TARGETS = ("results/summaries/loans.parquet", "results/tables/calibration/rejections.csv")
CHUNKS = ["0000000-0000003", "0000004-0000007", "0000008-0000011"]


def predictions(chunk):
    return f"results/predictions/loans/loans/none/{chunk}.parquet"


def assert_same_files(ours, local):
    assert set(TARGETS) <= set(ours)
    assert ours == {path: local[path] for path in ours}


def let_fail(checkout, script, faults):
    path = checkout / f"workflow/scripts/{script}.py"
    text = path.read_text("utf-8")
    before, after = text.split("\nrun(", 1)
    path.write_text(f"{before}{FAULTS.format(faults=faults)}\nrun({after}", "utf-8")


#: What a job does before it trains a block: the first one meets its limit in block 3, the second
#: one an error in block 4.
ENDED = """
        job = __import__("os").environ["SLURM_JOB_ID"]
        with open("blocks", "a") as stream:
            print(block, job, file=stream)
        jobs = list(dict.fromkeys(line.split()[1] for line in open("blocks")))
        if (block, len(jobs)) == (3, 1):
            __import__("time").sleep(1000)
        if (block, len(jobs)) == (4, 2):
            raise RuntimeError("in block 4")
"""


@pytest.fixture(scope="module")
def ended(new_project, another_checkout):
    """A run of one chunk in six blocks, whose training is ended twice; it goes on meanwhile."""
    replace(
        another_checkout / "src/fairpairs/papers/experiments/blocks.py", "BLOCK = 500", "BLOCK = 2"
    )
    replace(another_checkout / "workflow/rules/train.smk", "5, each=0.003", "1, each=0")
    script = another_checkout / "workflow/scripts/train.py"
    replace(script, "def train(block, repeats):\n", f"def train(block, repeats):{ENDED}")
    project = new_project("ended", another_checkout, chunk_size=12)
    with going_on(project, project.start(TARGETS[0])) as run:
        yield run


@pytest.fixture(scope="module")
def forgotten(new_project, forgetful):
    """A run on the forgetful cluster, with a treatment that fails; it goes on meanwhile."""
    loans = {**CONFIG["experiments"]["loans"], "treatments": ["none", "broken"]}
    project = new_project(
        "forgotten", on=forgetful, experiments={"loans": loans}, extensions=["extensions"]
    )
    write_text(project.here / "extensions/treatments/broken.py", BROKEN)
    targets = [*map(predictions, CHUNKS), predictions(CHUNKS[0]).replace("none", "broken")]
    looks = ["--slurm-init-seconds-before-status-checks", "40"]
    with going_on(project, project.start(*targets, *looks, "--retries", "0")) as run:
        yield run


@contextmanager
def going_on(project, process):
    """Yield a run that goes on beside others, and end it if it is not over."""
    yield project, process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def replace(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def faulty(new_project, cluster, checkout, here, ended, forgotten):
    """A run in which every job meets a fault, and its exit status; one has no chance."""
    faults = dict(zip(CHUNKS, ["node", "first limit", "every limit"], strict=True))
    let_fail(checkout, "train", faults)
    let_fail(checkout, "study_step", {"points": "long"})
    project = new_project("faulty", checkout)
    limits = ["--set-resources", "measure_designs:runtime=1", "--retries", "1"]
    process = project.start(*TARGETS, *limits)
    first = project.here / "attempts" / CHUNKS[0]
    project.wait_for(lambda: first.exists() and first.read_text().endswith("\n"), process)
    node = cluster.ask("squeue", "--noheader", "--format=%N", "--jobs", first.read_text().strip())
    cluster.crash(node.strip())
    return project, process.wait(timeout=900)


def attempts(project, name):
    """The job of each attempt; one that was on the lost node stands there twice."""
    return project.here.text(f"attempts/{name}").split()


def jobs(project, name):
    """The different jobs of the attempts."""
    return list(dict.fromkeys(attempts(project, name)))


def test_a_job_goes_on_elsewhere_when_its_node_goes_down(faulty, local):
    project, _ = faulty
    first, second = attempts(project, CHUNKS[0])
    assert first == second  # Slurm itself queued it again
    assert project.results()[predictions(CHUNKS[0])] == local[predictions(CHUNKS[0])]


def test_a_job_that_needs_more_memory_gets_more(faulty, cluster, local):
    project, _ = faulty
    first, second = jobs(project, CHUNKS[1])
    states = cluster.states({first, second})
    assert states[first] in ("FAILED", "OUT_OF_MEMORY")  # the latter with cgroups
    assert states[second] == "COMPLETED"
    asked = cluster.column("%m")  # such as 1101M or 2.15G
    memory = [
        float(asked[job][:-1]) * {"M": 1, "G": 1024}[asked[job][-1]] for job in (first, second)
    ]
    assert memory[1] == pytest.approx(2 * memory[0], rel=0.01)
    assert project.results()[predictions(CHUNKS[1])] == local[predictions(CHUNKS[1])]


def test_a_job_that_took_too_long_is_tried_again(faulty, cluster, local):
    project, _ = faulty
    first, second = jobs(project, "points")
    assert cluster.states({first, second}) == {first: "TIMEOUT", second: "COMPLETED"}
    path = "results/calibration/designs/points.parquet"
    assert project.results()[path] == local[path]


def test_a_job_without_a_chance_is_reported_by_name(faulty, local):
    project, status = faulty
    assert status == 1
    assert len(jobs(project, CHUNKS[2])) == 2
    said = project.terminal[project.terminal.index("Error in rule train") :]
    assert "rule train" in said
    assert predictions(CHUNKS[2]) in said
    assert not (project.here / predictions(CHUNKS[2])).exists()
    # all that does not need it is there, and nothing else
    ours = project.results()
    assert ours.items() <= local.items()
    assert "results/tables/calibration/rejections.csv" in ours
    assert "results/summaries/loans.parquet" not in ours


def test_a_chunk_goes_on_after_the_block_in_which_it_was_ended(ended, cluster, local):
    """By its limit of time in block 3, an error in block 4; each asks for the time of the rest."""
    project, process = ended
    assert process.wait(timeout=900) == 0, project.terminal
    blocks, numbers = zip(*map(str.split, project.here.text("blocks").splitlines()), strict=True)
    assert blocks == ("0", "1", "2", "3", "3", "4", "4", "5")
    first, second, third = dict.fromkeys(numbers)
    states = cluster.states({first, second, third})
    assert states == {first: "TIMEOUT", second: "FAILED", third: "COMPLETED"}
    minutes = cluster.column("%l")
    assert [minutes[job] for job in (first, second, third)] == ["1:00", "2:00", "2:00"]
    # of the same numbers in another chunk
    assert project.results()[TARGETS[0]] == local[TARGETS[0]]
    assert not list(project.here.folder.glob("results/**/.*.blocks"))


def test_slurm_gives_the_bytes_of_a_local_run(new_project, cluster, local):
    project = new_project("slurm")
    before = cluster.jobs()
    assert project.run(whole=True) == 0, project.terminal
    assert project.results() == local
    assert len(local) > 20
    # a training, its tests and a design are a job each; what takes a moment was not submitted
    submitted = cluster.jobs() - before
    assert len(submitted) == 2 * len(CHUNKS) + 1
    assert set(cluster.states(submitted).values()) == {"COMPLETED"}


def test_any_scheduler_gives_the_bytes_of_a_local_run(new_project, cluster, local):
    project = new_project("generic")
    before = cluster.jobs()
    assert project.run(*TARGETS, profile="cluster-generic") == 0, project.terminal
    assert_same_files(project.results(), local)
    assert len(cluster.jobs() - before) == 2 * len(CHUNKS) + 1


def test_no_job_that_the_cluster_forgot_is_waited_for(forgotten, forgetful, local):
    """First looked at long after their end, or while they wait for the only core."""
    project, process = forgotten
    assert process.wait(timeout=900) == 1
    assert forgetful.jobs() == set()
    assert project.results()[predictions(CHUNKS[0])] == local[predictions(CHUNKS[0])]
    made = project.here.files("results/predictions")
    assert made == [predictions(chunk) for chunk in CHUNKS]
    (line,) = [line for line in project.terminal.splitlines() if line.startswith("  FAILED: ")]
    assert "treatment broken" in line
    assert "ZeroDivisionError: mine" in line


def finished(project):
    """The predictions whose job Snakemake called finished."""
    log = project.terminal
    jobs = dict(re.findall(r"Job (\d+): Training on .* repeats ([\d-]+)$", log, re.M))
    ids = re.findall(r"^Finished jobid: (\d+) \(Rule: train\)$", log, re.M)
    return [predictions(jobs[i]) for i in ids]


def test_a_run_whose_main_process_was_killed_goes_on_where_it_stopped(new_project, cluster, local):
    project = new_project("killed")
    process = project.start(*TARGETS, "--jobs", "1")
    project.wait_for(lambda: finished(project), process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = {path: (project.here / path).stat().st_mtime_ns for path in finished(project)}
    assert 0 < len(kept) < len(CHUNKS)
    # as docs/how-to/cluster.md says: its jobs go on, so cancel them; unlock; start it again
    for line in cluster.ask("squeue", "--noheader", "--me", "--format=%A %j").splitlines():
        job, name = line.split()
        assert name.startswith("fairpairs_")
        cluster.ask("scancel", job)
    project.here.snakemake("--unlock").check()
    assert project.run(*TARGETS) == 0, project.terminal
    assert_same_files(project.results(), local)
    assert {path: (project.here / path).stat().st_mtime_ns for path in kept} == kept
