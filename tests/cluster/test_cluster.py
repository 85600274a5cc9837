"""The workflow on a Slurm cluster: the same bytes as here, whatever goes wrong on the way."""

import io
import os
import re
import signal
import time

import pandas as pd
import pytest

from fairpairs.base.files import write_text
from tests.cluster.conftest import CONFIG, going_on
from tests.workflow.runs import copied_checkout
from tests.workflow.test_faults import BROKEN

pytestmark = pytest.mark.cluster

#: Scripts do this before their work, so that jobs meet the limits of the cluster.
FAULTS = """
import os
import time
from pathlib import Path

work, job = snakemake.wildcards[-1], os.environ["SLURM_JOB_ID"]
attempts = Path("attempts", work)
before = attempts.read_text().split() if attempts.exists() else []
attempts.parent.mkdir(exist_ok=True)
with attempts.open("a") as stream:
    print(job, file=stream)


def meet_limit():  # at once, however long the job has taken so far
    os.system("scontrol update JobId=$SLURM_JOB_ID EndTime=now")
    time.sleep(1000)


fault = {faults}.get(work)
if fault == "node" and not before:
    time.sleep(1000)
if fault == "long" and not before:
    meet_limit()
if fault in ("first limit", "every limit"):
    size = 1300 if fault == "first limit" else snakemake.resources.mem_mb
    held = b"x" * size * 1024**2
    # memory is looked at every second
    time.sleep(3 if size < snakemake.resources.mem_mb else 1000)
    del held

"""
#: A job does this before it trains a block: the first one meets its limit in block 3, the second
#: one an error in block 4.
ENDED = """
        if work == "0000000-0000023":
            with open("blocks", "a") as stream:
                print(len(before), block, file=stream)
            if (len(before), block) == (0, 3):
                meet_limit()
            if (len(before), block) == (1, 4):
                raise RuntimeError("in block 4")
"""
CHUNKS = ["0000000-0000003", "0000004-0000007", "0000008-0000011"]


