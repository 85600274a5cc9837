"""The study of the paper on comparative separation: its simulations; its tests are experiments."""

from collections.abc import Mapping

from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, described
from fairpairs.papers.published.source import Result


def results(run: Run) -> Mapping[str, Result]:
    """Name what the published tables of the simulations are reproduced from."""
    simulation = run.settings("comparative_separation").get("simulation")
    if simulation is None:
        return {}
    file = "results/comparative_separation/simulation.parquet"
    return {"simulation": Result((file,), repeats=simulation["repeats"])}


def outputs(run: Run) -> Outputs:
    """Name the tables of the simulations, and the figure of the paper that needs no data."""
    settings = run.settings("comparative_separation")
    named = {"simulation": "normality", "regression": "pairs_in_regression"}
    return Outputs(
        csv=tuple(table for part, table in named.items() if part in settings),
        figures=("figure_1",) if results(run) else (),
    )


def check(run: Run) -> None:
    """Raise for classifiers whose probabilities do not sum to 1."""
    simulation = run.settings("comparative_separation").get("simulation", {})
    for name, cells in simulation.get("classifiers", {}).items():
        distribution(cells, name=f"config: comparative_separation.simulation.classifiers.{name}")


STUDY = described(__file__, results=results, outputs=outputs, check=check)
