"""The work whose growth is measured; as a script it does one and prints its seconds and memory.

python benchmarks/works.py train --n 1000 --repeats 10
"""

from __future__ import annotations

import argparse
import json
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from measure import seconds

import fairpairs as fp
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.predictions import Settings
from fairpairs.papers.experiments.summaries import summarise
from fairpairs.papers.experiments.testing import COLUMNS, run_tests
from fairpairs.papers.experiments.train import train_repeats

ALPHA, SEED = 0.05, 0
#: Work that took longer is not done once more to trace its memory.
LONG = 60.0
TESTS = ("separation", "comparative_separation")


def dataset(n: int) -> PreparedDataset:
    """Return items with six features, a binary label and two sensitive attributes."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 6))
    columns = {f"x{i}": column for i, column in enumerate(x.T)}
    groups = {f"sensitive_{name}": rng.integers(0, 2, n) for name in ("sex", "race")}
    label = (x[:, 0] + rng.normal(size=n) > 0).astype(np.int64)
    frame = pd.DataFrame({"item": np.arange(n), **columns, "label": label, **groups})
    return PreparedDataset("made", frame, dict.fromkeys(columns, "numeric"), ("sex", "race"))


def train(n: int, repeats: int) -> Callable[[], object]:
    items = dataset(n)
    return lambda: train_repeats(
        items, model="logistic_regression", treatment="none", repeats=range(repeats), seed=SEED,
        test_fraction=0.5,
    )  # fmt: skip


def experiment(n: int, repeats: int) -> Callable[[], object]:
    frame = dataset(n).frame.drop(columns="item").rename(columns={"label": "repaid"})
    thresholds = {"call": "thresholds_by_group", "held_out": 0.3}
    return lambda: fp.experiment(
        frame, label="repaid", sensitive_features=["sensitive_sex", "sensitive_race"],
        models=["logistic_regression"], repeats=repeats,
        treatments=["none", "fairbalance", "reweighing", thresholds],
    )  # fmt: skip


def test(n: int, repeats: int, tests: Sequence[str] = TESTS) -> Callable[[], pd.DataFrame]:
    items, rng = dataset(n), np.random.default_rng(1)
    rows = np.concatenate([np.sort(rng.permutation(n)[: n // 2]) for _ in range(repeats)])
    score = rng.random(len(rows))
    predictions = pd.DataFrame(
        {
            "repeat": np.repeat(np.arange(repeats), n // 2),
            "item": rows,
            "score": score,
            "prediction": (score > 0.5).astype(np.int8),
        }
    )
    settings = Settings(SEED, ALPHA, 2)
    return lambda: run_tests(tests, predictions, items, treatment="none", settings=settings)


def pairs(n: int, repeats: int) -> Callable[[], object]:
    items, rng = dataset(n), np.random.default_rng(1)
    y, group = items.label, items.frame["sensitive_sex"].to_numpy()
    score = y + rng.normal(size=n)
    return lambda: fp.comparative_separation_test(y, score, sensitive_features=group)


def audit(n: int, repeats: int) -> Callable[[], object]:
    frame, rng = dataset(n).frame, np.random.default_rng(1)
    score = frame["label"] + rng.normal(size=n)
    return lambda: fp.audit(
        frame["label"], (score > 0.5).astype(int), y_score=score,
        sensitive_features=frame[["sensitive_sex", "sensitive_race"]],
    )  # fmt: skip


def summaries(n: int, repeats: int) -> Callable[[], object]:
    rng = np.random.default_rng(0)
    names = [f"H{i}" for i in range(4)]
    rows = pd.DataFrame(rng.random((repeats * len(names), len(COLUMNS))), columns=list(COLUMNS))
    results = rows.assign(
        repeat=np.repeat(np.arange(repeats), len(names)), draw=0, hypothesis=names * repeats,
        rejected=rows["p_value"] < ALPHA, n=n, smallest_cell=n // 8, note="",
        dataset="made", attribute="sex", treatment="none", test="separation",
    )  # fmt: skip
    chunks = [part for _, part in results.groupby(results["repeat"] // 500)]  # as in the config
    return lambda: summarise(chunks)


WORKS = {
    **{"train": train, "experiment": experiment, "test": test},
    **{"all pairs": pairs, "audit": audit, "summarise": summaries},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=10)
    options = parser.parse_args()
    WORKS[options.work](200, 2)()  # what is loaded when it is first used
    work = WORKS[options.work](options.n, options.repeats)
    time = seconds(work)
    peak = float("nan")
    if time < LONG:
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1] / 1e6
    print(json.dumps({"seconds": time, "peak": peak}))


if __name__ == "__main__":
    main()
