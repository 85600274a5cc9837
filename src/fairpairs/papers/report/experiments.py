"""Experiments as the report shows them: how often each test found a violation, and how large."""

from pathlib import Path

import pandas as pd

from fairpairs.base.plain_values import Record
from fairpairs.base.texts import decimals
from fairpairs.papers.display.labels import label, levels
from fairpairs.papers.display.svg import embedded
from fairpairs.papers.display.tables import experiment_display_table
from fairpairs.papers.experiments.summaries import read_summaries, remark
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.files import summary_files

#: Columns that name a row → their headings.
NAMES = {"dataset": "Data set", "attribute": "Attribute", "treatment": "Treatment", "test": "Test"}

#: Tests whose estimates say how scores rank.
RANKING = "ranking|xauc"


def shown_experiment(experiment: Experiment, folder: Path) -> Record:
    """Return an experiment for the report; `folder` is the one in which the workflow ran."""
    name = experiment.name
    summary = read_summaries([folder / file for file in summary_files([name])])[name]
    violations, estimates = summary["violations"], summary["estimates"]
    tested = estimates["test"].isin(set(violations["test"]))
    return {
        "settings": experiment,
        "wide": _by_kind(violations, estimates[~tested]),
        "levels": levels(violations["test"]),
        "rates": _rates(violations, estimates[~tested]),
        "effects": _effects(estimates[tested]),
        "figure": embedded(folder / f"results/figures/{name}.svg", name),
    }


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


def _rates(violations: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Return the share of repeats with a violation by test, and the means without a test."""
    rates = _named(violations).assign(
        value=violations["violated"].map(_three_digits),
        error=violations["standard_error"].map(_three_digits),
        note=[remark(row) for row in violations.to_dict("records")],
    )
    others = _named(means).assign(
        Test=means["hypothesis"],
        value=means["mean"].map(_three_digits),
        error=means["standard_error"].map(_three_digits),
        note="mean over the repeats",
    )
    headings = {"value": "Violation found, or mean", "error": "Standard error", "note": "Note"}
    rows = pd.concat([part for part in (rates, others) if len(part)] or [rates])
    return rows.rename(columns=headings).set_index("Data set")


def _effects(estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the estimated differences of the tests."""
    columns = {
        "mean": "Mean estimate",
        "standard_error": "Standard error",
        "run_sd": "Standard deviation of a repeat",
        "rejected": "Rejected",
    }
    values = {heading: estimates[name].map(_three_digits) for name, heading in columns.items()}
    rows = _named(estimates).assign(Hypothesis=estimates["hypothesis"], **values)
    return rows.set_index("Data set")


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    names = rows[list(NAMES)].assign(
        **{name: rows[name].map(label) for name in ("dataset", "treatment", "test")}
    )
    return names.rename(columns=NAMES)


def _three_digits(value: float) -> str:
    return decimals(value, 3)
