"""What `make benchmark` measures: commands on files, functions beside plain ones; their bounds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from processes import Ran

#: Rows of most files, and those that are made at a time.
N = PIECE = 10**6
#: Sizes of audits that are compared with DuckDB's scan; the first is audited in memory.
SIZES = (10**6, 10**7)
ROLES = ("--label", "y", "--prediction", "yhat", "--sensitive", "sex", "--sensitive", "race")
SEXES, RACES = {"f": 0.5, "m": 0.5}, {"w": 0.6, "b": 0.2, "h": 0.15, "a": 0.05}
WAYS = (sys.executable, Path(__file__).with_name("ways.py"))
NUMPY = (sys.executable, "-c", "import numpy")
#: Figure → how it follows from the process, that of the plain way, and the folder of the files.
FIGURES: Mapping[str, Callable[[Ran, Ran, Path], float]] = {
    "seconds": lambda ran, plain, folder: ran.seconds,
    "processor seconds": lambda ran, plain, folder: ran.cpu,
    "peak MB": lambda ran, plain, folder: ran.peak,
    "times DuckDB's scan": lambda ran, plain, folder: ran.seconds / plain.answer["seconds"],
    "times Fairlearn": lambda ran, plain, folder: ran.seconds / plain.seconds,
    "seconds beyond `import numpy`": lambda ran, plain, folder: ran.seconds - plain.seconds,
    "state, MB": lambda ran, plain, folder: (folder / "state").stat().st_size / 1e6,
}


@dataclass(frozen=True)
class Case:
    """A command, in a folder with files, and the most that each figure may be."""

    name: str
    words: Sequence[object]
    bounds: Mapping[str, float]
    #: what a plain way to the same takes
    plain: Sequence[object] = ()


@dataclass(frozen=True)
class Cases:
    """Commands that run one after the other in a folder, and what writes its files."""

    cases: Sequence[Case]
    files: Mapping[str, Callable[[Path], object]] = field(default_factory=dict)


def write_items(path: Path, n: int) -> None:
    """Write n items as Parquet, in the memory of a piece of them; scores have all their digits."""
    writer = None
    for start in range(0, n, PIECE):
        items = pa.table(_piece(np.random.default_rng(start), min(PIECE, n - start)))
        writer = writer or pq.ParquetWriter(path, items.schema)
        writer.write_table(items)
    if writer:
        writer.close()


def _piece(rng: np.random.Generator, n: int) -> dict[str, pa.Array]:
    sex = rng.choice(len(SEXES), n, p=list(SEXES.values()))
    race = rng.choice(len(RACES), n, p=list(RACES.values()))
    label = rng.random(n) < 0.3 + 0.05 * sex
    score = 1 / (1 + np.exp(0.6 - 1.2 * label - 0.1 * sex - rng.normal(size=n)))
    return {
        "sex": pa.array(list(SEXES)).take(pa.array(sex)),
        "race": pa.array(list(RACES)).take(pa.array(race)),
        "y": pa.array(label.astype(np.int8)),
        "yhat": pa.array((score > 0.5).astype(np.int8)),
        "score": pa.array(score),
    }


def items(n: int, each: int = 1, *, numbers: bool = False) -> Callable[[Path], object]:
    """Return what writes n items as CSV, `each` of a person; labels may be numbers."""

    def write(path: Path) -> object:
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"sex": rng.choice(["f", "m"], n), "race": rng.choice(list("abc"), n)})
        score = (rng.random(n) + 0.05 * (frame["sex"] == "m")).round(4)
        label, decided = (rng.random(n) < score).astype(int), (score > 0.5).astype(int)
        if numbers:
            label, decided = (score + rng.normal(0, 0.3, n)).round(4), score
        frame = frame.assign(y=label, yhat=decided, score=score)
        if each > 1:
            frame["person"] = np.arange(n) // each
        return frame.to_csv(path, index=False)

    return write


def attributes(*groups: int) -> Callable[[Path], object]:
    """Return what writes items with attributes; the sizes of their groups fall as 1 / rank."""

    def write(path: Path) -> object:
        rng, frame = np.random.default_rng(0), {}
        for i, k in enumerate(groups):
            share = 1 / np.arange(1, k + 1)
            frame[f"a{i}"] = rng.choice(k, N, p=share / share.sum()).astype(str)
        label = rng.integers(0, 2, N)
        decided = rng.random(N) < np.where(label, 0.7, 0.3)
        return pd.DataFrame(frame).assign(y=label, p=decided.astype(int)).to_parquet(path)

    return write


def batch(number: int) -> Callable[[Path], object]:
    """Return what writes a batch of a fair model, with two attributes."""

    def write(path: Path) -> object:
        rng = np.random.default_rng(number)
        label = rng.integers(0, 2, N)
        return pd.DataFrame({
            "sex": rng.choice(["f", "m"], N), "age": rng.choice(["young", "middle", "old"], N),
            "y": label, "p": np.where(rng.random(N) < 0.2, 1 - label, label),
            "s": np.clip(rng.normal(0.4 + 0.2 * label, 0.2), 0, 1),
            "order": np.arange(N) + number * N, "who": rng.permutation(N) + number * N,
        }).to_parquet(path)  # fmt: skip

    return write


def audits(n: int) -> Cases:
    """Return the audits of a Parquet file beside DuckDB's scan of the same columns."""
    power = "⁰¹²³⁴⁵⁶⁷⁸⁹"[round(np.log10(n))]
    some = []
    for what, column, few, most, times in (
        ("decisions", [], 3.0, 4.0, 25.0), ("scores too", ["score"], 5.0, 12.0, 50.0)
    ):  # fmt: skip
        figures = {"seconds": most, "times DuckDB's scan": times, "peak MB": 1000.0}
        score = [word for name in column for word in ("--score", name)]
        some.append(Case(
            f"Audit of 10{power} rows of Parquet, {what}",
            ("audit", "items.parquet", *ROLES, *score),
            figures if n > N else {"seconds": few},
            (*WAYS, "scan", "items.parquet", "y", "yhat", "sex", "race", *column),
        ))  # fmt: skip
    if n == N:
        some.append(Case(
            "Audit of 10⁶ rows of Parquet, with all tests", ("audit", "items.parquet", *ROLES),
            {"times Fairlearn": 0.5},
            (*WAYS, "fairlearn", "items.parquet", "y", "yhat", "sex", "race"),
        ))  # fmt: skip
    return Cases(some, {"items.parquet": lambda path: write_items(path, n)})


