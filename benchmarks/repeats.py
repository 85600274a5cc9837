"""The summary of an experiment with many repeats: seconds, and peak memory of the process.

The results of tests are made in the folder for temporary files, 8 kB a repeat of all data sets and
treatments, and removed. As a script it sums up those of a folder.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from measure import ROOT, promises
from processes import run
from works import test

from fairpairs.base.files import write_parquet
from fairpairs.papers.display.tables import write_experiment_table
from fairpairs.papers.experiments.blocks import chunk_repeats, chunks
from fairpairs.papers.experiments.summaries import read_results, summarise

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
EXPERIMENT = CONFIG["experiments"]["classification"]
#: Repeats of a file, as docs/how-to/cluster.md asks for where repeats are many.
CHUNK = 5000
SIZES = (10**4, 10**5)


def results(rows: pd.DataFrame, repeats: Sequence[int], rng: np.random.Generator) -> pd.DataFrame:
    """Return made results of some repeats, shaped as the rows of one repeat."""
    n, parts = len(repeats), rows.groupby(["test", "attribute"], sort=False).indices.values()
    place = np.concatenate([np.tile(part, n) for part in parts])
    numbers = rng.random((2, len(place)))
    made = rows.iloc[place].reset_index(drop=True)
    return made.assign(
        repeat=np.concatenate([np.repeat(np.asarray(repeats, np.int32), len(p)) for p in parts]),
        estimate=numbers[0] - 0.5,
        p_value=np.where(made["p_value"].isna(), np.nan, numbers[1]),
        rejected=made["p_value"].notna() & (numbers[1] < 0.05),
    )


def write_results(folder: Path, repeats: int) -> list[Path]:
    """Write results of the tests of `classification`, in the files of a run."""
    rows = test(400, 1, EXPERIMENT["tests"])()
    rng, files = np.random.default_rng(0), []
    for dataset in EXPERIMENT["datasets"]:
        for treatment in EXPERIMENT["treatments"]:
            named = rows.assign(dataset=dataset, treatment=treatment)
            for chunk in chunks(repeats, CHUNK):
                files.append(folder / dataset / treatment / f"{chunk}.parquet")
                write_parquet(files[-1], results(named, chunk_repeats(chunk), rng))
    return files


def work(folder: Path, repeats: int) -> None:
    """Do what the rule `summarise` does."""
    files = [
        path
        for path in sorted(folder.glob("tests/*/*/*.parquet"))
        if chunk_repeats(path.stem)[-1] < repeats
    ]
    violations, estimates = summarise(read_results(files))
    write_experiment_table(violations, estimates, folder / "table", title="Made")


@promises(
    ("Summary of 10⁵ repeats, seconds", 60.0),
    ("Summary of 10⁵ repeats, peak MB", 500.0),
    ("Summary, peak memory of 10⁵ / 10⁴ repeats", 1.1),
)
def summary(rounds: int) -> tuple[list[float], ...]:
    """One round, as memory does not vary: a process that reads all results of `classification`."""
    with tempfile.TemporaryDirectory() as folder:
        write_results(Path(folder, "tests"), max(SIZES))
        small, large = (run(sys.executable, __file__, folder, repeats) for repeats in SIZES)
    return [large.seconds], [large.peak], [large.peak / small.peak]


if __name__ == "__main__":
    work(Path(sys.argv[1]), int(sys.argv[2]))
