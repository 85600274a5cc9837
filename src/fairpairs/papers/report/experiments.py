"""Experiments as the report shows them: how often each test found a violation, and how large."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from fairpairs.base.files import read_parquet
from fairpairs.base.plain_values import Record, TableRow
from fairpairs.base.texts import decimals
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.display import treatments
from fairpairs.papers.display.labels import label, levels
from fairpairs.papers.display.svg import embedded
from fairpairs.papers.display.tables import experiment_display_table
from fairpairs.papers.experiments.comparison import FEWEST, treatments_over_datasets
from fairpairs.papers.experiments.search import criteria
from fairpairs.papers.experiments.summaries import read_summaries, remark
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.files import summary_files

#: Columns that name a row → their headings.
NAMES = {"dataset": "Data set", "attribute": "Attribute", "treatment": "Treatment", "test": "Test"}

#: Sentences on what an experiment found.
MOST_FOUND = 3
#: Tests whose estimates say how scores rank.
RANKING = "ranking|xauc"


def shown_experiment(experiment: Experiment, folder: Path, titles: Mapping[str, str]) -> Record:
    """Return an experiment for the report.

    `folder` is the one in which the workflow ran, `titles` are those of the data sets.
    """
    roles = {name: folder / f"data/prepared/{name}.json" for name in experiment.datasets}
    shown: Record = {"settings": experiment}
    if experiment.compare:
        shown["compared"] = _compared(experiment, folder, titles)
        shown["about"] = {
            titles[name]: treatments.about(read_roles(file)) for name, file in roles.items()
        }
    if experiment.tests:
        shown |= _tests(experiment, folder, titles)
    return shown


def _compared(experiment: Experiment, folder: Path, titles: Mapping[str, str]) -> Record:
    """Return what the treatments did: sentences, figures and tables, by the title of a data set."""
    name, compare = experiment.name, experiment.compare or {}
    alpha = compare["alpha"]
    comparison = treatments.read_treatments(folder / f"results/treatments/{name}.csv")
    measures = read_parquet(folder / f"results/measures/{name}.parquet")
    over = treatments_over_datasets(comparison, alpha=alpha)
    displays = treatments.treatments_tables(
        measures,
        comparison,
        title="",
        titles=titles,
        searches=criteria(experiment.arms.values()),
        alpha=alpha,
    )
    figures = {"trade_off": ".trade_off", "change": ""}
    if len(titles) >= FEWEST:
        figures["ranks"] = ".ranks"
    return {
        "against": label(comparison["against"].iloc[0]),
        "told": treatments.told(comparison, titles, compare.get("margin") or {}),
        "over": treatments.told_over_datasets(over) if len(titles) > 2 else [],
        "means": {
            display.title.removeprefix(": "): replace(
                display,
                table=display.table.map(lambda cell: cell.replace("**", "")),
                note=display.note.replace(treatments.BOLD, ""),
            )
            for display in displays
        },
        "changes": {
            treatments.titled(dataset, titles): treatments.changes_table(part)
            for dataset, part in comparison.groupby("dataset", sort=False)
        },
        "over_table": treatments.over_datasets_table(over, title="", alpha=alpha),
        **{
            key: embedded(folder / f"results/figures/treatments/{name}{kind}.svg", f"{name}-{key}")
            for key, kind in figures.items()
        },
    }


def _tests(experiment: Experiment, folder: Path, titles: Mapping[str, str]) -> Record:
    """Return how often each test found a violation, and how large."""
    name = experiment.name
    summary = read_summaries([folder / file for file in summary_files([name])])[name]
    violations, estimates = summary["violations"], summary["estimates"]
    tested = estimates["test"].isin(set(violations["test"]))
    return {
        "found": found(violations, titles),
        "wide": _by_kind(violations, estimates[~tested]),
        "levels": levels(violations["test"]),
        "rates": _rates(violations, estimates[~tested], titles),
        "effects": _effects(estimates[tested], titles),
        "figure": embedded(folder / f"results/figures/{name}.svg", name),
    }


def found(violations: pd.DataFrame, titles: Mapping[str, str]) -> list[str]:
    """Return how often the first test finds a violation, and which treatment lowers that most.

    The attributes with the largest shares are named.
    """
    kept = violations.dropna(subset="violated")
    sentences = []
    for (dataset, attribute), part in kept.groupby(["dataset", "attribute"], sort=False):
        rows = part[part["test"] == kept["test"].iloc[0]].to_dict("records")
        start, *_ = sorted(rows, key=lambda row: row["treatment"] != "none") or [{}]
        if not start:
            continue
        least = min(rows, key=lambda row: float(row["violated"]))
        treated = start["treatment"] != "none"
        title, test = treatments.titled(dataset, titles), label(str(start["test"]))
        text = (
            f"{title}, {attribute}: {test} is found violated in {_share(start)} of the repeats with"
            f"{' ' + label(str(start['treatment'])) if treated else 'out treatment'}"
        )
        error = math.hypot(start["standard_error"], least["standard_error"])
        if start["violated"] - least["violated"] > 2 * error:
            text += f", least with {label(str(least['treatment']))}: in {_share(least)}"
        sentences.append((-start["violated"], f"{text}."))
    return [text for _, text in sorted(sentences)[:MOST_FOUND]]


def _share(row: TableRow) -> str:
    """Return a share of repeats with its standard error."""
    return f"{100 * row['violated']:.0f} % (± {100 * row['standard_error']:.1f})"


def _by_kind(violations: pd.DataFrame, means: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the results of tests, and each kind of means without a test, by heading."""
    ranking = means["test"].str.contains(RANKING)
    tables = {
        "Tests: share of repeats with a violation": (violations, means[:0]),
        "Ranking: AUC and xAUC": (violations[:0], means[ranking]),
        "Errors, effect sizes and other measures": (violations[:0], means[~ranking]),
    }
    return {
        heading: experiment_display_table(*parts)
        for heading, parts in tables.items()
        if any(map(len, parts))
    }


def _rates(
    violations: pd.DataFrame, means: pd.DataFrame, titles: Mapping[str, str]
) -> pd.DataFrame:
    """Return the share of repeats with a violation by test, and the means without a test."""
    rates = _named(violations, titles).assign(
        value=violations["violated"].map(_three_digits),
        error=violations["standard_error"].map(_three_digits),
        note=[remark(row) for row in violations.to_dict("records")],
    )
    others = _named(means, titles).assign(
        Test=means["hypothesis"],
        value=means["mean"].map(_three_digits),
        error=means["standard_error"].map(_three_digits),
        note="mean over the repeats",
    )
    headings = {"value": "Violation found, or mean", "error": "Standard error", "note": "Note"}
    rows = pd.concat([part for part in (rates, others) if len(part)] or [rates])
    return rows.rename(columns=headings).set_index("Data set")


def _effects(estimates: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return the estimated differences of the tests."""
    columns = {
        "mean": "Mean estimate",
        "standard_error": "Standard error",
        "run_sd": "Standard deviation of a repeat",
        "rejected": "Rejected",
    }
    values = {heading: estimates[name].map(_three_digits) for name, heading in columns.items()}
    rows = _named(estimates, titles).assign(Hypothesis=estimates["hypothesis"], **values)
    return rows.set_index("Data set")


def _named(rows: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    labels = {name: rows[name].map(label) for name in ("treatment", "test")}
    names = rows[list(NAMES)].assign(
        dataset=[treatments.titled(name, titles) for name in rows["dataset"]], **labels
    )
    return names.rename(columns=NAMES)


def _three_digits(value: float) -> str:
    return decimals(value, 3)
