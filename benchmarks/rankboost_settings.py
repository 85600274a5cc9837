"""Print with how many rounds, folds and kinds of calibration RankBoost meets the published cells.

Table 1 of the paper on xAUC says neither. The best setting is chosen on two data sets and judged on
the two others. Needs the prepared data sets of a run (`data/prepared`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest import mock

from measure import ALPHA, ROOT, SEED, prepared_datasets  # isort: skip

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV

from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.predictions import Settings
from fairpairs.papers.experiments.testing import run_tests
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.models import rankboost
from fairpairs.papers.published.cells import reproduced_mean
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.table import PublishedTable, read_published
from fairpairs.papers.published.verdicts import AGREES

TABLE = ROOT / "config/published/xauc/table_1.yaml"
SCHEMA = ROOT / "workflow/schemas/published.schema.yaml"
EXPERIMENT = "ranking_rankboost"
#: Every other data set of the table.
CHOSEN_ON = ("compas_filtered", "german_age_25")
JUDGED_ON = ("framingham", "adult")
NAMES = {
    "compas_filtered": "COMPAS",
    "german_age_25": "German",
    "framingham": "Framingham",
    "adult": "Adult",
}
ROUNDS = (10, 20, 30, 50, 75, 100)
#: Calibrations: Platt on each fold, the models averaged; Platt on all folds, one model; none.
CALIBRATIONS = (
    *(("Platt, averaged", folds) for folds in (2, 3, 5)),
    ("Platt, one model", 5),
    ("none", 2),
)


class Uncalibrated:
    """RankBoost whose votes count as half the log odds, in the place of a calibrated one."""

    def __init__(self, model: rankboost.RankBoostClassifier, **_: Any) -> None:
        self.model = model

    def fit(self, x: NDArray[Any], y: NDArray[Any], sample_weight: Any = None) -> Uncalibrated:
        """Fit the model."""
        self.model.fit(x, y, sample_weight)
        return self

    def predict_proba(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the probabilities of both labels."""
        p = expit(2 * self.model.decision_function(x))
        return np.column_stack([1 - p, p])


@contextmanager
def calibration(kind: str, folds: int) -> Iterator[None]:
    """Calibrate RankBoost in another way."""
    calibrated: Any = CalibratedClassifierCV
    if kind == "none":
        calibrated = Uncalibrated
    elif kind == "Platt, one model":
        calibrated = partial(CalibratedClassifierCV, ensemble=False)
    with (
        mock.patch.object(rankboost, "FOLDS", folds),
        mock.patch.object(rankboost, "CalibratedClassifierCV", calibrated),
    ):
        yield


def cells(dataset: PreparedDataset, table: PublishedTable, rounds: int, repeats: int) -> list[Any]:
    """Return the reproduced cells of one data set."""
    predictions = train_repeats(
        dataset, model="rankboost", treatment="none", repeats=range(repeats), seed=SEED,
        test_fraction=0.3, rounds=rounds,
    )  # fmt: skip
    found = run_tests(
        ["ranking"], predictions, dataset, treatment="none", settings=Settings(SEED, ALPHA, 2)
    ).groupby(["attribute", "hypothesis"])["estimate"]
    rows = []
    for row, column, key in table.cells[["row", "column", "key"]].itertuples(index=False):
        if key["experiment"] != EXPERIMENT or key["dataset"] != dataset.name:
            continue
        group = key["group"]
        groups = f"{group},{1 - group}" if key["measure"] == "xAUC" else f"{group}"
        values = found.get_group((key["attribute"], f"{key['measure']}({groups})")).to_numpy()
        rows.append({"row": row, "column": column, **reproduced_mean(values)})
    return rows


def tried(datasets: list[PreparedDataset], table: PublishedTable, repeats: int) -> pd.DataFrame:
    """Return a row for each setting: by data set, how many cells agree and their mean |z|."""
    dataset_of = {own.column: own.key["dataset"] for own in table.cells.itertuples()}
    lines = []
    for kind, folds in CALIBRATIONS:
        for rounds in ROUNDS:
            with calibration(kind, folds):
                rows = [row for data in datasets for row in cells(data, table, rounds, repeats)]
            found = compare(table, pd.DataFrame(rows)).dropna(subset="reproduced")
            of_dataset = found.groupby(found["column"].map(dataset_of), sort=False)
            agree = of_dataset["verdict"].agg(lambda verdict: (verdict == AGREES).sum())
            distance = of_dataset["z"].agg(lambda z: z.abs().mean())
            lines.append(
                {"calibration": kind, "folds": folds, "rounds": rounds}
                | {name: agree[name] for name in NAMES}
                | {f"|z| {name}": distance[name] for name in NAMES}
            )
    return pd.DataFrame(lines)


def shown(found: pd.DataFrame) -> str:
    """Return a Markdown table."""
    places = [*CHOSEN_ON, *JUDGED_ON]
    lines = [
        f"| calibration | folds | rounds | {' | '.join(NAMES[name] for name in places)} |",
        "| --- |" + " --- |" * (2 + len(places)),
    ]
    for line in found.to_dict("records"):
        own = [f"{line[name]} ({line[f'|z| {name}']:.1f})" for name in places]
        setting = (line["calibration"], line["folds"], line["rounds"], *own)
        lines.append(f"| {' | '.join(map(str, setting))} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=50)
    repeats = parser.parse_args().repeats
    datasets = prepared_datasets(*CHOSEN_ON, *JUDGED_ON)
    found = tried(datasets, read_published(TABLE, SCHEMA), repeats)
    print(shown(found))
    for half, names in (("chosen on", CHOSEN_ON), ("judged on", JUDGED_ON)):
        near = found.loc[found[[f"|z| {name}" for name in names]].sum(axis=1).idxmin()]
        print(f"The nearest of those {half}:", *near[["calibration", "folds", "rounds"]])


if __name__ == "__main__":
    main()
