"""Summaries of an experiment: the share of repeats in which each test finds a violation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.fairness.estimates import SMALL_CELL
from fairpairs.files import read_parquet

#: The `violations` and the `estimates` of an experiment.
Summary = dict[str, pd.DataFrame]
#: Key columns of a summary.
KEYS = ["dataset", "attribute", "treatment", "test"]


def summarise(results: Iterable[pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Summarise the results of the tests of one experiment.

    Parameters
    ----------
    results
        Return values of `fairpairs.experiments.testing.run_tests`, in any chunks.

    Returns
    -------
    violations
        One row per data set, attribute, treatment and test with hypotheses: `repeats`, the number
        in which at least one hypothesis could be tested (`tested`), the share of these in which a
        hypothesis was rejected (`violated`) with its Monte Carlo `standard_error`, the number of
        repeats in which some hypothesis could not be tested (`incomplete`) or a cell held fewer
        than 30 (`small_cells`), and the smallest cell (`smallest_cell`). If a repeat has many
        draws, `violated` is the mean over repeats of the share of draws; its standard error comes
        from the spread of these shares (`run_sd`), and a repeat is incomplete or has small cells
        if a draw is or has.
    estimates
        One row per data set, attribute, treatment, test and hypothesis or estimate: the `repeats`
        that have an estimate, their `mean` over draws and repeats, its `standard_error`, the spread
        of the repeats (`run_sd`), the mean of the standard errors that the test returns, such as
        DeLong's (`own_error`, NaN if it returns none), and the share of draws in which this
        hypothesis is `rejected`.
    """
    tests = pd.concat(results, ignore_index=True)
    estimates = (
        tests.groupby([*KEYS, "hypothesis", "repeat"], sort=False, observed=True)
        .agg(
            estimate=("estimate", "mean"),
            error=("standard_error", "mean"),
            rejected=("rejected", "mean"),
        )
        .groupby([*KEYS, "hypothesis"], sort=False, observed=True)
        .agg(
            repeats=("estimate", "count"),
            mean=("estimate", "mean"),
            standard_error=("estimate", "sem"),
            run_sd=("estimate", "std"),
            own_error=("error", "mean"),
            rejected=("rejected", "mean"),
        )
        .reset_index()
    )
    tests["known"] = tests["p_value"].notna()
    tests["hypothetical"] = tests["statistic"].notna() | (tests["note"] != "")
    tested = tests.groupby(KEYS, observed=True)["hypothetical"].transform("any")
    draws = tests[tested].groupby([*KEYS, "repeat", "draw"], sort=False, observed=True).agg(
        rejected=("rejected", "any"),
        any_known=("known", "any"),
        all_known=("known", "all"),
        smallest_cell=("smallest_cell", "min"),
    )  # fmt: skip
    repeats = draws.groupby([*KEYS, "repeat"], sort=False, observed=True).agg(
        rejected=("rejected", "sum"),  # only tested draws can be rejected
        draws_tested=("any_known", "sum"),
        all_known=("all_known", "all"),
        smallest_cell=("smallest_cell", "min"),
    )
    repeats["share"] = repeats["rejected"] / repeats["draws_tested"].replace(0, np.nan)
    repeats["incomplete"] = ~repeats["all_known"]
    repeats["small"] = repeats["smallest_cell"] < SMALL_CELL
    violations = repeats.groupby(KEYS, sort=False, observed=True).agg(
        repeats=("share", "size"),
        tested=("share", "count"),
        violated=("share", "mean"),
        run_sd=("share", "std"),
        incomplete=("incomplete", "sum"),
        small_cells=("small", "sum"),
        smallest_cell=("smallest_cell", "min"),
    )
    rate = violations["violated"]
    drawn = draws.index.get_level_values("draw").max() > 0 if len(draws) else False
    binomial = np.sqrt(rate * (1 - rate))
    violations["run_sd"] = violations["run_sd"] if drawn else binomial
    error = violations["run_sd"] / np.sqrt(violations["tested"])
    violations.insert(3, "standard_error", error)
    return violations.reset_index(), estimates


def remark(row: Mapping[Any, Any]) -> str:
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
