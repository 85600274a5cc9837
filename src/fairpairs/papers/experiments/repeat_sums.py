"""Sums over the repeats of an experiment, from which it is summarised; `+` merges them.

Each repeat is reduced to a few numbers, and these are added exactly, so that the sums of a million
repeats take no more memory than those of ten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Integers
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
