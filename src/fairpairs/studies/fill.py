"""Fill the published tables of all studies, cell by cell, from the results of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs.errors import InputError
from fairpairs.plan.study_files import OURS, load_part
from fairpairs.published.source import SourceData
from fairpairs.published.table import PublishedTable


def fill_cells(
    published: PublishedTable, data: SourceData, folder: Path | None = None
) -> pd.DataFrame:
    """Return the cells of a published table as this run has them.

    Parameters
    ----------
    published
        The published table.
    data
        What it is reproduced from (see `fairpairs.published.source.Source`).
    folder
        The folder of its study, if that is of a user's own project.

    Returns
    -------
    DataFrame
        A row for each cell that the run has: `row`, `column`, `reproduced`, `standard_error`,
        `run_sd` (the spread of a single run), `runs` (behind a share), `z` (where the table is
        compared in a way of its own; else NaN), `note` and `mark`.

    Raises
    ------
    InputError
        When its study has no function for the table.
    """
    numbers = ("reproduced", "standard_error", "run_sd", "runs", "z")
    columns = ["row", "column", *numbers, "note", "mark"]
    rows = [
        {"row": row, "column": column, **cell}
        for row, column, cell in _filled(published, "CELLS", published.cells, data, folder)
    ]
    # an empty frame would have none
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(numbers, float))


def fill_texts(
    published: PublishedTable, data: SourceData, folder: Path | None = None
) -> dict[str, dict[str, str]]:
    """Return the text columns of a table, by column and row, as this run has them."""
    texts: dict[str, dict[str, str]] = {column: {} for column in published.texts["column"]}
    for row, column, text in _filled(published, "TEXTS", published.texts, data, folder):
        texts[column][row] = text
    return texts


def _filled(
    published: PublishedTable, kind: str, cells: pd.DataFrame, data: SourceData, folder: Path | None
) -> list[tuple[str, str, Any]]:
    """Return row, column and what the study of a table (its `CELLS` or `TEXTS`) has for a cell."""
    if cells.empty or data.is_empty:
        return []
    folder = folder or OURS / published.study
    functions = getattr(load_part(published.study, "cells", folder), kind, {})
    if published.number not in functions:
        raise InputError(
            f"{folder / 'cells.py'}: `{kind}` has no function for {published.number}: add one."
        )
    fill = functions[published.number](data)
    filled = [
        (row, column, fill(key))
        for row, column, key in cells[["row", "column", "key"]].itertuples(index=False)
    ]
    return [cell for cell in filled if cell[-1] is not None]
