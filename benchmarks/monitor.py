"""The command `fairpairs monitor`: a first batch of a million rows, and a look at its state."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measure import promises  # isort: skip

import numpy as np
import pandas as pd
from processes import Ran, run

COMMAND = [sys.executable, "-c", "from fairpairs.cli import program; program()", "monitor"]
OPTIONS = ["--label", "y", "--prediction", "p", "--score", "s", "--sensitive", "sex,age"]
N = 1_000_000


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
    ("Monitor: begin with 10⁶ rows, two attributes and a score, seconds", "≤", 3.0),
    ("Monitor: begin with 10⁶ rows, peak MB", "≤", 600.0),
    ("Monitor: look at the state, seconds", "≤", 2.0),
    ("Monitor: state after 2·10⁶ rows, kB", "≤", 1000.0),
)
def monitor(rounds: int) -> tuple[list[float], ...]:
    begun, _, looked, sizes = measured(rounds, OPTIONS)
    return [r.seconds for r in begun], [r.peak for r in begun], [r.seconds for r in looked], sizes


@promises(
    ("Monitor with ids and persons: 10⁶ rows to 10⁶, processor seconds", "≤", 5.0),
    ("Monitor with ids and persons: look at 2·10⁶, processor seconds", "≤", 2.0),
    ("Monitor with ids and persons: state after 2·10⁶ rows, MB", "≤", 70.0),
)
def monitor_with_ids(rounds: int) -> tuple[list[float], ...]:
    options = [*OPTIONS[:4], *OPTIONS[6:], "--id", "order", "--cluster", "who"]
    _, appended, looked, sizes = measured(rounds, options)
    return [r.cpu for r in appended], [r.cpu for r in looked], [size / 1000 for size in sizes]


def measured(
    rounds: int, options: list[str]
) -> tuple[list[Ran], list[Ran], list[Ran], list[float]]:
    """Return the first batch, the second one, a look, and the kB of the state, by round."""
    done, sizes = [], []
    with tempfile.TemporaryDirectory() as folder:
        state, *paths = (Path(folder, name) for name in ("state", "1.parquet", "2.parquet"))
        for seed, path in enumerate(paths):
            batch(seed).to_parquet(path)
        for _ in range(rounds):
            state.unlink(missing_ok=True)
            calls = [[state, paths[0], *options], [state, paths[1]], [state]]
            done.append([run([*COMMAND, *call]) for call in calls])
            if None in done[-1]:
                raise SystemExit("The monitor failed: see the message above.")
            sizes.append(state.stat().st_size / 1000)
    return *(list(of_rounds) for of_rounds in zip(*done, strict=True)), sizes
