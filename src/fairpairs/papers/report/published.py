"""Published tables as the report shows them: each cell ours and as printed, with its verdict."""

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path

import pandas as pd

from fairpairs.base.files import read_parquet
from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.display.svg import embedded
from fairpairs.papers.display.tables import cell_text, legend, read_words
from fairpairs.papers.published.comparison import tally
from fairpairs.papers.published.table import PublishedTable
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE

#: Kind of a cell that is not comparable → what such cells are.
APART = {
    "redone": "cells redone with our own choices, since the paper does not give what they rest on",
    "input": "inputs that the paper gives",
    "impossible": "printed numbers that no data can give",
    "universal": "numbers said of all cases, which are judged among the conclusions",
    "": "cells that are not part of this run",
}


def position(published: PublishedTable) -> tuple[float, str]:
    """Return the sort key of a table in the report: sections behind Table 3, names at the end."""
    number = published.spec.get("table", 3.5)
    return (99, published.name) if isinstance(number, str) else (number, published.name)


def shown_table(published: PublishedTable, results: Path) -> Record:
    """Return a published table for the report, from the folder `results` with its comparison."""
    comparison = read_parquet(results / "comparisons" / f"{published.name}.parquet")
    rows, columns = list(dict.fromkeys(published.cells["row"])), published.columns
    cells = {
        (cell["row"], cell["column"]): {
            "text": cell_text(cell, of_one_run=published.of_one_run),
            "verdict": cell["verdict"],
            "title": "" if pd.isna(cell["z"]) else f"z = {cell['z']:.2f}",
        }
        for _, cell in comparison.iterrows()
    }
    for cell in product(rows, columns):  # where the paper has no number
        cells.setdefault(cell, {"text": "–", "verdict": "", "title": ""})
    text_columns = list(dict.fromkeys(published.texts["column"]))
    if text_columns:
        path = results / "tables" / f"{published.name}.csv"
        ours = read_words(path).set_index("row")
        ours = ours.replace("", "–")
        for row, column, printed, _ in published.texts.itertuples(index=False):
            text = f"{ours[column][row]} ({printed})"
            cells[row, column] = {"text": text, "verdict": "", "title": ""}
    name = published.name.replace("/", "-")
    apart = comparison[comparison["verdict"] == NOT_COMPARABLE]
    return {
        "id": name,
        "name": published.name,
        "study": published.study,
        "heading": published.heading,
        "title": published.spec["title"],
        "legend": legend(published),
        "remarks": published.spec.get("remarks", ""),
        "rows": rows,
        "columns": [*columns, *text_columns],
        "cells": cells,
        "tally": tally(comparison),
        # the kind of each cell that is not comparable, "" for one that the run lacks
        "apart": apart["kind"].where(apart["reproduced"].notna(), "").tolist(),
        "differing": comparison[comparison["verdict"] == DIFFERS].to_dict("records"),
        "notes": _notes(comparison),
        "figure": embedded(results / "figures" / f"{published.name}.svg", name),
    }


def _notes(comparison: pd.DataFrame) -> dict[str, list[str]]:
    """Return the cells of each note."""
    notes: dict[str, list[str]] = {}
    for row, column, note in comparison[["row", "column", "note"]].itertuples(index=False):
        if note:
            notes.setdefault(note, []).append(f"{row}, {column}")
    return {
        note: cells if len(cells) < len(comparison) else ["Every cell"]
        for note, cells in notes.items()
    }


def total(tables: Iterable[Content]) -> dict[str, int]:
    """Count the cells of each verdict over tables that `shown_table` returned."""
    tallies = [table["tally"] for table in tables]
    return {
        verdict: sum(tally[verdict] for tally in tallies)
        for verdict in (AGREES, DIFFERS, NOT_COMPARABLE)
    }


def reasons(tables: Iterable[Content]) -> list[str]:
    """Return the reasons why cells of `shown_table` are not comparable."""
    kinds = [kind for table in tables for kind in table["apart"]]
    return [f"{words} ({kinds.count(kind):,})" for kind, words in APART.items() if kind in kinds]


def fewer_repeats(
    published: Iterable[PublishedTable], repeats: Mapping[str, int | None]
) -> list[str]:
    """Say of which tables a run has fewer repeats than the paper; `repeats` are ours, by table."""
    notes = []
    for table in published:
        ours, theirs = repeats.get(table.name), table.spec.get("runs", 0)
        if ours is not None and ours < theirs:
            notes.append(f"{table.heading}: {ours:,} repeats where the paper has {theirs:,}")
    return notes
