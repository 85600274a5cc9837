"""The cells of the reproduced tables of all studies, and look-ups of rows by key."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtr

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record, TableRow
from fairpairs.base.texts import listed
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import Key

Cell = Record
#: A published table → what returns the function that fills its cells, or its text cells, by their
#: keys; None means that a cell is not part of this run.
Filled = Callable[[Key], Cell | None]
Cells = Mapping[str, Callable[[SourceData], Filled]]
Texts = Mapping[str, Callable[[SourceData], Callable[[Key], str | None]]]
#: Smaller p-values count as this, so that their scores are finite.
SMALLEST_P = 1e-300
#: Values of the key `basis` of a text's numbers: the printed cells of its tables, or the run's.
PRINTED, RUN = "printed", "run"


def reproduced(value: float, standard_error: float = 0.0, **other: Any) -> Cell:
    """Return a reproduced cell: ours, its standard error, and what else is known of it.

    A `mark`, such as an asterisk, follows our number in display tables.
    """
    cleared = round(float(value), 12) + 0.0  # no rounding error of a sum, no negative zero
    shared = {"standard_error": standard_error, "run_sd": np.nan, "runs": np.nan}
    return {"reproduced": cleared, **shared, "note": "", "mark": "", **other}


def reproduced_mean(values: Floats, **other: Any) -> Cell:
    """Return a reproduced cell: the mean of several runs, its standard error and their spread."""
    sd = float(values.std(ddof=1))
    return reproduced(values.mean(), sd / np.sqrt(len(values)), run_sd=sd, **other)


def by(frame: pd.DataFrame, *names: str) -> dict[Any, dict[Hashable, Any]]:
    """Look the rows of a frame up by the values of their keys."""
    return frame.set_index(list(names)).to_dict("index")


def values_of(key: Key, names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values of some names of a key, as `by` has them; InputError if it lacks one."""
    lacking = [name for name in names if name not in key]
    if lacking:
        raise InputError(f"the key lacks {listed(lacking)}: add it to the row, column or table.")
    return tuple(key[name] for name in names)


def looked_up(
    rows: pd.DataFrame | Mapping[Any, Any] | None,
    names: Sequence[str],
    fill: Callable[[Any, Key], Any],
) -> Callable[[Key], Any]:
    """Return a function that fills a cell from the row that has its values of some names.

    It returns None where there is no such row, or no table. A Mapping has rows by these values.
    """
    if isinstance(rows, pd.DataFrame):
        rows = dict(
            zip(
                rows[list(names)].itertuples(index=False, name=None),
                rows.to_dict("records"),
                strict=True,
            )
        )

    def cell(key: Key) -> Any:
        row = (rows or {}).get(values_of(key, names))
        return None if row is None else fill(row, key)

    return cell


def mean_of_runs(row: TableRow, key: Key) -> Cell:
    """Return a cell of a mean over repeats, with its error and the spread of one."""
    return reproduced(row["mean"], row["standard_error"], run_sd=row["run_sd"])


def from_rows(
    rows: Callable[[SourceData], pd.DataFrame | Mapping[Any, Any] | None], *names: str
) -> Callable[[Callable[[Any, Key], Any]], Callable[[SourceData], Callable[[Key], Any]]]:
    """Return a decorator of what fills a cell from its row: it then fills a table from its data.

    `rows` finds the rows in the data, and `names` are their keys (see `looked_up`).
    """
    return lambda fill: lambda data: looked_up(rows(data), names, fill)


#: The same of the description of the data set of a key.
by_dataset = from_rows(lambda data: {(name,): of for name, of in data.datasets.items()}, "dataset")


@by_dataset
def counts(description: Content, key: Key) -> Cell:
    """Return what the description of a data set counts: all, or of a group."""
    counted = description["counts"]
    if "attribute" not in key:
        return reproduced(counted[key["count"]])
    ones = counted[f"sensitive.{key['attribute']}"]
    return reproduced(ones if key["group"] == 1 else counted["rows"] - ones)


def from_printed(cells: pd.DataFrame, key: Key, of: Callable[[list[float]], Any] = sum) -> Cell:
    """Return a number that follows from printed ones: those whose key has all these values."""
    selection = {name: value for name, value in key.items() if name != "basis"}
    return reproduced(of(printed_values(cells, **selection)))


def printed_values(cells: pd.DataFrame, **key: Any) -> list[float]:
    """Return the published numbers of those cells whose key has all these values."""
    return [
        number
        for number, cell_key in cells[["published", "key"]].itertuples(index=False)
        if key.items() <= cell_key.items()
    ]


def numbers_by_key(cells: pd.DataFrame) -> dict[frozenset[tuple[str, Any]], float]:
    """Return the published numbers of cells by their whole key, `frozenset(key.items())`."""
    return {
        frozenset(key.items()): number
        for number, key in cells[["published", "key"]].itertuples(index=False)
    }


def printed_bounds(number: float, half: float, tail: int = 0) -> tuple[float, float]:
    """Return the smallest and the largest value that rounds to a printed number.

    `half` is half a unit of the last printed digit. `tail` is 0 for a number that is compared as it
    is; 1 for a one-sided p-value of a positive statistic and -1 for one of a negative, whose bounds
    are normal scores.
    """
    low, high = number - half, number + half
    if tail == 0:
        return low, high
    near, far = (-float(ndtri(np.clip(p, 0, 0.5))) for p in (high, low))
    return (near, far) if tail > 0 else (-far, -near)


def distance_from_printed(values: Floats, low: float, high: float) -> float:
    """Return the normal score of the t of the nearest number that rounds to the printed one.

    The printed number, between `low` and `high`, is taken for a further run with the mean and the
    spread of our runs, `values`. The score is 0 if the mean lies between them, NaN if our runs do
    not vary.
    """
    n, mean, sd = len(values), values.mean(), values.std(ddof=1)
    if sd == 0:
        return float("nan")
    t = (mean - np.clip(mean, low, high)) / (sd * np.sqrt(1 + 1 / n))
    return float(-np.sign(t) * ndtri(max(stdtr(n - 1, -abs(t)), SMALLEST_P)))
