"""What the report shows of the study: people, bridges between them, predictions over labels."""

from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.display.layouts import display
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.differential_parity.bridge_tables import shown_cells
from fairpairs.papers.studies.differential_parity.predictions_and_labels import TESTS
from fairpairs.papers.studies.differential_parity.raters import rater_tables


def section(results: Results) -> Content | None:
    """Return the comparisons of all people, of some by bridges, and of predictions with labels."""
    rated = results.settings.get("raters", [])
    raters = [_raters(results, name) for name in rated if name in results.datasets]
    bridges = [
        _bridges(results, name, study.get("title", name))
        for name, study in results.settings.get("bridges", {}).items()
        if study["dataset"] in results.datasets
    ]
    predictions = [e for e in results.experiments.values() if set(e.tests) >= set(TESTS)]
    if not raters and not bridges and not predictions:
        return None
    return {"raters": raters, "bridges": bridges, "predictions": predictions}


def _raters(results: Results, dataset: str) -> Record:
    pairs, people = (results.parquet(f"raters/{dataset}.{part}") for part in ("pairs", "people"))
    roles = results.roles(dataset)
    _, said = rater_tables(pairs, people, roles)["people"]
    figure = results.svg(f"raters/{dataset}")
    return {**said, "title": roles["title"], "name": dataset, "figure": figure}


def _bridges(results: Results, name: str, title: str) -> Record:
    cells = results.csv(f"bridges/{name}")
    assert cells is not None
    shown = display(__file__, "cells", **shown_cells(cells), title=title)
    return {"name": name, "title": title, "figure": results.svg(f"bridges/{name}"), "cells": shown}
