"""Summaries of an experiment: the share of repeats in which each test finds a violation."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.errors import InputError
from fairpairs.base.files import Pieces, read_parquet
from fairpairs.base.plain_values import TableRow
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.papers.experiments.repeat_sums import (
    KEYS,
    EstimateSums,
    Key,
    ViolationSums,
    merge,
    sum_estimates,
    sum_violations,
)

#: The `violations` and the `estimates` of an experiment.
Summary = dict[str, pd.DataFrame]
#: Columns of the results that are read.
COLUMNS = [
    *(*KEYS, "hypothesis", "repeat", "draw", "estimate", "standard_error", "statistic"),
    *("p_value", "rejected", "smallest_cell", "note"),
]
#: Columns of the violations and of the estimates, and their types.
VIOLATIONS = (
    dict.fromkeys(KEYS, "str")
    | dict.fromkeys(["repeats", "tested"], "int64")
    | dict.fromkeys(["violated", "standard_error", "run_sd"], "float64")
    | dict.fromkeys(["incomplete", "small_cells", "smallest_cell"], "int64")
)
ESTIMATES = (
    dict.fromkeys([*KEYS, "hypothesis"], "str")
    | {"repeats": "int64"}
    | dict.fromkeys(["mean", "standard_error", "run_sd", "own_error", "rejected"], "float64")
)


def read_results(files: Iterable[str | Path]) -> Iterator[pd.DataFrame]:
    """Read the results of tests file by file; InputError for one that is missing or not whole."""
    for file in files:
        try:
            yield from Pieces(file).each(COLUMNS)
        except FileNotFoundError:
            raise InputError(
                f"{file} is missing: run the same command again, which makes it."
            ) from None
        except (OSError, ValueError) as error:  # Arrow raises these, too
            number = getattr(error, "errno", None)
            why = os.strerror(number) if number else "cut off, or no results of tests"
            raise InputError(
                f"{file} cannot be read ({why}): remove it and run the same command again, which "
                "makes it anew."
            ) from None


def summarise(results: Iterable[pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the violations and the estimates of an experiment, from chunks of whole repeats.

    One chunk is held at a time; the numbers depend neither on the chunks nor on their order. The
    violations have a row per data set, attribute, treatment and test with hypotheses: `repeats`,
    the number in which at least one hypothesis could be tested (`tested`), the share of these in
    which a hypothesis was rejected (`violated`) with its Monte Carlo `standard_error`, the number
    of repeats in which some hypothesis could not be tested (`incomplete`) or a cell held fewer than
    30 (`small_cells`), and the smallest cell. If a repeat has many draws, `violated` is the mean
    over repeats of the share of draws; its standard error comes from the spread of these shares
    (`run_sd`), and a repeat is incomplete or has small cells if a draw is or has.

    The estimates have a row for each hypothesis or estimate, too: the `repeats` that have an
    estimate, their `mean` over draws and repeats, its `standard_error`, the spread of the repeats
    (`run_sd`), the mean of the standard errors that the test returns, such as DeLong's
    (`own_error`, NaN if it returns none), and the share of draws in which this hypothesis is
    `rejected`.
    """
    estimates: dict[Key, EstimateSums] = {}
    violations: dict[Key, ViolationSums] = {}
    for chunk in results:
        tests = chunk.sort_values("draw", kind="stable")  # means over draws are rounded
        merge(estimates, sum_estimates(tests))
        merge(violations, sum_violations(tests))
    return _violation_table(violations), _estimate_table(estimates)


def _violation_table(sums: Mapping[Key, ViolationSums]) -> pd.DataFrame:
    tests = {key: test for key, test in sums.items() if test.has_hypotheses}
    drawn = any(test.last_draw > 0 for test in tests.values())
    rows = []
    for key, test in tests.items():
        share = test.share
        sd = share.sd if drawn else float(np.sqrt(share.mean * (1 - share.mean)))
        error = sd / np.sqrt(share.count) if share.count else np.nan
        cells = (test.incomplete, test.small_cells, test.smallest_cell)
        rows.append((*key, test.repeats, share.count, share.mean, error, sd, *cells))
    return _table(rows, VIOLATIONS)


def _estimate_table(sums: Mapping[Key, EstimateSums]) -> pd.DataFrame:
    rows = []
    for key, estimate in sums.items():
        values = estimate.estimate
        numbers = (values.count, values.mean, values.standard_error, values.sd)
        rows.append((*key, *numbers, estimate.error.mean, estimate.rejected.mean))
    return _table(rows, ESTIMATES)


def _table(rows: Sequence[tuple[Any, ...]], columns: Mapping[str, str]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=list(columns))
    known = table.notna().all()  # a user's test may not know its cells
    return table.astype({name: t for name, t in columns.items() if t != "int64" or known[name]})


def remark(row: TableRow) -> str:
    """Return a note on untested hypotheses and small cells in one row of a summary, or ""."""
    parts = []
    if row["incomplete"]:
        parts.append(f"a hypothesis could not be tested in {row['incomplete']:,} repeats")
    if row["small_cells"]:
        parts.append(
            f"a cell below {SMALL_CELL} in {row['small_cells']:,} of {row['repeats']:,} repeats "
            f"(smallest {row['smallest_cell']})"
        )
    return "; ".join(parts)


def read_summaries(files: Sequence[str | Path]) -> dict[str, Summary]:
    """Read the summaries of experiments, `<experiment>.parquet` and `.estimates.parquet`."""
    summaries: dict[str, Summary] = {}
    for file in map(Path, files):
        experiment = file.name.removesuffix(".parquet").removesuffix(".estimates")
        part = "estimates" if file.name.endswith(".estimates.parquet") else "violations"
        summaries.setdefault(experiment, {})[part] = read_parquet(file)
    return summaries