def predictions(chunk):
    return f"results/predictions/loans/loans/none/{chunk}.parquet"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what runs, with blocks of four repeats, in which jobs meet faults."""
    folder = copied_checkout(tmp_path_factory.mktemp("checkout") / "checkout")
    faults = dict(zip(CHUNKS, ["node", "first limit", "every limit"], strict=True))
    text = FAULTS.format(faults={**faults, "points": "long"})
    train = "workflow/scripts/train.py"
    for script in (train, "workflow/scripts/study_step.py"):
        replace(folder / script, "\nrun(", f"{text}\nrun(")
    replace(folder / train, "def train(block, repeats):\n", f"def train(block, repeats):{ENDED}")
    replace(folder / "src/fairpairs/papers/experiments/blocks.py", "BLOCK = 500", "BLOCK = 4")
    return folder


@pytest.fixture(scope="module")
def ended(new_project, checkout):
    """A run of one chunk in six blocks, whose training is ended twice; it goes on meanwhile."""
    project = new_project("ended", checkout, repeats=24, chunk_size=24)
    with going_on(project, predictions("0000000-0000023")) as run:
        yield run


@pytest.fixture(scope="module")
def forgotten(new_project, forgetful):
    """A run on the forgetful cluster, with a treatment that fails; it stands still meanwhile."""
    loans = {**CONFIG["experiments"]["loans"], "treatments": ["none", "broken"]}
    project = new_project(
        "forgotten", on=forgetful, experiments={"loans": loans}, extensions=["extensions"]
    )
    write_text(project.here / "extensions/treatments/broken.py", BROKEN)
    targets = [*map(predictions, CHUNKS[:2]), predictions(CHUNKS[0]).replace("none", "broken")]
    with going_on(project, *targets, "--retries", "0") as (_, process):
        project.wait_for(lambda: project.terminal.count("has been submitted") == 3, process)
        time.sleep(2)  # it looks at jobs that wait for the only core
        process.send_signal(signal.SIGSTOP)
        yield project, process


@pytest.fixture(scope="module")
def generic(new_project, forgetful):
    """A run of a chunk by commands of the scheduler; it goes on meanwhile."""
    project = new_project("generic", on=forgetful)
    target = predictions(CHUNKS[0]).replace("predictions", "tests")
    with going_on(project, target, profile="cluster-generic") as run:
        yield run


def replace(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def faulty(new_project, cluster, checkout, here, ended, forgotten):
    """A run in which every job meets a fault, and its exit status; one has no chance."""
    project = new_project("faulty", checkout)
    targets = ["results/summaries/loans.parquet", "results/tables/calibration/rejections.csv"]
    process = project.start(*targets, "--retries", "1")
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
    blocks = ["0 0", "0 1", "0 2", "0 3", "1 3", "1 4", "2 4", "2 5"]  # each with its attempt
    assert project.here.text("blocks").splitlines() == blocks
    first, second, third = attempts(project, "0000000-0000023")
    states = cluster.states({first, second, third})
    assert states == {first: "TIMEOUT", second: "FAILED", third: "COMPLETED"}
    minutes = cluster.column("%l")
    assert minutes[second] == minutes[third] == "6:00"  # not twice as many
    # the same numbers as in other chunks
    ours = project.here.frame(predictions("0000000-0000023"))
    chunks = [pd.read_parquet(io.BytesIO(local[predictions(chunk)])) for chunk in CHUNKS]
    pd.testing.assert_frame_equal(
        ours[: sum(map(len, chunks))], pd.concat(chunks, ignore_index=True)
    )
    assert not list(project.here.folder.glob("results/**/.*.blocks"))


def test_no_job_that_the_cluster_forgot_is_waited_for(forgotten, forgetful, local):
    """First looked at while they wait for the only core, and then long after their end."""
    project, process = forgotten
    project.wait_for(lambda: not forgetful.jobs(), process)
    process.send_signal(signal.SIGCONT)
    assert process.wait(timeout=900) == 1
    assert project.results()[predictions(CHUNKS[0])] == local[predictions(CHUNKS[0])]
    made = project.here.files("results/predictions")
    assert made == [predictions(chunk) for chunk in CHUNKS[:2]]
    (line,) = [line for line in project.terminal.splitlines() if line.startswith("  FAILED: ")]
    assert "treatment broken" in line
    assert "ZeroDivisionError: mine" in line


def finished(project):
    """The predictions whose job Snakemake called finished."""
    log = project.terminal
    jobs = dict(re.findall(r"Job (\d+): Training on .* repeats ([\d-]+)$", log, re.M))
    ids = re.findall(r"^Finished jobid: (\d+) \(Rule: train\)$", log, re.M)
    return [predictions(jobs[i]) for i in ids]


def test_slurm_gives_the_bytes_of_a_local_run_whose_main_process_was_killed(
    new_project, cluster, local, generic
):
    project, before = new_project("slurm"), cluster.jobs()
    process = project.start("--jobs", "1", whole=True)
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
    assert project.start(whole=True).wait(timeout=900) == 0, project.terminal
    assert {path: (project.here / path).stat().st_mtime_ns for path in kept} == kept
    assert project.results() == local
    assert len(local) > 20
    # a training, its tests and a design are a job each; what takes a moment was not submitted
    states = [*cluster.states(cluster.jobs() - before).values()]
    assert states.count("COMPLETED") == 2 * len(CHUNKS) + 1
    assert len(states) - states.count("COMPLETED") <= 1  # what was cancelled


def test_any_scheduler_gives_the_bytes_of_a_local_run(generic, local):
    project, process = generic
    assert process.wait(timeout=900) == 0, project.terminal
    ours = project.results()
    assert predictions(CHUNKS[0]).replace("predictions", "tests") in ours
    assert ours.items() <= local.items()
    assert project.terminal.count("Submitted job") == 2
