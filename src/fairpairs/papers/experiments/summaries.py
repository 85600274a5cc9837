"""Summaries of an experiment: the share of repeats in which each test finds a violation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Integers
from fairpairs.base.errors import InputError
from fairpairs.base.files import Pieces, read_parquet
from fairpairs.base.plain_values import TableRow
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.estimates.exact_moments import Moments, moments

#: Key columns of a summary.
KEYS = ["dataset", "attribute", "treatment", "test"]
#: The values of the key columns and, of an estimate, its name.
Key = tuple[str, ...]


@dataclass(frozen=True)
class EstimateSums:
    """Sums over repeats of one estimate: of means over the draws of a repeat."""

    estimate: Moments
    #: Of the standard errors that the test returns.
    error: Moments
    #: Of the shares of draws with a rejection.
    rejected: Moments

    def __add__(self, other: EstimateSums) -> EstimateSums:
        return EstimateSums(
            self.estimate + other.estimate, self.error + other.error, self.rejected + other.rejected
        )


@dataclass(frozen=True)
class ViolationSums:
    """Sums over the repeats of one test."""

    #: Of the shares of draws with a rejection, NaN where nothing could be tested.
    share: Moments
    repeats: int
    #: Number of repeats with an untested hypothesis.
    incomplete: int
    #: Number of repeats with a small cell.
    small_cells: int
    smallest_cell: float
    #: Number of the last draw; 0 if each repeat has one.
    last_draw: int
    #: Whether it tests anything, or only estimates.
    has_hypotheses: bool

    def __add__(self, other: ViolationSums) -> ViolationSums:
        return ViolationSums(
            self.share + other.share,
            self.repeats + other.repeats,
            self.incomplete + other.incomplete,
            self.small_cells + other.small_cells,
            np.fmin(self.smallest_cell, other.smallest_cell),
            max(self.last_draw, other.last_draw),
            self.has_hypotheses or other.has_hypotheses,
        )


Sums = TypeVar("Sums", EstimateSums, ViolationSums)


def merge(sums: dict[Key, Sums], others: Mapping[Key, Sums]) -> None:
    """Add the sums of one more chunk of repeats to those so far."""
    for key, other in others.items():
        sums[key] = sums[key] + other if key in sums else other


def sum_estimates(tests: pd.DataFrame) -> dict[Key, EstimateSums]:
    """Sum the estimates of whole repeats, by test and name of the estimate."""
    keys, index = _places(tests, [*KEYS, "hypothesis"])
    columns = ["estimate", "standard_error", "rejected"]
    repeats = tests[columns].groupby([index, tests["repeat"]], sort=False).mean()
    group = repeats.index.get_level_values(0).to_numpy()
    sums = (moments(repeats[name].to_numpy(float), group, len(keys)) for name in columns)
    return dict(zip(keys, map(EstimateSums, *sums), strict=True))


def sum_violations(tests: pd.DataFrame) -> dict[Key, ViolationSums]:
    """Sum the violations in whole repeats, by test."""
    keys, index = _places(tests, KEYS)
    known = tests["p_value"].notna()
    rows = pd.DataFrame(
        {
            "rejected": tests["rejected"],
            "any_known": known,
            "all_known": known,
            "smallest_cell": tests["smallest_cell"],
        }
    )
    how = {"rejected": "any", "any_known": "any", "all_known": "all", "smallest_cell": "min"}
    draws = rows.groupby([index, tests["repeat"], tests["draw"]], sort=False).agg(how)
    how |= {"rejected": "sum", "any_known": "sum"}  # only tested draws can be rejected
    repeats = draws.groupby(level=[0, 1], sort=False).agg(how)
    share = repeats["rejected"] / repeats["any_known"].replace(0, np.nan)
    group = repeats.index.get_level_values(0).to_numpy()
    is_hypothesis = tests["statistic"].notna() | (tests["note"] != "")
    columns = [
        moments(share.to_numpy(float), group, len(keys)),
        np.bincount(group, minlength=len(keys)).tolist(),
        (~repeats["all_known"]).groupby(group).sum().tolist(),
        (repeats["smallest_cell"] < SMALL_CELL).groupby(group).sum().tolist(),
        repeats["smallest_cell"].groupby(group).min().tolist(),
        tests["draw"].groupby(index).max().tolist(),
        is_hypothesis.groupby(index).any().tolist(),
    ]
    return dict(zip(keys, map(ViolationSums, *columns), strict=True))


def _places(tests: pd.DataFrame, names: list[str]) -> tuple[list[Key], Integers]:
    """Return the distinct values of columns, in order of appearance, and the index of each row."""
    groups = tests.groupby(names, sort=False, observed=True, dropna=False)
    index: Integers = np.asarray(groups.ngroup(), np.int64)
    first = np.flatnonzero(np.diff(np.maximum.accumulate(index), prepend=-1))
    return list(tests[names].iloc[first].itertuples(index=False, name=None)), index


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
