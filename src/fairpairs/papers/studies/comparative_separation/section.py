"""What the report shows of the study, besides its published tables."""

import pandas as pd

from fairpairs.base.plain_values import Content
from fairpairs.base.texts import decimals
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.comparative_separation.pairs_in_regression import (
    AT_MEDIANS,
    COMPARATIVE,
    NORMAL_MODEL,
)

#: Names of the tests in regression.
TESTS = {
    AT_MEDIANS: "Separation, cut at medians, n={size:,}",
    NORMAL_MODEL: "Separation, normal model, n={size:,}",
    COMPARATIVE: "Comparative separation, np={size:,}",
}


def section(results: Results) -> Content | None:
    """Return the figure of the paper that needs no data, and the simulation of regressions."""
    figure_1 = results.svg("figure_1")
    regression = results.csv("pairs_in_regression", text=("violation", "test"))
    if not figure_1 and regression is None:
        return None
    return {
        "figure_1": figure_1,
        "regression": None if regression is None else display_table(regression),
    }


def display_table(rates: pd.DataFrame) -> pd.DataFrame:
    """Lay out the rejections in regression: a row per violation, a column per test."""
    columns = [TESTS[test].format(size=size) for test, size in rates[["test", "size"]].to_numpy()]
    cells = [
        f"{decimals(share, 3)} ± {decimals(error, 3)}"
        for share, error in rates[["rejected", "standard_error"]].to_numpy()
    ]
    return (
        rates.assign(column=columns, cell=cells)
        .pivot_table(
            index="violation", columns="column", values="cell", aggfunc="first", sort=False
        )
        .rename_axis(columns=None)
    )