SCORED = ("audit", "items.csv", *ROLES, "--score", "score")
GROUPED = ("audit-groups", "items.parquet", "--label", "y", "--prediction", "p", "--smallest", 1)
MONITORED = ("monitor", "state", "0.parquet", "--label", "y", "--prediction", "p",
             "--sensitive", "sex,age")  # fmt: skip
BATCHES = {f"{number}.parquet": batch(number) for number in range(2)}
COMMANDS = (
    Cases([Case("Audit of 10⁶ binary labels", SCORED, {"seconds": 4.0})],
          {"items.csv": items(N)}),
    Cases([Case("Audit of 10⁶ real labels", ("audit", "items.csv", *ROLES),
                {"seconds": 15.0})], {"items.csv": items(N, numbers=True)}),
    Cases([Case("Audit of 10⁶ labels of 200,000 persons, margin",
                (*SCORED, "--cluster", "person", "--margin", 0.05),
                {"seconds": 15.0, "peak MB": 800.0})], {"items.csv": items(N, 5)}),
    Cases([Case("Audit of 2·10⁵ labels of 10⁴ persons", (*SCORED, "--cluster", "person"),
                {"processor seconds": 10.0})], {"items.csv": items(N // 5, 20)}),
    Cases([Case("Audit of 10⁶ rows × 1,298 groups to depth 3",
                (*GROUPED, "--sensitive", "a0,a1,a2,a3", "--depth", 3),
                {"seconds": 5.0, "peak MB": 600.0})], {"items.parquet": attributes(8, 8, 6, 4)}),
    Cases([Case("Audit of 10⁶ rows × 60,000 groups, all files",
                (*GROUPED, "--sensitive", "a0,a1", "--depth", 2, "--out", "."),
                {"seconds": 20.0})], {"items.parquet": attributes(240, 300)}),
    Cases([Case("Monitor: begin with 10⁶ rows", (*MONITORED, "--score", "s"),
                {"seconds": 3.0, "peak MB": 600.0}),
           Case("Monitor: 10⁶ rows more", ("monitor", "state", "1.parquet"), {}),
           Case("Monitor: look at the state", ("monitor", "state"),
                {"seconds": 2.0, "state, MB": 1.0})], BATCHES),
    Cases([Case("Monitor with ids and persons: begin with 10⁶ rows",
                (*MONITORED, "--id", "order", "--cluster", "who"), {}),
           Case("Monitor with ids and persons: 10⁶ rows more", ("monitor", "state", "1.parquet"),
                {"processor seconds": 5.0, "state, MB": 70.0})], BATCHES),
    Cases([Case("`fairpairs --help`", ("--help",),
                {"seconds beyond `import numpy`": 0.15}, NUMPY)]),
)  # fmt: skip
