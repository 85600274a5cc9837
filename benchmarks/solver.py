"""Print how far scikit-learn's default solver, which stops early, is from the optimum we fit."""

from __future__ import annotations

import argparse

from measure import ALPHA, SEED, prepared_datasets  # isort: skip

import numpy as np
import pandas as pd
import plain

from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.predictions import Settings
from fairpairs.papers.experiments.testing import run_tests
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.registry import load


def violations(dataset: PreparedDataset, predictions: pd.DataFrame, treatment: str) -> pd.DataFrame:
    """Return whether separation is found violated, by repeat and attribute."""
    results = run_tests(
        ["separation"], predictions, dataset, treatment=treatment, settings=Settings(SEED, ALPHA, 2)
    )
    rejected = results.groupby(["attribute", "repeat"], sort=False)["rejected"].any()
    return rejected.unstack("attribute", sort=False)


def compare(dataset: PreparedDataset, treatment: str, repeats: int) -> str:
    """Fit both solvers on the same splits; return one line on their predictions and results."""
    label, sensitive = dataset.label, dataset.sensitive
    weigh = load("treatments", treatment)
    optimum = train_repeats(
        dataset, model="logistic_regression", treatment=treatment, repeats=range(repeats),
        seed=SEED, test_fraction=0.5,
    )  # fmt: skip
    default = optimum.copy()
    for _, part in optimum.groupby("repeat"):
        test = part["item"].to_numpy()
        train = np.setdiff1d(np.arange(len(label)), test)
        weights = weigh(label[train], sensitive[train])
        scores = plain.predict(dataset.frame, dataset.kinds, label, train, test, weights)
        default.loc[part.index, "prediction"] = (scores > 0.5).astype(np.int8)
    share = float((optimum["prediction"] != default["prediction"]).mean())
    one, other = (violations(dataset, frame, treatment) for frame in (optimum, default))
    changes = ", ".join(
        f"{a} {one[a].mean():.3f} / {other[a].mean():.3f} "
        f"({(one[a] & ~other[a]).sum()} repeats only with ours, "
        f"{(~one[a] & other[a]).sum()} only with the default)"
        for a in one
    )
    return (
        f"{dataset.name}, {treatment}, {repeats} repeats: {share:.2%} of the predictions differ; "
        f"separation violated {changes}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=100)
    repeats = parser.parse_args().repeats
    for dataset in prepared_datasets("compas", "german"):
        for treatment in ("none", "fairbalance", "reweighing"):
            print(compare(dataset, treatment, repeats))


if __name__ == "__main__":
    main()
