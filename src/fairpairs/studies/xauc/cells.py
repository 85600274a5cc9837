"""Table 1 and numbers of section 5 of the paper on xAUC, from the results of a run.

References
----------
Kallus and Zhou (2019), *The Fairness of Risk Scores Beyond Classification: Bipartite Ranking and
the xAUC Metric*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from fairpairs.experiments.summaries import Summary
from fairpairs.published.cells import OURS, PRINTED, Cell, by, reproduced

#: Model of a row → experiment.
EXPERIMENTS = {
    "Logistic regression": "ranking_logistic_regression",
    "RankBoost cal.": "ranking_rankboost",
}
#: Column of section 5 → what a prepared data set counts.
SIZES = {"n": "rows", "p": "features"}
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


def section_5(prepared: Mapping[str, Mapping[str, Any]]) -> Callable[[str, str], Cell | None]:
    """Section 5: the numbers of items and of features."""
    names = {column.split(", ")[0]: dataset for column, (dataset, *_) in COLUMNS.items()}

    def cell(row: str, column: str) -> Cell | None:
        about = prepared.get(names[row])
        return reproduced(about["counts"][SIZES[column]]) if about else None

    return cell


def section_5_1(source: Mapping[str, Any]) -> Callable[[str, str], Cell | None]:
    """Section 5.1: ΔxAUC of logistic regression, of the printed cells of Table 1 and of ours."""
    table = source["printed"]["xauc_table_1"].set_index(["row", "column"])["published"]
    model = "Logistic regression"
    summary = (source["run"] or {}).get(EXPERIMENTS[model])
    estimates = summary["estimates"] if summary else pd.DataFrame()
    found = by(estimates, "dataset", "attribute", "test", "hypothesis") if summary else {}

    def cell(row: str, column: str) -> Cell | None:
        name, measure = row.split(", ")
        groups = [group for group in COLUMNS if group.startswith(f"{name},")]
        if column == PRINTED:
            one, other = (table[f"{model}, {measure.removeprefix('Δ')}", group] for group in groups)
            return reproduced(one - other)
        result = found.get((*COLUMNS[groups[0]][:2], "ranking", measure))
        if column != OURS or result is None:
            return None
        return reproduced(result["mean"], result["standard_error"], run_sd=result["run_sd"])

    return cell


#: Name of a published file → the function of its source that gives its cells.
TABLES: dict[str, Callable[[Any], Callable[[str, str], Cell | None]]] = {
    "xauc_table_1": table_1,
    "xauc_section_5": section_5,
    "xauc_section_5_1": section_5_1,
}
