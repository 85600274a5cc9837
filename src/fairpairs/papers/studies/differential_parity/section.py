"""What the report shows of the study: people, bridges between them, predictions over labels."""

from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.display.layouts import display
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.differential_parity.bridge_tables import shown_cells
from fairpairs.papers.studies.differential_parity.predictions_and_labels import TESTS, parity_rows
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
    predictions = [
        {
            "title": experiment.title,
            "figure": results.svg(f"predictions/{experiment.name}"),
            "shown": display(
                __file__,
                "predictions",
                parity_rows(results.summary(experiment.name)),
                title=experiment.title,
            ),
        }
        for experiment in results.experiments.values()
        if set(experiment.tests) >= set(TESTS)
    ]
    if not raters and not bridges and not predictions:
        return None
    return {"raters": raters, "bridges": bridges, "predictions": predictions}


def _raters(results: Results, dataset: str) -> Record:
    pairs, people = (results.parquet(f"raters/{dataset}.{part}") for part in ("pairs", "people"))
    people, said = rater_tables(pairs, people, results.roles(dataset))["people"]
    table = display(__file__, "people", people, **said).table
    return {**said, "table": table, "figure": results.svg(f"raters/{dataset}")}


def _bridges(results: Results, name: str, title: str) -> Record:
    cells, conclusions = (results.csv(f"bridges/{name}{end}") for end in ("", "_conclusions"))
    assert cells is not None
    assert conclusions is not None
    shown = {"cells": shown_cells(cells), "conclusions": {"rows": conclusions}}
    tables = {
        layout: display(__file__, layout, **values, title=title).table
        for layout, values in shown.items()
    }
    return {"title": title, "figure": results.svg(f"bridges/{name}"), **tables}
