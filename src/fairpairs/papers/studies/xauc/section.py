"""What the report shows of the study: how the scores of each experiment rank."""

from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.display.layouts import display
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.xauc.study import FIGURES, TESTS
from fairpairs.papers.studies.xauc.tables import ranking_table


def section(results: Results) -> Content | None:
    """Return the ranking of each experiment that has its tests."""
    ranked = [e for e in results.experiments.values() if set(e.tests) >= TESTS]
    # the paper's, without treatments, come first
    ranked.sort(key=lambda experiment: len(experiment.treatments))
    return {"rankings": [_ranking(results, e) for e in ranked]} if ranked else None


def _ranking(results: Results, experiment: Experiment) -> Record:
    name, title = experiment.name, experiment.title
    roles = [results.roles(dataset) for dataset in experiment.datasets]
    _, values = ranking_table(results.summary(name), roles)["ranking"]
    return {
        "experiment": experiment,
        "warnings": [dataset for dataset in roles if dataset.get("warning")],
        "separation": "separation" in set(values["rows"]["measure"]),
        "forest": results.svg(name),
        "figures": {text: results.svg(f"{kind}/{name}") for kind, text in FIGURES.items()},
        "table": display(__file__, "ranking", **values, words={}, title=title),
    }
