"""The command `fairpairs audit-groups` as a whole, on a million rows: seconds and memory."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measure import promises  # isort: skip

import numpy as np
import pandas as pd
from processes import run

COMMAND = [sys.executable, "-c", "from fairpairs.cli import program; program()", "audit-groups"]
OPTIONS = ["--label", "y", "--prediction", "p", "--smallest", "1"]
N = 1_000_000


def attributes(*groups: int) -> pd.DataFrame:
    """Return a million items; the sizes of the groups of each attribute fall as 1 / rank."""
    rng = np.random.default_rng(0)
    items = {}
    for i, k in enumerate(groups):
        share = 1 / np.arange(1, k + 1)
        items[f"a{i}"] = rng.choice(k, N, p=share / share.sum()).astype(str)
    label = rng.integers(0, 2, N)
    decided = rng.random(N) < np.where(label, 0.7, 0.3)
    return pd.DataFrame(items).assign(y=label, p=decided.astype(int))


@promises(
    ("Audit of 10⁶ rows × 1,298 groups to depth 3, seconds", "≤", 5.0),
    ("Audit of 10⁶ rows × 1,298 groups to depth 3, peak MB", "≤", 600.0),
    ("Audit of 10⁶ rows × 60,000 groups, all files, seconds", "≤", 20.0),
)
def many_groups(rounds: int) -> tuple[list[float], ...]:
    few, many = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.parquet")
        for groups, depth, ran in (((8, 8, 6, 4), 3, few), ((240, 300), 2, many)):
            attributes(*groups).to_parquet(path)
            names = ",".join(f"a{i}" for i in range(len(groups)))
            more = ["--out", folder] if ran is many else []
            for _ in range(rounds):
                done = run(
                    [*COMMAND, path, *OPTIONS, "--sensitive", names, "--depth", depth, *more]
                )
                if done is None:
                    raise SystemExit("The audit of many groups failed: see the message above.")
                ran.append(done)
    return [r.seconds for r in few], [r.peak for r in few], [r.seconds for r in many]
