"""Tables of a study of bridges, in the layout of Table 3 and of section 4."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import TableRow
from fairpairs.base.texts import decimals
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.published.cells import RUN
from fairpairs.papers.published.table import PublishedTable
from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.bridge_summaries import (
    COUNTED,
    KEYS,
    LARGEST,
    OPPOSITE,
    TWO_PEOPLE,
    distributions,
    misses,
    printed_split,
    section_4_numbers,
    with_published,
)

#: What the paper calls the people → columns of the data set.
PEOPLE = {"R_1": "P1", "R_2": "P2", "R_3": "P3", "R_Avg": "Average"}
GREEN, RED = "▲", "▼"
#: The largest rounding error of a printed effect size; smaller than any difference of counts.
HALF = 0.005
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


def mark(cell: TableRow) -> str:
    """Return the sign of what most splits find, or an empty string."""
    return GREEN if cell["green"] > 0.5 else RED if cell["red"] > 0.5 else ""


def _text(cell: TableRow) -> str:
    text = f"({decimals(cell['p_one_sided'], 2)}) {decimals(cell['dpd'], 2)} {mark(cell)}".rstrip()
    if np.isnan(cell["published_p"]):
        return text
    return f"{text} [({decimals(cell['published_p'], 2)}) {decimals(cell['published_dpd'], 2)}]"


def _called(person: str) -> str:
    return next((name for name, column in PEOPLE.items() if column == person), person)


def counts_rows(results: pd.DataFrame, printed: pd.DataFrame, text: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of section 4: in the text, of the printed cells, and over our splits.

    `share_as_in_text` is the share of splits with at least as many agreeing conclusions as in the
    text (for the other two numbers, at most as much); `missed` is the share of 95 % intervals that
    leave out what all labels say. Numbers that the paper does not have are NaN.
    """
    numbers = section_4_numbers(results)
    from_cells = section_4_numbers(printed_split(printed)).iloc[0]
    in_text = {
        key["quantity"]: value
        for key, value in text[["key", "published"]].itertuples(index=False)
        if key["basis"] == RUN
    }
    missed = misses(results)
    pairs = results[KEYS[:3]].drop_duplicates()
    two_people = int((pairs["decisions"] != pairs["reference"]).sum())
    # labels and models, each compared between training and test
    cases = {TWO_PEOPLE: two_people, OPPOSITE: 2 * len(pairs), LARGEST: 2 * len(pairs)}
    rows = []
    for name in map(str, numbers):
        values, number = numbers[name].dropna(), cases.get(name, len(pairs))
        stated, counted = in_text.get(name, np.nan), name in COUNTED
        # a printed number may be rounded; the larger counts are the better ones
        as_stated = values >= stated if counted else values <= stated + HALF
        single = COUNTED[name][-1] if counted and len(COUNTED[name]) == 1 else ""
        rows.append(
            {
                "row": name,
                "in_text": stated,
                "of_printed_cells": from_cells.get(name, np.nan),
                "mean": values.mean(),
                "standard_error": float(values.std()) / np.sqrt(len(values)),
                "sd": values.std(),
                "low": values.quantile(0.025),
                "high": values.quantile(0.975),
                "share_as_in_text": as_stated.mean() if np.isfinite(stated) else np.nan,
                "share_all_but_one": (values >= number - 1).mean() if counted else np.nan,
                "share_all": (values >= number).mean() if counted else np.nan,
                "missed": missed.get(single),
                "splits": len(values),
                "cases": number,
            }
        )
    return pd.DataFrame(rows)


def counts_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of section 4 in words."""
    fine = ~rows["row"].isin([*COUNTED, OPPOSITE])  # an effect size, and shares

    def written(column: str, places: int = 0) -> list[str]:
        digits = np.where(fine, 2, places)
        return [decimals(*pair) for pair in zip(rows[column], digits, strict=True)]

    def joined(first: list[str], word: str, second: list[str]) -> list[str]:
        return [f"{one} {word} {other}" for one, other in zip(first, second, strict=True)]

    def shares(column: str) -> list[str]:
        return [decimals(value, 2) for value in rows[column]]

    return pd.DataFrame(
        {
            "in the text": written("in_text"),
            "of the printed cells": written("of_printed_cells"),
            "ours, mean ± SE": joined(written("mean", 1), "±", written("standard_error", 1)),
            "SD of one split": written("sd", 1),
            "ours, middle 95 % of splits": joined(written("low"), "to", written("high")),
            "splits as in the text or better": shares("share_as_in_text"),
            "splits with all": shares("share_all"),
            "95 % intervals that miss the labels of all items": [
                decimals(value, 3) for value in rows["missed"]
            ],
            "splits": rows["splits"].astype(str).tolist(),
            "of": rows["cases"].astype(str).tolist(),
        },
        index=pd.Index(rows["row"], name="conclusions that agree, and others"),
    )


def write_tables_of_study(
    results: pd.DataFrame,
    printed: Sequence[PublishedTable],
    text: Sequence[PublishedTable],
    cells: str | Path,
    conclusions: str | Path,
    title: str,
) -> None:
    """Write a study beside the published Table 3 and section 4 (see `write_bridge_tables`)."""
    stems = [cells, conclusions]
    write_bridge_tables(results, printed[0].cells, text[0].cells, stems, title=title)


def write_bridge_tables(
    results: pd.DataFrame,
    printed: pd.DataFrame,
    text: pd.DataFrame,
    stems: Sequence[str | Path],
    *,
    title: str,
) -> None:
    """Write a study as stems[0].csv (tidy), .md and .tex, and its counts as stems[1].

    `printed` and `text` are the cells of the published Table 3 and of section 4.
    """
    cells = with_published(distributions(results), results, printed)
    note = NOTE.format(splits=int(cells["splits"].max()))
    write_table(stems[0], cells, Display(display_table(cells), title, note))
    rows = counts_rows(results, printed, text)
    note = (
        "A conclusion is 0 (one-sided p > 0.05) or the sign of DPD. RQ1 counts pairs of people in "
        "which training and test part conclude the same, RQ2 those in which the estimate concludes "
        "what the labels of one of the parts do. Pairs are antisymmetric and a person agrees with "
        "oneself, so the first row is even; the text's 27 is not possible. One printed number is "
        "of one split: beside the mean over splits stand the spread of one split, and the share of "
        "splits with as many conclusions that agree as in the text, or more (of opposite ones, and "
        "for the largest DPD, as much or less). A case is missed where the estimate concludes what "
        "neither part does."
    )
    display = Display(counts_table(rows), f"{title}: agreeing conclusions", note)
    write_table(stems[1], rows, display)
