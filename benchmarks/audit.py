"""The command `fairpairs audit` as a whole, on a million rows with two attributes."""

from __future__ import annotations

import resource
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from measure import promises, seconds  # isort: skip

from items import COMMAND, OPTIONS, binary_items, real_items
from processes import run

N = 1_000_000


@promises(
    ("Audit of 10⁶ binary labels, two attributes, seconds", "≤", 4.0),
    ("Audit of 10⁶ real labels, two attributes, seconds", "≤", 15.0),
    ("Audit of 10⁶ labels of 200,000 persons, margin, seconds", "≤", 15.0),
    ("Audit of 10⁶ labels, peak MB", "≤", 800.0),
)
def audit(rounds: int) -> tuple[list[float], ...]:
    times = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.csv")
        for frame, options in (
            (binary_items(N), [*OPTIONS, "--score", "score"]),
            (real_items(N), OPTIONS),
            (
                binary_items(N).assign(person=np.arange(N) // 5),
                [*OPTIONS, "--score", "score", "--cluster", "person", "--margin", "0.05"],
            ),
        ):
            frame.to_csv(path, index=False)
            work = partial(
                subprocess.run, [*COMMAND, str(path), *options],
                check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            times.append([seconds(work) for _ in range(rounds)])
    return *times, [resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024]


@promises(("Audit of 2·10⁵ labels of 10⁴ persons, processor seconds", "≤", 10.0))
def audit_of_clusters(rounds: int) -> tuple[list[float]]:
    """Audit persons with rows of all groups, which are shuffled within each."""
    persons = binary_items(2 * 10**5).assign(person=np.arange(2 * 10**5) // 20)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.csv")
        persons.to_csv(path, index=False)
        line = [*COMMAND, path, *OPTIONS, "--score", "score", "--cluster", "person"]
        ran = [run(line) for _ in range(rounds)]
    return ([each.cpu for each in ran if each is not None],)
