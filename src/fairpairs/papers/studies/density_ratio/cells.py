"""Tables 1 to 14 and numbers of the text, cell by cell, from the results of a run."""

from collections.abc import Callable, Hashable, Mapping

import numpy as np
import pandas as pd
from scipy.special import ndtr

from fairpairs.base.arrays import Floats
from fairpairs.papers.published.cells import (
    PRINTED,
    RUN,
    Cell,
    Cells,
    by,
    distance_from_printed,
    numbers_by_key,
    printed_bounds,
    printed_values,
    reproduced,
    reproduced_mean,
    values_of,
)
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


def synthetic_table(data: SourceData) -> Callable[[Key], Cell | None]:
    """Reproduce a synthetic table: means over repeats, z against the spread of one repeat."""
    if data.results is None:
        return lambda key: None
    correlations = data.results.sort_values("repeat", kind="stable")
    printed = numbers_by_key(data.cells)
    rows = correlations.groupby([*SYNTHETIC, "first", "second"]).indices

    def cell(key: Key) -> Cell | None:
        for pair in _both_orders(key):
            if (row := (*values_of(key, SYNTHETIC), *pair)) in rows:
                values = correlations["value"].iloc[rows[row]].to_numpy()
                return _near_printed(values, printed[frozenset(key.items())])
        return None

    return cell


def section_5_1(data: SourceData) -> Callable[[Key], Cell | None]:
    """Redo numbers of the text of step 1: means of rows of Tables 4 and 12, and items above 0.9."""
    text = numbers_by_key(data.cells)
    tables = pd.concat(data.printed.values())

    def cell(key: Key) -> Cell | None:
        if "probability" in key:
            return reproduced(items_above(key["probability"], key["mean"], key["items"]))
        if key["basis"] == PRINTED:
            selection = {name: value for name, value in key.items() if name != "basis"}
            return reproduced(float(np.mean(printed_values(tables, **selection))))
        if data.results is None:
            return None
        rows = data.results["first"].isin(PRINTED_CLASSIFIERS)
        rows &= data.results["second"] == key["first"]
        for name in SYNTHETIC:
            rows &= data.results[name] == key[name]
        chosen = data.results[rows]
        wide = chosen.pivot(index="repeat", columns="first", values="value")
        means = wide.mean(axis=1, skipna=False).to_numpy()
        return _near_printed(means, text[frozenset(key.items())])

    return cell


def _near_printed(seeds: Floats, printed: float) -> Cell | None:
    """Return the mean of several seeds; the published number is of one of them."""
    values = seeds[~np.isnan(seeds)]
    if len(values) < 2:
        return None
    z = distance_from_printed(values, *printed_bounds(printed, HALF))
    return reproduced_mean(values, z=z)


def items_above(probability: float, mean: float, items: int) -> float:
    """Return how many items are expected to have a larger probability of group 1.

    Half of the items are of each group, drawn from normal distributions of variance 1 with means 0
    and `mean`; the probability is the exact one.
    """
    # log odds are mean · x − mean² / 2
    x = (np.log(probability / (1 - probability)) + mean**2 / 2) / mean
    return float(items / 2 * (ndtr(-x) + ndtr(mean - x)))


def correlation_of(
    correlations: pd.DataFrame | None,
) -> Callable[[Key], Mapping[Hashable, float] | None]:
    """Return a function from the key of a cell of Table 1, 2, 8 or 9 to our correlation or None."""
    rows = by(correlations, *REGRESSORS, "first", "second") if correlations is not None else {}

    def find(key: Key) -> Mapping[Hashable, float] | None:
        for pair in _both_orders(key):
            row = rows.get((*values_of(key, REGRESSORS), *pair))
            if row is not None and not np.isnan(row["value"]):
                return row
        return None

    return find


def regressor_table(data: SourceData) -> Callable[[Key], Cell | None]:
    """Redo a table of the real study, with an asterisk where ours is significant."""
    find = correlation_of(data.results)

    def cell(key: Key) -> Cell | None:
        row = find(key)
        if row is None:
            return None
        return reproduced(row["value"], mark=MARK * (row["pvalue"] < LEVEL))

    return cell


def section_5(data: SourceData) -> Callable[[Key], Cell | None]:
    """Redo the text's example of caps on Communities, from `regressor_tables.cap_rows`."""
    rows = by(data.results, "dataset", "cap") if data.results is not None else {}

    def cell(key: Key) -> Cell | None:
        value = rows.get(values_of(key, ("dataset", "cap")), {}).get(key["quantity"])
        return None if value is None or np.isnan(value) else reproduced(value)

    return cell


def section_5_2(data: SourceData) -> Callable[[Key], Cell | None]:
    """Redo the text's correlations before and after a cap, of independence by two classifiers."""
    ours, table = regressor_table(data), data.printed["table_1"]

    def cell(key: Key) -> Cell | None:
        if key["basis"] == RUN:
            return ours(key)
        selection = {name: value for name, value in key.items() if name != "basis"}
        return reproduced(*printed_values(table, **selection))

    return cell


CELLS: Cells = {
    **{f"table_{number}": regressor_table for number in (1, 2, 8, 9)},
    **{f"table_{number}": synthetic_table for number in (3, 4, 5, 6, 7, 10, 11, 12, 13, 14)},
    "section_5": section_5,
    "section_5_1": section_5_1,
    "section_5_2": section_5_2,
}


def _both_orders(key: Key) -> tuple[tuple[str, str], tuple[str, str]]:
    first, second = key["first"], key["second"]
    return (first, second), (second, first)
