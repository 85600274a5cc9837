"""The command `fairpairs monitor`: a first batch of a million rows, and a look at its state."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measure import promises  # isort: skip

import numpy as np
import pandas as pd
from processes import run

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
    })  # fmt: skip


@promises(
    ("Monitor: begin with 10⁶ rows, two attributes and a score, seconds", "≤", 3.0),
    ("Monitor: begin with 10⁶ rows, peak MB", "≤", 600.0),
    ("Monitor: look at the state, seconds", "≤", 2.0),
    ("Monitor: state after 2·10⁶ rows, kB", "≤", 1000.0),
)
def monitor(rounds: int) -> tuple[list[float], ...]:
    appended, looked, sizes = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        state, *paths = (Path(folder, name) for name in ("state", "1.parquet", "2.parquet"))
        for seed, path in enumerate(paths):
            batch(seed).to_parquet(path)
        for _ in range(rounds):
            state.unlink(missing_ok=True)
            done = [
                run([*COMMAND, state, paths[0], *OPTIONS]),
                run([*COMMAND, state, paths[1]]),
                run([*COMMAND, state]),
            ]
            if None in done:
                raise SystemExit("The monitor failed: see the message above.")
            appended.append(done[0])
            looked.append(done[2])
            sizes.append(state.stat().st_size / 1000)
    return [r.seconds for r in appended], [r.peak for r in appended], [
        r.seconds for r in looked
    ], sizes  # fmt: skip
