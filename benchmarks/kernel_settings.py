"""Print under which kernels, penalties and intercepts the printed synthetic cells agree.

The paper on density ratios gives no settings of its kernel classifiers. Every kernel is tried with
several penalties, and with and without the intercept in its probabilities. The penalty is chosen on
the tables of independence, by the mean difference from the printed cells, and judged on those of
separation. Cells of a kernel and a linear classifier or the actual value count, not those of two
kernels. With --regressors, it prints what part of the difference on real data is due to the
intercept; it needs the results of a run, whose `results/tables/density_ratio/regressor_kernels.md`
has our kernels with the intercept, and the cited package's without it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from measure import ROOT, SEED  # isort: skip

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats
from fairpairs.base.files import read_parquet
from fairpairs.mathematics.density_ratio.measures import (
    MEASURES,
    POINTS_OF,
    mean_of,
    points_of,
    standardised,
)
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.published.cells import printed_values
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import PublishedTable, read_published
from fairpairs.papers.published.verdicts import AGREES
from fairpairs.papers.ratio_estimators.kernel_logistic import (
    median_distance,
    penalised_logistic,
    pivoted_cholesky,
)
from fairpairs.papers.studies.density_ratio.cells import synthetic_table
from fairpairs.papers.studies.density_ratio.measured import measured
from fairpairs.papers.studies.density_ratio.synthetic import (
    KERNEL_CLASSIFIERS,
    MEASURED,
    STUDIED,
    as_published,
    synthetic_sets,
    true_independence,
)
from fairpairs.papers.studies.density_ratio.synthetic_tables import correlations

FOLDER = ROOT / "config/published/density_ratio"
SCHEMA = ROOT / "workflow/schemas/published.schema.yaml"
CHOSEN_ON, JUDGED_ON = (3, 4, 6, 10, 12, 13), (5, 7, 11, 14)
#: Weights of half the squared length; 20 is a weight of 0.01 on the mean loss of 1,000 items.
PENALTIES = (100.0, 20.0, 10.0, 1.0, 0.1, 0.01, 0.001)
CAP = 0.99
LINEAR = {name: own for name, own in STUDIED.items() if name not in KERNEL_CLASSIFIERS}


@dataclass(frozen=True)
class Kernel:
    """A kernel: its kind, its name in the table, and its values of two sets of points."""

    kind: str
    name: str
    of: Callable[[Floats, Floats], Floats]


def gaussian(name: str, rate: float) -> Kernel:
    """Return exp(−rate |x − x'|²)."""

    def of(left: Floats, right: Floats) -> Floats:
        return np.exp(-rate * ((left[:, None, :] - right[None, :, :]) ** 2).sum(axis=2))

    return Kernel("kernel_gaussian", name, of)


def polynomial(degree: int, constant: float, features: int | None = None) -> Kernel:
    """Return (constant + x·x')^degree, the product divided by the number of features if given."""
    over = " / p" if features else ""

    def of(left: Floats, right: Floats) -> Floats:
        return (constant + left @ right.T / (features or 1)) ** degree

    return Kernel("kernel_polynomial", f"({constant:g} + x·x'{over})^{degree}", of)


def kernels(x: Floats) -> Iterator[Kernel]:
    """Yield the kernels; some depend on the points."""
    for width in (0.5, 0.5**0.5, 1.0, 1.6, 3.2):
        yield gaussian(f"width {width:.2g}", 1 / (2 * width**2))
    yield gaussian("width: the median distance", 1 / (2 * median_distance(x) ** 2))
    yield gaussian("exp(−|x − x'|² / p)", 1 / x.shape[1])
    for degree in (2, 3, 4):
        for constant in (0.0, 1.0):
            yield polynomial(degree, constant)
        yield polynomial(degree, 1.0, x.shape[1])


def kernel_ratios(x: Floats, group: NDArray[np.int64]) -> Iterator[tuple[tuple[str, ...], Floats]]:
    """Yield each setting and its ratios at the points, without a cap and with one, (2, n)."""
    for kernel in kernels(x):
        diagonal = np.array([kernel.of(point, point)[0, 0] for point in x[:, None]])
        features = pivoted_cholesky(kernel.of, x, diagonal)[1]
        fitted = None
        for penalty in PENALTIES:
            fitted = penalised_logistic(features, group, penalty, start=fitted)
            slope = features @ fitted[1:]
            for intercept, log_odds in (("yes", slope + fitted[0]), ("no", slope)):
                capped = [log_odds, np.minimum(log_odds, np.log(CAP / (1 - CAP)))]
                balance = (group == 0).sum() / (group == 1).sum()
                with np.errstate(over="ignore"):
                    ratios = np.exp(np.array(capped)) * balance
                yield (kernel.kind, kernel.name, f"{penalty:g}", intercept), ratios


def results_of(repeat: int, settings: dict[str, object]) -> pd.DataFrame:
    """Return the measures of one seed by linear classifiers and by every kernel setting."""
    rows = []
    for mean, (y_true, y_pred, group) in synthetic_sets(settings, repeat=repeat, seed=SEED).items():
        y, score = standardised(y_true), standardised(y_pred)
        population = true_independence(mean, y_pred)["population"]
        rows.append((repeat, mean, ("population",), 0.0, "independence", population))
        for name, _, *row, _ in measured(y, score, group, LINEAR, measures=MEASURED, caps=(CAP,)):
            rows.append((repeat, mean, (name,), *row))
        points = points_of(y, score)
        ratios = {name: dict(kernel_ratios(points[name], group)) for name in points}
        for measure in MEASURED:
            for setting in ratios["score"]:
                values = mean_of([ratios[of][setting] for of in POINTS_OF[measure]])
                for cap, value in zip((0.0, CAP), values, strict=True):
                    rows.append((repeat, mean, setting, cap, measure, float(value)))
    return pd.DataFrame(rows, columns=["repeat", "mean", "setting", "cap", "measure", "value"])


def judged(results: pd.DataFrame, tables: list[PublishedTable]) -> tuple[int, int, float]:
    """Return how many cells with a kernel agree, of how many, and their mean difference."""
    found = correlations(results)
    parts = []
    for table in tables:
        cell = synthetic_table(SourceData(cells=table.cells, results=found))
        rows = [(own.row, own.column, cell(own.key)) for own in table.cells.itertuples()]
        made = pd.DataFrame([{"row": r, "column": c, **own} for r, c, own in rows if own])
        comparison = compare(table, made)
        with_kernel = table.cells["key"].map(lambda key: "kernel" in key["first"] + key["second"])
        parts.append(comparison[with_kernel.to_numpy() & comparison["reproduced"].notna()])
    cells = pd.concat(parts)
    difference = (cells["reproduced"] - cells["published"]).abs().mean()
    return int((cells["verdict"] == AGREES).sum()), len(cells), float(difference)


def tried(results: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each setting, with its cells that agree in both halves."""
    halves = [
        [read_published(FOLDER / f"table_{n}.yaml", SCHEMA) for n in numbers]
        for numbers in (CHOSEN_ON, JUDGED_ON)
    ]
    shared = results[results["setting"].map(len) == 1]
    shared = shared.assign(estimator=shared["setting"].str[0])
    lines = []
    for setting, own in results[results["setting"].map(len) > 1].groupby("setting", sort=False):
        both = pd.concat([shared, own.assign(estimator=f"{setting[0]}_published")])
        counts = [judged(both, tables) for tables in halves]
        lines.append((*setting, *counts[0], *counts[1]))
    names = ["kind", "kernel", "penalty", "intercept"]
    numbers = [f"{half} {what}" for half in ("chosen", "judged") for what in ("agree", "of", "off")]
    return pd.DataFrame(lines, columns=[*names, *numbers])


def shown(found: pd.DataFrame) -> str:
    """Return a Markdown table: the penalty that is chosen for each kernel and intercept."""
    lines = [
        "| kernel | intercept | penalty | independence (chosen) | separation (judged) |",
        "| --- | --- | --- | --- | --- |",
    ]
    for (_, kernel, intercept), own in found.groupby(["kind", "kernel", "intercept"], sort=False):
        best = own.loc[own["chosen off"].idxmin()]
        halves = [
            f"{best[f'{half} agree']} of {best[f'{half} of']} ({best[f'{half} off']:.3f})"
            for half in ("chosen", "judged")
        ]
        lines.append(f"| {kernel} | {intercept} | {best['penalty']} | {' | '.join(halves)} |")
    return "\n".join(lines)


def correlations_with_logistic(dataset: str) -> pd.DataFrame:
    """Return Spearman correlations of kernels with logistic regression over regressors.

    A row for each kernel of the study and of the package, with and without the intercept; a column
    for each measure.
    """
    prepared = ROOT / "data/prepared"
    known = read_prepared(prepared / f"{dataset}.parquet", prepared / f"{dataset}.json")
    items = known.frame.set_index("item")
    predictions = read_parquet(ROOT / f"results/density_ratio/predictions/{dataset}.parquet")
    rows = []
    for regressor, own in predictions.groupby("regressor", sort=False):
        y = items.loc[own["item"], "label"].to_numpy(dtype=np.float64)
        group = items.loc[own["item"], f"sensitive_{known.attributes[0]}"].to_numpy()
        both = {**KERNEL_CLASSIFIERS, **as_published(len(y))}
        estimators = {"logistic": STUDIED["logistic"]} | {
            f"{name} {words}": replace(kernel, intercept=words == "with")
            for name, kernel in both.items()
            for words in ("with", "without")
        }
        score = standardised(own["prediction"].to_numpy())
        for name, _, _, measure, value, _ in measured(
            standardised(y), score, group, estimators, measures=MEASURES
        ):
            rows.append((regressor, measure, name, value))
    found = pd.DataFrame(rows, columns=["regressor", "measure", "estimator", "value"])
    wide = found.pivot(index=["measure", "regressor"], columns="estimator", values="value")
    parts = wide.groupby(level="measure")
    return pd.DataFrame({m: part.corr("spearman")["logistic"] for m, part in parts})


def intercepts() -> str:
    """Return a Markdown table: how far each form is from the nine printed correlations."""
    cells = read_published(FOLDER / "table_1.yaml", SCHEMA).cells
    distances: dict[str, list[float]] = {}
    for dataset in ("law_school", "communities", "insurance"):
        for name, ours in correlations_with_logistic(dataset).drop("logistic").iterrows():
            kernel = str(name).split()[0].removesuffix("_published")
            for measure, value in ours.items():
                place = {"dataset": dataset, "measure": measure, "first": "logistic"}
                printed = printed_values(cells, **place, second=kernel)[0]
                distances.setdefault(str(name), []).append(abs(value - printed))
    lines = ["| kernel, intercept | mean difference from the printed |", "| --- | --- |"]
    lines += [f"| {name} | {np.mean(own):.3f} |" for name, own in distances.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--all", action="store_true", help="print every penalty too")
    parser.add_argument("--regressors", action="store_true", help="compare real data instead")
    given = parser.parse_args()
    if given.regressors:
        print(intercepts())
        return
    settings = yaml.safe_load((ROOT / "config/studies/density_ratio.yaml").read_text("utf-8"))
    results = pd.concat(
        [results_of(repeat, settings["density_ratio"]) for repeat in range(given.seeds)]
    )
    found = tried(results)
    if given.all:
        print(found.round(3).to_string(index=False))
    print(shown(found))


if __name__ == "__main__":
    main()
