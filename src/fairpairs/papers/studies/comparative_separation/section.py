"""What the report shows of the study, besides its published tables."""

from fairpairs.base.plain_values import Content
from fairpairs.papers.display.layouts import display
from fairpairs.papers.plan.results import Results


def section(results: Results) -> Content | None:
    """Return the figure of the paper that needs no data, and the simulation of regressions."""
    figure_1, rows = results.svg("figure_1"), results.csv("pairs_in_regression")
    if not figure_1 and rows is None:
        return None
    regression = None if rows is None else display(__file__, "regression", rows).table
    return {"figure_1": figure_1, "regression": regression}
