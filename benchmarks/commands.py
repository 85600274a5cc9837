"""The commands as whole processes, on a million rows: seconds and memory; and two functions."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from items import OPTIONS, binary_items, real_items
from measure import promises, seconds
from processes import FAIRPAIRS, Ran, run

import fairpairs as fp

N = 1_000_000


@promises(
    ("Audit of 10⁶ binary labels, two attributes, seconds", 4.0),
    ("Audit of 10⁶ real labels, two attributes, seconds", 15.0),
    ("Audit of 10⁶ labels of 200,000 persons, margin, seconds", 15.0),
    ("Audit of 10⁶ labels, peak MB", 800.0),
    ("Audit of 2·10⁵ labels of 10⁴ persons, processor seconds", 10.0),
)
def audit(rounds: int) -> tuple[list[float], ...]:
    """Audit tables; in the last, persons have rows of all groups, which are shuffled."""
    scored, found = [*OPTIONS, "--score", "score"], []
    of_persons = [*scored, "--cluster", "person"]
    few = 2 * 10**5
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.csv")
        for frame, options in (
            (binary_items(N), scored),
            (real_items(N), OPTIONS),
            (binary_items(N).assign(person=np.arange(N) // 5), [*of_persons, "--margin", "0.05"]),
            (binary_items(few).assign(person=np.arange(few) // 20), of_persons),
        ):
            frame.to_csv(path, index=False)
            found.append([run(*FAIRPAIRS, "audit", path, *options) for _ in range(rounds)])
    peak = max(ran.peak for each in found[:3] for ran in each)
    seconds = ([ran.seconds for ran in each] for each in found[:3])
    return *seconds, [peak], [ran.cpu for ran in found[3]]


def attributes(*groups: int) -> pd.DataFrame:
    """Return a million items; the sizes of the groups of each attribute fall as 1 / rank."""
    rng, items = np.random.default_rng(0), {}
    for i, k in enumerate(groups):
        share = 1 / np.arange(1, k + 1)
        items[f"a{i}"] = rng.choice(k, N, p=share / share.sum()).astype(str)
    label = rng.integers(0, 2, N)
    decided = rng.random(N) < np.where(label, 0.7, 0.3)
    return pd.DataFrame(items).assign(y=label, p=decided.astype(int))


@promises(
    ("Audit of 10⁶ rows × 1,298 groups to depth 3, seconds", 5.0),
    ("Audit of 10⁶ rows × 1,298 groups to depth 3, peak MB", 600.0),
    ("Audit of 10⁶ rows × 60,000 groups, all files, seconds", 20.0),
)
def many_groups(rounds: int) -> tuple[list[float], ...]:
    found = []
    roles = ["--label", "y", "--prediction", "p", "--smallest", "1", "--sensitive"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.parquet")
        for groups, depth, more in (((8, 8, 6, 4), 3, ()), ((240, 300), 2, ("--out", folder))):
            attributes(*groups).to_parquet(path)
            names = ",".join(f"a{i}" for i in range(len(groups)))
            command = "audit-groups", path, *roles, names, "--depth", depth, *more
            found.append([run(*FAIRPAIRS, *command) for _ in range(rounds)])
    few, many = found
    return [r.seconds for r in few], [r.peak for r in few], [r.seconds for r in many]


def batch(seed: int) -> pd.DataFrame:
    """Return a million items of a fair model, with two attributes."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, N)
    return pd.DataFrame({
        "sex": rng.choice(["f", "m"], N),
        "age": rng.choice(["young", "middle", "old"], N),
        "y": label,
        "p": np.where(rng.random(N) < 0.2, 1 - label, label),
        "s": np.clip(rng.normal(0.4 + 0.2 * label, 0.2), 0, 1),
        "order": np.arange(N) + seed * N,
        "who": rng.permutation(N) + seed * N,
    })  # fmt: skip


@promises(
    ("Monitor: begin with 10⁶ rows, two attributes and a score, seconds", 3.0),
    ("Monitor: begin with 10⁶ rows, peak MB", 600.0),
    ("Monitor: look at the state, seconds", 2.0),
    ("Monitor: state after 2·10⁶ rows, kB", 1000.0),
    ("Monitor with ids and persons: 10⁶ rows to 10⁶, processor seconds", 5.0),
    ("Monitor with ids and persons: look at 2·10⁶, processor seconds", 2.0),
    ("Monitor with ids and persons: state after 2·10⁶ rows, MB", 70.0),
)
def monitor(rounds: int) -> tuple[list[float], ...]:
    roles = ["--label", "y", "--prediction", "p", "--sensitive", "sex,age"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(2):
            batch(seed).to_parquet(folder / f"{seed}.parquet")
        (begun, _, looked, sizes), (_, appended, looked_2, sizes_2) = (
            zip(*(monitored(folder, [*roles, *more]) for _ in range(rounds)), strict=True)
            for more in (("--score", "s"), ("--id", "order", "--cluster", "who"))
        )
    return (
        [r.seconds for r in begun], [r.peak for r in begun], [r.seconds for r in looked],
        list(sizes), [r.cpu for r in appended], [r.cpu for r in looked_2],
        [size / 1000 for size in sizes_2],
    )  # fmt: skip


def monitored(folder: Path, options: list[str]) -> tuple[Ran, Ran, Ran, float]:
    """Return the first batch, the second one, a look, and the kB of the state."""
    state = folder / "state"
    state.unlink(missing_ok=True)
    calls = [folder / "0.parquet", *options], [folder / "1.parquet"], []
    begun, appended, looked = (run(*FAIRPAIRS, "monitor", state, *call) for call in calls)
    return begun, appended, looked, state.stat().st_size / 1000


@promises(
    ("`fairpairs --help` less `import numpy`, seconds", 0.15),
    ("`import fairpairs` less `import numpy`, seconds", 0.1),
)
def start(rounds: int) -> tuple[list[float], ...]:
    """Seconds of each process less those of one that imports numpy."""
    seconds = [
        [run(*command).seconds for _ in range(rounds)]
        for command in (
            (sys.executable, "-c", "import numpy"),
            (*FAIRPAIRS, "--help"),
            (sys.executable, "-c", "import fairpairs"),
        )
    ]
    return tuple([a - b for a, b in zip(each, seconds[0], strict=True)] for each in seconds[1:])


@promises(
    ("All pairs of 10⁶ real labels, balanced, seconds", 3.0),
    ("10⁶ judgments of 10³ judges in 10⁴ clusters, seconds", 5.0),
)
def functions(rounds: int) -> tuple[list[float], ...]:
    rng = np.random.default_rng(0)
    label, group = rng.normal(size=N), rng.integers(0, 2, N)
    score = label + rng.normal(size=N)
    left, right = rng.integers(N // 10, size=(2, N))
    judged = left, right, rng.choice([-1, 1], N), score[: N // 10]
    of = {"judges": rng.integers(1000, size=N), "clusters": rng.integers(N // 100, size=N)}

    def pairs() -> object:
        return fp.comparative_separation_test(label, score, sensitive_features=group)

    def judgments() -> object:
        few = group[: N // 10]
        return fp.comparative_separation_from_judgments(*judged, sensitive_features=few, **of)

    return tuple([seconds(work) for _ in range(rounds)] for work in (pairs, judgments))
