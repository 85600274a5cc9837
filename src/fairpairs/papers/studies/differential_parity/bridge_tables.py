"""Tables of a study of bridges, in the layout of Table 3 and of section 4."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.published.cells import RUN
from fairpairs.papers.published.table import PublishedTable
from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.bridge_summaries import (
    COUNTED,
    HALF,
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
#: Column of the data set → what the paper calls the person.
CALLED = {column: name for name, column in PEOPLE.items()}


def bridge_tables(
    results: pd.DataFrame, printed: Sequence[PublishedTable], text: Sequence[PublishedTable]
) -> Record:
    """Return the cells of a study beside the published Table 3, and its numbers of section 4."""
    table_3, section_4 = printed[0].cells, text[0].cells
    cells = with_published(distributions(results), results, table_3)
    rows = counts_rows(results, table_3, section_4)
    return {"cells": (cells, shown_cells(cells)), "conclusions": rows}


def shown_cells(cells: pd.DataFrame) -> Content:
    """Put cells into the order of Table 3: R_j and rows down, R_i and attributes across."""
    people, attributes = (list(dict.fromkeys(cells[axis])) for axis in ("reference", "attribute"))
    places: dict[Any, Sequence[str]] = {
        "reference": people,
        "row": ROWS,
        "decisions": people,
        "attribute": attributes,
    }
    ranked: Any = cells.assign(**{name: cells[name].map(places[name].index) for name in places})
    rows = cells.loc[ranked.sort_values(list(places), kind="stable").index]
    return {"rows": rows, "called": CALLED}


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
                **{"row": name, "in_text": stated},
                **{"of_printed_cells": from_cells.get(name, np.nan), "mean": values.mean()},
                "standard_error": float(values.std()) / np.sqrt(len(values)),
                **{"sd": values.std(), "low": values.quantile(0.025)},
                "high": values.quantile(0.975),
                "share_as_in_text": as_stated.mean() if np.isfinite(stated) else np.nan,
                "share_all_but_one": (values >= number - 1).mean() if counted else np.nan,
                "share_all": (values >= number).mean() if counted else np.nan,
                **{"missed": missed.get(single), "splits": len(values), "cases": number},
            }
        )
    return pd.DataFrame(rows)
