"""Table 1 and numbers of section 5 of the paper, from the results of a run."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fairpairs.base.plain_values import TableRow
from fairpairs.papers.published.cells import (
    RUN,
    Cell,
    Cells,
    by,
    printed_values,
    reproduced,
    values_of,
)
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import Key

#: Difference of two groups → the measure of which it is the difference.
DIFFERENCES = {"ΔxAUC": "xAUC"}


def table_1(data: SourceData) -> Callable[[Key], Cell | None]:
    """Table 1: AUC, Brier score and xAUCs, the means over the splits."""
    ranking = _ranking(data)

    def cell(key: Key) -> Cell | None:
        group, measure = key["group"], key["measure"]
        groups = f"{group},{1 - group}" if measure == "xAUC" else f"{group}"
        return _mean(ranking, key, f"{measure}({groups})")

    return cell


def section_5(data: SourceData) -> Callable[[Key], Cell | None]:
    """Section 5: the numbers of items and of features."""

    def cell(key: Key) -> Cell | None:
        description = data.datasets.get(key["dataset"])
        return reproduced(description["counts"][key["count"]]) if description else None

    return cell


def section_5_1(data: SourceData) -> Callable[[Key], Cell | None]:
    """Section 5.1: ΔxAUC of logistic regression, of the printed cells of Table 1 and of ours."""
    ranking, table = _ranking(data), data.printed["table_1"]

    def cell(key: Key) -> Cell | None:
        if key["basis"] == RUN:
            return _mean(ranking, key, key["measure"])
        selection = {name: key[name] for name in ("experiment", "dataset", "attribute")}
        measure = DIFFERENCES[key["measure"]]
        first, second = printed_values(table, **selection, measure=measure)
        return reproduced(first - second)

    return cell


def section_6(data: SourceData) -> Callable[[Key], Cell | None]:
    """Section 6: how many negative items of a group are above nearly all positives of the other."""
    if data.results is None:
        return lambda key: None
    misranked = data.results[data.results["kind"] == "misranked"]
    rows = by(misranked, "dataset", "attribute", "curve")

    def cell(key: Key) -> Cell | None:
        curve = f"xAUC({1 - key['group']},{key['group']})"
        row = rows.get((key["dataset"], key["attribute"], curve))
        if row is None:
            return None
        return reproduced(row["mean"], row["sd"] / np.sqrt(row["repeats"]), run_sd=row["sd"])

    return cell


CELLS: Cells = {
    "table_1": table_1,
    "section_5": section_5,
    "section_5_1": section_5_1,
    "section_6": section_6,
}


def _ranking(data: SourceData) -> Mapping[Any, TableRow]:
    """Return the means of the test `ranking` by experiment, data set, attribute and measure."""
    return {
        (experiment, *names): row
        for experiment, summary in data.experiments.items()
        for names, row in by(
            summary["estimates"][summary["estimates"]["test"] == "ranking"],
            *("dataset", "attribute", "hypothesis"),
        ).items()
    }


def _mean(ranking: Mapping[Any, TableRow], key: Key, hypothesis: str) -> Cell | None:
    row = ranking.get((*values_of(key, ("experiment", "dataset", "attribute")), hypothesis))
    if row is None:
        return None
    return reproduced(row["mean"], row["standard_error"], run_sd=row["run_sd"])
