"""Table 1 and numbers of section 5 of the paper, from the results of a run."""

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import TableRow
from fairpairs.papers.published import cells
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import Key

KEYS = ("experiment", "dataset", "attribute")


def _ranking(data: SourceData) -> cells.Filled:
    """Return the means of the test `ranking` over the splits, by `KEYS` and hypothesis."""
    parts = [
        summary["estimates"].query("test == 'ranking'").assign(experiment=experiment)
        for experiment, summary in data.experiments.items()
    ]
    return cells.looked_up(
        pd.concat(parts) if parts else None, (*KEYS, "hypothesis"), cells.mean_of_runs
    )


def table_1(data: SourceData) -> cells.Filled:
    """Table 1: AUC, Brier score and xAUCs, the means over the splits."""
    ranking = _ranking(data)

    def cell(key: Key) -> cells.Cell | None:
        group, measure = key["group"], key["measure"]
        groups = f"{group},{1 - group}" if measure == "xAUC" else f"{group}"
        return ranking({**key, "hypothesis": f"{measure}({groups})"})

    return cell


def section_5_1(data: SourceData) -> cells.Filled:
    """Section 5.1: ΔxAUC of logistic regression, of the printed cells of Table 1 and of ours."""
    ranking, table = _ranking(data), data.printed["table_1"]

    def cell(key: Key) -> cells.Cell | None:
        measure = key["measure"]
        if key["basis"] == cells.RUN:
            return ranking({**key, "hypothesis": measure})
        selection = {name: key[name] for name in KEYS} | {"measure": measure.removeprefix("Δ")}
        return cells.from_printed(table, selection, lambda printed: printed[0] - printed[1])

    return cell


def _misranked(data: SourceData) -> pd.DataFrame | None:
    return None if data.results is None else data.results[data.results["kind"] == "misranked"]


@cells.from_rows(_misranked, "dataset", "attribute", "curve")
def section_6(row: TableRow, key: Key) -> cells.Cell:
    """Section 6: how many negative items of a group are above nearly all positives of the other."""
    return cells.reproduced(row["mean"], row["sd"] / np.sqrt(row["repeats"]), run_sd=row["sd"])


CELLS: cells.Cells = {
    "table_1": table_1,
    "section_5": cells.counts,
    "section_5_1": section_5_1,
    "section_6": section_6,
}
