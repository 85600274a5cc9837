"""Tables 2 and 3 and section 4 of the paper, from the results of a run."""

import numpy as np
import pandas as pd
from scipy.special import ndtri

from fairpairs.papers.published import cells
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import Key
from fairpairs.papers.studies.differential_parity import bridge_tables as bridges

EVEN = "impossible: pairs of people are antisymmetric, so the number is even"
#: Numbers that the text gives for all cases → the conclusion of `claims.py` that checks them.
UNIVERSAL = {
    bridges.BIASED: "biased-bridge-all-right",
    bridges.OPPOSITE: "no-opposite-conclusions",
    bridges.LARGEST: "no-opposite-conclusions",
}


def table_2(data: SourceData) -> cells.Filled:
    """Table 2: the numbers of images, of each group and of raters."""
    counted: cells.Filled = cells.counts(data)
    items = data.items

    def cell(key: Key) -> cells.Cell | None:
        if key["count"] != "raters":
            return counted(key)
        return (
            None
            if items is None
            else cells.reproduced(items.filter(regex=r"^decision_P\d+$").shape[1])
        )

    return cell


def table_3(data: SourceData) -> cells.Filled:
    """Table 3: p and DPD, the means over the splits; z against the spread of one split."""
    if data.results is None:
        return lambda key: None
    in_order = data.results.sort_values("repeat", kind="stable")
    splits, printed = dict(iter(in_order.groupby(bridges.KEYS))), cells.numbers_by_key(data.cells)

    def cell(rows: pd.DataFrame, key: Key) -> cells.Cell:
        ours = values = rows["dpd"].to_numpy()
        tail = 0
        if key["quantity"] == "p":
            values = rows["pvalue_one_sided"].to_numpy()
            ours = np.sign(ours) * -ndtri(np.maximum(values, cells.SMALLEST_P))
            tail = -1 if printed[frozenset({**key, "quantity": "dpd"}.items())] < 0 else 1
        bounds = cells.printed_bounds(printed[frozenset(key.items())], bridges.HALF, tail)
        return cells.reproduced_mean(values, z=cells.distance_from_printed(ours, *bounds))

    return cells.looked_up(splits, bridges.KEYS, cell)


def section_4(data: SourceData) -> cells.Filled:
    """Section 4: conclusions that agree, of the printed cells, and the means over the splits."""
    splits = {cells.PRINTED: bridges.printed_split(data.printed["table_3"])}
    if data.results is not None:
        splits[cells.RUN] = data.results
    tables = {basis: bridges.section_4_numbers(frame) for basis, frame in splits.items()}
    text = cells.numbers_by_key(data.cells)

    def cell(key: Key) -> cells.Cell | None:
        quantity, table = key["quantity"], tables.get(key["basis"])
        if table is None or quantity not in table:
            return None
        values = table[quantity].dropna().to_numpy(dtype=float)
        note = EVEN if quantity == bridges.LABELS else ""
        if key["basis"] == cells.PRINTED:
            return cells.reproduced(values[0], note=note)
        if quantity in UNIVERSAL:
            note = f"said of all cases: judged as the conclusion {UNIVERSAL[quantity]}"
            return cells.reproduced_mean(values, note=note)
        bounds = cells.printed_bounds(text[frozenset(key.items())], 0.5)
        return cells.reproduced_mean(
            values, z=cells.distance_from_printed(values, *bounds), note=note
        )

    return cell


CELLS: cells.Cells = {"table_2": table_2, "table_3": table_3, "section_4": section_4}
