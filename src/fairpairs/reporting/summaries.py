"""Summaries of an experiment: how often each test found a violation, over all repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.fairness.proportions import SMALL_CELL

#: What identifies a row of a summary.
KEYS = ["dataset", "attribute", "treatment", "test"]


def summarise(results: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Summarise the results of the tests of one experiment.

    Parameters
    ----------
    results
        What `fairpairs.experiments.fairness_tests.run_test` returned, in any chunks.

    Returns
    -------
    DataFrame
        A row for each data set, attribute, treatment and test, in the order of the results:
        `repeats`, those in which at least one hypothesis could be tested (`tested`), the share of
        these in which a hypothesis was rejected (`violated`) with its Monte Carlo
        `standard_error`, the number of repeats in which some hypothesis could not be tested
        (`incomplete`), in which a cell held fewer than 30 (`small_cells`), and the smallest cell
        seen (`smallest_cell`).
    """
    tests = pd.concat(results, ignore_index=True)
    tests["known"] = tests["p_value"].notna()
    repeats = tests.groupby([*KEYS, "repeat"], sort=False, observed=True).agg(
        rejected=("rejected", "any"),
        any_known=("known", "any"),
        all_known=("known", "all"),
        smallest_cell=("smallest_cell", "min"),
    )
    repeats["incomplete"] = ~repeats["all_known"]
    repeats["small"] = repeats["smallest_cell"] < SMALL_CELL
    # a rejection needs a p-value, so the rejected are all among the tested
    summary = repeats.groupby(KEYS, sort=False, observed=True).agg(
        repeats=("rejected", "size"),
        tested=("any_known", "sum"),
        rejected=("rejected", "sum"),
        incomplete=("incomplete", "sum"),
        small_cells=("small", "sum"),
        smallest_cell=("smallest_cell", "min"),
    )
    rate = summary.pop("rejected") / summary["tested"].replace(0, np.nan)
    summary.insert(2, "violated", rate)
    summary.insert(3, "standard_error", np.sqrt(rate * (1 - rate) / summary["tested"]))
    return summary.reset_index()


def remark(row: Mapping[Any, Any]) -> str:
    """Say what a reader of one row of a summary must know, or nothing."""
    parts = []
    if row["incomplete"]:
        parts.append(f"a hypothesis could not be tested in {row['incomplete']:,} repeats")
    if row["small_cells"]:
        parts.append(
            f"a cell below {SMALL_CELL} in {row['small_cells']:,} of {row['repeats']:,} repeats "
            f"(smallest {row['smallest_cell']})"
        )
    return "; ".join(parts)
