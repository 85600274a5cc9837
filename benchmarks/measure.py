"""How the benchmarks measure: the clock, the data, and the registry of promises.

Import it before numpy: it limits the numerical libraries to one thread.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is loaded
    os.environ[variable] = "1"

import yaml

from fairpairs.papers.datasets.card import read_card
from fairpairs.papers.datasets.prepare import prepare
from fairpairs.papers.datasets.prepared import PreparedDataset, read_prepared
from fairpairs.papers.datasets.synthetic import write_synthetic_dataset

ROOT = Path(__file__).parent.parent
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
SEED, ALPHA = CONFIG["seed"], CONFIG["alpha"]


@dataclass(frozen=True)
class Promise:
    """A bound that a measured figure keeps."""

    name: str
    sign: str
    bound: float

    def is_kept(self, values: Sequence[float]) -> bool:
        """Whether the best round keeps the bound; one round may be noise."""
        return max(values) >= self.bound if self.sign == "≥" else min(values) <= self.bound


#: Takes the number of rounds; returns the figures of each promise, one per round, or None when what
#: it needs is not installed or not downloaded.
Measurement = Callable[[int], Sequence[Sequence[float]] | None]

MEASUREMENTS: list[tuple[Measurement, tuple[Promise, ...]]] = []


def promises(*bounds: tuple[str, str, float]) -> Callable[[Measurement], Measurement]:
    """Register a function that measures these figures: name, sign and bound of each."""

    def register(measurement: Measurement) -> Measurement:
        MEASUREMENTS.append((measurement, tuple(Promise(*bound) for bound in bounds)))
        return measurement

    return register


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def prepared_datasets(*names: str) -> list[PreparedDataset]:
    """Return the prepared data sets of these names, or synthetic data if one is missing."""
    folder = ROOT / "data/prepared"
    if all((folder / f"{name}.parquet").exists() for name in names):
        return [
            read_prepared(folder / f"{name}.parquet", folder / f"{name}.json") for name in names
        ]
    with tempfile.TemporaryDirectory() as temporary:
        write_synthetic_dataset(temporary, n=4000)
        schema = ROOT / "workflow/schemas/dataset.schema.yaml"
        card = read_card(Path(temporary, "config/datasets/loans.yaml"), schema)
        frame, roles = prepare(Path(temporary, "mirror/loans/loans.csv"), card, name="loans")
    return [PreparedDataset("loans", frame, roles["features"], tuple(roles["sensitive"]))]
