"""What the report shows of the study: people, bridges between them, predictions over labels."""

from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.differential_parity import bridge_tables, rater_tables
from fairpairs.papers.studies.differential_parity.predictions_and_labels import (
    NOTE,
    TESTS,
    display_table,
    parity_rows,
)


def section(results: Results) -> Content | None:
    """Return the comparisons of all people, of some by bridges, and of predictions with labels."""
    rated = results.settings.get("raters", [])
    raters = [_raters(results, name) for name in rated if name in results.datasets]
    bridges = [
        _bridges(results, name, study.get("title", name))
        for name, study in results.settings.get("bridges", {}).items()
        if study["dataset"] in results.datasets
    ]
    predictions = [
        {
            "title": experiment.title,
            "table": display_table(parity_rows(results.summary(experiment.name))),
            "figure": results.svg(f"predictions/{experiment.name}"),
        }
        for experiment in results.experiments.values()
        if set(experiment.tests) >= set(TESTS)
    ]
    if not raters and not bridges and not predictions:
        return None
    return {"raters": raters, "bridges": bridges, "predictions": predictions, "note": NOTE}


def _raters(results: Results, dataset: str) -> Record:
    metadata = results.roles(dataset)
    pairs, people = (results.parquet(f"raters/{dataset}.{part}") for part in ("pairs", "people"))
    return {
        "title": metadata["title"],
        "summary": rater_tables.summary(pairs, people, metadata),
        "table": rater_tables.display_table(people),
        "figure": results.svg(f"raters/{dataset}"),
    }


def _bridges(results: Results, name: str, title: str) -> Record:
    cells = results.csv(f"bridges/{name}", text=("attribute", "decisions", "reference", "row"))
    conclusions = results.csv(f"bridges/{name}_conclusions", text=("row",))
    assert cells is not None
    assert conclusions is not None
    return {
        "title": title,
        "figure": results.svg(f"bridges/{name}"),
        "conclusions": bridge_tables.counts_table(conclusions),
        "cells": bridge_tables.display_table(cells),
    }
