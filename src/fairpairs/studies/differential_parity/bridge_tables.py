"""Tables of a study of bridges, in the layout of Table 3 and of section 4 of the paper.

References
----------
Yu and Xi, *Differential Parity: Relative Fairness Between Two Sets of Decisions*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.output.tables import Display, write_table
from fairpairs.published.cells import RUN
from fairpairs.studies.differential_parity.bridge_study import ROWS
from fairpairs.studies.differential_parity.bridge_summaries import (
    COUNTED,
    KEYS,
    OF_TWO,
    counts,
    distributions,
    misses,
    printed_counts,
    with_published,
)
from fairpairs.texts import decimals

#: What the paper calls the people → columns of the data set.
PEOPLE = {"R_1": "P1", "R_2": "P2", "R_3": "P3", "R_Avg": "Average"}
GREEN, RED = "▲", "▼"
NOTE = (
    "Each cell: (median one-sided p) mean DPD over {splits} random splits; ▲ where most splits "
    "find that R_i prefers group 1 more than R_j does (one-sided p ≤ 0.05), ▼ less; then, where "
    "the paper has the cell, [(p) DPD] as printed. A one-sided p at 0.05 finds a difference in "
    "10 % of fair pairs; the CSV has two-sided ones, the spread over splits, the place of the "
    "printed number in it, and the DPD over the standard deviation of all items."
)


def display_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a study in the layout of Table 3: R_j and rows down, R_i and attributes across."""
    texts = cells.assign(
        line=cells["reference"].map(_called) + ", " + cells["row"],
        column=cells["decisions"].map(_called) + ", " + cells["attribute"].str.capitalize(),
        text=[_text(cell) for cell in cells.to_dict("records")],
    )
    people = list(dict.fromkeys(cells["reference"]))
    rows = [row for row in ROWS if row in set(cells["row"])]
    lines = [f"{_called(person)}, {row}" for person in people for row in rows]
    attributes = dict.fromkeys(cells["attribute"])
    columns = [f"{_called(person)}, {a.capitalize()}" for person in people for a in attributes]
    table = texts.pivot(index="line", columns="column", values="text")
    return table.loc[lines, columns].rename_axis("R_j \\ R_i")


def mark(cell: Mapping[Any, Any]) -> str:
    """Return the sign of what most splits find, or nothing."""
    return GREEN if cell["green"] > 0.5 else RED if cell["red"] > 0.5 else ""


def _text(cell: Mapping[Any, Any]) -> str:
    text = f"({decimals(cell['p_one_sided'], 2)}) {decimals(cell['dpd'], 2)} {mark(cell)}".rstrip()
    if np.isnan(cell["published_p"]):
        return text
    return f"{text} [({decimals(cell['published_p'], 2)}) {decimals(cell['published_dpd'], 2)}]"


def _called(person: str) -> str:
    return next((name for name, column in PEOPLE.items() if column == person), person)


def counts_rows(results: pd.DataFrame, printed: pd.DataFrame, text: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of section 4: in the text, of the printed cells, and over our splits.

    Parameters
    ----------
    results
        The results of a study.
    printed, text
        The cells of the published Table 3 and of section 4.

    Returns
    -------
    DataFrame
        For each count the `row`, `in_text`, `of_printed_cells`, `mean` over the splits with its
        `standard_error` (NaN of one split), `low` and `high` (the middle 95 %), `missed` (share of
        95 % intervals that leave out what all labels say), `splits` and `cases`; NaN where the
        paper has not the number, or an interval is not meant.
    """
    own, of_cells = counts(results), printed_counts(printed)
    in_text = {
        key["quantity"]: value
        for key, value in text[["key", "published"]].itertuples(index=False)
        if key["basis"] == RUN
    }
    missed = misses(results)
    pairs = results[KEYS[:3]].drop_duplicates()
    of_two = int((pairs["decisions"] != pairs["reference"]).sum())
    rows = []
    for name in map(str, own):
        values = own[name].dropna()
        low, high = np.quantile(values, (0.025, 0.975))
        rows.append(
            {
                "row": name,
                "in_text": in_text.get(name, np.nan),
                "of_printed_cells": of_cells.get(name, np.nan),
                "mean": values.mean(),
                "standard_error": float(values.std()) / np.sqrt(len(values)),
                "low": low,
                "high": high,
                "missed": missed.get(COUNTED[name][-1]) if len(COUNTED[name]) == 1 else np.nan,
                "splits": len(values),
                "cases": of_two if name == OF_TWO else len(pairs),
            }
        )
    return pd.DataFrame(rows)


def counts_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of section 4 in words."""

    def written(column: str, places: int = 0) -> list[str]:
        return [decimals(number, places) for number in rows[column]]

    def joined(first: list[str], word: str, second: list[str]) -> list[str]:
        return [f"{one} {word} {other}" for one, other in zip(first, second, strict=True)]

    return pd.DataFrame(
        {
            "in the text": written("in_text"),
            "of the printed cells": written("of_printed_cells"),
            "ours, mean ± SE": joined(written("mean", 1), "±", written("standard_error", 1)),
            "ours, middle 95 % of splits": joined(written("low"), "to", written("high")),
            "95 % intervals that miss the labels of all items": written("missed", 3),
            "splits": rows["splits"].astype(str).tolist(),
            "of": rows["cases"].astype(str).tolist(),
        },
        index=pd.Index(rows["row"], name="conclusions that agree"),
    )


def write_bridge_tables(
    results: pd.DataFrame,
    printed: pd.DataFrame,
    text: pd.DataFrame,
    stems: Sequence[str | Path],
    *,
    title: str,
) -> None:
    """Write a study as stems[0].csv (tidy), .md and .tex, and its counts as stems[1].

    Parameters
    ----------
    results
        What `bridge_study.bridge_study` returned, of all chunks.
    printed, text
        The cells of the published Table 3 and of section 4.
    stems
        Where the tables go; an ending is replaced.
    title
        Title of the study.
    """
    cells = with_published(distributions(results), results, printed)
    note = NOTE.format(splits=int(cells["splits"].max()))
    write_table(stems[0], cells, Display(display_table(cells), title, note))
    rows = counts_rows(results, printed, text)
    note = (
        "A conclusion is 0 (one-sided p > 0.05) or the sign of DPD. RQ1 counts pairs of people in "
        "which training and test part conclude the same, RQ2 those in which the estimate concludes "
        "what the labels of one of the parts do. Pairs are antisymmetric and a person agrees with "
        "oneself, so the first row is even; the text's 27 is not possible."
    )
    display = Display(counts_table(rows), f"{title}: agreeing conclusions", note)
    write_table(stems[1], rows, display)
