"""Fill the published tables of all studies, cell by cell, from the results of a run."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs.base.errors import InputError, failures, shown, within
from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.study_files import OURS, cells_function
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.measured import measured
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import PublishedTable


def fill_table(
    published: PublishedTable,
    printed: Iterable[PublishedTable],
    files: Mapping[str, Sequence[str | Path]],
    *,
    settings: Content | None,
    compared_by: Mapping[str, Content],
    folder: Path,
    missing: Sequence[str],
) -> tuple[pd.DataFrame, dict[str, dict[str, str]]]:
    """Fill a published table, compare it (see `compare`), and fill its texts (see `fill_texts`).

    `printed` are the other published tables that its `from` names; `compared_by` is how the config
    compares the treatments of its experiments; `missing` are its data sets that the run leaves out.
    """
    data = published.source.read(
        files,
        settings=settings,
        cells=published.cells,
        printed={table.number: table.cells for table in printed},
        compare=compared_by,
    )
    comparison = compare(published, fill_cells(published, data, folder), missing=missing)
    return comparison, fill_texts(published, data, folder)


def fill_cells(
    published: PublishedTable, data: SourceData, folder: Path | None = None
) -> pd.DataFrame:
    """Return the cells of a published table as this run has them, with their row and column.

    The fields of a cell are those of `fairpairs.papers.published.cells.reproduced`. Raises
    `InputError` if the study has no function for the table, or if it fails. `folder` is that of a
    user's own study.
    """
    numbers = ("reproduced", "standard_error", "run_sd", "runs", "z")
    columns = ["row", "column", *numbers, "note", "mark"]
    rows = [
        {"row": row, "column": column, **cell}
        for row, column, cell in _filled(published, "CELLS", published.cells, data, folder)
    ]
    for cell in rows:
        if math.isnan(cell["reproduced"]):
            cell["note"] = cell.get("note") or "cannot be computed"
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
    """Return row, column and value of the cells that the study has, by its `CELLS` or `TEXTS`."""
    if cells.empty or data.is_empty:
        return []
    folder = folder or OURS / published.study
    default = measured if data.measures and kind == "CELLS" else None
    function = cells_function(published.study, published.number, kind, folder, default)
    source = f"{folder / 'cells.py'}: {kind} of {published.path}"
    source = str(published.path) if function is measured else source
    remedy = "correct one of the two files"
    with within(source), failures("the function fails", remedy):
        fill = function(data)
    if not callable(fill):
        raise InputError(
            f"{source}: the function returns {shown(fill)}: return a function from the key of a "
            "cell to our number."
        )
    valid, what = VALID[kind]
    filled = []
    for row, column, key in cells[["row", "column", "key"]].itertuples(index=False):
        where = f"{source}: the cell ({row}; {column}) with the key {key}"
        with within(where), failures("the function fails", remedy):
            cell = fill(key)
        if cell is not None and not valid(cell):
            raise InputError(
                f"{where}: the function returns {shown(cell)}: return {what}, or None where the "
                "run does not have it."
            )
        filled.append((row, column, cell))
    return [cell for cell in filled if cell[-1] is not None]


#: Kind of a cell → what it has to be, and how that is called.
VALID: dict[str, tuple[Callable[[Any], bool], str]] = {
    "CELLS": (
        lambda cell: isinstance(cell, Mapping) and isinstance(cell.get("reproduced"), Real),
        "`reproduced(…)` of fairpairs.papers.published.cells",
    ),
    "TEXTS": (lambda cell: isinstance(cell, str), "a text"),
}
