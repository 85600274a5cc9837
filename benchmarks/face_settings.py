"""Print how many cells of Table 3 on differential parity agree with models that fit more closely.

The published network, VGG-16 trained on faces, is unavailable. The shipped study uses ridge
regression on frozen vectors of MobileNet, with a penalty chosen by leave-one-out errors. Smaller
penalties, and kernel ridge regression, fit their own training items more closely, as a fine-tuned
network does. The model is chosen on the cells of sex and judged on those of race. Needs the
prepared and embedded faces of a run (`data/prepared`, `data/embedded`).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any
from unittest import mock

from measure import ROOT, SEED  # isort: skip

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray
from scipy.linalg import solve

from fairpairs.base.arrays import Floats
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.models import ridge
from fairpairs.papers.models.faces import DECISION_MODELS, DecisionModel
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import PublishedTable, read_published
from fairpairs.papers.published.verdicts import AGREES
from fairpairs.papers.studies.differential_parity.bridge_study import bridge_study, inputs_and_model
from fairpairs.papers.studies.differential_parity.cells import table_3

STUDY = "split_80_20"
#: Penalties of ridge regression; None for the shipped choice.
PENALTIES = (None, 100.0, 1.0)
#: Penalties of kernel ridge regression, Gaussian with the median distance as width.
KERNEL_PENALTIES = (0.3, 0.1, 0.03, 0.01)
MODELS = ("Model Train", "Model Test", "Biased Bridge")


def linear(penalty: float | None) -> DecisionModel:
    """Return ridge regression with one penalty."""

    def fit_predict(*given: Any) -> Floats:
        tried = ridge.PENALTIES if penalty is None else np.array([penalty])
        with mock.patch.object(ridge, "PENALTIES", tried):
            return DECISION_MODELS["ridge"](*given)

    return fit_predict


def gaussian(penalty: float) -> DecisionModel:
    """Return kernel ridge regression with one penalty."""

    def fit_predict(
        inputs: NDArray[Any], decisions: Floats, fitting: NDArray[np.bool_], _: Any
    ) -> Floats:
        spread = inputs[fitting].std(axis=0)
        x = inputs / np.where(spread > 0, spread, 1)
        lengths = (x**2).sum(axis=1)
        distances = lengths[:, None] + lengths[fitting] - 2 * x @ x[fitting].T
        kernel = np.exp(-distances / (2 * np.median(distances[fitting])))
        mean = decisions[fitting].mean(axis=0)
        own = kernel[fitting] + penalty * np.eye(int(fitting.sum()))
        return kernel @ solve(own, decisions[fitting] - mean, assume_a="pos") + mean

    return fit_predict


def recording(model: DecisionModel, seen: list[tuple[float, float]]) -> DecisionModel:
    """Return the model, which notes its correlation with decisions it has and has not fitted."""

    def fit_predict(inputs: Any, decisions: Floats, fitting: NDArray[np.bool_], rng: Any) -> Floats:
        predicted = model(inputs, decisions, fitting, rng)
        seen.append(
            tuple(
                float(np.mean([
                    np.corrcoef(ours, theirs)[0, 1]
                    for ours, theirs in zip(predicted[part].T, decisions[part].T, strict=True)
                ]))
                for part in (fitting, ~fitting)
            )
        )  # fmt: skip
        return predicted

    return fit_predict


def line(
    name: str, study: Callable[[DecisionModel], pd.DataFrame], model: DecisionModel,
    table: PublishedTable,
) -> str:  # fmt: skip
    """Return a line of the table: how closely the model fits, how many cells agree, mean |z|."""
    seen: list[tuple[float, float]] = []
    cell = table_3(SourceData(cells=table.cells, results=study(recording(model, seen))))
    rows = [(own.row, own.column, cell(own.key)) for own in table.cells.itertuples()]
    made = pd.DataFrame([{"row": r, "column": c, **own} for r, c, own in rows if own])
    found = compare(table, made)
    key = table.cells["key"]
    counts = []
    for attribute in ("sex", "race"):
        of_attribute = key.map(lambda own, attribute=attribute: own["attribute"] == attribute)
        for row in MODELS:
            own = found[(of_attribute & key.map(lambda own, row=row: own["row"] == row)).to_numpy()]
            agree = (own["verdict"] == AGREES).sum()
            counts.append(f"{agree} of {len(own)} ({own['z'].abs().mean():.1f})")
    fits = [f"{value:.2f}" for value in np.mean(seen, axis=0)]
    return f"| {' | '.join([name, *fits, *counts])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    repeats = parser.parse_args().repeats
    content = yaml.safe_load((ROOT / "config/studies/differential_parity.yaml").read_text("utf-8"))
    settings = content["differential_parity"]["bridges"][STUDY] | {"cross_fitted": 0}
    table = read_published(
        ROOT / "config/published/differential_parity/table_3.yaml",
        ROOT / "workflow/schemas/published.schema.yaml",
    )
    data = ROOT / "data"
    dataset = read_prepared(
        data / "prepared/scut_fbp5500.parquet", data / "prepared/scut_fbp5500.json",
        data / "embedded/scut_fbp5500.mobilenet.parquet",
    )  # fmt: skip
    inputs, _ = inputs_and_model(dataset, "ridge")

    def study(model: DecisionModel) -> pd.DataFrame:
        found = bridge_study(
            dataset, inputs, model, settings=settings, repeats=range(repeats), seed=SEED
        )
        return found.assign(dataset=dataset.name)

    names = [f"{row}, {attribute}" for attribute in ("sex", "race") for row in MODELS]
    print("| model | fitted | not fitted |", " | ".join(names), "|")
    print("| --- | --- | --- |" + " --- |" * len(names))
    for penalty in PENALTIES:
        name = "ridge, penalty by leave-one-out" if penalty is None else f"ridge, {penalty:g}"
        print(line(name, study, linear(penalty), table), flush=True)
    for penalty in KERNEL_PENALTIES:
        print(line(f"kernel ridge, {penalty:g}", study, gaussian(penalty), table), flush=True)


if __name__ == "__main__":
    main()
