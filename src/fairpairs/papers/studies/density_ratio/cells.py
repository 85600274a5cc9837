"""Tables 1 to 14 and numbers of the text, cell by cell, from the results of a run."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import TableRow
from fairpairs.papers.published import cells
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import MARK, Key
from fairpairs.papers.studies.density_ratio.synthetic import (
    AS_PUBLISHED,
    KERNEL_CLASSIFIERS,
    STUDIED,
)

#: The classifiers of the printed synthetic tables.
PRINTED_CLASSIFIERS = (*(name for name in STUDIED if name not in KERNEL_CLASSIFIERS), *AS_PUBLISHED)
#: What identifies a correlation, besides its two estimators.
SYNTHETIC = ("coefficient", "measure", "cap", "interval")
REGRESSORS = ("dataset", "form", "cap", "measure", "coefficient")
#: Half a unit of the last printed digit.
HALF = 0.005
#: A correlation whose p-value is below it has an asterisk.
LEVEL = 0.05


def synthetic_table(data: SourceData) -> cells.Filled:
    """Reproduce a synthetic table: means over repeats, z against the spread of one repeat."""
    if data.results is None:
        return lambda key: None
    correlations = _both_ways(data.results).sort_values("repeat", kind="stable")
    printed, names = cells.numbers_by_key(data.cells), (*SYNTHETIC, "first", "second")

    def cell(values: Floats, key: Key) -> cells.Cell | None:
        return _near_printed(values, printed[frozenset(key.items())])

    seeds = correlations.groupby([*names])["value"]
    return cells.looked_up({of: part.to_numpy() for of, part in seeds}, names, cell)


def section_5_1(data: SourceData) -> cells.Filled:
    """Redo numbers of the text of step 1: means of rows of Tables 4 and 12, and items above 0.9."""
    text, tables = cells.numbers_by_key(data.cells), pd.concat(data.printed.values())

    def cell(key: Key) -> cells.Cell | None:
        if "probability" in key:
            return cells.reproduced(items_above(key["probability"], key["mean"], key["items"]))
        if key["basis"] == cells.PRINTED:
            return cells.from_printed(tables, key, np.mean)
        if data.results is None:
            return None
        wanted = {name: key[name] for name in SYNTHETIC} | {"second": key["first"]}
        rows = data.results["first"].isin(PRINTED_CLASSIFIERS)
        rows &= (data.results[list(wanted)] == list(wanted.values())).all(axis=1)
        wide = data.results[rows].pivot(index="repeat", columns="first", values="value")
        means = wide.mean(axis=1, skipna=False).to_numpy()
        return _near_printed(means, text[frozenset(key.items())])

    return cell


def _near_printed(seeds: Floats, printed: float) -> cells.Cell | None:
    """Return the mean of several seeds; the published number is of one of them."""
    values = seeds[~np.isnan(seeds)]
    if len(values) < 2:
        return None
    z = cells.distance_from_printed(values, *cells.printed_bounds(printed, HALF))
    return cells.reproduced_mean(values, z=z)


def items_above(probability: float, mean: float, items: int) -> float:
    """Return how many items are expected to have a larger probability of group 1.

    Half of the items are of each group, drawn from normal distributions of variance 1 with means 0
    and `mean`; the probability is the exact one.
    """
    # log odds are mean · x − mean² / 2
    x = (np.log(probability / (1 - probability)) + mean**2 / 2) / mean
    return float(items / 2 * (ndtr(-x) + ndtr(mean - x)))


def correlation_of(
    correlations: pd.DataFrame | None, fill: Callable[[TableRow, Key], Any] = lambda row, key: row
) -> Callable[[Key], Any]:
    """Return a function from the key of a cell of Table 1, 2, 8 or 9 to our correlation or None."""
    known = None if correlations is None else _both_ways(correlations.dropna(subset="value"))
    return cells.looked_up(known, (*REGRESSORS, "first", "second"), fill)


def regressor_table(data: SourceData) -> cells.Filled:
    """Redo a table of the real study, with an asterisk where ours is significant."""

    def cell(row: TableRow, key: Key) -> cells.Cell:
        return cells.reproduced(row["value"], mark=MARK * (row["pvalue"] < LEVEL))

    return correlation_of(data.results, cell)


@cells.from_rows(attrgetter("results"), "dataset", "cap")
def section_5(row: TableRow, key: Key) -> cells.Cell | None:
    """Redo the text's example of caps on Communities, from `regressor_tables.cap_rows`."""
    value = row[key["quantity"]]
    return None if np.isnan(value) else cells.reproduced(value)


def section_5_2(data: SourceData) -> cells.Filled:
    """Redo the text's correlations before and after a cap, of independence by two classifiers."""
    ours, table = regressor_table(data), data.printed["table_1"]
    return lambda key: ours(key) if key["basis"] == cells.RUN else cells.from_printed(table, key)


CELLS: cells.Cells = {
    **{f"table_{number}": regressor_table for number in (1, 2, 8, 9)},
    **{f"table_{number}": synthetic_table for number in (3, 4, 5, 6, 7, 10, 11, 12, 13, 14)},
    "section_5": section_5,
    "section_5_1": section_5_1,
    "section_5_2": section_5_2,
}


def _both_ways(correlations: pd.DataFrame) -> pd.DataFrame:
    """Return correlations of two estimators in either order."""
    turned = correlations.rename(columns={"first": "second", "second": "first"})
    return pd.concat([correlations, turned], ignore_index=True)
