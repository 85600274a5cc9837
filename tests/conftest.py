import gc
import os
import pickle
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from fairpairs.base.kernels import fix_kernels

gc.disable()  # until all tests are collected: what is loaded stays
# before numpy is loaded: tests compare their numbers with those of the workflow
fix_kernels(os.environ)

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from fairpairs.base import schemas
from fairpairs.base.reading import database
from fairpairs.papers.datasets.prepared import PreparedDataset

pytest_plugins = ["tests.made_results", "tests.processes"]
settings.register_profile("fairpairs", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("fairpairs")

ROOT = Path(__file__).parents[1]
#: What has been read of config/, by path, schema and time of the last change.
READ: dict[tuple[str, str, int], bytes] = {}


def _read_once(path: str | Path, schema: str | Path) -> Any:
    """Read and check a shipped file once for all tests of a process: a plan reads all of them."""
    if not Path(path).is_relative_to(ROOT / "config"):
        return _read(path, schema)
    key = str(path), str(schema), Path(path).stat().st_mtime_ns
    if key not in READ:
        READ[key] = pickle.dumps(_read(path, schema))
    return pickle.loads(READ[key])


_read, schemas.read_checked_yaml = schemas.read_checked_yaml, _read_once


@cache
def _shared_database() -> Any:
    """Begin a database for all tests of a process, each of whose connections is apart."""
    return _connected(Path(tempfile.gettempdir()))


_connected, database.connected = database.connected, lambda _: _shared_database().cursor()


@pytest.fixture
def own_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each connection begin a database, as for users."""
    monkeypatch.setattr(database, "connected", _connected)


@pytest.fixture
def few_sets(monkeypatch):
    """Fewer simulated sets, points and sizes, for speed: what is compared has the same ones."""
    from fairpairs.audits.power import sample_size
    from fairpairs.mathematics.power import cheap_labels, equivalence, rejection

    monkeypatch.setattr(rejection, "SETS", 100)
    monkeypatch.setattr(cheap_labels, "SETS", 100)
    monkeypatch.setattr(equivalence, "SETS", 100)
    monkeypatch.setattr(equivalence, "POINTS", 7)
    monkeypatch.setattr(equivalence, "MOST_SIZES", 1)
    monkeypatch.setattr(sample_size, "POINTS", 5)


# Table I of the paper, typed from it: (C, Y, A) -> probability under f0, f1, f2, f3.
TABLE_1 = {
    (1, 1, 1): (0.220, 0.220, 0.231, 0.230),
    (0, 1, 1): (0.055, 0.055, 0.044, 0.045),
    (1, 0, 1): (0.090, 0.081, 0.081, 0.105),
    (0, 0, 1): (0.135, 0.144, 0.144, 0.120),
    (1, 1, 0): (0.180, 0.180, 0.171, 0.200),
    (0, 1, 0): (0.045, 0.045, 0.054, 0.025),
    (1, 0, 0): (0.110, 0.121, 0.121, 0.100),
    (0, 0, 0): (0.165, 0.154, 0.154, 0.175),
}


#: Examples of docstrings that take longer than half a second.
SLOW_EXAMPLES = {
    "fairpairs.audits.power.interface.Power.__call__",
    "fairpairs.mathematics.inference.permutation.permutation_test",
    "fairpairs.mathematics.power.equivalence.power_within",
    "fairpairs.mathematics.power.equivalence.smallest_margin",
    "fairpairs.mathematics.power.items.pilot_of_scores",
    "fairpairs.mathematics.promises.check.check_promises",
}
#: Seconds that a test may take which is not marked as slow; one that takes longer is reported.
FAST = 1.0


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark examples of documents as slow, and put files with slow tests first.

    Then no process is left with one at the end.
    """
    for item in items:
        if item.path.suffix == ".md" or item.name in SLOW_EXAMPLES:
            item.add_marker("slow")
    yield
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Keep what is loaded out of garbage collections, and have fewer and smaller ones.

    Each process has a core: threads of libraries would wait for one another, at full speed.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(200_000)
    collect = gc.collect
    gc.collect = lambda generation=0: collect(generation)  # statsmodels asks for one at each Holm's
    threadpool_limits(limits=1)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that take long without the mark, which `make test-fast` would wait for."""
    times = {
        report.nodeid: report.duration
        for report in terminalreporter.getreports("passed")
        if report.when == "call" and report.duration > FAST and "slow" not in report.keywords
    }
    if times:
        terminalreporter.section(f"over {FAST:g} s and not marked as slow")
        for test, time in sorted(times.items(), key=lambda item: -item[1]):
            terminalreporter.write_line(f"{time:6.1f} s  {test}")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, in which nothing is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def dataset_schema() -> Path:
    return ROOT / "workflow" / "schemas" / "dataset.schema.yaml"


@pytest.fixture(scope="session")
def mirror() -> Path:
    named = [Path(p) for p in os.environ.get("FAIRPAIRS_MIRROR", "").split(os.pathsep) if p]
    for folder in [*named, ROOT.parent / "shared" / "mirror"]:
        if folder.is_dir():
            return folder
    pytest.skip("no mirror of the raw files: name its folder in FAIRPAIRS_MIRROR")


@pytest.fixture(scope="session")
def paper(mirror):
    """A function that returns the text of a paper, which is no part of the project."""

    def text(name: str) -> str:
        file = mirror.parent / "papers" / f"{name}.txt"
        if not file.is_file():
            pytest.skip(f"no text of the paper: write it into {file}")
        return file.read_text("utf-8")

    return text


@pytest.fixture
def table_1():
    """The classifiers of Table I, as the config writes them."""
    return {
        f"f{i}": {f"C={c}, Y={y}, A={a}": p[i] for (c, y, a), p in TABLE_1.items()}
        for i in range(4)
    }


@pytest.fixture
def table_1_items():
    """The classifiers of Table I, as arrays (a, y, c)."""
    items = {f"f{i}": np.zeros((2, 2, 2)) for i in range(4)}
    for (c, y, a), probabilities in TABLE_1.items():
        for i, p in enumerate(probabilities):
            items[f"f{i}"][a, y, c] = p
    return items


@pytest.fixture
def random_items():
    """A function that makes n labels, predictions, scores and groups without any structure."""

    def make(seed: int, n: int):
        rng = np.random.default_rng(seed)
        y_true, y_pred, group = rng.integers(2, size=(3, n))
        return y_true, y_pred, rng.normal(size=n), group

    return make


@pytest.fixture
def small_dataset() -> PreparedDataset:
    """500 items, two sensitive attributes, a numeric and a categorical feature."""
    rng = np.random.default_rng(3)
    n = 500
    sex, race = (rng.random(n) < 0.4).astype(np.int8), (rng.random(n) < 0.6).astype(np.int8)
    amount = rng.normal(10, 3, n)
    city = rng.choice(["Ash", "Birk", "Cole"], n, p=[0.5, 0.3, 0.2])
    chance = 1 / (1 + np.exp(-0.3 * (amount - 10) - 0.8 * sex + 0.5 * (city == "Ash")))
    frame = pd.DataFrame(
        {
            "item": np.arange(n, dtype=np.int32),
            "amount": amount,
            "city": city,
            "label": (rng.random(n) < chance).astype(np.int8),
            "sensitive_sex": sex,
            "sensitive_race": race,
        }
    )
    kinds = {"amount": "numeric", "city": "categorical", "sensitive_sex": "numeric"}
    return PreparedDataset("small", frame, kinds, ("sex", "race"))
