"""The tables of all papers, cell by cell, from the results of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs.experiments.summaries import read_summaries
from fairpairs.files import read_parquet
from fairpairs.published.cells import Cell, Texts
from fairpairs.published.table import PublishedTable
from fairpairs.studies.comparative_separation import cells as comparative_separation
from fairpairs.studies.density_ratio import (
    regressor_tables as regressors,
    synthetic_tables as density_ratio,
)
from fairpairs.studies.differential_parity import bridge_tables as differential_parity
from fairpairs.studies.xauc import cells as xauc

#: Name of a published file → the function of its source that gives its cells.
TABLES: dict[str, Callable[[Any], Callable[[str, str], Cell | None]]] = {
    **comparative_separation.TABLES,
    **xauc.TABLES,
    **density_ratio.TABLES,
    **differential_parity.TABLES,
    **regressors.TABLES,
}
#: Name of a published file → the function of its source that gives its columns of words.
TEXTS: dict[str, Callable[[Any], Texts]] = comparative_separation.TEXTS


def reproduce(published: PublishedTable, source: Any) -> pd.DataFrame:
    """Reproduce the cells of a published table.

    Parameters
    ----------
    published
        The published table, which names the cells.
    source
        What its `from` says: the settings or the estimates of the simulation, the descriptions of
        prepared data sets by name, the items of one, the violations and the estimates of an
        experiment (of several, by name), or the results of a study of bridges with the published
        cells; None if the run has it not. Of a table whose `from` has `published` tables too: that
        as `run`, their `printed` cells by name, and the cells of this one as `text`.

    Returns
    -------
    DataFrame
        A row for each cell that the run has: `row`, `column`, `reproduced`, `standard_error`,
        `run_sd` (the spread of a single run), `runs` (behind a share), `z` (where the table has a
        way of its own to compare; else NaN), `note` and `mark`.
    """
    cell = (lambda row, column: None) if source is None else TABLES[published.name](source)
    numbers = ("reproduced", "standard_error", "run_sd", "runs", "z")
    columns = ["row", "column", *numbers, "note", "mark"]
    found = [
        {"row": row, "column": column, **values}
        for row, column in published.cells[["row", "column"]].itertuples(index=False)
        if (values := cell(row, column)) is not None
    ]
    # an empty frame would have none
    return pd.DataFrame(found, columns=columns).astype(dict.fromkeys(numbers, float))


def words(published: PublishedTable, source: Any) -> Texts:
    """Return the columns of words of a table, by column and row, as this run has them."""
    known = source is not None and published.name in TEXTS
    return TEXTS[published.name](source) if known else {}


def read_source(
    published: PublishedTable,
    files: Sequence[str | Path],
    settings: Mapping[str, Any] | None,
    printed: Sequence[PublishedTable] = (),
) -> Any:
    """Read what a published table is reproduced from (see `reproduce`).

    Parameters
    ----------
    published
        The published table.
    files
        What of the run its `from` names.
    settings
        The simulation's part of the config.
    printed
        The other published tables that its `from` names.
    """
    source = published.about["from"]
    read: Any = None
    if source.get("simulation") == "settings":
        read = settings
    elif "datasets" in source:
        read = {Path(file).stem: json.loads(Path(file).read_text("utf-8")) for file in files}
    elif "experiments" in source:
        read = read_summaries(files)
    elif "experiment" in source:
        read = read_summaries(files).get(source["experiment"])
    elif source.get("density_ratio") == "synthetic" and files:
        read = {"correlations": read_parquet(files[0]), "published": published.cells}
    elif "bridges" in source and files:
        results = pd.concat(map(read_parquet, files), ignore_index=True)
        read = {"results": results, "published": published.cells}
    elif files:
        read = read_parquet(files[0])
    if "published" in source:
        cells = {table.name: table.cells for table in printed}
        return {"run": read, "printed": cells, "text": published.cells}
    return read
