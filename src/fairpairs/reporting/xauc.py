"""Table 1 of the paper on xAUC, cell by cell, from the results of a run.

References
----------
Kallus and Zhou (2019), *The Fairness of Risk Scores Beyond Classification: Bipartite Ranking and
the xAUC Metric*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fairpairs.reporting.cells import Cell, Summary, by, reproduced

#: Model of a row → experiment.
EXPERIMENTS = {
    "Logistic regression": "ranking_logistic_regression",
    "RankBoost cal.": "ranking_rankboost",
}
#: Column → data set, sensitive attribute, group.
COLUMNS = {
    "COMPAS, Black": ("compas_filtered", "race", 0),
    "COMPAS, White": ("compas_filtered", "race", 1),
    "Framingham, Non-F.": ("framingham", "sex", 0),
    "Framingham, Female": ("framingham", "sex", 1),
    "German, < 25": ("german_age_25", "age", 0),
    "German, ≥ 25": ("german_age_25", "age", 1),
    "Adult, Black": ("adult", "race", 0),
    "Adult, White": ("adult", "race", 1),
}


def table_1(summaries: Mapping[str, Summary]) -> Callable[[str, str], Cell | None]:
    """Table 1: AUC, Brier score and xAUCs, the means over the splits."""
    found = {
        experiment: by(summary["estimates"], "dataset", "attribute", "test", "hypothesis")
        for experiment, summary in summaries.items()
    }

    def cell(row: str, column: str) -> Cell | None:
        model, measure = row.split(", ")
        dataset, attribute, group = COLUMNS[column]
        groups = f"{group},{1 - group}" if measure == "xAUC" else f"{group}"
        key = (dataset, attribute, "ranking", f"{measure}({groups})")
        result: Mapping[Any, Any] | None = found.get(EXPERIMENTS[model], {}).get(key)
        if result is None:
            return None
        return reproduced(result["mean"], result["standard_error"], run_sd=result["run_sd"])

    return cell


#: Name of a published file → the function of its source that gives its cells.
TABLES: dict[str, Callable[[Any], Callable[[str, str], Cell | None]]] = {"xauc_table_1": table_1}
