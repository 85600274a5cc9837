"""What the report shows of the study: how the scores of each experiment rank."""

import pandas as pd

from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.display.tables import Display
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.xauc.held_out import calibration_display, ranking_display
from fairpairs.papers.studies.xauc.study import FIGURES, TESTS
from fairpairs.papers.studies.xauc.tables import (
    display_table,
    notes,
    ranking_rows,
    treatment_effects,
)

#: A data set whose scores use what is known only later, and the same without it.
LEAKING = ("framingham", "framingham_without_followup", "followup, the time to the event")


def section(results: Results) -> Content | None:
    """Return the ranking of each experiment that has its tests."""
    ranked = [e for e in results.experiments.values() if set(e.tests) >= TESTS]
    # the paper's, without treatments, come first
    ranked.sort(key=lambda experiment: len(experiment.treatments))
    rows = {e.name: ranking_rows(results.summary(e.name)) for e in ranked}
    leaks = (
        {"text": text, "evidence": f"tables/{results.study}/{name}.csv"}
        for name, ranking in rows.items()
        if (text := leaking_covariate(ranking))
    )
    rankings = [_ranking(results, e, rows[e.name]) for e in ranked]
    return {"rankings": rankings, "leaking": next(leaks, None)} if ranked else None


def _ranking(results: Results, experiment: Experiment, rows: pd.DataFrame) -> Record:
    name = experiment.name
    roles = [results.roles(dataset) for dataset in experiment.datasets]
    return {
        "title": experiment.title,
        "table": display_table(rows),
        "notes": notes(rows, roles),
        "warnings": [metadata for metadata in roles if metadata["warning"]],
        "model_sees_groups": all(
            f"sensitive_{attribute}" in metadata["features"]
            for metadata in roles
            for attribute in metadata["sensitive"]
        ),
        "effects": treatment_effects(rows),
        "forest": results.svg(name),
        "figures": {title: results.svg(f"{kind}/{name}") for kind, title in FIGURES.items()},
        "held_out": _held_out(results, experiment),
    }


def _held_out(results: Results, experiment: Experiment) -> dict[str, Display]:
    """Return the tables of all held-out items; none of an experiment without folds."""
    if not experiment.folds:
        return {}
    name, title = experiment.name, experiment.title
    text = ("dataset", "attribute", "measure", "group")
    ranking = results.csv(f"held_out/{name}", text=text)
    calibration = results.csv(f"calibration/{name}", text=text)
    if ranking is None or calibration is None:
        return {}
    return {
        "Ranking of all held-out items": ranking_display(
            ranking, folds=experiment.folds, title=title
        ),
        "Calibration of all held-out items": calibration_display(calibration, title=title),
    }


def leaking_covariate(rows: pd.DataFrame) -> str:
    """Return a sentence on a difference with and without a feature that is known only later.

    It is empty if the experiment does not have the data set with and without the feature.
    """
    with_it, without, feature = LEAKING
    first = rows[rows["treatment"] == rows["treatment"].iloc[0]]
    values = first.set_index(["dataset", "measure"])["mean"]
    if not {(with_it, "ΔxAUC"), (without, "ΔxAUC")} <= set(values.index):
        return ""
    auc, delta = (
        [values[name, measure] for name in (with_it, without)] for measure in ("AUC", "ΔxAUC")
    )
    return (
        f"Of the codings of Framingham that we tried, one meets the published numbers, and it has "
        f"{feature}, as a feature. With it the AUC is {auc[0]:.3f} and the difference of the two "
        f"xAUCs {delta[0]:+.3f}, without it {auc[1]:.3f} and {delta[1]:+.3f}."
    )
