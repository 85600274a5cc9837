"""The command `fairpairs audit` as a whole, on a million rows with two attributes."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measure import promises, seconds  # isort: skip

import numpy as np
import pandas as pd

COMMAND = [sys.executable, "-c", "from fairpairs.cli import program; program()", "audit"]
OPTIONS = [
    "--label", "y", "--prediction", "yhat", "--sensitive", "sex", "--sensitive", "race",
]  # fmt: skip


@promises(
    ("Audit of 10⁶ binary labels, two attributes, seconds", "≤", 15.0),
    ("Audit of 10⁶ real labels, two attributes, seconds", "≤", 15.0),
    ("Audit of 10⁶ labels, peak MB", "≤", 2000.0),
)
def audit(rounds: int) -> tuple[list[float], ...]:
    rng = np.random.default_rng(0)
    n = 1_000_000
    items = pd.DataFrame({"sex": rng.choice(["f", "m"], n), "race": rng.choice(list("abc"), n)})
    score = (rng.random(n) + 0.05 * (items["sex"] == "m")).round(4)
    labels = (rng.random(n) < score).astype(int)
    binary = items.assign(y=labels, yhat=(score > 0.5).astype(int), score=score)
    real = items.assign(y=(score + rng.normal(0, 0.3, n)).round(4), yhat=score)
    times = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.csv")
        for frame, options in ((binary, [*OPTIONS, "--score", "score"]), (real, OPTIONS)):
            frame.to_csv(path, index=False)
            work = partial(
                subprocess.run, [*COMMAND, str(path), *options],
                check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            times.append([seconds(work) for _ in range(rounds)])
    return *times, [resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024]
